// Follows the assignments, arrays and plain conditions of a shell script down to the command that it runs.
// SPDX-License-Identifier: Apache-2.0
#include "import/shell/Shell.h"

#include "import/shell/ShellWords.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace planc::foreign {

PLANC_ERROR(ShellForm, 1215, "this part of the script is not followed: {what}")

namespace {

constexpr std::string_view kRepeats = "options in a loop, a case or a function",
                           kUndecided = "options behind a condition other than ==, !=, -z, -n and files that exist";
/// Functions of a script run so often.
constexpr size_t kMostCalls = 200;

/// The word that closes the compound command that a word opens; empty if it opens none.
std::string_view closerOf(const RawWord& word) {
  if (word.op == '(') return ")";
  if (word.op || word.quoted) return {};
  if (isOneOf(word.text, {"for", "while", "until", "select"})) return "done";
  return word.text == "case" ? "esac"
         : word.text == "if" ? "fi"
         : word.text == "{"  ? "}"
         : word.text == "[[" ? "]]"
                             : "";
}

/// Runs the statements of a script. Variables that a part changes which it does not run have no value thereafter.
class ScriptReader {
public:
  ScriptReader(std::vector<RawWord> words, ShellVariables& variables, DiagnosticEngine& found)
      : words_(std::move(words)), end_(words_.size()), variables_(variables), found_(found) {}

  /// The commands that have options, in order.
  std::vector<std::vector<ShellWord>> commands() {
    while (peek()) statement();
    return std::move(commands_);
  }

private:
  struct Part {
    size_t begin = 0, end = 0;
  };

  const RawWord* peek() const { return at_ < end_ ? &words_[at_] : nullptr; }
  bool atWord(std::string_view text) const { return peek() && !peek()->op && isPlain(*peek(), text); }
  bool atOp(char op, size_t by = 0) const { return at_ + by < end_ && words_[at_ + by].op == op; }
  bool live() const {
    return std::all_of(taken_.begin(), taken_.end(), [](bool taken) { return taken; });
  }

  /// Whether a command begins at a word.
  bool begins(size_t at) const {
    if (at == 0 || words_[at - 1].op) return true;
    return !words_[at - 1].quoted &&
           isOneOf(words_[at - 1].text, {"then", "do", "else", "elif", "if", "while", "until", "{", "!"});
  }

  /// The end of the command that begins at a word: the operator behind it, or behind the word that closes it.
  size_t commandEnd(size_t at) const {
    std::vector<std::string_view> open;
    for (const size_t begin = at; at < end_; ++at) {
      const RawWord& word = words_[at];
      if (!open.empty() && isPlain(word, open.back()) && (word.op || word.text == "]]" || begins(at))) {
        open.pop_back();
        continue;
      }
      if (open.empty() && at > begin && word.op && word.op != '(') break;
      if (const std::string_view closer = closerOf(word); !closer.empty() && (word.op || at == begin || begins(at)))
        open.push_back(closer);
    }
    return at;
  }

  void statement() {
    if (peek()->op) return operators();
    if (atWord("if") || atWord("elif")) return branch();
    if (atWord("else") || atWord("fi")) return otherwise();
    if (atWord("!")) {
      ++at_;
      status_.reset();
      if (peek() && !peek()->op) statement();
      if (status_) status_ = !*status_;
      return;
    }
    const std::string& text = peek()->text;
    if (isOneOf(text, {"export", "local", "readonly", "declare", "typeset"}) || (declares_ && text.starts_with("-"))) {
      declares_ = true;
      ++at_;
      return;
    }
    if (isOneOf(text, {"then", "do", "done", "{", "}"})) {
      ++at_;
      return;
    }
    if (definition()) return;
    if (isOneOf(text, {"for", "while", "until", "select", "case"})) return pass(commandEnd(at_), kRepeats);
    if (atWord("[") || atWord("[[")) return test();
    if (const std::string_view name = assignedName(text); !name.empty()) return assignment(std::string(name));
    if (declares_) {
      ++at_;
      return;
    }
    plain(text);
  }

  /// A command that the shell itself runs, or a program.
  void plain(const std::string& text) {
    const size_t end = commandEnd(at_);
    status_.reset();
    if (text == "set") {
      at_ = end;
    } else if (text == "unset") {
      for (; at_ < end; ++at_)
        if (live()) variables_.forget(words_[at_].text);
    } else if (isOneOf(text, {"exit", "return"})) {
      at_ = end;
      if (live()) (text == "exit" ? exited_ = true : exited_), end_ = at_;
    } else if (isOneOf(text, {"read", "let", "getopts", "mapfile", "readarray", "printf"}) ||
               (text == "eval" && !hasOptions({at_, end}))) {
      pass(end, kRepeats);
    } else
      run();
  }

  bool hasOptions(Part part) const {
    for (; part.begin < part.end; ++part.begin)
      if (hasOption(words_[part.begin].text)) return true;
    return false;
  }

  /// Follows `&&` and `||`, subshells and `((…))`.
  void operators() {
    const char op = peek()->op;
    const bool twice = atOp(op, 1) && words_[at_ + 1].range.begin == peek()->range.end;
    if (op == '(' && twice) return pass(commandEnd(at_), kRepeats);
    if (op == '(') outer_.push_back(variables_);
    if (op == ')' && !outer_.empty()) {
      variables_ = std::move(outer_.back());
      outer_.pop_back();
    }
    const bool list = twice && (op == '&' || op == '|');
    at_ += list ? 2 : 1;
    if (op != '(' && op != ')') declares_ = false;
    while (list && atOp('\n')) ++at_;
    if (!list || !peek() || !live()) return;
    const size_t end = commandEnd(at_);
    const std::optional<bool> before = status_;
    if (before == (op == '&')) return;
    // A program whose success nobody knows is followed by the launch that needs it: `cd folder && torchrun …`.
    const std::string& text = peek()->text;
    const bool launches =
        !before && op == '&' && !peek()->op && closerOf(*peek()).empty() && assignedName(text).empty();
    if (launches && !isOneOf(text, {"exit", "return", "export", "eval", "read", "unset"})) return;
    if (before)
      at_ = end;
    else
      pass(end, kUndecided);
    status_ = before;
  }

  /// Passes over a part that may run or not: what it changes has no value from here on.
  void pass(size_t end, std::string_view what) {
    const Part part{at_, end};
    at_ = end;
    status_.reset();
    if (!live()) return;
    forget(part, 0);
    if (hasOptions(part)) refuse(words_[part.begin].range, what);
  }

  void refuse(SourceRange place, std::string_view what) {
    found_.report(ShellForm, place, {{"what", what}})
        .help("write the arguments of the command into a file of their own, and import that");
  }

  void forget(Part part, size_t depth) {
    bool names = false; // whether the words are names that the command changes
    for (size_t i = part.begin; i < part.end; ++i) {
      const RawWord& word = words_[i];
      if (begins(i) || i == part.begin) {
        names = isOneOf(word.text, {"for", "select", "read", "unset", "getopts", "mapfile", "readarray", "printf"});
        const auto body = functions_.find(word.text);
        if (body != functions_.end() && depth < 5) forget(body->second, depth + 1);
      } else if (word.text == "in")
        names = false;
      else if (names && isName(word.text))
        variables_.doubt(word.text);
      for (const std::string& name : changedNames(word.text)) variables_.doubt(name);
    }
  }

  /// Keeps the body of `name() { … }` for its calls; false if none begins here.
  bool definition() {
    size_t at = at_;
    const bool keyword = atWord("function");
    if (keyword) ++at;
    if (at >= end_ || words_[at].op || words_[at].quoted || !assignedName(words_[at].text).empty()) return false;
    const std::string name = words_[at++].text;
    const bool brackets = at + 1 < end_ && words_[at].op == '(' && words_[at + 1].op == ')';
    if (!keyword && !brackets) return false;
    if (brackets) at += 2;
    while (at < end_ && words_[at].op == '\n') ++at;
    at_ = commandEnd(at);
    if (live()) functions_[name] = {at, at_};
    return true;
  }

  void call(Part body, const std::vector<ShellWord>& words) {
    if (++calls_ > kMostCalls) return refuse(words[0].range, "a function that calls itself");
    for (size_t i = 1; i < words.size(); ++i) variables_.assigned[std::to_string(i)] = words[i].text;
    const size_t at = at_, end = end_, branches = taken_.size();
    at_ = body.begin;
    end_ = body.end;
    while (peek()) statement();
    taken_.resize(branches);
    done_.resize(branches);
    at_ = at;
    end_ = exited_ ? at : end;
    for (size_t i = 1; i < words.size(); ++i) variables_.assigned.erase(std::to_string(i));
  }

  void otherwise() {
    const bool otherwise = atWord("else");
    ++at_;
    if (taken_.empty()) return;
    if (otherwise)
      taken_.back() = !done_.back(), done_.back() = true;
    else
      taken_.pop_back(), done_.pop_back();
  }

  void branch() {
    const bool first = atWord("if");
    const Part whole{at_, first ? commandEnd(at_) : at_};
    const SourceRange place = peek()->range;
    ++at_;
    std::vector<RawWord> condition;
    while (peek() && !atWord("then")) condition.push_back(words_[at_++]);
    if (peek()) ++at_;
    if (!first && taken_.empty()) return;
    const std::optional<bool> holds = live() || !first ? conditionHolds(condition, variables_) : false;
    if (first && !holds) {
      at_ = whole.begin;
      return pass(whole.end, kUndecided);
    }
    if (first) {
      taken_.push_back(false);
      done_.push_back(false);
    }
    taken_.back() = false;
    if (done_.back() || !std::all_of(taken_.begin(), taken_.end() - 1, [](bool taken) { return taken; })) return;
    if (!holds) refuse(place, "an elif with a condition other than ==, !=, -z, -n and files that exist");
    taken_.back() = holds.value_or(false);
    done_.back() = holds.value_or(true);
  }

  void test() {
    const std::string closing = atWord("[") ? "]" : "]]";
    std::vector<RawWord> condition;
    while (peek() && !atWord(closing) && !atOp('\n') && !atOp(';')) condition.push_back(words_[at_++]);
    if (atWord(closing)) condition.push_back(words_[at_++]);
    status_ = live() ? conditionHolds(condition, variables_) : std::nullopt;
  }

  void assignment(std::string name) {
    status_ = true;
    if (!declares_ && atPrefix()) return;
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
        for (ShellWord item : std::vector<ShellWord>(list->second)) {
          if (!item.range.valid()) item.range = word.range; // the elements are unknown
          out.push_back(std::move(item));
        }
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

  /// Passes over the environment of one command: `A=1 B=2 run`. False if assignments stand alone.
  bool atPrefix() {
    size_t at = at_;
    while (at < end_ && !words_[at].op && !assignedName(words_[at].text).empty()) ++at;
    if (at >= end_ || words_[at].op || words_[at].text.find_first_of("<>") < 2) return false;
    at_ = at;
    return true;
  }

  void run() {
    std::vector<ShellWord> words;
    while (peek() && !peek()->op) {
      const std::string_view text = peek()->text;
      const bool redirects = !peek()->quoted && text.substr(0, 2).find_first_of("<>") != std::string_view::npos;
      if (!redirects && live()) addWord(*peek(), words);
      if (redirects && (text.ends_with(">") || text.ends_with("<"))) ++at_; // its file is the next word
      if (peek()) ++at_;
    }
    if (words.empty()) return;
    if (isOneOf(words[0].text, {"true", ":", "false"})) status_ = words[0].text != "false";
    if (const auto body = functions_.find(words[0].text); body != functions_.end()) return call(body->second, words);
    if (std::none_of(words.begin(), words.end(), [](const ShellWord& word) { return word.text.starts_with("--"); }))
      return;
    for (const ShellWord& word : words)
      if (variables_.lost.count(unsetIn(word.text)))
        return refuse(word.range, "options that a part changes which runs or not, or several times");
    if (commands_.size() < kMostCalls) commands_.push_back(std::move(words));
  }

  std::vector<RawWord> words_;
  size_t at_ = 0, end_;
  ShellVariables& variables_;
  DiagnosticEngine& found_;
  std::vector<bool> taken_, done_; ///< of each open `if`: whether its present branch runs, and whether one ran already
  std::optional<bool> status_;     ///< whether the last command succeeded; nullopt: unknown
  bool declares_ = false;          ///< behind `export` on its line
  bool exited_ = false;
  size_t calls_ = 0;
  std::map<std::string, Part, std::less<>> functions_;
  std::vector<ShellVariables> outer_; ///< of each open subshell
  std::vector<std::vector<ShellWord>> commands_;
};

} // namespace

std::optional<std::vector<ForeignValue>> readShell(const SourceManager& sources, FileId file, ShellVariables& variables,
                                                   DiagnosticEngine& found) {
  const size_t errors = found.errorCount();
  SourceRange unclosed{};
  std::vector<RawWord> words = shellWords(sources.text(file), file, unclosed);
  if (unclosed.valid()) found.report(ShellForm, unclosed, {{"what", "a quote without an end"}}).help("close the quote");
  std::vector<ForeignValue> out;
  for (const std::vector<ShellWord>& command : ScriptReader(std::move(words), variables, found).commands()) {
    out.push_back(optionsOf(command));
    out.back().range = command.front().range;
  }
  if (found.errorCount() > errors) return std::nullopt;
  return out;
}

} // namespace planc::foreign
