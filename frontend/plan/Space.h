// The paths of a plan as names in expressions: `train.micro_batch`, `mesh.tp`, `cluster.device.memory`, and its
// constants.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"

#include <set>
#include <string>
#include <vector>

namespace planc::frontend {

struct MeshDraft;

/// Sizes of axes and groups.
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

/// What a plan brings into scope.
class PlanSpace final : public Namespace {
public:
  PlanSpace(Evaluator& ev, FactTree& facts, FactTree& lets, MeshDraft& mesh)
      : context_(ev.context), facts_(facts), lets_(lets), mesh_(mesh), sizes_(ev, mesh, reads_) {
    facts_.reads = &reads_;
  }
  bool has(Symbol name) const override;
  Value member(Symbol name, SourceRange use) override;
  std::vector<std::string> memberNames() const override;
  /// What of it was asked for so far, by path: `mesh.tp`, of a group its axes; `train.micro_batch`, `let ranks`.
  const std::set<std::string>& reads() const { return reads_; }
  /// Notes that the text computes something from what stands at `path`.
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
