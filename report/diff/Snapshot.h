// What a plan comes to, as text to keep beside it: mesh, layouts, collectives and totals. It does not hang on imports,
// comments or the order of declarations, so that a change of it is one of the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"

namespace planc::report {

/// The section of one plan, named with all of its arguments. It must be priced.
std::string snapshotText(const PlanReport& report);

/// Sections of a file by their names, each once, behind the line that says what it is.
std::string snapshotFile(std::vector<std::string> sections);
/// Does that line stand there?
bool isSnapshot(std::string_view text);

} // namespace planc::report
