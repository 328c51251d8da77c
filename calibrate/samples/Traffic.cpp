// Traffic of kernels by definition: operands are read once, results are written once.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/samples/Traffic.h"

#include "backends/cost/price/Equations.h"

namespace planc::calibrate {

namespace {

const TrafficWords& trafficVocabulary() {
  static const TrafficWords known = trafficWords(vocabularyText("traffic.json"));
  return known;
}

std::vector<Reference> referencesOf(const VocabularyEntry& group) {
  group.text("source");
  std::vector<Reference> out;
  for (const VocabularyEntry& row : group.rows("rows", {"as", "passes"})) {
    out.push_back({Symbol(row.text("as")), row.number("passes")});
    if (out.back().passes <= 0) row.fail("`passes` must be more than 0");
  }
  return out;
}

} // namespace

TrafficWords trafficWords(std::string_view text) {
  const nlohmann::json json = parseVocabulary(text);
  const VocabularyEntry file(json, "traffic.json", {"references", "least"});
  return {referencesOf(file.object("references", {"rows"})), referencesOf(file.object("least", {"rows"}))};
}

std::span<const Reference> references() {
  return trafficVocabulary().references;
}

double leastPasses(const Sample& sample) {
  for (const Reference& r : trafficVocabulary().least)
    if (sample.name == r.name) return r.passes;
  return sample.kind == Kind::Optimizer ? 3 : 2; // an optimizer reads parameter and gradient, and writes the parameter
}

double wireBytes(const Sample& sample) {
  const ir::CollectiveKind kind = parseCollective(sample.name.view()).value_or(ir::CollectiveKind::SendRecv);
  return kind == ir::CollectiveKind::SendRecv
             ? sample[Extent::Bytes]
             : cost::equations::wireBytes(kind, sample[Extent::Bytes], sample[Extent::Ranks]);
}

} // namespace planc::calibrate
