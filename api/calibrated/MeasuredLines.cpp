// Prices a plan twice: as written, and with the calibrated records.
// SPDX-License-Identifier: Apache-2.0
#include "api/calibrated/MeasuredLines.h"

namespace planc::api {

TakenRecords takenRecords(const ir::Plan& plan, const CalibratedRecords& records) {
  const bool twoRecords = records.measured && records.measuredStack && !records.stack.empty();
  TakenRecords taken;
  taken.device = records.measured && plan.cluster && plan.cluster->device.name == Symbol(records.device);
  taken.stack = records.measuredStack && plan.stack && plan.stack->name == Symbol(records.stack);
  taken.half = twoRecords && taken.device != taken.stack;
  return taken;
}

std::vector<CheckedLine> checkedLines(Compilation& plan, const CalibratedRecords& records) {
  const ir::Plan& own = plan.plan();
  if (own.measured.empty() || !plan.checkVerdict() || !plan.checkParts()) return {};
  const TakenRecords taken = takenRecords(own, records);
  if ((!taken.device && !taken.stack) || taken.half || !plan.priceAlone()) return {};
  ir::Plan calibrated = own;
  if (taken.device) edit(calibrated.cluster).device = *records.measured;
  if (taken.stack) edit(calibrated.stack) = *records.measuredStack;
  const auto beside = plan.beside(std::move(calibrated));
  if (!beside->priceAlone()) return {};
  DiagnosticEngine aside; // discards reports of lines out of tolerance, because the caller compares both errors
  const verdict::Results before = verdict::evaluate(own, *plan.estimate(), aside),
                         after = verdict::evaluate(own, *beside->estimate(), aside);
  std::vector<CheckedLine> out;
  for (size_t i = 0; i < before.measured.size(); ++i) {
    const verdict::MeasuredResult &line = before.measured[i], &other = after.measured[i];
    if (!line.known || !other.known || line.measured == 0) continue;
    out.push_back(
        {own.title, line.metric, line.measured, line.predicted, other.predicted, line.unit, line.percent, line.range});
  }
  return out;
}

} // namespace planc::api
