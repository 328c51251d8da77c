// The facts of each kind of workload, besides the extents of the model's dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/WorkloadKinds.h"

namespace planc::frontend {

const std::vector<WorkloadKind>& workloadKinds() {
  static const std::vector<NeededFact> kStep{
      {Symbol("global_batch"), "samples of one optimizer step, over all replicas: `global_batch = 64`"},
      {Symbol("micro_batch"), "samples that one replica computes at a time: `micro_batch = 1`"},
      {Symbol("optimizer"), "what updates the parameters: `import std.optimizers`, `optimizer = optimizers.adamw`; "
                            "`optimizer = none` for passes without an update"}};
  static const std::vector<WorkloadKind> kKinds{
      {"train",
       {"global_batch", "micro_batch", "sequence", "documents", "optimizer", "table_optimizer", "expert_imbalance"},
       kStep},
      {"finetune",
       {"global_batch", "micro_batch", "sequence", "documents", "optimizer", "table_optimizer", "expert_imbalance",
        "freeze", "lora"},
       kStep},
      {"infer",
       {"batch", "prompt", "sequence", "documents"},
       {{Symbol("batch"), "samples that one replica reads at a time: `batch = 8`"}}},
  };
  return kKinds;
}

std::vector<std::string> factsOf(std::string_view workload) {
  for (const WorkloadKind& kind : workloadKinds())
    if (kind.name == workload) return kind.facts;
  return {};
}

} // namespace planc::frontend
