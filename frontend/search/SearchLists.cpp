// Evaluates the lists of a search: what each depends on, and its values for all that it depends on.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/search/SearchLists.h"

#include "frontend/plan/Steps.h"
#include "frontend/search/ListReading.h"
#include "frontend/search/SearchValues.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace planc::frontend {

PLANC_ERROR(ValueTwice, 688, "the list of `{path}` contains `{value}` twice")
PLANC_ERROR(UnequalLists, 686, "`{path}` has {count}, but `{other}`, which is varied with it, has {expected}")
PLANC_ERROR(LaterChoice, 687, "the list of `{path}` depends on {other}")
PLANC_ERROR(TooManyLists, 692, "the list of `{path}` depends on more than {limit} combinations of other values")

Scope& SpaceSource::scopeIn(MergedPlan& folded) const {
  for (ChainLink& link : folded.chain)
    if (&link.decl == writer) return link.scope;
  return folded.chain.back().scope;
}

std::unique_ptr<MergedPlan> SpaceSource::with(Elaboration& other, const std::vector<Edit>& values) const {
  std::vector<Edit> set;
  for (const Edit& e : merged.edits.all)
    if (!e.writer && std::none_of(values.begin(), values.end(), [&](const Edit& v) { return v.text() == e.text(); }))
      set.push_back(e);
  set.insert(set.end(), values.begin(), values.end());
  return merge(other, *merged.asked, merged.use, {set, merged.edits.of});
}

namespace {

constexpr size_t kLists = 20'000;
constexpr size_t kLooked = 256; // values that are looked at by themselves, beside the first of each sort

std::string countText(size_t count) {
  return fmt::format("{} value{}", count, count == 1 ? "" : "s");
}

/// With the number that its first text is, if it is one.
ir::ChoiceValue valueOf(const std::vector<std::string>& texts) {
  ir::ChoiceValue made{.texts = texts, .edit = {}};
  std::string badUnit;
  made.number = parseQuantity(texts.front(), badUnit);
  made.whole = std::all_of(texts.front().begin(), texts.front().end(), [](unsigned char c) { return std::isdigit(c); });
  return made;
}

/// Returns the sort of a text, which decides whether the text is a value of a path, whatever its amount. Numbers of one
/// unit, sign and wholeness have one sort; every other text has its own.
std::string sortOf(const std::string& text) {
  std::string badUnit;
  const auto number = parseQuantity(text, badUnit);
  if (!number) return text;
  const double sign = number->value < 0 ? -1 : number->value > 0 ? 1 : 0;
  return fmt::format("{} {} {}", sign, number->value == std::floor(number->value), number->unit.name());
}

class ListBuilder {
public:
  explicit ListBuilder(const SpaceSource& source) : source_(source) {}

  /// False after a report.
  bool run() {
    for (size_t g = 0; g < source_.lines.groups.size(); ++g)
      if (!choice(g)) return false;
    return true;
  }

  SearchedLists take() { return std::move(out_); }

private:
  const VariedGroup& group(size_t g) const { return source_.lines.groups[g]; }
  std::string nameOf(size_t g) const { return group(g).lines.front().path; }

  // ---- what lists depend on

  /// The choices that these paths belong to. False after a report: one is no earlier choice.
  bool dependOn(size_t g, const VariedLine& line, const Reading& reading, std::vector<uint32_t>& depends) {
    for (const std::string& path : reading.paths()) {
      if (source_.lines.fill && path == "mesh." + source_.lines.fill->str())
        return tooLate(line, fmt::format("`{}`, which is filled", path));
      for (uint32_t h = 0; h < source_.lines.groups.size(); ++h) {
        const auto& lines = group(h).lines;
        if (std::none_of(lines.begin(), lines.end(), [&](const VariedLine& l) { return samePlace(l.path, path); }))
          continue;
        if (h >= g)
          return tooLate(line,
                         h == g ? std::string("itself") : fmt::format("`{}`, which is varied after it", nameOf(h)));
        if (std::find(depends.begin(), depends.end(), h) == depends.end()) depends.push_back(h);
      }
    }
    std::sort(depends.begin(), depends.end());
    return true;
  }
  bool tooLate(const VariedLine& line, std::string other) {
    source_.elab.context
        .report(LaterChoice, line.item->values->range, {{"path", line.path}, {"other", std::move(other)}})
        .help("a list can depend on lines before it: reorder the lines, or exclude combinations with a `where` line");
    return false;
  }
  bool isVaried(const std::string& path) const {
    for (const VariedGroup& g : source_.lines.groups)
      for (const VariedLine& line : g.lines)
        if (samePlace(line.path, path)) return true;
    return source_.lines.fill && path == "mesh." + source_.lines.fill->str();
  }

  // ---- one choice

  bool choice(size_t g) {
    Scope& scope = source_.scopeIn(source_.merged);
    ir::Choice& made = out_.space.space.choices.emplace_back();
    std::vector<uint32_t> inElements;
    for (const VariedLine& line : group(g).lines) {
      Reading which(source_.merged, [&](const std::string& p) { return isVaried(p); });
      Reading elements(source_.merged, [&](const std::string& p) { return isVaried(p); });
      walkList(line, *line.item->values, scope, which, elements);
      if (!dependOn(g, line, elements, inElements) || !dependOn(g, line, which, made.depends)) return false;
    }
    for (const uint32_t d : inElements)
      if (std::find(made.depends.begin(), made.depends.end(), d) == made.depends.end()) made.depends.push_back(d);
    std::sort(made.depends.begin(), made.depends.end());
    out_.openElements.push_back(!inElements.empty());
    out_.fails.push_back(false);
    holds_.push_back(false);
    made.range = group(g).range;
    for (const VariedLine& line : group(g).lines) made.paths.push_back(line.path);
    out_.space.edits.emplace_back();
    size_t lists = 1;
    for (const uint32_t d : made.depends)
      if (__builtin_mul_overflow(lists, out_.space.space.choices[d].values.size(), &lists) || lists > kLists) {
        source_.elab.context.report(TooManyLists, made.range, {{"path", nameOf(g)}, {"limit", kLists}})
            .help("exclude combinations with a `where` line");
        return false;
      }
    std::map<std::vector<std::string>, uint32_t> known;
    for (size_t at = 0; at < lists; ++at)
      if (!list(g, at, known)) return false;
    if (!out_.fails[g] || holds_[g]) return true;
    strict_ = true; // its mistake is that of every candidate
    for (size_t at = 0; at < lists; ++at)
      if (!list(g, at, known)) return false;
    return true;
  }

  /// The values of the choices that a list depends on, from its number.
  std::vector<uint32_t> valuesAt(const ir::Choice& choice, size_t at) const {
    std::vector<uint32_t> values(choice.depends.size());
    for (size_t i = values.size(); i-- > 0;) {
      const size_t count = out_.space.space.choices[choice.depends[i]].values.size();
      values[i] = static_cast<uint32_t>(at % count);
      at /= count;
    }
    return values;
  }
  /// Whether these values go together, as far as they say.
  bool goTogether(const ir::Choice& choice, const std::vector<uint32_t>& values) const {
    std::vector<uint32_t> digits(out_.space.space.choices.size(), 0);
    std::vector<bool> said(digits.size(), false);
    for (size_t i = 0; i < values.size(); ++i) digits[choice.depends[i]] = values[i], said[choice.depends[i]] = true;
    for (const uint32_t d : choice.depends) {
      const auto& before = out_.space.space.choices[d].depends;
      if (std::all_of(before.begin(), before.end(), [&](uint32_t b) { return said[b]; }) &&
          !out_.space.space.has(digits, d))
        return false;
    }
    return true;
  }

  bool list(size_t g, size_t at, std::map<std::vector<std::string>, uint32_t>& known) {
    const std::vector<uint32_t> given = valuesAt(out_.space.space.choices[g], at);
    std::vector<uint32_t>& indices = out_.space.space.choices[g].lists.emplace_back();
    if (!goTogether(out_.space.space.choices[g], given)) return true;
    if (given.empty()) return values(g, source_.merged, indices, known);
    std::vector<Edit> set;
    for (size_t i = 0; i < given.size(); ++i) {
      const auto& edits = out_.space.edits[out_.space.space.choices[g].depends[i]][given[i]];
      set.insert(set.end(), edits.begin(), edits.end());
    }
    ir::Plan plan;
    Elaboration elab{source_.elab.ev, source_.elab.context, source_.elab.machines, plan};
    const std::unique_ptr<MergedPlan> merged = source_.with(elab, set);
    return merged && elab.ok && values(g, *merged, indices, known);
  }

  static std::vector<std::string> textsAt(const std::vector<std::vector<VariedValue>>& columns, size_t i) {
    std::vector<std::string> texts;
    for (const auto& column : columns) texts.push_back(column[i].text);
    return texts;
  }
  /// Values that are bound may repeat by themselves, not all of them at once.
  bool checkTwice(size_t g, const std::vector<std::vector<VariedValue>>& columns) {
    std::map<std::vector<std::string>, size_t> seen;
    for (size_t i = 0; i < columns.front().size(); ++i) {
      const std::vector<std::string> texts = textsAt(columns, i);
      std::vector<std::string> plain;
      for (const std::string& text : texts) plain.push_back(plainText(text));
      const auto [first, fresh] = seen.emplace(std::move(plain), i);
      if (fresh) continue;
      std::string value;
      for (const std::string& text : texts) value += (value.empty() ? "" : " with ") + text;
      const SourceRange at = columns.front()[i].expr->range, before = columns.front()[first->second].expr->range;
      auto report = source_.elab.context.report(ValueTwice, at, {{"value", value}, {"path", nameOf(g)}});
      if (before != at) report.label(before, "the first one");
      return false;
    }
    return true;
  }

  /// Whether a list that cannot be computed for some of what it depends on is theirs, not the search's.
  bool mayFail(size_t g) const {
    const ir::SettingKind kind = group(g).lines.front().kind;
    return !strict_ && group(g).lines.size() == 1 && !out_.space.space.choices[g].depends.empty() && !isOfWords(kind) &&
           kind != ir::SettingKind::Stages;
  }

  bool values(size_t g, MergedPlan& merged, std::vector<uint32_t>& indices,
              std::map<std::vector<std::string>, uint32_t>& known) {
    std::vector<std::vector<VariedValue>> columns;
    for (const VariedLine& line : group(g).lines) {
      auto column = variedValues(source_.elab, line, source_.scopeIn(merged), out_.space, mayFail(g));
      if (!column) return false;
      if (!columns.empty() && column->size() != columns.front().size()) {
        source_.elab.context
            .report(UnequalLists, line.item->values->range,
                    {{"path", line.path},
                     {"count", countText(column->size())},
                     {"other", nameOf(g)},
                     {"expected", columns.front().size()}})
            .label(group(g).lines.front().item->values->range, countText(columns.front().size()))
            .help("values are combined by their positions: give all these lists the same length");
        return false;
      }
      columns.push_back(std::move(*column));
    }
    if (!checkTwice(g, columns)) return false;
    for (size_t i = 0; i < columns.front().size(); ++i) {
      const std::vector<std::string> texts = textsAt(columns, i);
      const auto [found, fresh] = known.emplace(texts, static_cast<uint32_t>(known.size()));
      indices.push_back(found->second);
      (columns.front()[i].fails ? out_.fails : holds_)[g] = true;
      if (!fresh) continue;
      out_.space.space.choices[g].values.push_back(valueOf(texts));
      std::vector<Edit>& edits = out_.space.edits[g].emplace_back();
      for (size_t k = 0; k < columns.size(); ++k) {
        Edit& edit = edits.emplace_back(editOf(*group(g).lines[k].item, *columns[k][i].expr));
        edit.writer = source_.writer;
        edit.shown = texts[k];
        look(g, group(g).lines[k], edit, columns[k][i].expr->range);
      }
    }
    return true;
  }

  // ---- mistakes that are of no other choice's making

  /// A value is looked at by itself, if its choice turns out to be set in the text; of those that one expression makes,
  /// the first. However many there are, a line's first of each sort is.
  void look(size_t g, const VariedLine& line, const Edit& edit, SourceRange at) {
    if (!source_.merged.edits.search.out || source_.merged.edits.search.known) return;
    if (!seen_.emplace(at.file, at.begin, at.end).second) return;
    const bool first = sorts_.emplace(&line, sortOf(edit.shown)).second;
    if (!first && out_.looked.size() >= kLooked) return;
    bool holds = true;
    for (const VariedGroup& other : source_.lines.groups)
      for (const VariedLine& l : other.lines) holds &= &l == &line || !line.path.starts_with(l.path + ".");
    out_.looked.emplace_back(g, WrittenValue{edit, line.item->path.range, at, holds});
  }

  const SpaceSource& source_;
  SearchedLists out_;
  std::set<std::tuple<FileId, uint32_t, uint32_t>> seen_;     ///< ranges that were looked at, or need not be
  std::set<std::pair<const VariedLine*, std::string>> sorts_; ///< of values that are looked at
  std::vector<bool> holds_;                                   ///< by choice: some of its lists can be computed
  bool strict_ = false;                                       ///< no list may fail
};

} // namespace

std::optional<SearchedLists> searchLists(const SpaceSource& source) {
  ListBuilder builder(source);
  if (!builder.run()) return std::nullopt;
  return builder.take();
}

} // namespace planc::frontend
