// The tree of an equation, and its text with symbols or with numbers and units.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <deque>
#include <string>
#include <string_view>

namespace planc::cost {

class Formulas;

/// Kind of a tree node: a leaf, or an operation on `left` and `right`. Root, CubeRoot and Log2 use `left` alone.
enum class Operation {
  Fact,
  Quantity,
  Number,
  Named,
  Add,
  Subtract,
  Multiply,
  Divide,
  Max,
  Min,
  Hypot,
  Root,
  CubeRoot,
  Log2
};

/// A node of an equation: its value, and the operation that produced it.
struct Formula {
  Operation operation = Operation::Number;
  double value = 0;
  Unit unit{};
  std::string symbol{}; ///< name of a leaf; for `Named`, the short name of `left`
  const Formula *left = nullptr, *right = nullptr;
  Formulas* owner = nullptr; ///< null: a constant of the equation itself, such as 2 FLOPs
};

/// Owns the tree nodes of a derivation.
class Formulas {
public:
  Formulas() = default;
  Formulas(const Formulas&) = delete;
  Formulas& operator=(const Formulas&) = delete;
  /// Adds a node to the tree and returns it. It lives as long as this object.
  const Formula* add(Formula formula);
  /// Joins one or two numbers; `right` is null for an operation on `left` alone. Returns null if neither has a tree:
  /// then both are constants of the equation, and so is the result.
  static const Formula* join(Operation operation, double value, const Formula* left, double leftValue,
                             const Formula* right, double rightValue);

private:
  std::deque<Formula> all_;
};

/// Returns the equation with symbols: `bytes / (efficiency · B) + start`. Factors of one letter have no spaces: `P·e`.
std::string symbols(const Formula& formula);
/// Returns the equation with numbers: `50.33 MB / 1.733 TB/s + 3 us`.
/// A subtree whose unit is not time is written as one number.
std::string numbers(const Formula& formula);
/// Returns `numbers = value`.
std::string evaluated(const Formula& formula);
/// Returns the values of the symbols that `numbers` does not show, `m = 2048, n = 6144`, and the equations of short
/// names, `x = bytes · (n - 1) / n`. Facts are left out, because a derivation lists its constants.
std::string where(const Formula& formula);

} // namespace planc::cost
