// Searches a plan of the session's file: builds its space, and elaborates its candidates.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/Session.h"
#include "frontend/derived/Derived.h"
#include "support/text/Spelling.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(NoSearchedPlan, 694, "the search needs one plan: {problem}")

/// The plan to search if the choice names none; nothing after a report. If `words` replace the plan's own `search`
/// block, the report does not mention it.
std::optional<PlanChoice> Session::Impl::searchedChoice(const PlanChoice& choice, const ir::SearchWords& words) {
  if (choice.text.find_first_not_of(" \t\n") != std::string::npos) return choice;
  std::vector<std::string> plans, searched;
  for (DeclInfo& d : main->decls) {
    if (d.kind != DeclKind::Plan) continue;
    plans.push_back(d.name.str());
    const auto& items = d.as<syntax::PlanDecl>().items;
    if (llvm::any_of(items, [](const syntax::PlanItem& i) {
          const auto* block = std::get_if<syntax::SearchBlock>(&i.item);
          return block && !(i.override_ && block->items.empty());
        }))
      searched.push_back(d.name.str());
  }
  if (plans.empty() && main->tree->broken) return std::nullopt; // the errors of its text are reported
  if (searched.size() == 1) return PlanChoice{searched.front()};
  if (plans.size() == 1) return PlanChoice{plans.front()};
  const std::vector<std::string>& meant = searched.empty() || words.alone ? plans : searched;
  std::string problem = fmt::format("several plans of `{}` have a `search` block", main->path);
  if (searched.empty()) problem = fmt::format("`{}` has several plans, and no plan has a `search` block", main->path);
  if (words.alone) problem = fmt::format("`{}` has several plans", main->path);
  if (plans.empty()) problem = fmt::format("`{}` has no plan", main->path);
  auto report = context.report(NoSearchedPlan, {}, {{"problem", problem}});
  if (plans.empty())
    report.note("a search compares the candidates of a plan");
  else
    report.help(fmt::format("choose one: `--plan {}`", meant.front())).note("they are " + quotedList(meant));
  return std::nullopt;
}

SearchedPlan Session::searched(const PlanChoice& asked, const ir::SearchWords& words) {
  Impl& s = *impl_;
  s.search = std::nullopt;
  if (!s.main || !s.main->tree) return {};
  s.context.renew();
  const auto choice = s.searchedChoice(asked, words);
  if (!choice) return {};
  const uint64_t failures = s.diagnostics.size();
  s.search.emplace(Impl::Searched{s.read(*choice), {}, {}, {}, {}});
  s.search->words = s.wordsOf(words);
  if (!s.search->words.items.empty()) s.search->request.words = &s.search->words;
  s.search->request.top = words.top;
  s.search->request.before = words.before;
  s.search->request.alone = words.alone;
  s.search->request.known = words.known;
  s.search->request.out = &s.search->found;
  if (s.diagnostics.size() != failures && s.diagnostics.hasErrors()) return {};
  SearchedPlan made;
  {
    const Impl::Elaborating passing(s);
    if (const auto value = s.choose(s.search->choice))
      made.plan = buildPlan(s.evaluator, s.machines, *value->decl, value->range, s.edits, s.editsOf, s.search->request);
  }
  made.text = s.search->choice.file;
  if (made.plan) made.space = std::make_shared<const ir::Space>(s.search->found.space);
  s.search->request.out = nullptr;
  s.search->request.termsOnly = true;
  return made;
}

namespace {

/// An edit that sets the size of the filled axis.
struct FilledAxis {
  Expr size;
  std::string text;
  Edit edit;

  FilledAxis(const SearchedSpace& found, int64_t ranks) : text(std::to_string(ranks)) {
    size.kind = ExprKind::Int;
    size.text = text;
    size.range = found.space.fillRange;
    edit.path = {{Symbol(ir::name(ir::Statement::Mesh)), size.range}, {*found.space.fill, size.range}};
    edit.value = &size;
    edit.range = size.range;
    edit.shown = text;
    edit.writer = found.writer;
  }
  FilledAxis(const FilledAxis&) = delete;
};

/// The edits of a candidate: the facts that were set, and the values of the candidate.
std::vector<Edit> candidateEdits(const std::vector<Edit>& set, const SearchedSpace& found,
                                 std::span<const uint32_t> digits) {
  std::vector<Edit> edits = set;
  for (size_t c = 0; c < digits.size(); ++c) {
    const std::vector<Edit>& values = found.edits[c][digits[c]];
    edits.insert(edits.end(), values.begin(), values.end());
  }
  return edits;
}

} // namespace

void Session::Impl::withCandidate(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                  const std::function<void(const Value&, std::vector<Edit>)>& make) {
  if (!search) return;
  context.renew();
  std::vector<Edit> set = candidateEdits(edits, search->found, digits);
  std::optional<FilledAxis> rest;
  if (filled && search->found.space.fill) set.push_back(rest.emplace(search->found, *filled).edit);
  const Elaborating passing(*this);
  if (const auto value = choose(search->choice)) make(*value, std::move(set));
}

std::unique_ptr<ir::Plan> Session::candidate(std::span<const uint32_t> digits, std::optional<int64_t> filled) {
  Impl& s = *impl_;
  std::unique_ptr<ir::Plan> plan;
  s.withCandidate(digits, filled, [&](const Value& value, const std::vector<Edit>& edits) {
    plan = buildPlan(s.evaluator, s.machines, *value.decl, value.range, edits, s.editsOf, s.search->request);
    if (plan) s.search->parts.share(*plan, s.search->found.space, digits, filled);
  });
  return plan;
}

std::optional<std::string> Session::written(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                            const PlanPlace& place) {
  Impl& s = *impl_;
  std::optional<std::string> text;
  s.withCandidate(digits, filled, [&](const Value& value, const std::vector<Edit>& edits) {
    text = derivedPlan(s.evaluator, s.machines, *value.decl, value.range, edits,
                       {place.path, place.copied, place.name, place.sentence, place.why, place.assumed});
  });
  return text;
}

} // namespace planc::frontend
