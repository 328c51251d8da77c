// Reads the element types of a plan: `precision { … }` with its rules `at SELECTOR { … }`.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Steps.h"
#include "ir/print/Labels.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using Key = ir::PrecisionKey;

PLANC_ERROR(UnknownPrecision, 674, "`{name}` is neither a precision nor an operator of model `{model}`")
PLANC_ERROR(NoFloatType, 728, "`{precision}` must be a floating-point type; this is `{type}`")
PLANC_ERROR(NoSuchState, 760, "{optimizer} has no state `{name}`")
PLANC_ERROR(PrecisionOfSlice, 764, "a type applies to all instances of a layer, but `{selector}` names only some")
PLANC_ERROR(StorageOnlyType, 782,
            "`{type}` can only store frozen parameters; `{precision}` needs a type to compute with")

namespace {

const TypeInfo kDType{.kind = TypeInfo::Kind::DType, .name = "dtype"};

std::optional<Key> keyOf(Symbol name) {
  for (Key k : ir::precisionKeys())
    if (ir::name(k) == name.view()) return k;
  return std::nullopt;
}

std::vector<std::string> keyNames() {
  std::vector<std::string> names;
  for (Key k : ir::precisionKeys()) names.emplace_back(ir::name(k));
  return names;
}

const Symbol kResult("result"), kGrad("grad");

/// Returns whether a section gives the wire types of an operator: `combine { result = bf16; grad = fp8 }`, or
/// `combine.grad = fp8`.
bool isWire(const FactNode& section) {
  return !section.children.empty() && llvm::all_of(section.children, [](const FactNode& fact) {
    return !fact.section() && (fact.name == kResult || fact.name == kGrad);
  });
}

/// Returns whether a key's type is never computed with. Such a type may be an integer with a scale.
bool onlyStores(Key key, bool train) {
  return key == Key::Frozen || (key == Key::Params && !train);
}

/// Checks that a type suits its key: fractions are computed, accumulated and averaged in floating point. Integers can
/// only store, with a scale, and `bool` suits no key. `written`: the fact's name in the plan, if it differs from
/// `fact`.
bool fitsPrecision(Elaboration& elab, const ir::PrecisionFact& fact, std::string_view written = {}) {
  const std::string name = written.empty() ? fact.str() : std::string(written);
  const bool stores = onlyStores(fact.key, elab.plan.workload.hasBackward());
  if (!ir::isFloat(fact.type) && !ir::isStorageOnly(fact.type) && (!stores || fact.type == ir::DType::boolean)) {
    std::string list;
    for (ir::DType t : ir::allDTypes())
      if (ir::isFloat(t) && !ir::isStorageOnly(t)) list += fmt::format("{}`{}`", list.empty() ? "" : ", ", ir::name(t));
    elab.context.report(NoFloatType, fact.range, {{"precision", name}, {"type", ir::name(fact.type)}})
        .help("write one of " + list);
    return elab.ok = false;
  }
  if (stores || !ir::isStorageOnly(fact.type)) return true;
  elab.context.report(StorageOnlyType, fact.range, {{"type", ir::name(fact.type)}, {"precision", name}})
      .help(fmt::format("write `frozen = {}`: frozen weights are unpacked before each product", ir::name(fact.type)));
  return elab.ok = false;
}

/// The type of a fact; nothing after a report.
std::optional<ir::DType> precisionType(Elaboration& elab, MergedPlan& merged, FactNode& fact, const std::string& name) {
  const Value v = elab.ev.coerce(merged.facts.value(fact, &kDType), kDType, fmt::format("`precision.{}`", name));
  if (!v.invalid()) return v.dtype;
  elab.ok = false;
  return std::nullopt;
}

/// The type of an operator's result while it travels; nothing after a report.
std::optional<ir::DType> wireType(Elaboration& elab, MergedPlan& merged, FactNode& fact, const std::string& name) {
  const auto type = precisionType(elab, merged, fact, name);
  if (!type) return type;
  const ir::PrecisionFact made{Key::Activations, Symbol(), *type, fact.value->range};
  return fitsPrecision(elab, made, name) ? type : std::nullopt;
}

/// Reads `optimizer { m = bf16 }` or `optimizer.m = bf16`.
void stateTypes(Elaboration& elab, MergedPlan& merged, FactNode& section, std::vector<ir::PrecisionFact>& out) {
  std::vector<Symbol> known;
  std::string owner = "this plan's optimizer";
  for (const auto* o : {&elab.plan.workload.optimizer, &elab.plan.workload.tableOptimizer})
    for (const ir::Optimizer* made = *o ? &**o : nullptr; made; made = made->others.get()) {
      known.insert(known.end(), made->stateNames.begin(), made->stateNames.end());
      if (made->master && !llvm::is_contained(known, ir::labels::kMaster)) known.push_back(ir::labels::kMaster);
      if (o == &elab.plan.workload.optimizer && made == &**o) owner = fmt::format("optimizer `{}`", made->name.view());
    }
  for (FactNode& state : section.children) {
    if (state.section() || !llvm::is_contained(known, state.name)) {
      std::string list;
      for (Symbol s : known) list += fmt::format("{}`{}`", list.empty() ? "" : ", ", s.view());
      elab.context.report(NoSuchState, state.nameRange, {{"optimizer", owner}, {"name", state.name.str()}})
          .help(known.empty() ? "its states have no names: `optimizer = TYPE` applies to all of them"
                              : "it has " + list);
      elab.ok = false;
      continue;
    }
    ir::PrecisionFact fact{Key::State, state.name, {}, state.value->range};
    if (const auto type = precisionType(elab, merged, state, fact.str())) {
      fact.type = *type;
      if (fitsPrecision(elab, fact)) out.push_back(fact);
    }
  }
}

/// Reads `at SELECTOR, … { … }`: one rule per selector.
void precisionRules(Elaboration& elab, MergedPlan& merged, FactNode& node) {
  std::vector<ir::PrecisionFact> facts;
  for (FactNode& fact : node.children) {
    const std::optional<Key> key = keyOf(fact.name);
    if (key == Key::Optimizer && fact.section()) {
      stateTypes(elab, merged, fact, facts);
      continue;
    }
    if (!key || fact.section()) {
      reportUnknownFact(elab.context, fact.nameRange, fact.name.view(),
                        {fmt::format("`{}`", node.name.view()), node.nameRange}, keyNames());
      elab.ok = false;
      continue;
    }
    ir::PrecisionFact made{*key, Symbol(), {}, fact.value->range};
    const auto type = precisionType(elab, merged, fact, fact.name.str());
    if (!type) continue;
    made.type = *type;
    if (fitsPrecision(elab, made)) facts.push_back(made);
  }
  for (const syntax::Selector& written : *node.at) {
    std::optional<ir::Selector> selector = makeSelector(elab.ev, written, *node.scope);
    if (!selector) {
      elab.ok = false;
      continue;
    }
    if (llvm::any_of(selector->steps, [](const ir::LayerStep& s) { return s.slice.has_value(); })) {
      elab.context.report(PrecisionOfSlice, selector->range, {{"selector", selector->str()}})
          .help("split the repeat in the model into two repeats, and name one of them");
      elab.ok = false;
      continue;
    }
    elab.plan.precisionRules.push_back({std::move(*selector), facts});
  }
}

} // namespace

// Defaults of docs/language.md, section 9: each may depend on the one before it.
void precision(Elaboration& elab, MergedPlan& merged) {
  ir::Precision& p = elab.plan.precision;
  std::vector<ir::PrecisionFact> facts;
  if (FactNode* node = merged.section(ir::Statement::Precision)) {
    p.range = node->range;
    for (FactNode& fact : node->children) {
      const std::optional<Key> key = keyOf(fact.name);
      if (fact.at) {
        precisionRules(elab, merged, fact);
      } else if (fact.section() && key == Key::Optimizer) {
        stateTypes(elab, merged, fact, facts);
      } else if (fact.section() && isWire(fact)) {
        ir::WireTypes& types = p.onWire[fact.name];
        for (FactNode& part : fact.children)
          if (const auto type = wireType(elab, merged, part, fmt::format("{}.{}", fact.name.view(), part.name.view())))
            (part.name == kGrad ? types.gradient : types.result) = {*type, part.value->range};
      } else if (fact.section()) {
        reportUnknownFact(elab.context, fact.nameRange, fact.name.view(), {"`precision`", node->nameRange}, keyNames())
            .help(
                fact.name == Symbol("at")
                    ? std::string("write types of some layers in the file: `precision { at LAYERS { compute = fp8 } }`")
                    : fmt::format("types of some layers: `at {} {{ … }}`", fact.name.view()));
      } else if (!key) {
        if (const auto type = wireType(elab, merged, fact, fact.name.str()))
          p.onWire[fact.name].result = {*type, fact.value->range}; // checked later, with the operators of the model
      } else if (const auto type = precisionType(elab, merged, fact, fact.name.str())) {
        const ir::PrecisionFact made{*key, Symbol(), *type, fact.value->range};
        if (fitsPrecision(elab, made)) facts.push_back(made);
      }
    }
  }
  for (const ir::PrecisionFact& fact : facts) p.set(fact);
  auto has = [&](Key key) { return llvm::any_of(facts, [&](const ir::PrecisionFact& f) { return f.key == key; }); };
  if (!has(Key::Activations)) p.activations = ir::width(p.compute) < 2 ? ir::DType::bf16 : p.compute;
  if (!has(Key::Params)) p.params = p.activations;
  if (!has(Key::Grads)) p.grads = ir::DType::fp32;
  if (!has(Key::Reduce)) p.reduce = p.grads;
  if (!has(Key::Optimizer)) p.optimizer = ir::DType::fp32;
}

void checkWireNames(Elaboration& elab, MergedPlan& merged) {
  FactNode* node = merged.fact(ir::Statement::Precision);
  for (const auto& [name, types] : elab.plan.precision.onWire) {
    bool known = name == ir::labels::kCast; // the compiler inserts casts
    for (const ir::Op& op : elab.plan.model->ops) known |= op.name == name;
    if (known) continue;
    std::vector<std::string> names = keyNames();
    names.push_back(ir::labels::kCast.str());
    for (const ir::Op& op : elab.plan.model->ops)
      if (op.kind != ir::OpKind::Carry && std::find(names.begin(), names.end(), op.name.str()) == names.end())
        names.push_back(op.name.str());
    FactNode* fact = node ? node->find(name) : nullptr;
    auto report = elab.context.report(UnknownPrecision, fact ? fact->nameRange : merged.decl.nameRange,
                                      {{"name", name.str()}, {"model", elab.plan.model->name.str()}});
    report.meant(name.view(), names);
    elab.ok = false;
  }
}

} // namespace planc::frontend
