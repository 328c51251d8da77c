// The tree of an equation, and how it is written: with its symbols, or with its numbers in their units.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <deque>
#include <string>
#include <string_view>

namespace planc::cost {

class Formulas;

/// What a node of the tree is: a leaf, or what is done with `left` and `right` (of Root, CubeRoot and Log2 with `left`
/// alone).
enum class Operation { Fact, Quantity, Number, Named, Add, Subtract, Multiply, Divide, Max, Min, Root, CubeRoot, Log2 };

/// A number of an equation and how it came about.
struct Formula {
  Operation operation = Operation::Number;
  double value = 0;
  Unit unit{};
  std::string symbol{}; ///< of a leaf, and of what is named: `x` for all of `left`
  const Formula *left = nullptr, *right = nullptr;
  Formulas* owner = nullptr; ///< null: a number that stands in the equation itself, as 2 FLOPs
};

/// Owns the nodes of the equations of a derivation.
class Formulas {
public:
  Formulas() = default;
  Formulas(const Formulas&) = delete;
  Formulas& operator=(const Formulas&) = delete;
  const Formula* add(Formula formula);
  /// Of one number, or of two. Null if neither is in any tree: both stand in equations themselves, and so does what
  /// is made of them.
  static const Formula* join(Operation operation, double value, const Formula* left, double leftValue,
                             const Formula* right, double rightValue);

private:
  std::deque<Formula> all_;
};

/// `bytes / (efficiency · B) + start`. Factors of one letter stand together: `P·e`.
std::string symbols(const Formula& formula);
/// `50.33 MB / 1.733 TB/s + 3 us`: sums, products and quotients of times; what is no time is one number.
std::string numbers(const Formula& formula);
/// `numbers = value`.
std::string evaluated(const Formula& formula);
/// What `symbols` says by name and `numbers` does not show: `m = 2048, n = 6144`, and what is named for short:
/// `x = bytes · (n - 1) / n`. Facts are not among them: a derivation lists its constants.
std::string where(const Formula& formula);

} // namespace planc::cost
