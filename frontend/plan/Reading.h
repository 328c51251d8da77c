// What an expression of a plan reads of it, directly or through what it reads: found in the text, without evaluating.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace planc::frontend {

/// Whether one path lies at or below the other: `cluster` and `cluster.device.memory`.
bool samePlace(std::string_view a, std::string_view b);

/// Collects paths: parameters and constants by their names, `mesh.tp` (of a group its axes, too), facts.
class Reading {
public:
  /// What stands behind a path that `stops` holds of is not looked at.
  Reading(MergedPlan& merged, std::function<bool(const std::string&)> stops)
      : merged_(merged), stops_(std::move(stops)) {}
  void walk(const syntax::Expr& e, Scope& scope);
  const std::set<std::string>& paths() const { return paths_; }

private:
  using Place = std::pair<const syntax::Expr*, Scope*>;

  void name(const std::vector<Symbol>& chain, Scope& scope);
  void parameter(Symbol name, const Scope& scope);
  void ofPlan(const std::vector<Symbol>& chain);
  void ofMesh(Symbol axis);
  void below(FactNode& node, const std::string& path);
  /// Whether what stands behind it is to be looked at.
  bool add(const std::string& path);

  MergedPlan& merged_;
  std::function<bool(const std::string&)> stops_;
  std::set<std::string> paths_;
  std::vector<Place> left_;
};

} // namespace planc::frontend
