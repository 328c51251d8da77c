// Writes a candidate of a search as text, and verifies that the text has the candidate's price.
// SPDX-License-Identifier: Apache-2.0
#include "api/Searches.h"
#include "api/Texts.h"
#include "frontend/Frontend.h"

#include <fmt/format.h>

namespace planc::api {

namespace {

std::string firstError(const DiagnosticEngine& diagnostics) {
  const Diagnostic* const error = diagnostics.firstError();
  return error ? error->message : std::string();
}

std::optional<std::string> formatted(const std::string& raw, std::string& why) {
  SourceManager sources;
  DiagnosticEngine found;
  auto text = formatText(sources, sources.add("written.plan", raw), found);
  if (!text) why = firstError(found);
  return text;
}

/// Returns whether the file has no errors and its plan has the estimate `so`; otherwise sets `why`.
bool isPriced(const std::string& text, const std::string& path, const std::string& name, const cost::Estimate& so,
              std::string& why) {
  PlanFile file;
  file.loadText(path, text);
  const bool good = file.check();
  const std::unique_ptr<Compilation> plan = good ? file.bind(name) : nullptr;
  if (!plan || !plan->priceAlone()) {
    why = firstError(plan ? plan->diagnostics() : file.diagnostics());
    return false;
  }
  const cost::Estimate& made = *plan->estimate();
  if (made.totals.stepTime == so.totals.stepTime && made.memory.peak == so.memory.peak) return true;
  why = fmt::format("the written plan takes {} s and {} B, but the candidate takes {} s and {} B", made.totals.stepTime,
                    made.memory.peak, so.totals.stepTime, so.memory.peak);
  return false;
}

} // namespace

std::vector<std::pair<std::string, std::string>> Search::assumed(ir::CandidateId id, const std::string& path) {
  std::vector<std::pair<std::string, std::string>> all;
  std::string why;
  file_.written(space_->digits(id), filled(id), {path, true, "assumed", "", &why, &all});
  file_.diagnostics().take();
  return all;
}

std::optional<std::string> Search::written(ir::CandidateId id, const std::string& path, const std::string& name,
                                           const std::string& sentence, std::string& why,
                                           std::vector<std::pair<std::string, std::string>>* assumed) {
  const std::unique_ptr<Compilation> wanted = candidate(id);
  if (!wanted || !wanted->priceAlone()) {
    why = "it cannot be priced by itself";
    return std::nullopt;
  }
  const auto tried = [&](const frontend::PlanPlace& place) -> std::optional<std::string> {
    why = "no plan that extends it can state these values";
    const auto raw = file_.written(space_->digits(id), filled(id), place);
    file_.diagnostics().take();
    auto text = raw ? formatted(*raw, why) : std::nullopt;
    return text && isPriced(*text, path, name, *wanted->estimate(), why) ? text : std::nullopt;
  };
  if (assumed)
    if (auto text = tried({path, true, name, sentence, &why, assumed})) return text;
  if (assumed) assumed->clear();
  for (const bool copied : {false, true}) // try the shorter text first
    if (auto text = tried({path, copied, name, sentence, &why})) return text;
  return std::nullopt;
}

} // namespace planc::api
