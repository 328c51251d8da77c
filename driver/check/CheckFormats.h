// The formats of what was checked, for the tools that show it: SARIF, annotations of GitHub, code quality of GitLab,
// JUnit.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// Plans that were checked, or tests that were run, and what was found, as the elements of the JSON result. Each has a
/// `file`, a `name` and `ok`; where `diagnostics` says which of the others are its own, these are what failed it, else
/// those of its file.
struct CheckedResults {
  std::string_view command;
  const nlohmann::ordered_json& cases;
  const nlohmann::ordered_json& diagnostics;
};

/// A format as a whole text that ends with a line break.
struct CheckFormat {
  std::string_view name;
  std::string (*text)(const CheckedResults& checked);
};

/// `sarif`, `github`, `gitlab`, `junit`.
const std::vector<CheckFormat>& checkFormats();
/// Null if there is none.
const CheckFormat* checkFormat(std::string_view name);

} // namespace planc::driver
