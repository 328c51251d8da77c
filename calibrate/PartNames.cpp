// Finds the part of a name in the vocabulary.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/PartNames.h"

#include <algorithm>
#include <cctype>

namespace planc::calibrate {

namespace {

/// Letters and digits, lower case.
std::string simple(std::string_view name) {
  std::string out;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

} // namespace

std::vector<PartName> partNames(std::string_view text) {
  const nlohmann::json json = parseVocabulary(text);
  const Entry file(json, "parts.json", {"parts"});
  file.text("source");
  std::vector<PartName> out;
  for (const Entry& row : file.rows("parts", {"piece", "device", "cluster"})) {
    out.push_back({row.text("piece"), row.text("device"), row.text("cluster")});
    if (out.back().piece != simple(out.back().piece)) row.fail("`piece` is letters and digits, lower case");
    if (out.back().cluster.find('.') == std::string::npos) row.fail("`cluster` names a module");
  }
  return out;
}

const PartName* findPartName(std::string_view name) {
  static const std::vector<PartName> known = partNames(vocabularyText("parts.json"));
  const std::string wanted = simple(name);
  const PartName* found = nullptr;
  for (const PartName& part : known) {
    if (part.device == name) return &part;
    if (wanted.find(part.piece) != std::string::npos && (!found || part.piece.size() > found->piece.size()))
      found = &part;
  }
  return found;
}

} // namespace planc::calibrate
