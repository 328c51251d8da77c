// Reads priced plans from JSON results, as far as comparisons need them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Result.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace planc::report {

/// Reads one element of `plans`. Returns null, with the error and its place in `problem`, if the element is malformed.
std::optional<diff::Result> readResult(const nlohmann::ordered_json& plan, std::string& problem);

/// A whole JSON result of `planc estimate`.
struct ResultFile {
  std::string planc, library;                ///< version of the program, digest of its built-in library
  std::map<std::string, std::string> inputs; ///< digests by path
  std::vector<diff::Result> plans;           ///< plans of comparisons come after the others; each plan once
};
/// Reads a root object. Its format must have this major version and hold the fields that comparisons need. Returns
/// null, with the error in `problem`, if it does not.
std::optional<ResultFile> readResults(const nlohmann::ordered_json& root, std::string& problem);

} // namespace planc::report
