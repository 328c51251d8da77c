// A priced plan reduced to what comparisons use: numbers, facts, and accounts of its stages. It holds only what a JSON
// result holds, so new and stored results are compared in the same way.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Account.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace planc::diff {

/// A fact by its path. The value of a statement is empty.
struct Fact {
  std::string path, value;
  bool derived = false;   ///< follows from other facts; reported only if no other fact differs
  std::string where = {}; ///< `plans/run.plan:20`
};

/// An assertion of the plan.
struct Assertion {
  std::string text;
  bool ok = true;
};

/// A priced plan.
struct Result {
  std::string file;                                   ///< as reports show it
  std::string plan;                                   ///< without arguments
  std::string arguments;                              ///< all arguments with their values: `nodes = 8, seq = 4096`
  std::map<std::string, double, std::less<>> metrics; ///< by name, in base units; metrics without a value are left out
  std::vector<Account> stages;
  size_t critical = 0; ///< index of the stage whose times make up the step
  std::vector<Fact> facts;
  std::vector<Assertion> assertions;

  /// Returns `plans/run.plan#house_8b(nodes = 8)`.
  std::string id() const { return file + "#" + name(); }
  std::string name() const { return arguments.empty() ? plan : plan + "(" + arguments + ")"; }
  std::optional<double> metric(std::string_view name) const {
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
  }
};

} // namespace planc::diff
