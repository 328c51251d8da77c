// Decides conditions of shell scripts.
// SPDX-License-Identifier: Apache-2.0
#include "import/shell/Shell.h"
#include "import/shell/ShellWords.h"

#include <fnmatch.h>

namespace planc::foreign {

namespace {

/// The value of an operand; nullopt if nobody knows it. A variable that nothing sets is empty.
std::optional<std::string> operand(const RawWord& word, ShellVariables& variables) {
  const std::string text = withDollars(variables.expanded(word.text)), unset = unsetIn(text);
  if (unset.empty()) return text;
  const bool empty = text == unsetMark(unset) && isName(unset) && !variables.doubted.count(unset);
  return empty ? std::optional(std::string()) : std::nullopt;
}

std::optional<bool> plainTest(const std::vector<RawWord>& test, bool pattern, ShellVariables& variables) {
  if (test.size() == 2 && isOneOf(test[0].text, {"-f", "-d", "-e"})) return true;
  const auto last = test.empty() ? std::nullopt : operand(test.back(), variables);
  if (!last) return std::nullopt;
  if (test.size() == 1) return !last->empty();
  if (test.size() == 2 && isOneOf(test[0].text, {"-z", "-n"})) return last->empty() == (test[0].text == "-z");
  if (test.size() != 3) return std::nullopt;
  const auto first = operand(test[0], variables);
  const std::string& how = test[1].text;
  if (!first) return std::nullopt;
  if (isOneOf(how, {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})) {
    const auto a = valueOfWord(*first, {}).whole, b = valueOfWord(*last, {}).whole;
    if (!a || !b) return std::nullopt;
    return how == "-eq"   ? *a == *b
           : how == "-ne" ? *a != *b
           : how == "-lt" ? *a < *b
           : how == "-le" ? *a <= *b
           : how == "-gt" ? *a > *b
                          : *a >= *b;
  }
  if (!isOneOf(how, {"==", "=", "!="})) return std::nullopt;
  const bool special = pattern && last->find_first_of("*?[\\") != std::string::npos;
  if (special && test[2].quoted) return std::nullopt;
  const bool same = special ? fnmatch(last->c_str(), first->c_str(), 0) == 0 : *first == *last;
  return same == (how != "!=");
}

std::optional<bool> testHolds(std::vector<RawWord> test, bool pattern, ShellVariables& variables) {
  const bool negated = !test.empty() && isPlain(test[0], "!");
  if (negated) test.erase(test.begin());
  const std::optional<bool> out = plainTest(test, pattern, variables);
  return out ? std::optional(*out != negated) : std::nullopt;
}

} // namespace

std::optional<bool> conditionHolds(const std::vector<RawWord>& condition, ShellVariables& variables) {
  std::optional<bool> out;
  std::vector<RawWord> parts;
  char joint = 0;
  bool inside = false, pattern = false;
  const auto close = [&](std::optional<bool> one) {
    out = !one ? one : joint == '&' ? *out && *one : joint == '|' ? *out || *one : one;
    parts.clear();
    return out.has_value();
  };
  for (size_t i = 0; i < condition.size(); ++i) {
    const RawWord& word = condition[i];
    if (word.op == '\n' || word.op == ';') continue;
    if (word.op) {
      const bool twice = i + 1 < condition.size() && condition[i + 1].op == word.op;
      if ((word.op != '&' && word.op != '|') || !twice || (joint && joint != word.op)) return std::nullopt;
      if (inside && !close(testHolds(parts, pattern, variables))) return std::nullopt;
      joint = word.op;
      ++i;
    } else if (!inside && isOneOf(word.text, {"[", "[["})) {
      inside = true;
      pattern = word.text == "[[";
    } else if (inside && isOneOf(word.text, {"]", "]]"})) {
      inside = false;
      if (!close(testHolds(parts, pattern, variables))) return std::nullopt;
    } else if (inside)
      parts.push_back(word);
    else if (!isOneOf(word.text, {"true", "false"}) || !close(word.text == "true"))
      return std::nullopt;
  }
  return inside ? std::nullopt : out;
}

} // namespace planc::foreign
