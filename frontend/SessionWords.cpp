// Reads facts and search lines from the command line.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/Session.h"
#include "frontend/eval/Literals.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::ExprKind;

PLANC_ERROR(SetForm, 932, "what is set is written `PATH = VALUE`, as in `train.micro_batch = 2`")
PLANC_ERROR(SearchWordForm, 695, "`{option}` takes one line of a search; this is something else")

namespace {

/// The statements of a text that consists of a plan with only a `search` block; null for any other text.
const syntax::SearchBlock* searchBlockOf(const Module& text) {
  if (!text.tree || text.tree->broken || text.tree->decls.size() != 1) return nullptr;
  const auto* plan = std::get_if<syntax::PlanDecl>(&text.tree->decls[0].item);
  return plan && plan->items.size() == 1 ? std::get_if<syntax::SearchBlock>(&plan->items[0].item) : nullptr;
}

constexpr std::string_view kArrow = "->";

} // namespace

/// Reads `decoder.seq -> tp` as the line of a search that has this one value.
std::optional<Edit> Session::Impl::ruleEdit(const std::string& name, const ir::FactEdit& written) {
  Module* text = loader.loadText(
      name, fmt::format("plan set {{ search {{\nvary {} in ({})\n}} }}\n", written.path, written.value));
  if (!text->tree || text->tree->broken) return std::nullopt; // reported by the parser
  const syntax::SearchBlock* block = searchBlockOf(*text);
  const auto* line = block && block->items.size() == 1 ? std::get_if<syntax::VaryItem>(&block->items[0]) : nullptr;
  if (line && line->placement) return editOf(*line, *line->values);
  context.report(SetForm, {text->file, 0, 0});
  return std::nullopt;
}

/// Reads the text as a record of one fact. The fact has a line of its own, so that messages show only the user's text.
std::optional<Edit> Session::Impl::factEdit(const std::string& name, const ir::FactEdit& written) {
  Module* text = loader.loadText(name, fmt::format("let set = {{\n{} = {}\n}}\n", written.path, written.value));
  if (!text->tree || text->tree->broken) return std::nullopt; // reported by the parser
  const auto* let = text->tree->decls.size() == 1 ? std::get_if<syntax::LetDecl>(&text->tree->decls[0].item) : nullptr;
  const bool one = let && let->value->kind == ExprKind::Record && let->value->facts.size() == 1;
  if (!one || let->value->facts[0].args) {
    const bool more = let && let->value->kind == ExprKind::Record && let->value->facts.size() > 1;
    context.report(SetForm, one || more ? let->value->facts[more].range : SourceRange{text->file, 0, 0});
    return std::nullopt;
  }
  const syntax::Fact& fact = let->value->facts[0];
  Edit made;
  made.path.push_back(fact.name);
  made.path.insert(made.path.end(), fact.members.begin(), fact.members.end());
  made.value = fact.value;
  made.range = fact.range;
  return made;
}

bool Session::Impl::edit(const ir::FactEdit& written) {
  // Messages identify one of several options by its number.
  const std::string name = edits.empty() ? "--set" : fmt::format("--set ({})", edits.size() + 1);
  std::optional<Edit> made = written.path.ends_with(kArrow) ? ruleEdit(name, written) : factEdit(name, written);
  if (!made) return false;
  for (const Edit& earlier : edits)
    if (earlier.text() == made->text()) {
      reportGivenTwice(context, made->range, made->text(), earlier.range);
      return false;
    }
  edits.push_back(std::move(*made));
  return true;
}

bool Session::set(const ir::PlanEdit& edit, std::string_view of) {
  bool good = true;
  for (const ir::FactEdit& fact : edit.facts) good &= impl_->edit(fact);
  impl_->editsOf = Symbol(of);
  return good;
}

/// Reads one option as a line of a `search` block, on a line of its own. Returns false after a report.
bool Session::Impl::addWord(const std::string& option, const std::string& text, size_t number,
                            syntax::SearchBlock& words) {
  const bool goal = option == "--minimize" || option == "--maximize";
  const std::string keyword = option.substr(2);
  const std::string name = number == 1 ? option : fmt::format("{} ({})", option, number);
  Module* read = loader.loadText(name, fmt::format("plan words {{ search {{\n{} {}\n}} }}\n", keyword, text));
  const bool plain = text.find_first_of("\n\r") == std::string::npos;
  if (plain && (!read->tree || read->tree->broken)) return false; // reported by the parser
  const syntax::SearchBlock* block = plain ? searchBlockOf(*read) : nullptr;
  const auto isMeant = [&](const auto& item) {
    return goal                  ? std::holds_alternative<syntax::GoalItem>(item)
           : option == "--vary"  ? std::holds_alternative<syntax::VaryItem>(item)
           : option == "--where" ? std::holds_alternative<syntax::WhereItem>(item)
                                 : std::holds_alternative<syntax::FillItem>(item);
  };
  if (block && llvm::all_of(block->items, isMeant) && (option == "--vary" || block->items.size() == 1)) {
    words.items.insert(words.items.end(), block->items.begin(), block->items.end());
    return true;
  }
  const uint32_t begin = static_cast<uint32_t>(sources.text(read->file).find('\n')) + 1;
  const auto end =
      static_cast<uint32_t>(begin + keyword.size() + 1 + std::min(text.find_first_of("\n\r"), text.size()));
  context.report(SearchWordForm, {read->file, begin, end}, {{"option", option}})
      .help(goal                  ? fmt::format("write a metric, `{} step_time`", option)
            : option == "--vary"  ? std::string("write `--vary 'mesh.tp in [1, 2]'`")
            : option == "--where" ? std::string("write `--where 'mesh.tp <= 8'`")
                                  : std::string("write `--fill mesh.dp`"));
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
    const std::string metric = goal.substr(std::min(blank + 1, goal.size()));
    good &= addWord("--" + goal.substr(0, blank), metric, ++goals, made);
  }
  if (!good) made.items.clear();
  return made;
}

} // namespace planc::frontend
