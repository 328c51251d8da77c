// Loads a plan and prices three changes of it: price_edits FILE PLAN
// SPDX-License-Identifier: Apache-2.0
#include <api/PlanFile.h>
#include <cstdio>

int main(int, char** argv) {
  planc::api::PlanFile file;
  std::string error;
  if (!argv[1] || !argv[2] || !file.load(argv[1], error)) return std::fprintf(stderr, "%s\n", error.c_str()), 2;
  const auto plan = file.bind(argv[2]);
  if (!plan) return std::fprintf(stderr, "%s\n", file.diagnostics().sorted()[0]->message.c_str()), 1;
  const planc::ir::PlanEdit edits[] = {
      {},
      {.axes = {{planc::Symbol("tp"), 4}, {planc::Symbol("dp"), 2}}},
      {.microBatch = 2},
      {.facts = {{"cluster.node.bandwidth", "100GB/s"}}},
  };
  for (const planc::ir::PlanEdit& edit : edits) {
    const auto changed = plan->with(edit); // what the changes share is priced once
    if (!changed->priceAlone(planc::cost::Wanted::totals())) {
      std::printf("refused: %s\n", changed->diagnostics().sorted()[0]->message.c_str());
      continue;
    }
    std::printf("%.3f s, %.1f GB\n", changed->estimate()->totals.stepTime, changed->estimate()->memory.peak / 1e9);
  }
}
