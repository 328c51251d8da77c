// The facts that identify the samples of a calibrated record: `fitted { samples; planc; date; on { … } }`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactTable.h"

#include <map>
#include <string>
#include <vector>

namespace planc::calibrate {

struct Fitted {
  std::string samples; ///< `sha256:` and 64 digits
  std::string planc;   ///< version of planc
  std::string date;    ///< `2026-11-28`
};

/// Returns the digest of a set of sample files: the digest of a single file, or the digest of the sorted digests of
/// several files, one per line (`sha256sum FILES | cut -c1-64 | sort | sha256sum`).
std::string samplesDigest(std::vector<std::string> files);

/// The facts of a `fitted` section by path, as plan text writes them.
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

/// Returns the `fitted` section as text, without values that are empty. `on`: samples or runs by device; if it is
/// empty, nothing is written for it. `inherited`: the facts of the extended record; equal facts are left out, others
/// are overridden.
std::string fittedText(const Fitted& fitted, const std::map<std::string, size_t>& on, const FittedFacts& inherited);

} // namespace planc::calibrate
