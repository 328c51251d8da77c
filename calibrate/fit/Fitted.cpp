// Writes the `fitted` section of a record as plan text.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Fitted.h"

#include "support/files/Digest.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::calibrate {

namespace {

constexpr std::string_view kDigest = "sha256:";

std::string statement(std::string_view indent, const std::string& path, const std::string& value,
                      const FittedFacts& inherited) {
  const auto known = inherited.find(path);
  if (known != inherited.end() && known->second == value) return {};
  return fmt::format("{}{}{} = {}\n", indent, known == inherited.end() ? "" : "override ",
                     path.substr(path.rfind('.') + 1), value);
}

} // namespace

std::string samplesDigest(std::vector<std::string> files) {
  std::sort(files.begin(), files.end());
  std::string lines;
  for (const std::string& digest : files) lines += digest + "\n";
  return std::string(kDigest) + (files.size() == 1 ? files.front() : digestOf(lines));
}

std::string fittedText(const Fitted& fitted, const std::map<std::string, size_t>& on, const FittedFacts& inherited) {
  std::string facts, devices;
  for (const auto& [path, text] : {std::pair<std::string, const std::string&>("fitted.samples", fitted.samples),
                                   {"fitted.planc", fitted.planc},
                                   {"fitted.date", fitted.date}})
    if (!text.empty()) facts += statement("    ", path, '"' + text + '"', inherited);
  for (const auto& [device, count] : on)
    devices += statement("      ", "fitted.on." + device, std::to_string(count), inherited);
  if (!devices.empty()) facts += "    on {\n" + devices + "    }\n";
  return facts.empty() ? facts : "  fitted {\n" + facts + "  }\n";
}

} // namespace planc::calibrate
