// Parses the vocabulary of nccl-tests.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/NcclWords.h"

namespace planc::calibrate {

NcclWords ncclWords(std::string_view text) {
  const nlohmann::json json = parseVocabulary(text);
  const VocabularyEntry file(json, "nccl.json", {"types", "programs", "others"});
  const VocabularyEntry programs = file.object("programs", {"rows"}), others = file.object("others", {"names"});
  for (const VocabularyEntry* group : {&programs, &others}) group->text("source");
  NcclWords out{typeWords(file), {}, others.texts("names")};
  for (const VocabularyEntry& row : programs.rows("rows", {"program", "as", "bus"})) {
    const std::optional<ir::CollectiveKind> kind = parseCollective(row.text("as"));
    if (!kind) row.fail("it is not a sampled collective");
    Formula bus(row.text("bus"));
    for (const std::string_view name : bus.names())
      if (name != "n") row.fail("its formula must use only `n`, the ranks");
    out.programs.push_back({row.text("program"), *kind, std::move(bus)});
  }
  return out;
}

} // namespace planc::calibrate
