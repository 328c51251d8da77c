// Finds the paths that an expression of a plan reads, directly or indirectly, from its text and without evaluating it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace planc::frontend {

/// Returns whether one path is at or below the other: `cluster` and `cluster.device.memory`.
bool samePlace(std::string_view a, std::string_view b);

/// Collects paths: parameters and constants by name, `mesh.tp` (for a group, also its axes), facts.
class Reading {
public:
  /// `stops` returns true for paths whose own expressions are not followed.
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
  /// Adds a path. Returns whether its own expression must be followed.
  bool add(const std::string& path);

  MergedPlan& merged_;
  std::function<bool(const std::string&)> stops_;
  std::set<std::string> paths_;
  std::vector<Place> left_;
};

} // namespace planc::frontend
