// The file that a number comes from tells whether it belongs to the library, whose numbers fit each other.
// SPDX-License-Identifier: Apache-2.0
#include "api/calibrated/CalibratedParts.h"

#include "api/Library.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

namespace planc::api {

PLANC_WARNING(CalibratedParts, 1069, "calibrated numbers are used in another way than they were measured: {what}",
              Reached::Priced)

namespace {

bool isLibrarys(const ir::Number& number, const SourceManager& sources) {
  return !number.range.valid() || sources.path(number.range.file).starts_with("std/");
}

void attention(const ir::Plan& plan, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  const ir::Device& device = plan.cluster->device;
  const ir::Number *curve = device.number(ir::DeviceFact::AttentionForward),
                   *factor = plan.stack->number(ir::StackFact::AttentionFactor);
  if (!curve || !factor || factor->value == 1) return;
  if (isLibrarys(*curve, sources) || !isLibrarys(*factor, sources)) return;
  diagnostics
      .report(CalibratedParts, curve->range,
              {{"what", fmt::format("`{}` multiplies the curve of attention of `{}` by {:.4g}", plan.stack->name.view(),
                                    device.name.view(), factor->value)}})
      .label(factor->range, "relative to the library's curve of the device")
      .help("use the stack that was calibrated with the device (`planc calibrate --stack`), or extend this one with "
            "`attention { override factor = 1 }` if the curve was measured with its software");
}

void optimizer(const ir::Plan& plan, const ir::Optimizer& own, const SourceManager& sources,
               DiagnosticEngine& diagnostics) {
  if (plan.stack->has(ir::StackFact::Optimizer, own.name)) return;
  const ir::Number* measured = nullptr;
  std::string names;
  for (const ir::FactKey& key : plan.stack->keys(ir::StackFact::Optimizer)) {
    const ir::Number* number = plan.stack->number(ir::StackFact::Optimizer, key);
    if (isLibrarys(*number, sources)) continue;
    measured = number;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", key.text());
  }
  if (!measured) return;
  diagnostics
      .report(
          CalibratedParts, own.range.valid() ? own.range : plan.workload.range,
          {{"what", fmt::format("`{1}` has no measured update of `{0}`", own.name.view(), plan.stack->name.view())}})
      .label(measured->range, fmt::format("the stack has {}", names))
      .note("it is priced as if each of its values is read and written once")
      .help(fmt::format(
          "if it moves as many bytes as one of them, state its bytes in the stack: `optimizer {{ {} = … }}`",
          own.name.view()));
}

void fittedElsewhere(const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  const ir::Device& device = plan.cluster->device;
  const auto on = plan.stack->keys(ir::StackFact::FittedOn);
  if (on.empty()) return; // stacks of the library and stacks of older planc versions do not say
  if (llvm::any_of(on, [&](const ir::FactKey& key) { return Library::isPart(device, std::string(key.text())); }))
    return;
  std::string parts;
  for (const ir::FactKey& key : on) parts += fmt::format("{}`{}`", parts.empty() ? "" : ", ", key.text());
  diagnostics
      .report(CalibratedParts, plan.range,
              {{"what", fmt::format("`{}` was fitted on {}, and the device of `{}` is `{}`", plan.stack->name.view(),
                                    parts, plan.title, device.name.view())}})
      .label(plan.stack->number(ir::StackFact::FittedOn, on.front())->range,
             "the stack was fitted to samples of this device")
      .label(device.range, "the plan's device")
      .help(fmt::format("fit a stack to samples of the device, `planc calibrate SAMPLES --device {} --stack …`, or use "
                        "the library's stack of your software",
                        Library::partOf(device)))
      .help("if it is the same hardware, let it extend the library's device, or give it the same `names`");
}

} // namespace

void warnOfCalibratedParts(const ir::Plan& plan, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  if (!plan.cluster || !plan.stack) return;
  fittedElsewhere(plan, diagnostics);
  attention(plan, sources, diagnostics);
  if (!plan.workload.updatesParameters() || !plan.workload.optimizer) return;
  optimizer(plan, *plan.workload.optimizer, sources, diagnostics);
  if (plan.workload.optimizer->others) optimizer(plan, *plan.workload.optimizer->others, sources, diagnostics);
}

} // namespace planc::api
