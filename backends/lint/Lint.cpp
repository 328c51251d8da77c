// The table of lints, and their number formats.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lint.h"

#include "backends/lint/Lints.h"
#include "support/Quantity.h"

#include <fmt/format.h>

namespace planc::lint {

namespace {

using Run = void (*)(const Subject& subject, DiagnosticEngine& diagnostics);
/// Lints of the step, then lints of the memory.
constexpr Run kLints[] = {
    warnOfUnevenStages, warnOfBubble, warnOfSlowAxes, warnOfIdleRecomputation, warnOfThinMargin, warnOfReplicated,
};

} // namespace

void lint(const Subject& subject, DiagnosticEngine& diagnostics) {
  if (!diagnostics.wantsWarnings()) return;
  for (const Run run : kLints) run(subject, diagnostics);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string seconds(double value) {
  return formatQuantity(value, units::time);
}

std::string bytes(double value) {
  return formatQuantity(value, units::bytes);
}

} // namespace planc::lint
