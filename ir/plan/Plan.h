// A plan as the frontend hands it to the passes: model, cluster, stack, workload, mesh and rules, all resolved, nothing
// placed yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/layout/Mesh.h"
#include "ir/machine/Machine.h"
#include "ir/model/Documents.h"
#include "ir/model/Expr.h"
#include "ir/model/Model.h"
#include "ir/plan/Precision.h"
#include "support/Diagnostics.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

struct SearchTerms;

/// `selector { dims -> axes }`; one rule per (selector, dim).
struct PlacementRule {
  Selector selector;
  Symbol dim;
  std::vector<Symbol> targets; ///< axis or group names as written, major first; empty = `replicate`
  bool ring = false;
  bool uneven = false;
  bool contiguous = false; ///< one range per rank; else shards are balanced under a mask (docs/semantics.md)
  bool optional = false;   ///< accepted even if it reaches no operator, or its selector no layer
  SourceRange range;       ///< of the rule
  SourceRange dimRange;    ///< of the dimension's name
  SourceRange targetRange;
  bool operator==(const PlacementRule&) const = default;
};

enum class StateKind { Params, Grads, Optimizer };
std::string_view name(StateKind k);
struct StateRule {
  Selector selector;
  StateKind state = StateKind::Params;
  std::vector<Symbol> targets;
  SourceRange range;
  bool regather = true;  ///< Params: gathered again for backward; false: backward uses what forward gathered
  bool host = false;     ///< its shard is stored in the host's memory
  bool optional = false; ///< accepted even if its selector reaches no layer
  bool operator==(const StateRule&) const = default;
};

/// The update rule of a parameter, and the states that it keeps. A matrix is a parameter that a contraction multiplies
/// with: its rows are the summed dimensions, its columns the other dimensions. A table of a lookup has its rows first
/// (ir/program/States.h).
struct Optimizer {
  Symbol name;
  int states = 0;                   ///< values per element
  bool master = true;               ///< keeps a master copy if parameters are stored in a narrower type
  std::optional<double> stateBytes; ///< bytes of one value, block scales included; nullopt: given by the precision
  int factored = 0;      ///< states with a value per row and per column of a matrix, or per element of a vector
  int rowStates = 0;     ///< tables: states that a whole row shares (row-wise Adagrad: 1)
  int orthogonalise = 0; ///< Newton-Schulz iterations on each matrix of a repeated layer
  bool repeated = false; ///< every device orthogonalises all gathered matrices; false: the devices divide them
  /// The optimizer of parameters that are not matrices of a repeated layer; null: this optimizer.
  std::shared_ptr<const Optimizer> others = nullptr;
  SourceRange range = {};
  std::vector<Symbol> stateNames = {}; ///< names of the states (`m`, `v`); empty if the optimizer names none
  bool onHost = false;                 ///< the host's processors run the update; false: the device runs it
  bool operator==(const Optimizer&) const = default;
};

/// `lora { rank = 16; targets = [decoder.attn] }`: an adapter beside every contraction that the targets reach.
struct Adapters {
  int64_t rank = 0;
  std::vector<Selector> targets;
  SourceRange range;
  bool operator==(const Adapters&) const = default;
};

/// A phase of a workload, and what one pass of the phase does with the model.
struct WorkloadPhase {
  Symbol name;                                       ///< `train`, `finetune`, `forward`
  bool backward = false;                             ///< gradients flow back from the loss
  bool update = false;                               ///< the phase ends with an optimizer step
  std::vector<std::pair<Symbol, int64_t>> extents{}; ///< extents of the dims that the phase binds: `seq = 2048`
  bool operator==(const WorkloadPhase&) const = default;
};
struct Workload {
  Symbol section;                    ///< name of the plan's section: `train`, `finetune`, `infer`; empty: no workload
  std::vector<WorkloadPhase> phases; ///< in the order in which they run; today at most one; empty: no workload
  std::vector<Selector> freeze;      ///< parameters without gradient, in addition to the model's `frozen` parameters
  std::optional<Adapters> adapters;
  Symbol samples; ///< the dimension that the batches count; they and the axes that split it give its extent
  int64_t globalBatch = 0;
  int64_t microBatch = 0;
  std::optional<Documents> documents; ///< documents packed into one sequence; nullopt: a sequence is one document
  std::optional<Optimizer> optimizer;
  std::optional<Optimizer> tableOptimizer; ///< for tables that only lookups read: updates the rows that were read
  double expertImbalance = 1; ///< load of the busiest device over the mean, if routed data chooses a device
  double expertGini = 0;      ///< Gini coefficient of the loads of experts, 0 (equal) to 0.9; if above 0, it decides
  SourceRange range, globalBatchRange, microBatchRange, imbalanceRange, giniRange;
  bool operator==(const Workload&) const = default;

  /// Returns whether a phase computes gradients.
  bool hasBackward() const {
    return std::any_of(phases.begin(), phases.end(), [](const WorkloadPhase& phase) { return phase.backward; });
  }
  /// Returns whether a phase ends with an optimizer step. If so, one step reads `globalBatch` samples, in
  /// micro-batches.
  bool updatesParameters() const {
    return std::any_of(phases.begin(), phases.end(), [](const WorkloadPhase& phase) { return phase.update; });
  }
  /// The extents of all phases.
  std::vector<std::pair<Symbol, int64_t>> extents() const;
};

/// `run { … }`: the length of a run, and facts for its time and cost (docs/cost-model.md, section 8).
struct Run {
  OptNumber tokens, samples; ///< amount that the run reads; one of the two is set
  OptNumber mtbf;            ///< mean time between failures of one device; nullopt: no failures
  OptNumber checkpoint;      ///< pause of training for a checkpoint; nullopt: states over the cluster's `storage`
  OptNumber every;           ///< training time between two checkpoints; nullopt: the best interval
  OptNumber restart;         ///< time from a failure until training resumes at a checkpoint; nullopt: 0
  OptNumber utilisation;     ///< share of the time in which the job runs; nullopt: 1
  OptNumber pue;             ///< energy of the site over the energy of its machines; nullopt: 1
  OptNumber carbon;          ///< emitted mass per energy
  SourceRange range;
};

struct StageLine {
  int64_t index = 0;
  std::vector<Selector> selectors;
  SourceRange range;
  bool operator==(const StageLine&) const = default;
};
/// How `stages = …` cuts the layers: into equal counts, into the listed counts, or so that the device with the most
/// work has as little work as possible.
enum class StageCut { Even, Counts, Balanced };
/// `embed = 1` of `even(embed = 1)`: a plain layer that counts as this many repeated layers.
struct CountedLayer {
  Symbol layer;
  int64_t count = 1;
  SourceRange range;
  bool operator==(const CountedLayer&) const = default;
};
struct Stages {
  StageCut cut = StageCut::Even;
  std::vector<CountedLayer> counted; ///< Even
  std::vector<int64_t> counts;       ///< Counts: repeated layers of each virtual stage
  std::optional<int64_t> cuts =
      {}; ///< Balanced: number of cuts compared in each of its searches; nullopt: as many as pay
  SourceRange range;
  bool operator==(const Stages&) const = default;
};
/// `chunks = 3` of `interleaved_1f1b(chunks = 3)`.
struct ScheduleArgument {
  Symbol name;
  int64_t value = 1;
  SourceRange range;
  bool operator==(const ScheduleArgument&) const = default;
};
struct Pipeline {
  std::vector<Symbol> axes;                ///< written names
  Symbol schedule;                         ///< `one_f_one_b`, `interleaved_1f1b`, …: a row of passes' schedule table
  std::vector<ScheduleArgument> arguments; ///< arguments of the schedule
  std::optional<Symbol> scatter;
  std::optional<Stages> cut;      ///< `stages = …`
  std::vector<StageLine> stages;  ///< stage lines as written, or of the cut that `balanced` was settled to
  std::vector<StageLine> offered; ///< stage lines that reports suggest if a cut fails; may be empty
  SourceRange range, scheduleRange, scatterRange;
  bool operator==(const Pipeline&) const = default;
};

/// `recompute SELECTORS { … }`: each match of a selector is one checkpoint.
struct Recompute {
  std::vector<Selector> selectors;
  std::vector<Selector> saves = {};  ///< layers inside a match whose results are kept, as paths from the match
  bool outputs = false;              ///< the outputs of a match are not kept for their readers either
  std::optional<int64_t> first = {}; ///< applies to the first N reached layers of each virtual stage; nullopt: all
  SourceRange range = {}, firstRange = {}, outputsRange = {};
  /// The statement as written: its selectors and facts.
  std::string str() const;
  bool operator==(const Recompute&) const = default;
};

struct Keep {
  Selector selector;
  bool gathered = true;
  bool host = false; ///< copied to the host's memory between forward and backward
  bool operator==(const Keep&) const = default;
};

/// `overlap { … }`: overrides of the stack for this plan.
struct Overlap {
  std::map<CollectiveClass, Number> blockingShare;
  OptNumber prefetch, slowdown, bucket; ///< bucket: bytes of one message
};

struct Assertion {
  ExprTree condition;
  std::string reason;
  SourceRange range;
  std::string policy = {}; ///< the policy that demands it; empty: the plan or one of its tests does
};
struct Measured {
  ExprTree metric;
  ExprTree value;
  std::optional<double> tolerance; ///< 0.05 for `within 5%`
  std::string source;
  SourceRange range;
};

/// `tp = 8 within node`, for the checks of passes::checkMesh.
struct AxisPlace {
  AxisId axis;
  enum class Where { Within, Across } where = Where::Within;
  Symbol level;
  SourceRange range;
  bool operator==(const AxisPlace&) const = default;
};

/// A fact that was set outside of the file, for reports. Values are in the syntax of the language.
struct SetFact {
  std::string path, value, before; ///< before: empty if the plan did not state the fact
  bool changed = true;             ///< false: the fact had this value before
};

struct Plan {
  Symbol name;
  SourceRange range;                                ///< range of the name
  std::string title;                                ///< for reports: the name with the arguments of the choice
  std::string modelText, clusterText, softwareText; ///< for reports: names as written, with the values of arguments
  /// All parameters with their values in the syntax of the language, including parameters that keep their defaults.
  std::vector<std::pair<Symbol, std::string>> arguments;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Cluster> cluster; ///< null: one device
  std::shared_ptr<const Stack> stack;     ///< `software`; `estimate` requires it, `check` does not
  Workload workload;
  std::optional<Run> run;
  Precision precision;
  std::vector<PrecisionRule> precisionRules; ///< in order of appearance
  Mesh mesh;                                 ///< as declared; passes refine a copy
  std::vector<AxisPlace> axisPlaces;
  std::vector<AxisId> addedAxes; ///< axes that a derived plan added without a place, outside of all inherited axes
  SourceRange meshRange;
  std::vector<PlacementRule> placements;
  std::vector<StateRule> states;
  std::optional<Pipeline> pipeline;
  std::vector<Recompute> recompute;
  std::vector<Keep> keeps;
  Overlap overlap;
  std::vector<Assertion> assertions;
  std::vector<Measured> measured; ///< empty if a fact was changed, because measurements are of the plan as written
  std::vector<SetFact> set;       ///< facts that were set outside of the file
  std::string test;               ///< the test whose plan this is, `sizes(nodes = 4)`; empty: no test
  Allowances allowances;          ///< warnings that the plan, a plan it extends, or its file allows
  /// Paths of the facts, axes and constants from which the plan's text computes other values (`mesh.tp`,
  /// `train.micro_batch`, `let ranks`).
  std::vector<std::string> reads;
  std::shared_ptr<const SearchTerms> search; ///< terms of its `search` block; null without a block
};

/// The outermost rule that places the samples; null if there is none.
const PlacementRule* ruleOfSamples(const Plan& plan);
/// The number of devices that the rule of the samples splits them over, each with its own micro-batches
/// (docs/language.md, section 11); 1 without a rule.
int64_t replicas(const Plan& plan);

} // namespace planc::ir
