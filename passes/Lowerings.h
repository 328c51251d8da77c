// Lowers plans that differ in few things. Layers are lowered once for all plans that agree in what the layers depend
// on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "passes/Passes.h"
#include "passes/UnseenAxes.h"

#include <list>
#include <memory>

namespace planc::passes {

/// Lowers plans one after the other to level comm with the same result as `lower`, but without warnings. Plans that
/// agree in the parts that the passes over layers read (`Pass::reads`) share classes and nodes; so do plans whose
/// meshes differ only in the sizes of unseen axes (UnseenAxes.h). Only the layers of the last few groups of plans are
/// kept, so request similar plans in a row.
class Lowerings {
public:
  /// `kept`: number of groups of plans whose layers are kept. With tasks, prices and other caches of an engine, 64
  /// groups take some 20 MB for a model of thirty operators, and some 80 MB for a model of a hundred operators with
  /// experts.
  explicit Lowerings(size_t kept = 64) : most_(kept) {}

  /// Returns null, with a diagnostic, if the plan breaks a law. The plan must outlive the program.
  std::unique_ptr<ir::Program> lower(const ir::Plan& plan, DiagnosticEngine& diagnostics);

  /// Runs the end of the pipeline on a program that was lowered here. Tasks of shared layers are shared.
  std::unique_ptr<ir::Schedule> schedule(const ir::Program& program) { return passes::schedule(program, {}, &tasks_); }

  /// Returns the plan that represents the group of `plan`, as `Program::rulesOf`; null if the layers of the group are
  /// not kept.
  std::shared_ptr<const ir::Plan> groupOf(const ir::Plan& plan);

  /// `lowered`: programs so far whose layers were lowered. `shared`: programs so far that found their layers lowered.
  size_t most() const { return most_; }
  size_t lowered() const { return lowered_; }
  size_t shared() const { return shared_; }

private:
  struct Layers {
    std::shared_ptr<const ir::Plan> plan; ///< owns the rules that nodes and placements point to
    ir::Program program;                  ///< after the last pass over layers
    UnseenAxes unseen = {};               ///< axes whose sizes may differ
    /// The bound model for the last few other meshes.
    std::list<std::pair<ir::Mesh, Shared<ir::Model>>> bound = {};
    KnownStates states = {};
  };
  Layers* find(const ir::Plan& plan);
  struct Prepared {
    std::shared_ptr<const ir::Plan> plan;
    PreparedModel model;
  };
  const PreparedModel* findModel(const ir::Plan& plan) const;
  std::unique_ptr<ir::Program> lowerWith(Layers& layers, const ir::Plan& plan, DiagnosticEngine& diagnostics);

  size_t most_, lowered_ = 0, shared_ = 0;
  std::list<Layers> kept_;       ///< latest request first
  std::list<Prepared> prepared_; ///< latest first
  KnownTasks tasks_;
};

} // namespace planc::passes
