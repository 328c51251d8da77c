// The facts by which a calibrated record names its samples: `fitted { samples; planc; date; on { … } }`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactTable.h"

#include <map>
#include <string>
#include <vector>

namespace planc::calibrate {

struct Fitted {
  std::string samples; ///< `sha256:` and 64 digits
  std::string planc;   ///< version
  std::string date;    ///< `2026-11-28`
};

/// The digest of samples by those of their files: that of one file, of several that of their digests, sorted, a line
/// each (`sha256sum FILES | cut -c1-64 | sort | sha256sum`).
std::string samplesDigest(std::vector<std::string> files);

/// Facts of that kind by path, as they are written.
using FittedFacts = std::map<std::string, std::string>;
template <class Id> FittedFacts fittedFacts(const ir::FactsOf<Id>& record) {
  FittedFacts out;
  for (const ir::FactRow& row : ir::factRows(ir::recordOf(Id()))) {
    if (!row.type.provenance) continue;
    const Id id = static_cast<Id>(row.id.index);
    for (const ir::FactKey& key : record.keys(id))
      out[ir::FactRef(id, key).path()] = row.type.form == ir::FactForm::Text
                                             ? '"' + std::string(key.text()) + '"'
                                             : std::to_string(static_cast<long long>(record.number(id, key)->value));
  }
  return out;
}

/// The section of a record, without what is not known (empty). `on`: samples or runs by device; empty: the record says
/// nothing of it. `inherited`: what the extended record says, which is overridden, or left to it if it is the same.
std::string fittedText(const Fitted& fitted, const std::map<std::string, size_t>& on, const FittedFacts& inherited);

} // namespace planc::calibrate
