// Output formats of `check` and `test` for other tools: SARIF, annotations of GitHub, code quality of GitLab, JUnit.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// Checked plans or tests and the diagnostics, as elements of the JSON result. Each case has `file`, `name` and `ok`.
/// If a case has `diagnostics`, it lists the indices of its own diagnostics, which are its failure; otherwise the
/// diagnostics of its file are.
struct CheckedResults {
  std::string_view command;
  const nlohmann::ordered_json& cases;
  const nlohmann::ordered_json& diagnostics;
};

/// A format that prints the whole result as a text that ends with a line break.
struct CheckFormat {
  std::string_view name;
  std::string (*text)(const CheckedResults& checked);
};

/// All formats: `sarif`, `github`, `gitlab`, `junit`.
const std::vector<CheckFormat>& checkFormats();
/// Returns the format of this name; null if there is none.
const CheckFormat* checkFormat(std::string_view name);

} // namespace planc::driver
