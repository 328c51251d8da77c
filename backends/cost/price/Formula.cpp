// Builds the trees of equations and writes them as text.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Formula.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace planc::cost {
namespace {

bool isLeaf(const Formula& f) {
  return f.operation <= Operation::Named;
}

/// How strongly the parts of a text bind.
enum class Binding { Sum, Product, Whole };

struct Text {
  std::string text;
  Binding binding = Binding::Whole;
  bool narrow = false; ///< a factor that needs no spaces next to another factor
};

Text inBrackets(Text t) {
  return {fmt::format("({})", t.text), Binding::Whole, true};
}
/// Adds brackets unless the text binds at least as strongly as `binding`.
Text atLeast(Binding binding, Text t) {
  return t.binding < binding ? inBrackets(std::move(t)) : t;
}

std::string_view nameOf(Operation function) {
  return function == Operation::Max ? "max" : function == Operation::Min ? "min" : "hypot";
}

/// The two ways to write an equation.
enum class Style { Symbols, Numbers };

class Writer {
public:
  explicit Writer(Style style) : style_(style) {}

  Text write(const Formula& f) const {
    if (style_ == Style::Numbers && (isLeaf(f) || !(f.unit == units::time)))
      return {formatQuantity(f.value, f.unit), Binding::Whole, false};
    switch (f.operation) {
    case Operation::Add:
      return {write(*f.left).text + " + " + write(*f.right).text, Binding::Sum};
    case Operation::Subtract:
      return {write(*f.left).text + " - " + atLeast(Binding::Product, write(*f.right)).text, Binding::Sum};
    case Operation::Multiply:
      return product(atLeast(Binding::Product, write(*f.left)), atLeast(Binding::Product, write(*f.right)));
    case Operation::Divide:
      return {atLeast(Binding::Product, write(*f.left)).text + " / " + atLeast(Binding::Whole, write(*f.right)).text,
              Binding::Product};
    case Operation::Max:
    case Operation::Min:
    case Operation::Hypot:
      return {fmt::format("{}({})", nameOf(f.operation), list(f, f.operation))};
    case Operation::Root:
      return {"√" + atLeast(Binding::Whole, write(*f.left)).text, Binding::Whole, true};
    case Operation::CubeRoot:
      return {"∛" + atLeast(Binding::Whole, write(*f.left)).text, Binding::Whole, true};
    case Operation::Log2:
      return {fmt::format("log2({})", write(*f.left).text), Binding::Whole, true};
    default:
      return {f.symbol, Binding::Whole, letters(f.symbol) <= kNarrow};
    }
  }

private:
  static constexpr long kNarrow = 2; // letters of `b` and `t0`

  static long letters(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }); // UTF-8
  }
  static Text product(const Text& a, const Text& b) {
    const bool narrow = a.narrow && b.narrow;
    return {a.text + (narrow ? "·" : " · ") + b.text, Binding::Product, narrow};
  }
  /// Writes nested operations of one kind, such as the maximum of several values, as one list.
  std::string list(const Formula& f, Operation of) const {
    if (f.operation != of) return write(f).text;
    return list(*f.left, of) + ", " + list(*f.right, of);
  }

  Style style_;
};

using Leaves = std::vector<const Formula*>;

bool named(const Leaves& leaves, const Formula& f) {
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const Formula* l) { return l->symbol == f.symbol && l->value == f.value; });
}

/// Collects the explanations of the symbols of an equation, in order of appearance. `hidden`: inside a subtree that
/// `numbers` writes as one number.
void explained(const Formula& f, bool hidden, Leaves& leaves) {
  const bool isNamed = f.operation == Operation::Named;
  if (isNamed || (hidden && f.operation == Operation::Quantity)) {
    if (named(leaves, f)) return;
    leaves.push_back(&f);
  }
  const bool inside = hidden || isNamed || !(f.unit == units::time);
  if (f.left) explained(*f.left, inside, leaves);
  if (f.right) explained(*f.right, inside, leaves);
}

} // namespace

const Formula* Formulas::add(Formula formula) {
  formula.owner = this;
  return &all_.emplace_back(std::move(formula));
}

const Formula* Formulas::join(Operation operation, double value, const Formula* left, double leftValue,
                              const Formula* right, double rightValue) {
  Formulas* owner = left && left->owner ? left->owner : right ? right->owner : nullptr;
  if (!owner) return nullptr;
  const bool product = operation == Operation::Multiply, quotient = operation == Operation::Divide;
  const bool single = operation == Operation::Root || operation == Operation::CubeRoot || operation == Operation::Log2;
  // A constant that changes nothing is not written: 0 in a sum, 1 in a product.
  const double neutral = product || quotient ? 1 : 0;
  if (!right && !single && rightValue == neutral && value == leftValue) return left;
  if (!left && !quotient && leftValue == neutral && value == rightValue) return right;
  // Writes x · (1 / y) as x / y.
  if (product && left && right && right->operation == Operation::Divide && right->left->value == 1 &&
      right->left->operation == Operation::Number)
    return join(Operation::Divide, value, left, leftValue, right->right, right->right->value);
  if (!left) left = owner->add({.value = leftValue, .symbol = formatQuantity(leftValue, units::none)});
  if (!right && !single) right = owner->add({.value = rightValue, .symbol = formatQuantity(rightValue, units::none)});
  Unit unit = left->unit;
  if (product) unit = left->unit * right->unit;
  if (quotient) unit = left->unit / right->unit;
  if (single) unit = units::none;
  return owner->add({operation, value, unit, "", left, right});
}

std::string symbols(const Formula& formula) {
  return Writer(Style::Symbols).write(formula).text;
}

std::string numbers(const Formula& formula) {
  return Writer(Style::Numbers).write(formula).text;
}

std::string evaluated(const Formula& formula) {
  const std::string value = formatQuantity(formula.value, formula.unit), text = numbers(formula);
  return text == value ? value : fmt::format("{} = {}", text, value);
}

std::string where(const Formula& formula) {
  Leaves leaves;
  explained(formula, false, leaves);
  std::string text;
  for (const Formula* f : leaves)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", f->symbol,
                        f->operation == Operation::Named ? symbols(*f->left) : formatQuantity(f->value, f->unit));
  return text;
}

} // namespace planc::cost
