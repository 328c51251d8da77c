// Connects a file with the walk over the candidates of one of its plans.
// SPDX-License-Identifier: Apache-2.0
#include "api/Searches.h"

#include "backends/diff/Comparison.h"
#include "backends/verdict/Verdict.h"
#include "report/search/Report.h"
#include "support/Step.h"

#include <cmath>
#include <fmt/format.h>

namespace planc::api {

PLANC_ERROR(NoValue, 699, "`{text}` has no value for any candidate")
PLANC_WARNING(WorkDiffers, 700,
              "the search minimizes step time, but its candidates process different amounts per step: {least} {unit} "
              "with `{of_least}`, {other} with `{of_other}`")

namespace {

/// Elaborates candidates from its own copy of the file, so that threads share nothing.
class FileSource : public search::PlanSource {
public:
  FileSource(const std::string& path, std::string text, const std::vector<ir::FactEdit>& facts,
             const std::string& choice, const ir::SearchWords& words) {
    file_.loadText(path, std::move(text));
    file_.set(facts);
    ir::SearchWords known = words;
    known.known = true;
    Searched found = file_.searched(choice, known);
    fills_ = found.space && found.space->fill;
    plan_ = std::move(found.plan);
  }
  std::unique_ptr<ir::Plan> plan(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                 DiagnosticEngine& diagnostics) override {
    auto made = file_.candidate(digits, filled);
    diagnostics = file_.diagnostics().take();
    if (made || filled || !fills_) return made;
    // The text may compute an invalid size for the filled axis from these values. Try again with 1: the real size
    // follows from the remaining devices, and values that depend on it are then recomputed.
    made = file_.candidate(digits, 1);
    DiagnosticEngine again = file_.diagnostics().take();
    if (made) diagnostics = std::move(again);
    return made;
  }

private:
  PlanFile file_;
  std::unique_ptr<Compilation> plan_; ///< owns what the candidates share
  bool fills_ = false;
};

} // namespace

std::unique_ptr<Search> Search::of(PlanFile& file, const std::string& choice, const ir::SearchWords& words) {
  const Step step("elaboration");
  std::unique_ptr<Search> made(new Search(file, choice, words));
  Searched found = file.searched(choice, words);
  if (!found.plan || !found.space) return nullptr;
  made->plan_ = std::move(found.plan);
  made->space_ = std::move(found.space);
  return made;
}

const ir::SearchTerms& Search::terms() const {
  static const ir::SearchTerms kNone;
  return plan_->plan().search ? *plan_->plan().search : kNone;
}

std::unique_ptr<search::PlanSource> Search::source() const {
  const FileId main = plan_->plan().range.file;
  return std::make_unique<FileSource>(std::string(file_.sources().path(main)), std::string(file_.sources().text(main)),
                                      file_.edit().facts, choice_, words_);
}

search::Answer Search::run(unsigned threads, bool bounds, search::Progress* progress, const search::WalkPart& part) {
  const Step step("searching");
  return search::walk(*space_, terms().conditions.size(), [this] { return source(); },
                      {threads, static_cast<size_t>(space_->top), bounds, progress, part});
}

search::Candidates& Search::candidates() {
  if (!candidates_) candidates_ = std::make_unique<search::Candidates>(*space_, source());
  return *candidates_;
}

std::optional<int64_t> Search::filled(ir::CandidateId id) {
  DiagnosticEngine found;
  const std::unique_ptr<ir::Plan> plan = candidates().plan(id, found);
  return plan ? candidates().filled(*plan) : std::nullopt;
}

std::string Search::choicesText(ir::CandidateId id) {
  const auto rest = space_->fill ? filled(id) : std::nullopt;
  return space_->str(id) + (rest ? fmt::format(", mesh.{} = {}", space_->fill->view(), *rest) : "");
}

std::unique_ptr<Compilation> Search::candidate(ir::CandidateId id) {
  const auto rest = filled(id);
  if (space_->fill && !rest) return nullptr;
  std::unique_ptr<ir::Plan> plan = file_.candidate(space_->digits(id), rest);
  return plan ? plan_->beside(std::move(*plan)) : nullptr;
}

namespace {

/// Returns the metric whose missing value leaves the tree without a value. Null if the tree has a value, or lacks one
/// because of a division by zero.
const ir::ExprNode* lackingOf(const ir::ExprTree& tree, const ir::Plan& plan, const cost::Estimate& estimate) {
  if (verdict::valueOf(tree, plan, estimate)) return nullptr;
  ir::ExprTree part = tree;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    part.root = ir::ExprId(i);
    const ir::ExprNode& node = tree.nodes[part.root];
    if (node.op == ir::ExprOp::Metric && !verdict::valueOf(part, plan, estimate)) return &node;
  }
  return nullptr;
}

} // namespace

bool Search::checkValues(const search::Answer& answer) {
  using search::Fate;
  for (const Fate fate : {Fate::Met, Fate::Unfit, Fate::Worse})
    if (answer.of(fate).count) return true;
  constexpr ir::CandidateId kOthers = 8; // few choices change whether a metric has a value
  const auto check = [&](const ir::ExprTree& tree, ir::CandidateId example) {
    const ir::ExprNode* lacking = nullptr;
    for (ir::CandidateId i = 0; i <= kOthers; ++i) {
      const std::unique_ptr<Compilation> plan = candidate(i == 0 ? example : *space_->end() / kOthers * (i - 1));
      const DiagnosticEngine unread = file_.diagnostics().take();
      if (!plan || !plan->priceAlone()) continue;
      lacking = lackingOf(tree, plan->plan(), *plan->estimate());
      if (!lacking) return true;
    }
    if (!lacking) return true;
    plan_->diagnostics()
        .report(NoValue, lacking->range, {{"text", lacking->metric}})
        .help("a metric of a run needs a `run` section, and a metric of costs needs a price: add it, or choose another "
              "metric");
    return false;
  };
  bool good = true;
  const auto without = answer.unlawful().find(search::kNoValue);
  if (without != answer.unlawful().end() && !answer.of(Fate::Unmet).count)
    for (const ir::Goal& goal : terms().goals) good &= check(goal.tree, without->second.first);
  for (size_t i = 0; i < terms().conditions.size() && answer.of(Fate::Unmet).count; ++i)
    if (answer.unmet()[i].count) good &= check(terms().conditions[i].tree, answer.unmet()[i].first);
  return good;
}

void Search::warnOfWork(const search::Answer& answer, DiagnosticEngine& diagnostics) {
  if (!terms().goals.empty() || answer.best().empty()) return;
  const auto workOf = [&](ir::CandidateId id, bool& tokens) -> std::optional<double> {
    const std::unique_ptr<Compilation> plan = candidate(id);
    const DiagnosticEngine unread = file_.diagnostics().take();
    if (!plan || !plan->priceAlone()) return std::nullopt;
    tokens = plan->estimate()->totals.tokensPerSecond.has_value();
    return diff::workOf({&plan->plan(), plan->estimate(), 1, {}});
  };
  constexpr double kRounding = 1e-9;
  const ir::CandidateId best = answer.best()[0].id;
  bool tokens = true;
  const std::optional<double> work = workOf(best, tokens);
  for (size_t c = 0; work && c < space_->choices.size(); ++c)
    for (uint32_t v = 0; v < space_->choices[c].values.size(); ++v) {
      const search::Outcome* const other = answer.bestOf(c, v);
      const std::optional<double> others = other && other->id != best ? workOf(other->id, tokens) : std::nullopt;
      if (!others || std::abs(*others - *work) <= kRounding * *work) continue;
      const ir::Choice& choice = space_->choices[c];
      diagnostics
          .report(WorkDiffers, choice.range,
                  {{"least", search::grouped(*work)},
                   {"unit", tokens ? "tokens" : "samples"},
                   {"of_least", choice.str(space_->digits(best)[c])},
                   {"other", search::grouped(*others)},
                   {"of_other", choice.str(v)}})
          .help(fmt::format("optimize the work per time: `maximize {0}_per_second`; write `minimize step_time` if you "
                            "mean the step itself",
                            tokens ? "tokens" : "samples"));
      return;
    }
}

} // namespace planc::api
