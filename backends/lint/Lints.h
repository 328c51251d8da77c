// The lints in the table of Lint.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/lint/Lint.h"

#include <string>

namespace planc::lint {

void warnOfUnevenStages(const Subject& subject, DiagnosticEngine& diagnostics);
void warnOfBubble(const Subject& subject, DiagnosticEngine& diagnostics);
void warnOfSlowAxes(const Subject& subject, DiagnosticEngine& diagnostics);
void warnOfIdleRecomputation(const Subject& subject, DiagnosticEngine& diagnostics);
void warnOfThinMargin(const Subject& subject, DiagnosticEngine& diagnostics);
void warnOfReplicated(const Subject& subject, DiagnosticEngine& diagnostics);

/// Returns the share as `12.3 %`.
std::string percent(double share);
std::string seconds(double value);
std::string bytes(double value);

} // namespace planc::lint
