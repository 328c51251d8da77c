// The parts of a workload during elaboration.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Steps.h"

namespace planc::frontend {

inline constexpr ir::Statement kWorkloads[] = {ir::Statement::Train, ir::Statement::Finetune, ir::Statement::Infer};

/// A number of at least 1, called `what` in messages; nothing after a report.
std::optional<int64_t> count(Elaboration& elab, FactTree& facts, FactNode& node, std::string_view what);

// ---- Optimizer.cpp
/// Converts a value to an optimizer, with the name of its declaration; nothing if it is no optimizer.
std::optional<ir::Optimizer> optimizerOf(const Value& value);
/// Reads a record `{states = 2, master = true}`, named after the `let` that holds it. Nothing for `none`, which means
/// passes without an update, and after a report. `ofTables`: it is the optimizer of tables.
std::optional<ir::Optimizer> optimizer(Elaboration& elab, FactTree& facts, FactNode& node, bool ofTables);

// ---- Documents.cpp
/// Reads `documents`, the documents packed into one sequence. Returns false if `fact` is another fact.
bool documentsFact(Elaboration& elab, MergedPlan& merged, FactNode& fact);
/// Checks that documents fit into the sequences of the model, and that the model attends along them.
void checkDocuments(Elaboration& elab, const WorkloadFacts& facts);

// ---- Finetune.cpp
/// Reads a fact that only `finetune` has. Returns false for a fact of `train`.
bool finetuneFact(Elaboration& elab, MergedPlan& merged, FactNode& fact);
/// Adds adapters to the model, and checks that something is left to train.
void applyFinetune(Elaboration& elab, MergedPlan& merged, ir::Model& model);

// ---- Model.cpp
/// A note that lists what else the plan lacks before it can be priced, for a report about something missing; empty if
/// nothing else is missing.
std::string otherNeeds(MergedPlan& merged);

// ---- Extents.cpp
/// Reports an unknown fact, and lists the facts of this kind of workload and the extents that the model looks up.
void unknownWorkloadFact(Elaboration& elab, const WorkloadFacts& facts, const FactNode& section, Symbol fact,
                         SourceRange at);
DiagnosticEngine::Builder missingFacts(Elaboration& elab, const FactNode& section,
                                       const std::vector<std::string>& names);
/// Reports a dimension of the model's input that has no extent. Returns false if there is no workload.
bool lacksExtent(Elaboration& elab, WorkloadFacts& facts, const syntax::Name& dim);

} // namespace planc::frontend
