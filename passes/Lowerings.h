// Programs of plans that differ in a few things: what their layers do is lowered once for all plans that agree in what
// it depends on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "passes/Passes.h"
#include "passes/UnseenAxes.h"

#include <list>
#include <memory>

namespace planc::passes {

/// Lowers plan after plan to level comm, as `lower` does and with the same result, but without warnings. Those whose
/// plans agree in the parts that the passes over layers read (`Pass::reads`) share classes and nodes, those on meshes
/// that differ in the sizes of unseen axes alone (UnseenAxes.h), too. The layers of the last few such groups of plans
/// are kept, so that plans that differ in little are best asked for in a row.
class Lowerings {
public:
  /// `kept`: groups of plans whose layers are kept. With tasks, prices and what else an engine keeps, 64 of a
  /// model of thirty operators take some 20 MB, of one of a hundred with experts some 80 MB.
  explicit Lowerings(size_t kept = 64) : most_(kept) {}

  /// Null if the plan breaks a law (reported). The plan must outlive the program.
  std::unique_ptr<ir::Program> lower(const ir::Plan& plan, DiagnosticEngine& diagnostics);

  /// The end of the pipeline on a program that was lowered here; tasks of shared layers are shared.
  std::unique_ptr<ir::Schedule> schedule(const ir::Program& program) { return passes::schedule(program, {}, &tasks_); }

  /// Stands for the group of plans that this one is of, if its layers are kept; else null. As `Program::rulesOf`.
  std::shared_ptr<const ir::Plan> groupOf(const ir::Plan& plan);

  /// Programs so far whose layers had to be lowered for them, and that found them lowered.
  size_t most() const { return most_; }
  size_t lowered() const { return lowered_; }
  size_t shared() const { return shared_; }

private:
  struct Layers {
    std::shared_ptr<const ir::Plan> plan; ///< nodes and placements point at its rules
    ir::Program program;                  ///< behind the last of the passes over layers
    UnseenAxes unseen = {};               ///< axes whose sizes may differ
    /// The model as it is bound on other meshes; the last few.
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
  std::list<Layers> kept_;       ///< the last one asked for first
  std::list<Prepared> prepared_; ///< the last one made first
  KnownTasks tasks_;
};

} // namespace planc::passes
