// Turns the text and the facts of a plan into what an export says.
// SPDX-License-Identifier: Apache-2.0
#include "driver/estimate/PlanWords.h"

#include "api/Texts.h"
#include "import/Import.h"

#include <algorithm>

namespace planc::driver {

foreign::PlanWords wordsOf(const api::Compilation& compilation, const SourceManager& sources) {
  const ir::Plan& plan = compilation.plan();
  foreign::PlanWords out;
  out.name = plan.title;
  out.recipe.range = out.model.range = plan.range;
  out.devices = compilation.program()->mesh.devices();
  out.globalBatch = plan.workload.globalBatch;
  out.microBatch = plan.workload.microBatch;
  for (const ir::WorkloadPhase& phase : plan.workload.phases)
    if (!phase.extents.empty()) out.seq = phase.extents.front().second;
  out.compute = ir::name(plan.precision.compute);
  out.grads = ir::name(plan.precision.grads);
  const std::optional<api::PlanSource> source = api::planSource(sources, plan);
  if (!source) return out;
  out.statements = source->statements;
  if (!source->extends) return out;
  out.recipe = *source->extends;
  const std::string model = foreign::recipeParameter("model");
  const auto named = std::find_if(out.recipe.arguments.begin(), out.recipe.arguments.end(),
                                  [&](const auto& one) { return one.first.empty() || one.first == model; });
  if (named == out.recipe.arguments.end()) return out;
  out.model = source->arguments[static_cast<size_t>(named - out.recipe.arguments.begin())];
  out.modelName = out.model.path;
  if (const auto own = source->models.find(out.modelName); own != source->models.end()) out.model = own->second;
  return out;
}

} // namespace planc::driver
