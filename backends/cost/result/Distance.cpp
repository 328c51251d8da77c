// What the runs that a stack was fitted and checked with do not reach of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Distance.h"

#include "ir/Plan.h"
#include "ir/Routed.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::cost {

namespace {

/// The runs scatter by more than what a factor below this could add.
constexpr double kNear = 2;

class Distances {
public:
  Distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy)
      : program_(program), facts_(facts), accuracy_(accuracy) {}

  std::vector<RecordShare> all() {
    if (facts_.stack.keys(ir::StackFact::AccuracySeen).empty()) {
      add("architecture", fmt::format("no run of {}", stack()), accuracy_.newArchitecture);
    } else {
      architecture();
      beyond("devices", static_cast<double>(program_.mesh.devices()), most_, accuracy_.newDevices);
    }
    types();
    if (accuracy_.sequence > 0)
      beyond("keys of a query", longestKeys(program_), accuracy_.sequence, accuracy_.newSequence);
    return std::move(terms_);
  }

private:
  /// `of`: which distance it is, whatever the stack is called.
  void add(std::string of, std::string what, double error, double share = 1) {
    if (error > 0)
      terms_.push_back(
          {std::move(what), share, error, 0, 0, true, std::move(of), ir::RecordKind::Stack, facts_.stack.name});
  }
  std::string stack() const { return fmt::format("stack `{}`", facts_.stack.name.view()); }

  void architecture() {
    const ir::Device& device = facts_.device;
    const ir::Number* here = device.architecture.empty()
                                 ? nullptr
                                 : facts_.stack.number(ir::StackFact::AccuracySeen, Symbol(device.architecture));
    if (here) {
      most_ = here->value;
      return;
    }
    for (const ir::FactKey& key : facts_.stack.keys(ir::StackFact::AccuracySeen))
      most_ = std::max(most_, facts_.stack.number(ir::StackFact::AccuracySeen, key)->value);
    add("architecture " + device.architecture,
        device.architecture.empty() ? fmt::format("no run of {} on device `{}`", stack(), device.name.view())
                                    : fmt::format("no run of {} on architecture `{}`", stack(), device.architecture),
        accuracy_.newArchitecture);
  }

  /// By the share of the FLOPs of products in each type, whatever the plan says of most of them.
  void types() {
    const ir::Model& model = program_.model;
    std::map<ir::DType, double> flops;
    double all = 0;
    for (const ir::Op& op : model.ops) {
      if (op.kind != ir::OpKind::Gemm && op.kind != ir::OpKind::GroupedGemm) continue;
      const double n = static_cast<double>(model.times(op.region)) * ir::flopsOf(program_, op);
      flops[ir::arithmetic(program_.computeType(op))] += n;
      all += n;
    }
    for (const auto& [type, n] : flops)
      if (n > 0 && !facts_.device.has(ir::DeviceFact::GemmRuns, type))
        add(fmt::format("type {} {}", ir::name(type), facts_.device.architecture),
            fmt::format("no run in {} on device `{}`", ir::name(type), facts_.device.name.view()), accuracy_.newType,
            n / all);
  }

  void beyond(std::string_view what, double here, double most, double error) {
    if (here > kNear * most)
      add(std::string(what), fmt::format("{:.0f} {}, where the runs of {} had {:.0f}", here, what, stack(), most),
          error * std::log(here / most));
  }

  const ir::Program& program_;
  const Facts& facts_;
  const ir::Accuracy& accuracy_;
  double most_ = 0; ///< devices of the largest run
  std::vector<RecordShare> terms_;
};

} // namespace

double longestKeys(const ir::Program& program) {
  double most = 0;
  for (const ir::LayerClass& layerClass : program.classes)
    for (const ir::Node& node : layerClass.forward)
      if (node.isCompute()) most = std::max(most, node.compute().work.sequence);
  return most;
}

std::vector<RecordShare> distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy) {
  return Distances(program, facts, accuracy).all();
}

} // namespace planc::cost
