// Lowers plans that differ in few things. Layers are lowered once for all plans that agree in what the layers depend
// on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "passes/Passes.h"
#include "passes/UnseenAxes.h"
#include "support/Memo.h"

#include <memory>

namespace planc::passes {

/// Lowers plans one after the other to level comm with the same result as `lower`, but without warnings. Plans that
/// agree in the parts that `Pass::reads` names share classes and nodes; so do plans whose
/// meshes differ only in the sizes of unseen axes (UnseenAxes.h). Only the layers of the last few groups of plans are
/// kept, so request similar plans in a row. Programs with the same layers also share the results in their `memos`, so
/// only one thread may use them.
class Lowerings {
public:
  /// `kept`: number of groups of plans whose layers are kept. With tasks, prices and other caches of an engine, 64
  /// groups take some 20 MB for a model of thirty operators, and some 80 MB for a model of a hundred operators with
  /// experts.
  explicit Lowerings(size_t kept = 64) : kept_(kept) {}

  /// Returns null, with a diagnostic, if the plan breaks a law. The plan must outlive the program.
  std::unique_ptr<ir::Program> lower(const ir::Plan& plan, DiagnosticEngine& diagnostics);

  /// Returns the plan that represents the group of `plan`, which `Program::rulesOf` also holds. Null if the layers of
  /// the group are not kept.
  std::shared_ptr<const ir::Plan> groupOf(const ir::Plan& plan);

  /// `lowered`: number of programs so far whose layers had to be lowered. `shared`: number of programs that reused kept
  /// layers.
  size_t lowered() const { return lowered_; }
  size_t shared() const { return shared_; }

private:
  struct Layers {
    std::shared_ptr<const ir::Plan> plan; ///< owns the rules that nodes and placements point to
    ir::Program program;                  ///< after the last pass over layers
    UnseenAxes unseen = {};               ///< axes whose sizes may differ among plans that share the layers
  };
  Layers* find(const ir::Plan& plan);
  /// The results of the passes that depend on the model alone.
  struct BoundModel {
    std::shared_ptr<const ir::Plan> plan;
    Shared<ir::Model> model;
    std::vector<ir::Precision> precisions;
  };

  size_t lowered_ = 0, shared_ = 0;
  Latest<Layers> kept_;
  Latest<BoundModel> models_;
};

} // namespace planc::passes
