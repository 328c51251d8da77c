// Expansion of shell variables and of arithmetic, and the options among words.
// SPDX-License-Identifier: Apache-2.0
#include "import/shell/Shell.h"
#include "import/shell/ShellWords.h"

#include <algorithm>
#include <charconv>

namespace planc::foreign {

namespace {

constexpr char kMark = '\x01';
/// Values of variables may name variables; this ends those that name themselves.
constexpr size_t kMostExpansions = 20;
constexpr size_t kMostText = 1 << 12;

/// Whole-number arithmetic of `$((…))`: + - * / % and parentheses. nullopt if it is something else.
class Arithmetic {
public:
  explicit Arithmetic(std::string_view text) : text_(text) {}
  std::optional<int64_t> value() {
    const std::optional<int64_t> out = sum(0);
    skip();
    return at_ == text_.size() ? out : std::nullopt;
  }

private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<int64_t> sum(int depth) {
    std::optional<int64_t> out = product(depth);
    while (out) {
      const bool plus = take('+'), minus = !plus && take('-');
      if (!plus && !minus) return out;
      const std::optional<int64_t> right = product(depth);
      int64_t result = 0;
      const bool bad = !right || (plus ? __builtin_add_overflow(*out, *right, &result)
                                       : __builtin_sub_overflow(*out, *right, &result));
      out = bad ? std::nullopt : std::optional(result);
    }
    return out;
  }
  std::optional<int64_t> product(int depth) {
    std::optional<int64_t> out = factor(depth);
    while (out) {
      const bool times = take('*'), over = !times && take('/'), rest = !times && !over && take('%');
      if (!times && !over && !rest) return out;
      const std::optional<int64_t> right = factor(depth);
      int64_t result = 0;
      if (!right || (!times && (*right == 0 || *right == -1)) ||
          (times && __builtin_mul_overflow(*out, *right, &result)))
        return std::nullopt;
      out = times ? result : over ? *out / *right : *out % *right;
    }
    return out;
  }
  std::optional<int64_t> factor(int depth) {
    if (depth > 50) return std::nullopt;
    if (take('(')) {
      const std::optional<int64_t> out = sum(depth + 1);
      return take(')') ? out : std::nullopt;
    }
    skip();
    int64_t out = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<size_t>(end - text_.data());
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// The position of the closing bracket of the opening one at `at`; npos if there is none.
size_t closing(std::string_view text, size_t at, char open, char close) {
  size_t depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at;
  }
  return std::string_view::npos;
}

} // namespace

std::string unsetMark(std::string_view variable) {
  return kMark + std::string(variable) + kMark;
}

std::string unsetIn(std::string_view text) {
  const size_t begin = text.find(kMark);
  if (begin == std::string_view::npos) return "";
  const size_t end = text.find(kMark, begin + 1);
  return std::string(text.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1));
}

const std::string* ShellVariables::find(std::string_view name) const {
  if (const auto at = given.find(name); at != given.end()) {
    asked.emplace_back(name);
    return &at->second;
  }
  const auto at = assigned.find(name);
  return at == assigned.end() ? nullptr : &at->second;
}

void ShellVariables::doubt(const std::string& name) {
  const auto old = assigned.find(name);
  if ((old != assigned.end() && hasOption(old->second)) || lists.count(name)) lost.insert(name);
  doubted.insert(name);
  assigned[name] = unsetMark(name);
  if (lists.count(name)) lists[name] = {{unsetMark(name), {}}};
}

void ShellVariables::forget(const std::string& name) {
  assigned.erase(name);
  lists.erase(name);
}

std::string ShellVariables::expanded(std::string_view text, size_t depth) {
  std::string out;
  if (depth > kMostExpansions) return out;
  for (size_t i = 0; i < text.size() && out.size() < kMostText; ++i) {
    if (text[i] != '$' || i + 1 >= text.size()) {
      out += text[i];
      continue;
    }
    if (text.substr(i).starts_with("$((")) {
      const size_t end = closing(text, i + 1, '(', ')');
      const size_t inner = end == std::string_view::npos ? end : end - i - 4;
      if (end == std::string_view::npos || end < i + 4) return out + std::string(text.substr(i));
      // Names in arithmetic need no dollar.
      std::string sum;
      const std::string_view body = text.substr(i + 3, inner);
      for (size_t at = 0; at < body.size();) {
        const size_t length = nameLength(body.substr(at));
        const bool name = length > 0 && !(body[at] >= '0' && body[at] <= '9') &&
                          (at == 0 || (body[at - 1] != '$' && body[at - 1] != '{'));
        sum += name ? expanded("${" + std::string(body.substr(at, length)) + "}", depth + 1)
                    : std::string(body.substr(at, std::max<size_t>(length, 1)));
        at += std::max<size_t>(length, 1);
      }
      sum = expanded(sum, depth + 1);
      const std::string unset = unsetIn(sum);
      const std::optional<int64_t> value = Arithmetic(sum).value();
      out += value ? std::to_string(*value) : unsetMark(unset.empty() ? sum : unset);
      i = end;
      continue;
    }
    const bool braces = text[i + 1] == '{';
    const size_t end = braces ? closing(text, i + 1, '{', '}') : i + nameLength(text.substr(i + 1));
    if (end == std::string_view::npos) return out + std::string(text.substr(i));
    std::string_view body = braces ? text.substr(i + 2, end - i - 2) : text.substr(i + 1, end - i);
    if (!braces && body.empty()) { // `$@`, `$(command)`
      if (text[i + 1] == '(') {
        const size_t close = closing(text, i + 1, '(', ')');
        out += unsetMark(text.substr(i, close == std::string_view::npos ? close : close - i + 1));
        i = close == std::string_view::npos ? text.size() : close;
      } else
        out += text[i];
      continue;
    }
    const std::string_view name = body.substr(0, nameLength(body));
    body.remove_prefix(name.size());
    const bool filled = body.starts_with(":"); // an empty value counts as none
    const std::string_view after = body.substr(filled ? 1 : 0);
    const char form = after.empty() ? 0 : after[0];
    const std::string* value = name.empty() ? nullptr : find(name);
    const bool has = value && !(filled && value->empty());
    if (name.empty() || (filled && !form) || (form && std::string_view("-=+?").find(form) == std::string_view::npos)) {
      out += unsetMark(text.substr(i, end - i + 1)); // `${A%%b}`
    } else if (form == '+') {
      if (value && !unsetIn(*value).empty())
        out += *value;
      else if (has)
        out += expanded(after.substr(1), depth + 1);
    } else if (has) {
      const bool plain = depth > 0 || value->find('$') == std::string::npos || value->find(kMark) != std::string::npos;
      out += plain ? *value : expanded(*value, depth + 1);
    } else if (form == '-' || form == '=') {
      const std::string other = expanded(after.substr(1), depth + 1);
      if (form == '=') assigned[std::string(name)] = other;
      out += other;
    } else
      out += unsetMark(name);
    i = end;
  }
  return out;
}

ForeignValue optionsOf(const std::vector<ShellWord>& words) {
  ForeignValue out;
  out.kind = ForeignValue::Kind::Table;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].text.starts_with("--") || words[i].text.size() == 2) continue;
    ForeignMember option{words[i].text, words[i].range, {}};
    std::vector<ForeignValue> values;
    if (const size_t equals = option.name.find('='); equals != std::string::npos) {
      values.push_back(valueOfWord(option.name.substr(equals + 1), words[i].range));
      option.name.erase(equals);
    }
    for (; values.empty() || values.size() < kMostWords; ++i) {
      if (i + 1 >= words.size() || words[i + 1].text.starts_with("--")) break;
      if (!values.empty() && words[i + 1].text.ends_with(".py")) break; // the program behind the launcher's options
      std::string text = words[i + 1].text;
      if (text.size() > 1 && text.front() == '\'' && text.back() == '\'') text = text.substr(1, text.size() - 2);
      values.push_back(valueOfWord(text, words[i + 1].range));
    }
    option.value = values.empty() ? valueOfWord("true", option.range) : values[0];
    if (values.size() > 1) {
      option.value = ForeignValue{};
      option.value.kind = ForeignValue::Kind::List;
      option.value.range = SourceRange::cover(values.front().range, values.back().range);
      option.value.items = std::move(values);
    }
    // The last of equal options counts, as for argparse.
    const auto same = std::find_if(out.members.begin(), out.members.end(),
                                   [&](const ForeignMember& one) { return one.name == option.name; });
    if (same != out.members.end())
      *same = std::move(option);
    else
      out.members.push_back(std::move(option));
  }
  return out;
}

} // namespace planc::foreign
