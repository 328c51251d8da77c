// Reads priced plans from JSON: what `json` wrote of them, here or elsewhere, as far as plans are compared by it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Result.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace planc::report {

/// One element of `plans`. Nothing, with what is wrong and where in `problem`, if it is none of this form.
std::optional<diff::Result> readResult(const nlohmann::ordered_json& plan, std::string& problem);

/// A JSON result of `planc estimate`, as a whole.
struct ResultFile {
  std::string planc, library;                ///< version of the program, digest of the library in it
  std::map<std::string, std::string> inputs; ///< digests by path
  std::vector<diff::Result> plans;           ///< those of comparisons behind the others; each once
};
/// The same for a root object, whose form must be of this major version and carry what a comparison needs.
std::optional<ResultFile> readResults(const nlohmann::ordered_json& root, std::string& problem);

} // namespace planc::report
