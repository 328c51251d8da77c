// An estimate of one plan as a document.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"
#include "report/document/Document.h"

namespace planc::report {

Page estimatePage(const PlanReport& report, const PageOptions& options = {});
/// Two sheets: a row per layer; a row per number of the plan's run, with its interval.
std::vector<Sheet> estimateSheets(const PlanReport& report);
/// The data are one element of `plans` in the JSON contract (docs/report.md).
Document estimateDocument(const PlanReport& report, Shown shown, const PageOptions& options = {});

} // namespace planc::report
