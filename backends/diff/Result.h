// A priced plan as what it is compared by: numbers, facts, and accounts of its stages. As much of it as a JSON result
// says, so that what is priced now and what was priced elsewhere are compared in one way.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Account.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace planc::diff {

/// A fact by its path; statements that are there or not have no value.
struct Fact {
  std::string path, value;
  bool derived = false;   ///< follows from others: told where nothing else is different
  std::string where = {}; ///< `plans/run.plan:20`
};

/// A line that a plan is held against.
struct Assertion {
  std::string text;
  bool ok = true;
};

struct Result {
  std::string file;                                   ///< as reports show it
  std::string plan;                                   ///< without arguments
  std::string arguments;                              ///< all of them with their values: `nodes = 8, seq = 4096`
  std::map<std::string, double, std::less<>> metrics; ///< by name, in base units; those that have a value
  std::vector<Account> stages;
  size_t critical = 0; ///< the stage whose times the step is made of
  std::vector<Fact> facts;
  std::vector<Assertion> assertions;

  /// `plans/run.plan#house_8b(nodes = 8)`.
  std::string id() const { return file + "#" + name(); }
  std::string name() const { return arguments.empty() ? plan : plan + "(" + arguments + ")"; }
  std::optional<double> metric(std::string_view name) const {
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
  }
};

} // namespace planc::diff
