// Parses formulas into postfix steps, and evaluates them on a stack.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/samples/Formula.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace planc::calibrate {

class Formula::Parser {
  std::string_view text_;
  size_t at_ = 0;
  std::vector<FormulaStep>& steps_;

  [[noreturn]] void fail() const {
    throw std::logic_error(
        fmt::format("`{}` is not a formula: see `{}`", text_, text_.substr(std::min(at_, text_.size()))));
  }
  static bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
  static bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

  /// Returns the next character that is not a blank; 0 at the end.
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void number() {
    double value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (problem != std::errc()) fail();
    at_ = static_cast<size_t>(end - text_.data());
    steps_.push_back({FormulaStep::Is::Number, value});
  }
  void name() {
    const size_t from = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(from, at_ - from);
    if (word != "ceil") return steps_.push_back({FormulaStep::Is::Name, 0, std::string(word)});
    if (!take('(')) fail();
    inside();
    steps_.push_back({FormulaStep::Is::Ceil});
  }
  void inside() {
    sum();
    if (!take(')')) fail();
  }
  void value() {
    if (take('('))
      inside();
    else if (isDigit(next()))
      number();
    else if (isLetter(next()))
      name();
    else
      fail();
  }
  void product() {
    value();
    for (char c = next(); c == '*' || c == '/'; c = next()) {
      ++at_;
      value();
      steps_.push_back({c == '*' ? FormulaStep::Is::Times : FormulaStep::Is::Over});
    }
  }
  void sum() {
    product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at_;
      product();
      steps_.push_back({c == '+' ? FormulaStep::Is::Plus : FormulaStep::Is::Minus});
    }
  }

public:
  Parser(std::string_view text, std::vector<FormulaStep>& steps) : text_(text), steps_(steps) {}
  void whole() {
    sum();
    if (next() != '\0') fail();
  }
};

Formula::Formula(std::string_view text) {
  Parser(text, steps_).whole();
}

double Formula::at(const Look& look) const {
  std::vector<double> stack;
  auto pop = [&] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const FormulaStep& step : steps_) {
    const double right = step.is == FormulaStep::Is::Number ? step.number
                         : step.is == FormulaStep::Is::Name ? look(step.name)
                                                            : pop();
    switch (step.is) {
    case FormulaStep::Is::Number:
    case FormulaStep::Is::Name:
      stack.push_back(right);
      break;
    case FormulaStep::Is::Ceil:
      stack.push_back(std::ceil(right));
      break;
    case FormulaStep::Is::Plus:
      stack.back() += right;
      break;
    case FormulaStep::Is::Minus:
      stack.back() -= right;
      break;
    case FormulaStep::Is::Times:
      stack.back() *= right;
      break;
    case FormulaStep::Is::Over:
      stack.back() /= right;
      break;
    }
  }
  return stack.back();
}

std::vector<std::string_view> Formula::names() const {
  std::vector<std::string_view> out;
  for (const FormulaStep& step : steps_)
    if (step.is == FormulaStep::Is::Name) out.push_back(step.name);
  return out;
}

} // namespace planc::calibrate
