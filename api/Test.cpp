// Runs a test: prices and judges its plan, or checks that the plan fails as the test says.
// SPDX-License-Identifier: Apache-2.0
#include "api/Test.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <set>

namespace planc::api {

PLANC_ERROR(TestDoesNotFail, 937, "test `{test}` expects {code}, but {outcome}")

namespace {

constexpr size_t kShownErrors = 3;

/// Returns all errors from elaboration to verdicts, in order.
std::vector<const Diagnostic*> errorsOf(const Test& test) {
  std::vector<const Diagnostic*> errors;
  const auto add = [&](const DiagnosticEngine& found) {
    for (const Diagnostic* one : found.sorted())
      if (one->isError()) errors.push_back(one);
  };
  add(test.found);
  if (test.plan) add(test.plan->diagnostics());
  return errors;
}

} // namespace

bool Test::run() {
  if (plan) plan->price();
  if (fails) return judgeFailure();
  return plan && plan->estimate() && errorsOf(*this).empty();
}

/// Every error must be of the expected kind, because another error that came first could hide the expected one.
/// Expected errors are not reported.
bool Test::judgeFailure() {
  const std::vector<const Diagnostic*> errors = errorsOf(*this);
  const bool all =
      std::all_of(errors.begin(), errors.end(), [&](const Diagnostic* error) { return error->kind == fails; });
  DiagnosticEngine judged;
  if (!all || errors.empty()) {
    std::set<std::string> codes;
    for (const Diagnostic* error : errors) codes.insert(error->kind->id());
    const std::string outcome = !errors.empty() ? "its plan has " + quotedList({codes.begin(), codes.end()})
                                : plan          ? std::string("its plan has no error")
                                                : std::string("the file has another error, so its plan was not made");
    auto report =
        judged.report(TestDoesNotFail, failsRange, {{"test", name}, {"code", fails->id()}, {"outcome", outcome}});
    size_t shown = 0;
    for (const Diagnostic* error : errors)
      if (error->kind != fails && shown++ < kShownErrors) {
        report.label(error->range, error->kind->id());
        report.note(error->kind->id() + ": " + error->message);
      }
    if (errors.empty()) report.help("test a correct plan with assertions: `{ assert memory.fits }`");
  }
  found = std::move(judged);
  release();
  return found.empty();
}

void Test::release() {
  plan.reset();
}

} // namespace planc::api
