// One node being priced: where its equation finds constants, and where the explanation of the price is written down.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Estimate.h"
#include "backends/cost/Facts.h"
#include "support/Quantity.h"

#include <fmt/format.h>

namespace planc::cost {

class Pricing {
public:
  Pricing(Facts& facts, const ir::Program& program, const ir::Node& node, Derivation* why)
      : facts(facts), program(program), node(node), why(why) {}

  Facts& facts;
  const ir::Program& program;
  const ir::Node& node;
  Derivation* why;

  Asker asker() const { return {&program, &node}; }
  const ir::Op& op() const { return program.model.ops[node.op]; }
  bool hasOp() const { return node.op.valid(); }

  double device(const ir::Number* number, std::string_view symbol, const FactPath& path) const {
    return constant(number, facts.deviceOwner(), symbol, path);
  }
  double device(const ir::OptNumber& number, std::string_view symbol, const FactPath& path) const {
    return device(pointer(number), symbol, path);
  }
  double stack(const ir::Number* number, std::string_view symbol, const FactPath& path) const {
    return constant(number, facts.stackOwner(), symbol, path);
  }
  double stack(const ir::OptNumber& number, std::string_view symbol, const FactPath& path) const {
    return stack(pointer(number), symbol, path);
  }
  double fabric(const ir::OptNumber& number, const ir::Fabric& fabric, std::string_view symbol,
                const FactPath& path) const {
    return constant(pointer(number), Facts::owner(fabric), symbol, path);
  }
  double level(const ir::OptNumber& number, const ir::ClusterLevel& level, std::string_view symbol,
               const FactPath& path) const {
    return constant(pointer(number), Facts::owner(level), symbol, path);
  }
  double constant(const ir::Number* number, const Owner& owner, std::string_view symbol, const FactPath& path) const {
    const ir::Number* found = facts.find(number, owner, path, asker());
    if (!found) return 1;
    if (why) why->constants.emplace_back(fmt::format("{} = {}", symbol, path.str()), found);
    return found->value;
  }
  /// A constant that stands in a curve or a sample: has a source, but is no number of its own.
  double readOff(double value, std::string_view symbol, std::string_view path, SourceRange range,
                 const std::string& source, const Unit& unit = {}) const {
    if (why) {
      why->read.push_back(std::make_shared<ir::Number>(ir::Number{value, range, source, unit}));
      why->constants.emplace_back(fmt::format("{} = {}", symbol, path), why->read.back().get());
    }
    return value;
  }
  /// A line of the derivation that is neither equation nor constant: `algorithm`, `levels`, `phase`.
  void note(std::string_view key, std::string text) const {
    if (why) why->notes.emplace_back(key, std::move(text));
  }
  void explain(std::string equation, std::string substituted) const {
    if (!why) return;
    why->equation = std::move(equation);
    why->substituted = std::move(substituted);
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
inline std::string rate(double v) {
  return formatQuantity(v, units::rate);
}
inline std::string bandwidth(double v) {
  return formatQuantity(v, units::bandwidth);
}
inline std::string number(double v) {
  return formatQuantity(v, units::none);
}

} // namespace planc::cost
