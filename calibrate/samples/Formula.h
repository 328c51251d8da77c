// Formulas over named numbers, as vocabularies write them: `ceil(50257 / (128 * mp)) * 128`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::calibrate {

/// Numbers, names, `+ - * /`, parentheses and `ceil`, from left to right.
class Formula {
public:
  /// Throws std::logic_error where the text is none.
  explicit Formula(std::string_view text);

  using Look = std::function<double(std::string_view name)>;
  double at(const Look& look) const;
  /// Names in it, as often as they stand there.
  std::vector<std::string_view> names() const;

private:
  /// In the order of their work: a number, a name, or what is done with the last results.
  struct Step {
    enum class Is : char { Number, Name, Ceil, Plus, Minus, Times, Over } is = Is::Number;
    double number = 0;
    std::string name{};
  };
  class Parser;
  std::vector<Step> steps_;
};

} // namespace planc::calibrate
