// One node being priced: where its equation gets its terms, and where its derivation is recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/Price.h"
#include "backends/cost/price/Term.h"
#include "ir/facts/FactTable.h"
#include "support/Quantity.h"

#include <fmt/format.h>

namespace planc::cost {

/// The size at which a calibrated fact is read: FLOPs of a product, bytes, or a plain number. 0: the fact has no size.
struct Size {
  double value = 0;
  Unit unit{};
};
inline Size flopSize(double flops) {
  return {flops, units::flops};
}
inline Size byteSize(double bytes) {
  return {bytes, units::bytes};
}

/// The context in which one node is priced. Its functions return terms of the equation and record facts, evidence and
/// the derivation on the way.
class Pricing {
public:
  Pricing(Facts& known, const ir::Program& of, const ir::Node& priced, const Sinks& sinks)
      : facts(known), program(of), node(priced), why(sinks.derivation), evidence(sinks.evidence), limits(sinks.limits) {
  }

  Facts& facts;
  const ir::Program& program;
  const ir::Node& node;
  Derivation* why;
  EvidenceList* evidence;         ///< collects the records on which the price depends; may be null
  std::vector<LimitPart>* limits; ///< collects the parts of a collective's time; may be null

  /// The work of the node. Call `compute` only for compute nodes, `collective` only for collectives.
  const ir::Compute& compute() const { return node.compute(); }
  const ir::Collective& collective() const { return node.collective(); }
  Requester requester() const { return {&program, &node}; }
  const ir::Op& op() const { return program.model->ops[node.op]; }
  bool hasOp() const { return node.op.valid(); }

  /// Returns a fact of the device or of the stack: `fact(DeviceFact::Peak, type, "P")`. `symbol`: its name in the
  /// equation.
  Term fact(ir::DeviceFact id, std::string_view symbol, Size size = {}) const {
    return fact(facts.device, id, {}, symbol, size);
  }
  Term fact(ir::DeviceFact id, ir::FactKey key, std::string_view symbol, Size size = {}) const {
    return fact(facts.device, id, key, symbol, size);
  }
  Term fact(ir::StackFact id, std::string_view symbol, Size size = {}) const {
    return fact(facts.stack, id, {}, symbol, size);
  }
  Term fact(ir::StackFact id, ir::FactKey key, std::string_view symbol, Size size = {}) const {
    return fact(facts.stack, id, key, symbol, size);
  }
  Term fact(const ir::Fabric& fabric, ir::FabricFact id, std::string_view symbol, Size size = {}) const {
    return fact(fabric, id, {}, symbol, size);
  }
  Term fact(const ir::ClusterLevel& level, ir::LevelFact id, std::string_view symbol) const {
    return fact(level, id, {}, symbol, {});
  }
  /// Returns a quantity of the plan under its name in the equation: `known(node.bytes, "bytes", units::bytes)`.
  Term known(double value, std::string_view symbol, const Unit& unit = units::none) const {
    return leaf(Operation::Quantity, value, symbol, unit);
  }
  /// Returns a factor that the equation leaves out if it is 1.
  Term factor(double value, std::string_view symbol) const { return value == 1 ? Term(1) : known(value, symbol); }
  /// Returns `term` under the short name `symbol`; the derivation lists the equation of `symbol` separately.
  Term named(Term term, std::string_view symbol) const {
    if (term.from && why) {
      term.from = why->formulas.add({.operation = Operation::Named,
                                     .value = term.value,
                                     .unit = term.from->unit,
                                     .symbol = std::string(symbol),
                                     .left = term.from});
    }
    return term;
  }
  /// Returns a constant that was read from a curve or a sample: it has a source but is no fact of its own.
  Term readOff(double value, std::string_view symbol, std::string_view path, SourceRange range,
               const std::string& source, const Unit& unit = {}, const ir::Statistics* statistics = nullptr) const {
    if (why) {
      ir::Number read{.value = value, .range = range, .source = source, .unit = unit};
      if (statistics) read.statistics = *statistics;
      why->read.push_back(std::make_shared<ir::Number>(std::move(read)));
      why->constants.emplace_back(fmt::format("{} = {}", symbol, path), why->read.back().get());
    }
    return leaf(Operation::Fact, value, symbol, unit);
  }
  /// Records that the price depends on a calibrated record read at `size`. The range of the record's table, or its
  /// `valid` if it has no table, tells whether `size` lies inside the record's samples.
  void stands(const Owner& owner, const ir::Statistics& statistics, SourceRange at, const ir::FactRef& fact, Size size,
              const ir::Table& table) const {
    if (!evidence || (!statistics.calibrated && table.empty())) return;
    Evidence item{owner, &statistics, fact, at, size.value, size.unit, statistics.low, statistics.high};
    if (!table.empty()) item.low = table.x.front(), item.high = table.x.back(), item.table = true;
    evidence->push_back(std::move(item));
  }
  /// Records that the fact read last was sampled at another rate and is scaled by `scale`.
  void scaled(double scale) const {
    if (evidence && !evidence->empty()) evidence->back().scale = scale;
  }
  /// Records that the price depends on a level's nominal numbers.
  void nominal(const ir::ClusterLevel& level, ir::CollectiveKind kind) const {
    facts.nominal(level, kind, requester());
    if (evidence) evidence->push_back({Facts::owner(level), nullptr, {}, level.range, 0, {}, 0, 0});
  }
  /// Records a part of a collective's time and the resource of a level that it is spent on. Parts with equal text add
  /// up.
  Term spent(const Term& part, const ir::ClusterLevel& level, std::string_view on) const {
    if (limits) addLimit(part.value, fmt::format("{}: {}", level.name.view(), on));
    return part;
  }
  Term spent(const Term& part, std::string_view on) const {
    if (limits) addLimit(part.value, std::string(on));
    return part;
  }
  /// Adds a line to the derivation that is neither equation nor constant: `algorithm`, `levels`, `phase`.
  void note(std::string_view key, std::string text) const {
    if (why) why->notes.emplace_back(key, std::move(text));
  }
  /// Returns the price for the value of an equation: its seconds, what bounds them, and its derivation.
  Priced priced(const Term& seconds) const {
    if (why) why->formula = seconds.from;
    Priced priced;
    priced.seconds = seconds.value;
    priced.bound = seconds.bound;
    return priced;
  }
  /// Records why the node takes no time of its own.
  void free(std::string_view reason) const {
    if (why) why->reason = reason;
  }

private:
  Term leaf(Operation operation, double value, std::string_view symbol, const Unit& unit) const {
    if (!why) return value;
    return {value,
            why->formulas.add({.operation = operation, .value = value, .unit = unit, .symbol = std::string(symbol)})};
  }
  void addLimit(double seconds, std::string what) const {
    for (LimitPart& part : *limits)
      if (part.what == what) {
        part.seconds += seconds;
        return;
      }
    limits->push_back({std::move(what), seconds});
  }
  /// Returns a fact. A missing fact is recorded as missing and counts as 1. `size`: where a table is read and `valid`
  /// is checked.
  template <class Record, class Id>
  Term fact(const Record& record, Id id, ir::FactKey key, std::string_view symbol, Size size) const {
    const ir::FactRef ref(id, key);
    const ir::Number* found = record.number(id, key);
    if (!found) {
      facts.missing(Facts::owner(record), ref, requester());
      return 1;
    }
    stands(Facts::owner(record), found->statistics, found->range, ref, size, found->table);
    const Unit unit = why ? ir::factRow(ref.id).type.unit : Unit();
    if (!found->table.empty())
      return readOff(found->at(size.value), symbol,
                     why ? fmt::format("{}({})", ref.path(), formatQuantity(size.value, size.unit)) : "", found->range,
                     found->source, unit, &found->statistics);
    if (!why) return found->value;
    const std::string called = symbolOf(*found, symbol, Facts::owner(record));
    why->constants.emplace_back(fmt::format("{} = {}", called, ref.path()), found);
    return leaf(Operation::Fact, found->value, called, unit);
  }
  /// Returns the symbol of a constant in the equation, followed by its owner's name if another constant with the same
  /// symbol has another value.
  std::string symbolOf(const ir::Number& number, std::string_view symbol, const Owner& owner) const {
    const std::string qualified = fmt::format("{} of {}", symbol, owner.name.view());
    bool taken = false;
    for (const auto& [line, known] : why->constants) {
      const std::string_view called = std::string_view(line).substr(0, line.find(" = "));
      if (known == &number && (called == symbol || called == qualified)) return std::string(called);
      taken |= called == symbol && known->value != number.value;
    }
    return taken ? qualified : std::string(symbol);
  }
};

inline std::string seconds(double v) {
  return formatQuantity(v, units::time);
}
inline std::string bytes(double v) {
  return formatQuantity(v, units::bytes);
}
inline std::string flops(double v) {
  return formatQuantity(v, units::flops);
}
inline std::string bandwidth(double v) {
  return formatQuantity(v, units::bandwidth);
}
inline std::string number(double v) {
  return formatQuantity(v, units::none);
}

} // namespace planc::cost
