// A search as a person reads it: how many candidates met which fate, the best of them, the best of each value, what
// conditions cost, and why the first beats the second.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/Report.h"

#include "backends/verdict/Verdict.h"
#include "report/search/ReportParts.h"
#include "report/tables/Cells.h"
#include "support/Diagnostics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::search {

using report::StyledText;

/// Characters of `minimize ` and of `maximize `.
constexpr size_t kGoalVerb = 9;

std::vector<std::string> goalNames(const SearchReport& report) {
  std::vector<std::string> names;
  if (report.terms)
    for (const ir::Goal& goal : report.terms->goals)
      names.push_back((goal.maximize ? "maximize " : "minimize ") + goal.tree.text);
  if (names.empty()) names.emplace_back("minimize step_time");
  return names;
}

std::optional<Quantity> goalValue(const SearchReport& report, size_t goal, const Ranked& candidate) {
  const ir::SearchTerms* terms = candidate.plan->search.get();
  if (!report.terms || report.terms->goals.empty()) return Quantity{candidate.estimate->totals.stepTime, units::time};
  if (!terms || goal >= terms->goals.size()) return std::nullopt;
  const auto value = verdict::valueOf(terms->goals[goal].tree, *candidate.plan, *candidate.estimate);
  return value && !value->isBool ? std::optional(value->quantity) : std::nullopt;
}

double worse(const Outcome& candidate, const Outcome& best) {
  const double least = best.goals[0], value = candidate.goals[0];
  return least == 0 ? 0 : value / least - 1;
}

/// `seq` of `decoder.seq ->`: the last steps of a path, as many as no other path of the choice ends with.
std::string shortPath(const ir::Choice& choice, size_t path) {
  const auto plain = [&](size_t i) { return "." + choice.paths[i].substr(0, choice.paths[i].find(" ->")); };
  const std::string whole = plain(path);
  for (size_t dot = whole.rfind('.'); dot > 0; dot = whole.rfind('.', dot - 1)) {
    const std::string end = whole.substr(dot);
    size_t count = 0;
    for (size_t i = 0; i < choice.paths.size(); ++i) count += plain(i).ends_with(end);
    if (count == 1) return end.substr(1);
  }
  return whole.substr(1);
}

std::string valueText(const ir::Choice& choice, uint32_t value) {
  const std::vector<std::string>& texts = choice.values[value].texts;
  if (std::all_of(texts.begin(), texts.end(), [&](const std::string& one) { return one == texts[0]; })) return texts[0];
  if (texts.size() == 2) return texts[0] + " with " + texts[1];
  std::string text;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (std::find(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(i), texts[i]) !=
        texts.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    std::string names;
    for (size_t j = i; j < texts.size(); ++j)
      if (texts[j] == texts[i]) names += (names.empty() ? "" : ", ") + shortPath(choice, j);
    text += (text.empty() ? "" : "; ") + names + ": " + texts[i];
  }
  return text;
}

std::string choiceText(const ir::Choice& choice) {
  std::string text;
  for (const std::string& path : choice.paths) {
    const size_t arrow = path.find(" ->");
    text += (text.empty() ? "" : ", ") + path.substr(0, arrow);
  }
  return text;
}

/// A choice with a single value is printed above the table, not as a column.
bool isOpen(const ir::Choice& choice) {
  return choice.values.size() > 1;
}

/// The values of a candidate that another candidate may have otherwise.
std::string openText(const ir::Space& space, ir::CandidateId id) {
  std::string text;
  const std::vector<uint32_t> digits = space.digits(id);
  for (size_t i = 0; i < digits.size(); ++i)
    if (isOpen(space.choices[i])) text += (text.empty() ? "" : ", ") + space.choices[i].str(digits[i]);
  return text.empty() ? space.str(id) : text;
}

std::string candidatesText(double count) {
  return grouped(count) + (count == 1 ? " candidate" : " candidates");
}

bool binds(const SearchReport& report, const Outcome* without) {
  return without && (report.answer->best().empty() || without->goals < report.answer->best()[0].goals);
}

std::string grouped(double count) {
  if (count >= 1e15) return fmt::format("{:.3g}", count);
  std::string text = fmt::format("{:.0f}", count);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

namespace {

/// The choices that have a single value, on one line.
std::string onlyText(const SearchReport& report) {
  std::string text;
  for (const ir::Choice& choice : report.space->choices)
    if (!isOpen(choice)) text += (text.empty() ? "  with " : ", ") + choice.str(0);
  return text.empty() ? text : text + "\n";
}

/// How many candidates met which fate, a line each.
report::Table fatesTable(const SearchReport& report) {
  const Answer& answer = *report.answer;
  report::Table table{.align = "rl", .indent = 4};
  const auto line = [&](uint64_t count, std::string_view one, std::string_view several, const std::string& what) {
    if (count) table.add({grouped(static_cast<double>(count)), fmt::format("{}{}", count == 1 ? one : several, what)});
  };
  line(answer.of(Fate::Rest).count, "leaves", "leave",
       fmt::format(" no whole number of ranks for `{}`", report.space->fill ? report.space->fill->str() : ""));
  for (const auto& [code, counted] : answer.unlawful()) {
    const auto kind = DiagnosticKind::all().find(code);
    const bool known = kind != DiagnosticKind::all().end();
    line(counted.count, "breaks", "break",
         fmt::format(" {}: {}", known ? kind->second->id() : "a law", openText(*report.space, counted.first)));
  }
  for (size_t i = 0; i < answer.unmet().size(); ++i)
    line(answer.unmet()[i].count, "misses", "miss", fmt::format(" `where {}`", report.terms->conditions[i].tree.text));
  line(answer.of(Fate::Unfit).count, "does not fit", "do not fit", " in memory");
  line(answer.of(Fate::Met).count, "is an answer", "are answers", "");
  return table;
}

report::Table rankedTable(const SearchReport& report) {
  const std::vector<Ranked>& lines = report.table();
  const size_t goals = goalNames(report).size();
  const bool stepIsGoal =
      !report.terms || report.terms->goals.empty() || verdict::isStepTime(report.terms->goals[0].tree);
  std::vector<StyledText> head{{""}};
  std::string aligned = "r";
  const auto column = [&](std::string text, char align = 'r') {
    head.emplace_back(std::move(text), TextStyle::Gutter);
    aligned += align;
  };
  column("step time");
  for (size_t g = stepIsGoal ? 1 : 0; g < goals; ++g) column(report.terms->goals[g].tree.text);
  column(goals > 1 ? goalNames(report)[0].substr(kGoalVerb) + " vs row 1" : "vs row 1");
  column("MFU");
  column("memory");
  for (const ir::Choice& choice : report.space->choices) { // the whole of it stands among the values below
    if (!isOpen(choice)) continue;
    column(choice.paths.size() == 1 ? choiceText(choice)
                                    : choiceText(choice).substr(0, choiceText(choice).find(',')) + ", …",
           'l');
  }
  if (report.space->fill) column("mesh." + report.space->fill->str(), 'l');
  report::Table table{aligned, {std::move(head)}, true};
  for (size_t i = 0; i < lines.size(); ++i) {
    const Ranked& one = lines[i];
    std::vector<StyledText> row{{std::to_string(i + 1), TextStyle::Bold}};
    row.emplace_back(formatQuantity(one.estimate->totals.stepTime, units::time));
    for (size_t g = stepIsGoal ? 1 : 0; g < goals; ++g) {
      const auto value = goalValue(report, g, one);
      row.emplace_back(value ? formatQuantity(value->value, value->unit) : "-");
    }
    row.emplace_back(i == 0 ? "best" : report::errorText(worse(one.outcome, lines[0].outcome)));
    row.emplace_back(report::percentText(one.estimate->totals.mfu));
    row.emplace_back(formatQuantity(one.estimate->memory.peak, units::bytes));
    const std::vector<uint32_t> digits = report.space->digits(one.outcome.id);
    for (size_t c = 0; c < digits.size(); ++c)
      if (isOpen(report.space->choices[c])) row.emplace_back(valueText(report.space->choices[c], digits[c]));
    if (report.space->fill)
      row.emplace_back(
          fmt::format("{:.0f}", ir::sizeAt(*one.plan, "mesh." + report.space->fill->str())->quantity.value));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A line per choice: its values with what the best of each costs beside the best of all.
report::Table valuesTable(const SearchReport& report) {
  const Outcome& best = report.answer->best()[0];
  report::Table table{"ll"};
  for (size_t c = 0; c < report.space->choices.size(); ++c) {
    const ir::Choice& choice = report.space->choices[c];
    if (!isOpen(choice)) continue;
    std::string text;
    for (uint32_t v = 0; v < choice.values.size(); ++v) {
      const Outcome* of = report.answer->bestOf(c, v);
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", valueText(choice, v),
                          !of                 ? "no answer"
                          : of->id == best.id ? "best"
                                              : report::errorText(worse(*of, best)));
    }
    table.add({choiceText(choice), text});
  }
  return table;
}

/// Conditions without which there would be something better, and what that is.
std::string bindingText(const SearchReport& report) {
  const Outcome* best = report.answer->best().empty() ? nullptr : &report.answer->best()[0];
  std::string out;
  const auto line = [&](const std::string& what, const Outcome* without) {
    if (!binds(report, without)) return;
    const bool ofStep =
        !report.terms || report.terms->goals.empty() || verdict::isStepTime(report.terms->goals[0].tree);
    std::string gain = ofStep ? formatQuantity(without->stepTime, units::time) : std::string();
    const std::string beside = best ? report::errorText(worse(*without, *best)) : std::string();
    if (best) gain += ofStep ? " (" + beside + ")" : beside;
    out += fmt::format("  {} binds: without it {}{}{}\n", what, gain, gain.empty() ? "" : ", ",
                       openText(*report.space, without->id));
  };
  for (size_t i = 0; i < report.answer->unmet().size(); ++i)
    line(fmt::format("`where {}`", report.terms->conditions[i].tree.text), report.answer->bestWithout(i));
  line("memory", report.answer->bestUnfit());
  return out.empty() ? out : "conditions that bind\n" + out;
}

/// Returns the unit of the first goal. Floors are known only of a goal that is a metric by itself.
Unit unitOfFloor(const SearchReport& report) {
  if (!report.terms || report.terms->goals.empty()) return units::time;
  const ir::ExprTree& tree = report.terms->goals[0].tree;
  const verdict::Metric* metric = verdict::findMetric(tree.nodes[tree.root].metric);
  return metric ? metric->unit : Unit();
}

/// Returns the facts of the command line, and the conditions.
std::string askedText(const SearchReport& report) {
  std::string where;
  const auto pairs = [](std::string_view word, const std::vector<std::pair<std::string, std::string>>& all) {
    std::string out;
    for (const auto& [name, value] : all) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
    return out.empty() ? out : fmt::format("  {} {}\n", word, out);
  };
  if (report.terms)
    for (const ir::Condition& condition : report.terms->conditions)
      where += (where.empty() ? "" : ", ") + condition.tree.text;
  return pairs("set", report.set) + pairs("the best assumes", report.assumed) +
         (where.empty() ? "" : "  where " + where + "\n");
}

/// Assertions of the plan that rows of the table miss: they are no conditions.
std::string missedText(const SearchReport& report) {
  std::vector<std::pair<std::string, std::string>> ranks; // by assertion
  for (size_t i = 0; i < report.table().size(); ++i)
    for (const std::string& missed : report.table()[i].missed) {
      auto known = std::find_if(ranks.begin(), ranks.end(), [&](const auto& one) { return one.first == missed; });
      if (known == ranks.end()) known = ranks.insert(ranks.end(), {missed, ""});
      known->second += (known->second.empty() ? "" : ", ") + std::to_string(i + 1);
    }
  std::string out;
  for (const auto& one : ranks) out += fmt::format("  `assert {}` does not hold for {}\n", one.first, one.second);
  return out;
}

/// How much was decided, and what the rest can be at best.
std::string stoppedText(const SearchReport& report) {
  std::string out = fmt::format("  stopped: {} of them were decided, the rest may contain better candidates\n",
                                report::percentText(report.decided));
  if (!report.least || !std::isfinite(*report.least)) return out;
  const std::string what = goalNames(report)[0].substr(kGoalVerb);
  const auto shown = [&](double goal) {
    return formatQuantity(report.maximizes() ? -goal : goal, unitOfFloor(report));
  };
  const double* best = report.best.empty() ? nullptr : report.answer->best()[0].goals.data();
  if (best && *report.least >= *best) return "  stopped: the undecided candidates cannot be better\n";
  out +=
      fmt::format("  no plan can have a {} {} {}", what, report.maximizes() ? "above" : "below", shown(*report.least));
  if (best)
    out += fmt::format("; the best candidate so far has {}, {} away from that", shown(*best),
                       report::percentText(std::abs(*best / *report.least - 1)));
  return out + "\n";
}

} // namespace

report::Document searchDocument(const SearchReport& report) {
  std::string goals;
  for (const std::string& goal : goalNames(report)) goals += (goals.empty() ? "" : ", ") + goal;
  report::Document out;
  out.data["search"] = searchJson(report);
  out.sheets.push_back(searchSheet(report));
  out.markdown.push_back(report::plainTable(out.sheets.front()));
  out.page.push_back(
      report::Heading{fmt::format("search of {}: {}, {}", report.plan, candidatesText(report.space->size()), goals)});
  out.addLines(askedText(report) + onlyText(report));
  if (report.stopped())
    out.addLines(stoppedText(report));
  else if (!report.shard.empty())
    out.addLines(fmt::format("  shard {}, complete: {} of the candidates; `planc search merge` merges the shards",
                             report.shard, report::percentText(report.own)));
  if (report.exhaustive) out.page.push_back(fatesTable(report));
  if (report.best.empty()) {
    out.addLines("no candidate is an answer");
    if (const Outcome* least = report.answer->leastPeak())
      out.addLines(fmt::format("  nearest to fitting: {} with {}", formatQuantity(least->peak, units::bytes),
                               openText(*report.space, least->id)));
    out.addLines(bindingText(report));
    return out;
  }
  if (!report.exhaustive && !report.stopped())
    out.addLines(
        "  candidates that cannot be among these were not priced: `--exhaustive` prices all and counts them by fate");
  const std::string part =
      report.leftOut() > 0 ? fmt::format("the first {} of a ", grouped(static_cast<double>(report.front.size()))) : "";
  out.addLines(part + (report.front.size() > 1    ? "front: no other candidate is better in all goals"
                       : report.front.size() == 1 ? "best in all goals"
                                                  : "best"));
  out.page.push_back(rankedTable(report));
  if (report.leftOut() > 0)
    out.addLines(fmt::format(
        "  {} more candidates of the front are not shown: they are worse in the first goal and better in another goal",
        grouped(static_cast<double>(report.leftOut()))));
  out.addLines(missedText(report));
  if (report.exhaustive) {
    out.addLines("best of each value, compared with the best");
    out.page.push_back(valuesTable(report));
  }
  out.addLines(bindingText(report));
  if (report.why)
    for (report::Block& block : report::comparisonPage(*report.why)) out.page.push_back(std::move(block));
  return out;
}

} // namespace planc::search
