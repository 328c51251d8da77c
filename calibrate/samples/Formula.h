// Formulas over named numbers, as vocabularies contain them: `ceil(50257 / (128 * mp)) * 128`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::calibrate {

/// A formula of numbers, names, `+ - * /`, parentheses and `ceil`.
class Formula {
public:
  /// Throws std::logic_error if the text is not a formula.
  explicit Formula(std::string_view text);

  using Look = std::function<double(std::string_view name)>;
  double at(const Look& look) const;
  /// Returns the names in it, with repetitions.
  std::vector<std::string_view> names() const;

private:
  /// The steps in postfix order: a number, a name, or an operation on the last results.
  struct FormulaStep {
    enum class Is : char { Number, Name, Ceil, Plus, Minus, Times, Over } is = Is::Number;
    double number = 0;
    std::string name{};
  };
  class Parser;
  std::vector<FormulaStep> steps_;
};

} // namespace planc::calibrate
