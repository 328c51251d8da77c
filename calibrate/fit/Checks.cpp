// Checks samples against the limits of the part, and series against themselves.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Checks.h"

#include "calibrate/fit/EachCheck.h"

namespace planc::calibrate {

std::vector<DiagnosticArg> named(const Suspects& s, std::vector<DiagnosticArg> more) {
  more.emplace_back("series", s.series.label);
  more.emplace_back("device", s.series.device.empty() ? s.part.name : s.series.device);
  return more;
}

Points Suspects::good(Direction d) const {
  Points out;
  for (const Sample* s : points)
    if (timeOf(*s, d) > 0 && usable(s, d)) out.push_back(s);
  return out;
}

std::span<const Check> checks() {
  static constexpr std::array<Check, 12> kTable{{
      {"uneven", "a group whose nodes hold different numbers of ranks", true, unevenGroup},
      {"copied", "backward times that equal the forward times", true, copied},
      {"unit", "times that no unit mistake explains are far above what the part needs", true, suspectUnit},
      {"backward", "backward faster than its work allows", true, backwardTooFast},
      {"constant", "the time does not move with the size", true, constantTime},
      {"falling", "larger sizes take half the time of smaller ones", true, falling},
      {"impossible", "faster than peak FLOP/s, memory bandwidth or link", true, impossible},
      {"scatter", "neighbouring sizes whose times have nothing in common", true, scattered},
      {"repeats", "repeats of one shape that differ by more than a factor of two", false, wildRepeats},
      {"attention", "attention that takes several times as long as the library's fused kernel", false, slowAttention},
      {"axis", "an extent that is sampled at one value only, although other series vary it", false, oneValue},
      {"network", "between nodes far below the cards' line rate", false, slowNetwork},
  }};
  return kTable;
}

} // namespace planc::calibrate
