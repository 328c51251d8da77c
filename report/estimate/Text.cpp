// One plan's report as text: the heading, the totals, the layers, then the verdict.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/TextParts.h"

namespace planc::report {

std::string text(const PlanReport& report, const TextOptions& options) {
  const std::string parts[] = {
      doesNotFitText(report, options),
      headingText(report, options),
      totalsText(report, options),
      runText(report, options),
      stagesText(report, options),
      layersText(report, options),
      communicationText(report, *report.sources, options),
      memoryText(report, options),
      recomputeText(report, options),
      verdictText(report, *report.sources, options),
  };
  std::string out;
  for (const std::string& part : parts)
    if (!part.empty()) out += (out.empty() ? "" : "\n") + part;
  return out;
}

} // namespace planc::report
