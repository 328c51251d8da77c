// The parts of a workload, while it is elaborated.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Steps.h"

namespace planc::frontend {

/// A number of at least 1, called `what` in messages; nothing after a report.
std::optional<int64_t> count(Elaboration& elab, FactTree& facts, FactNode& node, std::string_view what);

// ---- Optimizer.cpp
/// The optimizer that a value is, by the name that it was declared with; nothing if it is none.
std::optional<ir::Optimizer> optimizerOf(const Value& value);
/// A record: `{states = 2, master = true}`, named after the `let` that holds it. Nothing for `none`, which is of passes
/// without an update, and after a report. `ofTables`: it is that of the tables.
std::optional<ir::Optimizer> optimizer(Elaboration& elab, FactTree& facts, FactNode& node, bool ofTables);

// ---- Documents.cpp
/// `documents`, packed into one sequence; false if the fact is another one.
bool documentsFact(Elaboration& elab, MergedPlan& merged, FactNode& fact);
/// Whether they fit into the sequences of the model, and whether it attends along them.
void checkDocuments(Elaboration& elab, const WorkloadFacts& facts);

// ---- Finetune.cpp
/// A fact that only `finetune` has; false if it is one of `train`.
bool finetuneFact(Elaboration& elab, MergedPlan& merged, FactNode& fact);
/// Adapters into the model, and whether anything is left to train.
void applyFinetune(Elaboration& elab, MergedPlan& merged, ir::Model& model);

// ---- Model.cpp
/// A note of what else a plan needs before it has a price, beside a report of something that is missing; empty if
/// nothing is.
std::string otherNeeds(MergedPlan& merged);

// ---- Extents.cpp
/// Lists what this kind of workload has: its own facts, and the extents that the model asks for.
void unknownWorkloadFact(Elaboration& elab, const WorkloadFacts& facts, const FactNode& section, Symbol fact,
                         SourceRange at);
DiagnosticEngine::Builder missingFacts(Elaboration& elab, const FactNode& section,
                                       const std::vector<std::string>& names);
/// The model's input has a dimension that no fact gives an extent; false if there is no workload to say it of.
bool lacksExtent(Elaboration& elab, WorkloadFacts& facts, const syntax::Name& dim);

} // namespace planc::frontend
