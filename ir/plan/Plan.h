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
  bool optional = false;   ///< it may reach no operator, and its selector no layer
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
  bool regather = true;  ///< of parameters: gathered again for backward; false keeps what forward gathered until then
  bool host = false;     ///< its shard lives in the host's memory
  bool optional = false; ///< its selector may reach no layer
  bool operator==(const StateRule&) const = default;
};

/// What updates a parameter, and what it keeps for it. A matrix is a parameter that a contraction multiplies with: rows
/// are what is summed over, columns what is not; a table of a lookup has its rows first (ir/States.h).
struct Optimizer {
  Symbol name;
  int states = 0;                   ///< values per element
  bool master = true;               ///< keeps a master copy where parameters are stored narrower
  std::optional<double> stateBytes; ///< of one value, its part of a block's scale included; else that of the precision
  int factored = 0;      ///< states of one value per row and one per column of a matrix; of a vector one per element
  int rowStates = 0;     ///< of a table: states that a whole row shares (row-wise Adagrad: 1)
  int orthogonalise = 0; ///< Newton-Schulz iterations on each matrix of a repeated layer
  bool repeated = false; ///< every device orthogonalises all matrices that it gathers; else they are dealt out
  /// Updates all that is no matrix of a repeated layer; null: this one does.
  std::shared_ptr<const Optimizer> others = nullptr;
  SourceRange range = {};
  std::vector<Symbol> stateNames = {}; ///< of `states`, where the optimizer names them (`m`, `v`)
  bool onHost = false;                 ///< the host's processors update, where its states lie; else the device
  bool operator==(const Optimizer&) const = default;
};

/// `lora { rank = 16; targets = [decoder.attn] }`: an adapter beside every contraction that the targets reach.
struct Adapters {
  int64_t rank = 0;
  std::vector<Selector> targets;
  SourceRange range;
  bool operator==(const Adapters&) const = default;
};

/// `train { … }`, `finetune { … }`. Invalid counts were already reported.
/// A phase of a workload: what one pass of it does with the model.
struct WorkloadPhase {
  Symbol name;                                       ///< `train`, `finetune`, `forward`
  bool backward = false;                             ///< gradients flow back from the loss
  bool update = false;                               ///< an optimizer step ends it
  std::vector<std::pair<Symbol, int64_t>> extents{}; ///< `seq = 2048` and the like: dims that the phase binds
  bool operator==(const WorkloadPhase&) const = default;
};
struct Workload {
  Symbol section;                    ///< as the plan has it: `train`, `finetune`, `infer`; empty: no workload
  std::vector<WorkloadPhase> phases; ///< in the order in which they run, today one; none: no workload
  std::vector<Selector> freeze;      ///< parameters without gradient, beyond those that the model declares `frozen`
  std::optional<Adapters> adapters;
  Symbol samples; ///< the dimension that the batches count; its extent follows from them and the axes that split it
  int64_t globalBatch = 0;
  int64_t microBatch = 0;
  std::optional<Documents> documents; ///< packed into one sequence; none: a sequence is one document
  std::optional<Optimizer> optimizer;
  std::optional<Optimizer> tableOptimizer; ///< of tables that are only looked up: updates the rows that were read
  double expertImbalance = 1; ///< load of the busiest device over the mean, where routed data chooses a device
  SourceRange range, globalBatchRange, microBatchRange, imbalanceRange;
  bool operator==(const Workload&) const = default;

  /// Does a phase compute gradients?
  bool hasBackward() const {
    return std::any_of(phases.begin(), phases.end(), [](const WorkloadPhase& phase) { return phase.backward; });
  }
  /// Does a phase end with an optimizer step? Then `globalBatch` is what one step reads, in micro-batches.
  bool updatesParameters() const {
    return std::any_of(phases.begin(), phases.end(), [](const WorkloadPhase& phase) { return phase.update; });
  }
  /// Those of all phases.
  std::vector<std::pair<Symbol, int64_t>> extents() const;
};

/// `run { … }`: how long the plan runs, and on what terms (docs/cost-model.md, section 8).
struct Run {
  OptNumber tokens, samples; ///< one of them: what the run reads
  OptNumber mtbf;            ///< mean time between failures of one device; none: nothing fails
  OptNumber checkpoint;      ///< training stands still for it; none: states over the cluster's `storage`
  OptNumber every;           ///< of training between two checkpoints; none: the best interval
  OptNumber restart;         ///< from a failure until training goes on where it was saved; none: no time
  OptNumber utilisation;     ///< share of the time in which the job runs at all; none: all of it
  OptNumber pue;             ///< energy of the site over that of its machines; none: 1
  OptNumber carbon;          ///< mass per energy
  SourceRange range;
};

struct StageLine {
  int64_t index = 0;
  std::vector<Selector> selectors;
  SourceRange range;
  bool operator==(const StageLine&) const = default;
};
/// How `stages = …` cuts the layers: into equal counts, by these counts, or for the least work of the longest device.
enum class StageCut { Even, Counts, Balanced };
/// `embed = 1` of `even(embed = 1)`: a plain layer that counts as so many.
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
      {}; ///< Balanced: how many are compared in each of its searches; nothing: as many as pay
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
  std::vector<ScheduleArgument> arguments; ///< of the schedule
  std::optional<Symbol> scatter;
  std::optional<Stages> cut;      ///< `stages = …`
  std::vector<StageLine> stages;  ///< lines as written, or those that a balanced cut was settled to
  std::vector<StageLine> offered; ///< lines of a balanced cut, for the report of one that fails; may be empty
  SourceRange range, scheduleRange, scatterRange;
  bool operator==(const Pipeline&) const = default;
};

/// `recompute SELECTORS { … }`: each match of a selector is one checkpoint.
struct Recompute {
  std::vector<Selector> selectors;
  std::vector<Selector> saves = {};  ///< layers inside a match whose results are kept, as paths from the match
  bool outputs = false;              ///< what leaves a match is not kept for its readers either
  std::optional<int64_t> first = {}; ///< of the layers that it reaches on each virtual stage
  SourceRange range = {}, firstRange = {}, outputsRange = {};
  /// As written, selectors and facts.
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
  std::string policy = {}; ///< that demands it; empty: the plan does, or a test of it
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

/// A fact as it was changed beside the file, for reports: the values, as the language shows them.
struct SetFact {
  std::string path, value, before; ///< before: empty where nothing was stated
  bool changed = true;             ///< false: it was so before
};

struct Plan {
  Symbol name;
  SourceRange range;                                ///< of the name
  std::string title;                                ///< for reports: the name with the arguments it was chosen with
  std::string modelText, clusterText, softwareText; ///< idem: as written, with the values of arguments
  /// All parameters with their values, as the language shows them, those that nobody gave included.
  std::vector<std::pair<Symbol, std::string>> arguments;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Cluster> cluster; ///< null: one device
  std::shared_ptr<const Stack> stack;     ///< `software`; estimate demands it, check does not
  Workload workload;
  std::optional<Run> run;
  Precision precision;
  std::vector<PrecisionRule> precisionRules; ///< in order of appearance
  Mesh mesh;                                 ///< as declared; passes refine a copy
  std::vector<AxisPlace> axisPlaces;
  std::vector<AxisId> addedAxes; ///< that a derived plan put outside of all inherited ones, without a word where
  SourceRange meshRange;
  std::vector<PlacementRule> placements;
  std::vector<StateRule> states;
  std::optional<Pipeline> pipeline;
  std::vector<Recompute> recompute;
  std::vector<Keep> keeps;
  Overlap overlap;
  std::vector<Assertion> assertions;
  std::vector<Measured> measured; ///< none where something was set to another value: they tell of the plan as written
  std::vector<SetFact> set;       ///< what was changed beside the file
  std::string test;               ///< that it is the plan of, `sizes(nodes = 4)`; empty: of none
  Allowances allowances;          ///< warnings that it, what it extends or its file allows
  /// Its text computes some of this from its own facts, axes or constants: from these, by path (`mesh.tp`,
  /// `train.micro_batch`, `let ranks`).
  std::vector<std::string> reads;
  std::shared_ptr<const SearchTerms> search; ///< of its `search` block; null without one
};

/// The outermost rule that places the samples; null if there is none.
const PlacementRule* ruleOfSamples(const Plan& plan);
/// Devices that it splits them over, each with micro-batches of its own (docs/language.md, section 11); 1 without it.
int64_t replicas(const Plan& plan);

} // namespace planc::ir
