// Elaborates one plan: its `extends` chain merged, then machine, mesh, rules, workload, model, pipeline and conditions
// into ir::Plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Facts.h"
#include "frontend/machine/Machines.h"
#include "frontend/model/Extents.h"
#include "frontend/model/Selectors.h"
#include "ir/Plan.h"

#include <functional>
#include <limits>
#include <memory>

namespace planc::frontend {

class PlanSpace;
class MeshSpace;
struct WorkloadKind;
template <class T> struct FactRow;

/// A statement that one plan of the chain made: what it says, where its names are looked up, and which plan it was.
template <class T> struct Scoped {
  const T* syntax = nullptr;
  Scope* scope = nullptr;
  SourceRange range;
  int layer = 0;
};

class PlanBuilder {
public:
  PlanBuilder(Evaluator& evaluator, Machines& machines);
  ~PlanBuilder();

  /// The plan with its arguments; null after errors. `use`: where it was asked for. `edits` are facts set beside the
  /// file; where `editsOf` names a plan that this one extends, they are set there.
  std::unique_ptr<ir::Plan> build(const BoundDecl& decl, SourceRange use, std::vector<Edit> edits = {},
                                  Symbol editsOf = {});

private:
  friend class PlanSpace;
  friend class MeshSpace;

  struct AxisDraft : Scoped<syntax::AxisItem> {
    bool group = false;
    bool running = false, done = false;
    bool added = false;          ///< outside of all inherited ones, without a word where
    std::optional<int64_t> size; ///< of a group: the product
  };

  // ---- merging (PlanMerge.cpp)
  bool chain(const BoundDecl& decl, SourceRange use);
  bool addLayer(const BoundDecl& decl, SourceRange use, int layer);
  void item(const syntax::PlanItem& item, Scope& scope, int layer);
  void section(const syntax::Section& s, bool isOverride, Scope& scope, int layer);
  void fact(const syntax::Fact& f, bool isOverride, Scope& scope, int layer);
  void blockByPath(const syntax::Fact& f);
  void let(const syntax::LetDecl& d, bool isOverride, Scope& scope, int layer);
  bool mayReplace(const syntax::PlanItem& item, int layer, std::string_view what,
                  const std::pair<SourceRange, int>* known);
  template <class T>
  void whole(std::optional<Scoped<T>>& slot, const T& syntax, const syntax::PlanItem& item, Scope& scope, int layer,
             std::string_view what);

  // ---- facts set beside the file (PlanEdits.cpp)
  bool takesEdits(const DeclInfo& decl) const;
  BoundDecl withArguments(const BoundDecl& decl);
  void applyEdits(Scope& scope);
  void editAxis(Edit& edit, Scope& scope);
  bool editBlock(Edit& edit);
  void reportUnset(const Edit& edit);
  const Edit* pipelineEdit(Symbol fact) const;
  void editsDone();

  // ---- mesh (PlanMesh.cpp)
  void axes(const syntax::MeshBlock& mesh, const syntax::PlanItem& item, Scope& scope, int layer);
  void wholeMesh(const syntax::MeshBlock& mesh, const syntax::PlanItem& item, Scope& scope, int layer);
  void axis(const syntax::AxisItem& axis, const syntax::PlanItem& item, Scope& scope, int layer);
  void moveAxes(int layer);
  void mesh();
  std::optional<int64_t> axisSize(AxisDraft& axis);
  AxisDraft* findAxis(Symbol name);
  bool groupAxes(AxisDraft& axis, ir::AxisList& list, int depth);
  void axisLevel(const AxisDraft& axis, ir::AxisId id);
  bool knownAxis(Symbol name, SourceRange at, int layer = std::numeric_limits<int>::max(), std::string_view block = {});

  // ---- rules (PlanRules.cpp)
  void wholeRules(const syntax::PlaceBlock& block, const syntax::PlanItem& item, Scope& scope, int layer, bool states);
  std::vector<std::string> ruleTexts(bool states) const;
  void place(const syntax::PlaceBlock& block, bool isOverride, Scope& scope, int layer, bool states,
             const ir::Selector& prefix);
  void placementRule(const syntax::PlaceRule& rule, bool isOverride, int layer, const ir::Selector& selector);
  void stateRule(const syntax::PlaceRule& rule, bool isOverride, Scope& scope, int layer, const ir::Selector& selector);
  std::optional<bool> regather(const syntax::PlaceRule& rule, Scope& scope);
  void ruleFact(SourceRange at, std::string_view fact, std::string_view what, std::string_view help);
  std::optional<std::vector<Symbol>> targets(const syntax::PlaceRule& rule);
  void checkTargets();
  /// Whether a rule of that key may stand: 0 add, 1 replace `index`, -1 reported.
  int ruleKey(std::unordered_map<std::string, std::pair<size_t, int>>& keys, const std::string& key,
              const std::string& shown, bool isOverride, int layer, SourceRange at, size_t next, size_t& index,
              const std::function<SourceRange(size_t)>& rangeOf);

  // ---- workload (PlanWorkload.cpp)
  void workload();
  void train(FactNode& node);
  void infer(FactNode& node);
  // ---- fine-tuning (PlanFinetune.cpp), optimizers (PlanOptimizer.cpp)
  std::vector<ir::Selector> paths(const syntax::Expr* value);
  bool finetuneFact(FactNode& fact);
  void oneWorkload();
  void applyFinetune(ir::Model& model);
  void optimizer(FactNode& node, std::optional<ir::Optimizer>& out);
  void expertImbalance(FactNode& node);
  std::optional<int64_t> count(FactNode& node, std::string_view what);
  int64_t replicas() const;
  // ---- element types (PlanPrecision.cpp)
  void precision();
  void precisionRules(FactNode& node);
  void stateTypes(FactNode& section, std::vector<ir::PrecisionFact>& out);
  std::optional<ir::DType> precisionType(FactNode& fact, const std::string& name);
  std::optional<ir::DType> wireType(FactNode& fact, const std::string& name);
  /// `written` is how the plan names it, if not as `fact` would.
  bool fitsPrecision(const ir::PrecisionFact& fact, std::string_view written = {});
  void checkWireNames();

  // ---- how long it runs (PlanRun.cpp)
  void run();
  void runAmount(FactNode& section);
  void runFailures(FactNode& section);

  // ---- whether the workload says what is needed (PlanExtents.cpp)
  DiagnosticEngine::Builder missingFacts(const FactNode& section, const std::vector<std::string>& names);
  void unknownWorkloadFact(const FactNode& section, Symbol fact, SourceRange at);
  const FactNode* misspelt(const FactNode& section, Symbol fact) const;
  bool misspeltExtent(const FactNode& section, const syntax::Name& dim);
  void checkNeeded(FactNode& section, const WorkloadKind& kind);
  void checkExtent(FactNode& section, Symbol name, FactNode& node);
  void checkExtents();
  bool lacksExtent(const syntax::Name& dim);
  bool checkPrompt();
  void checkTokens();

  // ---- pipeline and what is kept (PlanPipeline.cpp)
  void pipeline();
  void pipelineFact(const syntax::Fact& f, Scope& scope, ir::Pipeline& out);
  void schedule(const syntax::Expr& e, Scope& scope, ir::Pipeline& out);
  // `stages = …` (PlanStages.cpp)
  const syntax::Expr* chosenWord(const syntax::Expr& e, Scope& scope);
  void stageCut(const syntax::Expr& e, Scope& scope, ir::Pipeline& out);
  bool countedLayers(const syntax::Expr& call, Scope& scope, ir::Stages& out);
  bool stageCounts(const syntax::Expr& e, Scope& scope, ir::Stages& out);
  void checkStageCut();
  void scheduleArgument(const syntax::Arg& arg, Scope& scope, ir::Pipeline& out);
  void stage(const syntax::StageItem& s, Scope& scope, ir::Pipeline& out);
  std::vector<std::string> keepTexts() const;
  void keep(const syntax::KeepStmt& s, const syntax::PlanItem& item, Scope& scope, int layer);
  void overlap();
  void checkSelectors();

  // ---- what is recomputed (PlanRecompute.cpp)
  struct RecomputeDraft {
    ir::Recompute rule;
    int layer = 0;
    bool none = false;   ///< `recompute none`
    bool varies = false; ///< a parameter may decide which instances, how many of them, or whether
  };
  void recompute(const syntax::RecomputeStmt& s, const syntax::PlanItem& item, Scope& scope, int layer);
  void recomputeFacts(const syntax::Section& facts, Scope& scope, ir::Recompute& out);
  bool recomputeFact(const syntax::Fact& fact, Scope& scope, ir::Recompute& out);
  bool noneBeside(const RecomputeDraft& draft);
  std::vector<std::string> recomputeTexts() const;
  void checkOverrideChanges(int layer);
  int layerOf(const ir::Selector& selector) const;
  void checkSavedNames();
  void checkCheckpoints();

  // ---- conditions (PlanExprs.cpp, PlanSearch.cpp)
  void conditions();
  std::optional<double> tolerance(const syntax::Expr& e, Scope& scope);
  void search();
  void vary(const syntax::VaryItem& v, Scope& scope);
  std::optional<ir::ExprTree> tree(const syntax::Expr& e, Scope& scope);
  ir::ExprId lower(const syntax::Expr& e, Scope& scope, ir::ExprTree& out);
  bool ofRun(const syntax::Expr& e, const syntax::Expr& root);
  ir::ExprId lowerLeaf(const syntax::Expr& e, Scope& scope, ir::ExprTree& out);
  ir::ExprId lowerLayer(const syntax::Expr& member, const syntax::Expr& call, ir::ExprTree& out);
  ir::ExprId constant(const Value& v, const syntax::Expr& e, bool literal, ir::ExprTree& out);

  // ---- machines and model (Plans.cpp)
  void machine();
  void model();
  FactNode* factNode(std::string_view name);
  std::string written(std::string_view fact);

  Evaluator& ev_;
  Machines& machines_;
  Context& context_;
  std::unique_ptr<ir::Plan> plan_;
  DeclInfo* decl_ = nullptr;
  std::vector<Edit> edits_;
  Symbol editsOf_;
  std::vector<EditBelow> overlapEdits_, pipelineEdits_;
  std::deque<syntax::AxisItem> editedAxes_;
  std::deque<BoundDecl> editedDecls_;
  std::deque<Scope> scopes_;
  std::vector<DeclInfo*> layers_;
  std::vector<SourceRange> uses_; ///< of each: where its arguments stand
  std::unique_ptr<PlanSpace> space_;
  std::unique_ptr<FactTree> facts_, lets_;
  std::deque<AxisDraft> axes_;
  std::vector<int> placementLayers_, stateLayers_;
  std::unordered_map<std::string, std::pair<size_t, int>> placementKeys_, stateKeys_; ///< to the rule's index and layer
  std::vector<RecomputeDraft> recompute_;
  std::vector<std::pair<ir::Keep, int>> keeps_;
  /// `override recompute …`: what it replaces.
  struct OverrideDraft {
    std::vector<std::string> before;
    SourceRange range, inherited;
    int layer = 0;
    bool varies = false; ///< what is inherited may follow from a parameter
  };
  std::optional<OverrideDraft> recomputeOverride_, keepOverride_;
  std::optional<Scoped<syntax::PipelineBlock>> pipeline_, replacedPipeline_;
  std::optional<Scoped<syntax::SearchBlock>> search_;
  std::optional<Scoped<syntax::Section>> overlap_;
  std::optional<FactTree> overlapFacts_;
  std::vector<Scoped<syntax::AssertStmt>> asserts_;
  std::vector<Scoped<syntax::MeasuredStmt>> measured_;
  std::optional<Scoped<syntax::MeshBlock>> meshBlock_, wholeMesh_; ///< the last; the last in place of an inherited one
  std::vector<std::pair<Symbol, FactNode*>> extentFacts_;          ///< facts of `train` that bind dimensions
  std::vector<syntax::Name> lacking_; ///< dimensions of inputs that none of these is the extent of
  FactNode* promptFact_ = nullptr;    ///< `prompt` of `infer`
  Extents extents_;
  std::optional<PathTree> paths_;
  bool ok_ = true;
  bool overrideParametric_ = false;
};

} // namespace planc::frontend
