// The results of a plan as text to keep next to it: mesh, layouts, collectives and totals. The text does not depend on
// imports, comments or the order of declarations, so a change of it is a change of the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"

namespace planc::report {

/// Returns the section of one plan, named with all of its arguments. The plan must be priced.
std::string snapshotText(const PlanReport& report);

/// Returns a file of sections sorted by name, each once, after the line that identifies a snapshot.
std::string snapshotFile(std::vector<std::string> sections);
/// Returns whether the text begins with the line that identifies a snapshot.
bool isSnapshot(std::string_view text);

} // namespace planc::report
