// Reads facts and search lines from the command line.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/Session.h"
#include "frontend/eval/Literals.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(SetForm, 932, "`--set` needs a path and a value, as in `train.micro_batch = 2`")
PLANC_ERROR(SearchWordForm, 695, "`{option}` takes exactly one line of a search; this text is something else")

namespace {

constexpr std::string_view kArrow = "->";

} // namespace

/// Reads the text of an option; null after a report. The tree of a text that is not one line of the kind has none.
const syntax::File* Session::Impl::line(const std::string& option, size_t number, std::string text,
                                        parse::LineKind kind) {
  // Which of several options is meant, messages say by its number.
  const std::string name = number == 1 ? option : fmt::format("{} ({})", option, number);
  return lines.emplace_back(parse::parseLine(sources, sources.add(name, std::move(text)), kind, diagnostics)).get();
}

bool Session::Impl::edit(const ir::FactEdit& written) {
  const bool rule = written.path.ends_with(kArrow);
  const size_t begin = std::min(written.value.find_first_not_of(' '), written.value.size());
  const syntax::File* read = line("--set", edits.size() + 1,
                                  fmt::format("{}{}{}", written.path, rule ? " " : " = ", written.value.substr(begin)),
                                  rule ? parse::LineKind::Rule : parse::LineKind::Fact);
  if (!read) return false;
  const auto* fact = read->line.empty() ? nullptr : std::get_if<syntax::Fact>(&read->line.front());
  if (read->line.empty() || (fact && fact->args)) {
    context.report(SetForm, {read->id, 0, static_cast<uint32_t>(sources.text(read->id).size())});
    return false;
  }
  Edit made;
  if (fact) {
    made.path.push_back(fact->name);
    made.path.insert(made.path.end(), fact->members.begin(), fact->members.end());
    made.value = fact->value;
    made.range = fact->range;
  } else {
    const auto& item = std::get<syntax::VaryItem>(read->line.front());
    made = editOf(item, *item.values);
  }
  for (const Edit& earlier : edits)
    if (earlier.text() == made.text()) {
      reportGivenTwice(context, made.range, made.text(), earlier.range);
      return false;
    }
  edits.push_back(std::move(made));
  return true;
}

bool Session::set(const ir::PlanEdit& edit, std::string_view of) {
  bool good = true;
  for (const ir::FactEdit& fact : edit.facts) good &= impl_->edit(fact);
  impl_->editsOf = Symbol(of);
  return good;
}

namespace {

/// An option of a search: how its text is read, and how one is written.
struct SearchOption {
  std::string_view name;
  parse::LineKind kind;
  std::string_view help;
};
constexpr SearchOption kSearchOptions[] = {
    {"--vary", parse::LineKind::Vary, "write `--vary 'mesh.tp in [1, 2]'`"},
    {"--fill", parse::LineKind::Fill, "write `--fill mesh.dp`"},
    {"--where", parse::LineKind::Where, "write `--where 'mesh.tp <= 8'`"},
    {"--minimize", parse::LineKind::Minimize, "write a metric, `minimize step_time`"},
    {"--maximize", parse::LineKind::Maximize, "write a metric, `maximize step_time`"},
};

} // namespace

/// Adds what one option says. False after a report.
bool Session::Impl::addWord(std::string_view name, const std::string& text, size_t number, syntax::SearchBlock& words) {
  const SearchOption& option = *llvm::find_if(kSearchOptions, [&](const SearchOption& o) { return o.name == name; });
  const syntax::File* read = line(std::string(name), number, text, option.kind);
  if (!read) return false;
  words.items.insert(words.items.end(), read->line.begin(), read->line.end());
  if (!read->line.empty()) return true;
  const auto end = static_cast<uint32_t>(std::min(text.find_first_of("\n\r"), text.size()));
  context.report(SearchWordForm, {read->id, 0, end}, {{"option", name}}).help(std::string(option.help));
  return false;
}

/// Reads a path with its numbers as a `vary` line. Reports a path that yields more than this one line.
bool Session::Impl::addNumbers(const ir::VariedNumbers& numbers, size_t number, syntax::SearchBlock& words) {
  std::string values;
  for (const Quantity& value : numbers.values) {
    const bool count = value.unit.plain() && std::floor(value.value) == value.value;
    values += values.empty() ? "" : ", ";
    values += count                ? fmt::format("{:.0f}", value.value)
              : value.unit.plain() ? floatText(value.value)
                                   : quantityText(value.value, value.unit);
  }
  const size_t before = words.items.size();
  if (!addWord("--vary", fmt::format("{} in [{}]", numbers.path, values), number, words)) return false;
  auto& line = std::get<syntax::VaryItem>(words.items.back());
  line.with = line.with || numbers.bound;
  if (words.items.size() == before + 1) return true;
  context.report(SearchWordForm, line.path.range, {{"option", "--vary"}}).help("name one path");
  return false;
}

/// The block of all search lines of a command line; without items after a report.
syntax::SearchBlock Session::Impl::wordsOf(const ir::SearchWords& words) {
  syntax::SearchBlock made;
  bool good = true;
  const auto add = [&](const char* option, const std::vector<std::string>& texts) {
    for (size_t i = 0; i < texts.size(); ++i) good &= addWord(option, texts[i], i + 1, made);
  };
  add("--vary", words.vary);
  for (size_t i = 0; i < words.numbers.size(); ++i)
    good &= addNumbers(words.numbers[i], words.vary.size() + i + 1, made);
  add("--fill", words.fill);
  add("--where", words.where);
  size_t goals = 0;
  for (const std::string& goal : words.goals) { // `minimize step_time`
    const size_t blank = std::min(goal.find(' '), goal.size());
    const std::string option = "--" + goal.substr(0, blank);
    const bool known = option == "--minimize" || option == "--maximize";
    if (!known) context.report(SearchWordForm, {}, {{"option", option}}).help("write `minimize step_time`");
    good &= known && addWord(option, goal.substr(std::min(blank + 1, goal.size())), ++goals, made);
  }
  if (!good) made.items.clear();
  return made;
}

} // namespace planc::frontend
