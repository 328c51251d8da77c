// Follows the assignments, arrays and plain conditions of a shell script down to the command that it runs.
// SPDX-License-Identifier: Apache-2.0
#include "import/Shell.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace planc::foreign {

PLANC_ERROR(ShellForm, 1215, "this part of the script is not followed: {what}")

namespace {

constexpr size_t kMostWords = 10'000;

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// A word of the text as it is written, and an operator: a line end, `;`, `(`, `)`, `|`, `&`.
struct RawWord {
  std::string text; ///< quotes removed; what stood in single quotes has no variables, its dollars are marked
  SourceRange range;
  char op = 0;         ///< the operator, for a word that is one
  bool quoted = false; ///< the word had quotes
};

constexpr char kPlainDollar = '\x02';

/// Splits a script into words and operators.
class Splitter {
public:
  /// A text that begins with an option is a list of arguments, whose line breaks are blanks.
  Splitter(std::string_view text, FileId file)
      : text_(text), file_(file),
        options_(text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with("--")) {}

  std::vector<RawWord> words() {
    std::vector<RawWord> out;
    while (at_ < text_.size() && out.size() < kMostWords) {
      const char c = text_[at_];
      if (isBlank(c) || (c == '\n' && options_)) {
        ++at_;
      } else if (c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '\n' || text_[at_ + 1] == '\r')) {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\n' || c == ';' || c == '(' || c == ')' || c == '|' || c == '&') {
        out.push_back({"", range(at_, at_ + 1), c, false});
        ++at_;
      } else
        out.push_back(word());
    }
    return out;
  }

private:
  SourceRange range(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  RawWord word() {
    RawWord out;
    const size_t begin = at_;
    char quote = 0;
    size_t depth = 0; // of ${ }, $( )
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote == '\'') {
        if (c == '\'')
          quote = 0;
        else
          out.text += c == '$' ? kPlainDollar : c;
        continue;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] == '\n') {
          ++at_;
          continue;
        }
        out.text += text_[++at_] == '$' ? kPlainDollar : text_[at_];
        continue;
      }
      if (c == '"') {
        quote = quote ? 0 : '"';
        out.quoted = true;
        continue;
      }
      if (c == '\'' && !quote) {
        quote = '\'';
        out.quoted = true;
        continue;
      }
      if (c == '$' && at_ + 1 < text_.size() && (text_[at_ + 1] == '{' || text_[at_ + 1] == '(')) {
        out.text += c;
        out.text += text_[++at_];
        ++depth;
        continue;
      }
      if (depth > 0) {
        if (c == '(' || c == '{') ++depth;
        if (c == ')' || c == '}') --depth;
        out.text += c;
        continue;
      }
      const bool ends = isBlank(c) || c == '\n' || c == ';' || c == '|' || c == '&' || c == ')';
      const bool list = c == '(' && !out.text.empty() && out.text.back() == '=';
      if (!quote && (ends || list || c == '(')) break;
      out.text += c;
    }
    out.range = range(begin, at_);
    return out;
  }

  std::string_view text_;
  FileId file_;
  bool options_;
  size_t at_ = 0;
};

std::string withDollars(std::string text) {
  std::replace(text.begin(), text.end(), kPlainDollar, '$');
  return text;
}

/// The name before `=` of an assignment `A=…` or `A+=…`; empty if the word is none.
std::string_view assignedName(std::string_view word) {
  size_t length = 0;
  while (length < word.size() && isWordChar(word[length])) ++length;
  if (length == 0 || (word[0] >= '0' && word[0] <= '9')) return {};
  const std::string_view rest = word.substr(length);
  return rest.starts_with("=") || rest.starts_with("+=") ? word.substr(0, length) : std::string_view();
}

/// Runs the statements of a script.
class ScriptReader {
public:
  ScriptReader(std::vector<RawWord> words, ShellVariables& variables, DiagnosticEngine& found)
      : words_(std::move(words)), variables_(variables), found_(found) {}

  std::vector<ShellWord> command() {
    while (at_ < words_.size()) statement();
    return std::move(command_);
  }

private:
  const RawWord* peek() const { return at_ < words_.size() ? &words_[at_] : nullptr; }
  bool atWord(std::string_view text) const { return peek() && !peek()->op && !peek()->quoted && peek()->text == text; }
  bool live() const {
    return std::all_of(taken_.begin(), taken_.end(), [](bool taken) { return taken; });
  }

  void statement() {
    const RawWord& word = words_[at_];
    if (word.op) {
      ++at_;
      return;
    }
    if (atWord("if") || atWord("elif")) return branch();
    if (atWord("else") || atWord("fi")) {
      const bool otherwise = atWord("else");
      ++at_;
      if (taken_.empty()) return;
      if (otherwise)
        taken_.back() = !done_.back(), done_.back() = true;
      else
        taken_.pop_back(), done_.pop_back();
      return;
    }
    if (atWord("then") || atWord("do") || atWord("done") || atWord("export") || atWord("local") || atWord("set") ||
        atWord("readonly")) {
      const bool sets = atWord("set");
      ++at_;
      if (sets) skipLine();
      return;
    }
    if (atWord("for") || atWord("while") || atWord("case") || atWord("until") || atWord("function")) return loop();
    if (const std::string_view name = assignedName(word.text); !name.empty()) return assignment(std::string(name));
    run();
  }

  void skipLine() {
    while (peek() && peek()->op != '\n' && peek()->op != ';') ++at_;
  }

  /// Loops and functions are skipped: a launch needs none. One that assigns arguments is reported.
  void loop() {
    const SourceRange place = peek()->range;
    const std::string closing = atWord("case") ? "esac" : atWord("function") ? "}" : "done";
    bool options = false;
    for (++at_; peek() && !atWord(closing); ++at_) options = options || peek()->text.starts_with("--");
    if (peek()) ++at_;
    if (options && live())
      found_.report(ShellForm, place, {{"what", "options in a loop, a case or a function"}})
          .help("write the arguments of the command into a file of their own, and import that");
  }

  void branch() {
    const bool first = atWord("if");
    const SourceRange place = peek()->range;
    ++at_;
    std::vector<RawWord> condition;
    while (peek() && !atWord("then")) condition.push_back(words_[at_++]);
    if (peek()) ++at_;
    if (!first && taken_.empty()) return;
    if (first) {
      taken_.push_back(false);
      done_.push_back(false);
    }
    taken_.back() = false;
    if (done_.back() || !std::all_of(taken_.begin(), taken_.end() - 1, [](bool taken) { return taken; })) return;
    const std::optional<bool> holds = truth(condition);
    if (!holds)
      found_.report(ShellForm, place, {{"what", "a condition other than ==, !=, -z, -n and files that exist"}})
          .help("write the arguments of the command into a file of their own, and import that");
    taken_.back() = holds.value_or(false);
    done_.back() = holds.value_or(true);
  }

  /// Whether `[ "$A" == "b" ] || [[ -n $C ]]` holds; nullopt if it is something else.
  std::optional<bool> truth(const std::vector<RawWord>& condition) {
    bool any = false, all = true;
    std::vector<std::string> test;
    bool inside = false;
    for (size_t i = 0; i < condition.size(); ++i) {
      const RawWord& word = condition[i];
      if (word.op == '|' && !inside) {
        any = any || all;
        all = true;
      }
      if (word.op) continue;
      if (word.text == "[" || word.text == "[[") {
        inside = true;
        test.clear();
      } else if (word.text == "]" || word.text == "]]") {
        inside = false;
        const std::optional<bool> one = testHolds(test);
        if (!one) return std::nullopt;
        all = all && *one;
      } else if (inside)
        test.push_back(withDollars(variables_.expanded(word.text)));
      else
        return std::nullopt;
    }
    return any || all;
  }

  static std::optional<bool> testHolds(std::vector<std::string> test) {
    bool negated = false;
    if (!test.empty() && test[0] == "!") {
      negated = true;
      test.erase(test.begin());
    }
    std::optional<bool> out;
    const auto value = [](const std::string& text) { return unsetIn(text).empty() ? text : std::string(); };
    if (test.size() == 2 && (test[0] == "-z" || test[0] == "-n")) out = value(test[1]).empty() == (test[0] == "-z");
    if (test.size() == 2 && (test[0] == "-f" || test[0] == "-d" || test[0] == "-e")) out = true;
    if (test.size() == 3 && (test[1] == "==" || test[1] == "=" || test[1] == "-eq"))
      out = value(test[0]) == value(test[2]);
    if (test.size() == 3 && (test[1] == "!=" || test[1] == "-ne")) out = value(test[0]) != value(test[2]);
    return out ? std::optional(*out != negated) : std::nullopt;
  }

  void assignment(std::string name) {
    const RawWord& word = words_[at_++];
    const bool more = word.text.compare(name.size(), 1, "+") == 0;
    const std::string value = word.text.substr(name.size() + (more ? 2 : 1));
    if (value.empty() && peek() && peek()->op == '(' && peek()->range.begin == word.range.end) {
      ++at_;
      std::vector<ShellWord> items;
      while (peek() && peek()->op != ')') {
        if (!peek()->op) addWord(*peek(), items);
        ++at_;
      }
      if (peek()) ++at_;
      if (!live()) return;
      std::vector<ShellWord>& list = variables_.lists[name];
      if (!more) list.clear();
      if (list.size() + items.size() < kMostWords) list.insert(list.end(), items.begin(), items.end());
      return;
    }
    if (!live()) return;
    const std::string old = more && variables_.assigned.count(name) ? variables_.assigned[name] : "";
    const std::string text = old + variables_.expanded(value);
    if (text.size() < (1u << 12)) variables_.assigned[name] = text;
  }

  /// Adds a word, expanded: an array is its items, and a text that begins with an option is split at blanks.
  void addWord(const RawWord& word, std::vector<ShellWord>& out) {
    const std::string_view text = word.text;
    if (text.starts_with("${") && (text.ends_with("[@]}") || text.ends_with("[*]}"))) {
      const auto list = variables_.lists.find(text.substr(2, text.size() - 6));
      if (list != variables_.lists.end() && out.size() + list->second.size() < kMostWords) {
        const std::vector<ShellWord> items = list->second;
        out.insert(out.end(), items.begin(), items.end());
      }
      return;
    }
    const std::string expanded = withDollars(variables_.expanded(text));
    const bool variable = text.starts_with("$");
    if (!(variable && !word.quoted) && !expanded.starts_with("--")) {
      out.push_back({expanded, word.range});
      return;
    }
    std::istringstream parts(expanded);
    for (std::string part; parts >> part;) out.push_back({part, word.range});
  }

  void run() {
    std::vector<ShellWord> words;
    while (peek() && peek()->op != '\n' && peek()->op != ';' && peek()->op != '|' && peek()->op != '&') {
      const std::string_view text = peek()->text;
      const bool redirects =
          !peek()->quoted && !peek()->op && text.substr(0, 2).find_first_of("<>") != std::string_view::npos;
      if (!peek()->op && !redirects) addWord(*peek(), words);
      if (redirects && (text.ends_with(">") || text.ends_with("<"))) ++at_; // its file is the next word
      ++at_;
    }
    if (live() &&
        std::any_of(words.begin(), words.end(), [](const ShellWord& word) { return word.text.starts_with("--"); }))
      command_ = std::move(words);
  }

  std::vector<RawWord> words_;
  size_t at_ = 0;
  ShellVariables& variables_;
  DiagnosticEngine& found_;
  std::vector<bool> taken_, done_; ///< of each open `if`: whether its present branch runs, and whether one ran already
  std::vector<ShellWord> command_;
};

} // namespace

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

std::optional<ForeignValue> readShell(const SourceManager& sources, FileId file, ShellVariables& variables,
                                      DiagnosticEngine& found) {
  const size_t errors = found.errorCount();
  ScriptReader reader(Splitter(sources.text(file), file).words(), variables, found);
  const std::vector<ShellWord> words = reader.command();
  if (found.errorCount() > errors) return std::nullopt;
  ForeignValue out = optionsOf(words);
  out.range = {file, 0, static_cast<uint32_t>(std::min<size_t>(sources.text(file).size(), 1))};
  return out;
}

} // namespace planc::foreign
