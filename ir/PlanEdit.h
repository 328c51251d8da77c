// Changes of a plan that are made beside its text: what `--set` says.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace planc::ir {

/// A fact by its path (`train.micro_batch`, `cluster.leaf.bandwidth`) and the expression that stands for it.
struct FactEdit {
  std::string path, value;
};

/// A change of a plan as data.
struct PlanEdit {
  std::vector<FactEdit> facts;
};

/// A fact as it was changed, for reports: the values, as the language shows them.
struct SetFact {
  std::string path, value, before; ///< before: empty where nothing was stated
  bool changed = true;             ///< false: it was so before
};

} // namespace planc::ir
