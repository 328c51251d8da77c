// The paths of a plan as names in expressions: `train.micro_batch`, `mesh.tp`, `cluster.device.memory`, and its
// constants.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/PlanBuilder.h"

namespace planc::frontend {

/// Sizes of axes and groups.
class MeshSpace final : public Namespace {
public:
  explicit MeshSpace(PlanBuilder& plan) : plan_(plan) {}
  bool has(Symbol name) const override;
  Value member(Symbol name, SourceRange use) override;
  std::vector<std::string> memberNames() const override;

private:
  PlanBuilder& plan_;
};

/// What a plan brings into scope.
class PlanSpace final : public Namespace {
public:
  explicit PlanSpace(PlanBuilder& plan) : plan_(plan), mesh_(plan) {}
  bool has(Symbol name) const override;
  Value member(Symbol name, SourceRange use) override;
  std::vector<std::string> memberNames() const override;
  MeshSpace& mesh() { return mesh_; }

private:
  PlanBuilder& plan_;
  MeshSpace mesh_;
};

} // namespace planc::frontend
