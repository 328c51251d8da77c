// Limits on work, and reports that show the calls that led to them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Context.h"

#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(TooMuchWork, 318, "evaluation takes more than {limit} steps")
PLANC_ERROR(CallsTooDeep, 208, "calls nest deeper than {limit}: {cycle}")

DiagnosticEngine::Builder Context::report(const DiagnosticKind& kind, SourceRange range,
                                          std::vector<DiagnosticArg> args) {
  if (exhausted() && &kind != &TooMuchWork) { // all values are Invalid now, so further errors are consequences
    ++failures;
    return DiagnosticEngine::Builder(&dropped_);
  }
  auto report = diagnostics.report(kind, range, std::move(args));
  failures += kind.severity == Severity::Error;
  constexpr int kShown = 3; // the innermost calls are enough
  int shown = 0;
  for (auto f = frames.rbegin(); f != frames.rend() && shown < kShown; ++f) {
    if (f->call == f->decl->nameRange) continue; // checked on its own, not called
    if (f->call.file == range.file && f->call.begin <= range.begin && range.end <= f->call.end) continue;
    report.label(f->call, fmt::format("in this use of `{}`", f->decl->name.view()));
    ++shown;
  }
  return report;
}

bool Context::step(SourceRange at, uint64_t n) {
  const bool before = exhausted();
  failures += before;
  steps_ += n;
  if (!exhausted()) return true;
  if (!before)
    report(TooMuchWork, at, {{"limit", limits::kSteps}})
        .help("shorten the lists or the repetition that is evaluated here");
  return false;
}

bool Context::enter(const DeclInfo& decl, SourceRange call) {
  if (frames.size() < limits::kCalls) {
    frames.push_back({&decl, call});
    return true;
  }
  // The cycle runs from the last earlier call of the same declaration to this call.
  size_t begin = frames.size();
  while (begin > 0 && frames[begin - 1].decl != &decl) --begin;
  std::string cycle;
  for (size_t i = begin > 0 ? begin - 1 : frames.size() - 1; i < frames.size(); ++i)
    cycle += frames[i].decl->name.str() + " -> ";
  ++failures;
  diagnostics.report(CallsTooDeep, decl.nameRange, {{"limit", limits::kCalls}, {"cycle", cycle + decl.name.str()}})
      .label(call, fmt::format("`{}` is used again here", decl.name.view()))
      .help("end the recursion, or remove the call");
  return false;
}

} // namespace planc::frontend
