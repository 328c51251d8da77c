// bind-precision: decides which element types apply where: the plan's types, changed by the rules `at SELECTOR { … }`
// that reach a layer, inner rules last (docs/language.md, section 9, precision).
// SPDX-License-Identifier: Apache-2.0
#include "ir/print/Labels.h"
#include "ir/program/States.h"
#include "passes/Steps.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(PrecisionSaysNothing, 761, "`{fact}` has no effect on `{selector}`: {why}")
PLANC_ERROR(PrecisionTwice, 762, "two rules give `{fact}` of `{layer}` different types: {first} and {second}")
PLANC_ERROR(NoSuchRecipe, 765, "device `{device}` cannot multiply `{type}`")
PLANC_WARNING(PrecisionWithoutEffect, 767, "`{fact}`{where} has no effect: {reason}")
PLANC_WARNING(PrecisionAsBefore, 763, "`{fact}` of `{selector}` is already {type}")

namespace {

using Key = PrecisionKey;

/// The operators that a fact must reach to have an effect, and the diagnostic if it reaches none.
struct Reach {
  Key key;
  bool (*op)(const ProgramHead& program, const Op& op);
  bool (*param)(const ProgramHead& program, const Value& param);
  std::string_view why;
};

bool isTrained(const ProgramHead& program, const Value& param) {
  return param.trainable && program.plan->workload.hasBackward();
}
bool keepsSomething(const ProgramHead& program, const Op& op) {
  return program.plan->workload.hasBackward() && !op.saves.empty();
}
bool multiplies(const ProgramHead&, const Op& op) {
  return isContraction(op.kind);
}
bool makesActivation(const ProgramHead& program, const Op& op) {
  return !program.model->values[op.result].dtype && op.kind != OpKind::Cast;
}
bool storedByPrecision(const ProgramHead&, const Value& param) {
  return !param.dtype;
}

constexpr std::array<Reach, 9> kReaches{{
    {Key::Compute, multiplies, nullptr, "there are no products"},
    {Key::Activations, makesActivation, nullptr, "all values there have types already"},
    {Key::Saved, keepsSomething, nullptr, "no values are kept for backward there"},
    {Key::Params, nullptr, storedByPrecision, "no parameter without a type of its own is there"},
    {Key::Frozen, nullptr, [](const ProgramHead&, const Value& p) { return !p.trainable; },
     "no parameters are frozen there"},
    {Key::Grads, nullptr, isTrained, "no parameters are trained there"},
    {Key::Reduce, nullptr, isTrained, "no parameters are trained there"},
    {Key::Optimizer, nullptr, isTrained, "no parameters are trained there"},
    {Key::State, nullptr, isTrained, "no parameters are trained there"},
}};

const Reach& reachOf(Key key) {
  return *std::find_if(kReaches.begin(), kReaches.end(), [&](const Reach& r) { return r.key == key; });
}

struct Binder {
  ProgramHead& program;
  DiagnosticEngine& diagnostics;
  const std::vector<PrecisionRule>& rules = program.plan->precisionRules;
  std::map<std::vector<size_t>, uint32_t> known{}; ///< by the rules that reach, outer rules first
  std::vector<std::vector<bool>> reached{};        ///< by rule and fact
  std::vector<std::vector<bool>> changes{};
  bool ok = true;

  bool bind() {
    program.precisions = {program.plan->precision};
    checkRecipe(program.plan->precision.compute, program.plan->precision.computeRange);
    for (const PrecisionRule& rule : rules)
      for (const PrecisionFact& fact : rule.facts)
        if (fact.key == Key::Compute) checkRecipe(fact.type, fact.range);
    known[{}] = 0;
    for (const PrecisionRule& rule : rules) {
      reached.emplace_back(rule.facts.size());
      changes.emplace_back(rule.facts.size());
    }
    for (uint32_t i = 0; i < program.model->ops.size(); ++i) {
      const Op& op = program.model->ops[OpId(i)];
      const std::vector<size_t> reach = reaching(op);
      set(OpId(i), indexOf(reach, op.path));
      mark(reach, [&](const Reach& r) { return r.op && r.op(program, op); });
    }
    followCarried();
    for (ValueId v : program.model->params) {
      const std::vector<size_t> reach = reaching(program.model->values[v]);
      set(v, indexOf(reach, program.model->values[v].path));
      mark(reach, [&](const Reach& r) { return r.param && r.param(program, program.model->values[v]); });
    }
    reportIdle();
    if (ok && program.plan->workload.hasBackward()) reportWithoutEffect();
    return ok;
  }

  /// Sets the precision of an operator or value. Unchanged parts of the model stay shared with other programs.
  void set(OpId op, uint32_t precision) {
    if (program.model->ops[op].precision != precision) program.model.edit().ops[op].precision = precision;
    set(program.model->ops[op].result, precision);
  }
  void set(ValueId value, uint32_t precision) {
    if (program.model->values[value].precision != precision) program.model.edit().values[value].precision = precision;
  }

  /// Returns whether any reader keeps a value that is wider than the type `saved`.
  bool narrows(DType saved, const Selector* selector) const {
    for (const Op& op : program.model->ops) {
      if (selector && !steps(*selector, op)) continue;
      for (const Save& s : op.saves) {
        if (s.what == Save::What::Buffer) continue;
        const DType type = program.dtypeOf(s.what == Save::What::Operand ? op.operands[s.operand].value : op.result);
        if (isFloat(type) && width(saved) < width(type)) return true;
      }
    }
    return false;
  }

  /// Returns whether any parameter is stored in fewer bits than its states, so that it has a master copy in some type.
  bool hasMaster(const Selector* selector) const {
    for (ValueId v : program.model->params) {
      const Value& param = program.model->values[v];
      if (!param.trainable || (selector && !steps(*selector, param))) continue;
      const Precision& p = program.precisions[param.precision];
      if (width(param.dtype.value_or(p.params)) < std::max(width(p.optimizer), width(p.stateType(labels::kMaster))))
        return true;
    }
    return false;
  }

  void withoutEffect(const std::string& fact, const Selector* selector, SourceRange at, std::string_view reason) {
    const std::string where = selector ? fmt::format(" of `{}`", selector->str()) : "";
    diagnostics.report(PrecisionWithoutEffect, at, {{"fact", fact}, {"where", where}, {"reason", std::string(reason)}})
        .help("remove it");
  }

  void reportWithoutEffect() {
    constexpr std::string_view kNoWider = "no value kept for backward is wider",
                               kNoMaster = "parameters are stored as wide as the states, so none has a master copy";
    const Precision& all = program.plan->precision;
    if (all.saved && !narrows(*all.saved, nullptr)) withoutEffect("saved", nullptr, all.range, kNoWider);
    const PrecisionFact master{Key::State, labels::kMaster, all.optimizer, all.range};
    if (all.states.contains(labels::kMaster) && !hasMaster(nullptr))
      withoutEffect(master.str(), nullptr, all.range, kNoMaster);
    for (size_t r = 0; r < rules.size(); ++r)
      for (size_t f = 0; f < rules[r].facts.size(); ++f) {
        const PrecisionFact& fact = rules[r].facts[f];
        if (!changes[r][f]) continue; // already reported
        if (fact.key == Key::Saved && all.saved.value_or(fact.type) == fact.type &&
            !narrows(fact.type, &rules[r].selector))
          withoutEffect(fact.str(), &rules[r].selector, fact.range, kNoWider);
        if (fact.key == Key::State && fact.state == labels::kMaster && !hasMaster(&rules[r].selector))
          withoutEffect(fact.str(), &rules[r].selector, fact.range, kNoMaster);
      }
  }

  /// Gives carried values the type of what the `out` of the repeat passes on: this value lies between two instances,
  /// and the next instance keeps it. The operators that begin a repeat and those that end it have the same order.
  void followCarried() {
    std::map<RegionId, std::vector<OpId>> carries;
    for (uint32_t i = 0; i < program.model->ops.size(); ++i)
      if (program.model->ops[OpId(i)].kind == OpKind::Carry)
        carries[program.model->ops[OpId(i)].region].push_back(OpId(i));
    std::map<OpId, OpId> beginOf;
    for (const auto& [region, ops] : carries)
      for (size_t i = 0; i < ops.size() / 2; ++i) beginOf[ops[ops.size() / 2 + i]] = ops[i];
    for (const auto& [end, begin] : beginOf) { // a repeat inside another one ends before it
      const Value& handedOn = program.model->values[program.model->ops[end].operands[0].value];
      if (handedOn.kind != ValueKind::Result) continue;
      const DType type = program.precisionOf(handedOn).activations;
      for (const OpId id : {begin, end}) setActivations(id, type);
    }
  }

  void setActivations(OpId op, DType type) {
    if (program.precisionOf(program.model->ops[op]).activations == type) return;
    Precision precision = program.precisionOf(program.model->ops[op]);
    precision.activations = type;
    program.precisions.push_back(std::move(precision));
    set(op, static_cast<uint32_t>(program.precisions.size() - 1));
  }

  /// Checks that the device supports the way of scaling. A device that lists its ways of scaling has no others.
  void checkRecipe(DType type, SourceRange range) {
    if (!program.plan->cluster || !isRecipe(type)) return;
    const Device& device = program.plan->cluster->device;
    if (device.recipes.empty() || std::find(device.recipes.begin(), device.recipes.end(), type) != device.recipes.end())
      return;
    std::string list;
    for (DType t : device.recipes) list += (list.empty() ? "`" : ", `") + std::string(name(t)) + "`";
    diagnostics.report(NoSuchRecipe, range, {{"device", device.name.str()}, {"type", std::string(name(type))}})
        .label(device.range, "declared here")
        .help("it has " + list);
    ok = false;
  }

  /// Returns the number of matched steps for an operator or a value. `layers` matches only operators inside a repeat.
  template <class Part> std::optional<int> steps(const Selector& selector, const Part& part) const {
    const bool within = !selector.steps.front().isRepeats() || program.model->layers[part.layer].repeated();
    return within ? selector.matches(part.path) : std::nullopt;
  }

  template <class Part> std::vector<size_t> reaching(const Part& part) const {
    std::vector<std::pair<int, size_t>> found; // by depth
    for (size_t r = 0; r < rules.size(); ++r)
      if (auto depth = steps(rules[r].selector, part)) found.emplace_back(*depth, r);
    std::sort(found.begin(), found.end());
    std::vector<size_t> order;
    for (const auto& [depth, r] : found) order.push_back(r);
    return order;
  }

  uint32_t indexOf(const std::vector<size_t>& reach, const std::vector<Symbol>& path) {
    if (auto it = known.find(reach); it != known.end()) return it->second;
    Precision precision = program.plan->precision;
    for (size_t i = 0; i < reach.size(); ++i)
      for (size_t f = 0; f < rules[reach[i]].facts.size(); ++f) {
        const PrecisionFact& fact = rules[reach[i]].facts[f];
        checkOnlyOne(reach, i, fact, path);
        Precision with = precision;
        with.set(fact);
        with.byRule |= fact.key == Key::Compute && width(fact.type) < 2; // wider types apply to every product anyway
        changes[reach[i]][f] = changes[reach[i]][f] || precision.holding() != with.holding();
        precision = std::move(with);
      }
    program.precisions.push_back(std::move(precision)); // at most one per operator and parameter
    return known[reach] = static_cast<uint32_t>(program.precisions.size() - 1);
  }

  /// Reports two rules of equal depth that want different types of one thing, because their order means nothing.
  void checkOnlyOne(const std::vector<size_t>& reach, size_t at, const PrecisionFact& fact,
                    const std::vector<Symbol>& path) {
    const PrecisionRule& mine = rules[reach[at]];
    for (size_t i = 0; i < at && ok; ++i) {
      const PrecisionRule& other = rules[reach[i]];
      if (other.selector.steps.size() != mine.selector.steps.size()) continue;
      for (const PrecisionFact& f : other.facts) {
        if (f.key != fact.key || f.state != fact.state || f.type == fact.type) continue;
        diagnostics
            .report(PrecisionTwice, fact.range,
                    {{"fact", fact.str()},
                     {"layer", join(path)},
                     {"first", std::string(name(f.type))},
                     {"second", std::string(name(fact.type))}})
            .label(f.range, "the other rule")
            .help("remove one of them, or let one name an inner layer: the inner rule wins");
        ok = false;
      }
    }
  }

  template <class F> void mark(const std::vector<size_t>& reach, F reaches) {
    for (size_t r : reach)
      for (size_t f = 0; f < rules[r].facts.size(); ++f)
        if (!reached[r][f] && reaches(reachOf(rules[r].facts[f].key))) reached[r][f] = true;
  }

  void reportIdle() {
    for (size_t r = 0; r < rules.size() && ok; ++r)
      for (size_t f = 0; f < rules[r].facts.size(); ++f) {
        const PrecisionFact& fact = rules[r].facts[f];
        if (!reached[r][f]) {
          diagnostics
              .report(PrecisionSaysNothing, fact.range,
                      {{"fact", fact.str()},
                       {"selector", rules[r].selector.str()},
                       {"why", std::string(reachOf(fact.key).why)}})
              .help("remove it, or name the layers that it is meant for");
          ok = false;
        } else if (!changes[r][f]) {
          diagnostics
              .report(
                  PrecisionAsBefore, fact.range,
                  {{"fact", fact.str()}, {"selector", rules[r].selector.str()}, {"type", std::string(name(fact.type))}})
              .help("remove it");
        }
      }
  }
};

} // namespace

bool bindPrecision(ProgramHead& program, DiagnosticEngine& diagnostics) {
  return Binder{program, diagnostics}.bind();
}

} // namespace planc::passes
