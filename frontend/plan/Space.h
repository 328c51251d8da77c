// Makes the paths and constants of a plan available as names in expressions: `train.micro_batch`, `mesh.tp`,
// `cluster.device.memory`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"

#include <set>
#include <string>
#include <vector>

namespace planc::frontend {

struct MeshDraft;

/// The namespace `mesh`: sizes of axes and groups.
class MeshSpace final : public Namespace {
public:
  MeshSpace(Evaluator& ev, MeshDraft& mesh, std::set<std::string>& reads) : ev_(ev), mesh_(mesh), reads_(reads) {}
  bool has(Symbol name) const override;
  Value member(Symbol name, SourceRange use) override;
  std::vector<std::string> memberNames() const override;

private:
  Evaluator& ev_;
  MeshDraft& mesh_;
  std::set<std::string>& reads_;
};

/// The names that a plan adds to the scope of its expressions.
class PlanSpace final : public Namespace {
public:
  PlanSpace(Evaluator& ev, FactTree& facts, FactTree& lets, MeshDraft& mesh)
      : context_(ev.context), facts_(facts), lets_(lets), mesh_(mesh), sizes_(ev, mesh, reads_) {
    facts_.reads = &reads_;
  }
  bool has(Symbol name) const override;
  Value member(Symbol name, SourceRange use) override;
  std::vector<std::string> memberNames() const override;
  /// The paths that were read so far: `mesh.tp` (for a group, also its axes), `train.micro_batch`, `let ranks`.
  const std::set<std::string>& reads() const { return reads_; }
  /// Records that the plan computes something from the value at `path`.
  void read(std::string path) { reads_.insert(std::move(path)); }

private:
  std::set<std::string> reads_;
  Context& context_;
  FactTree& facts_;
  FactTree& lets_;
  MeshDraft& mesh_;
  MeshSpace sizes_;
};

} // namespace planc::frontend
