// Every device and every cluster of the library prices an example, and what nobody sampled is less sure.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"
#include "api/PlanFile.h"
#include "ir/facts/DeviceFacts.h"

#include <cmath>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <map>
#include <utility>

namespace planc::api {
namespace {

const std::string kHead = R"(
import std.models.llama
import std.clusters
import std.devices
import std.fabrics
import std.stacks.fsdp
import std.optimizers
)";

/// Data-parallel over all devices, its states split over them.
std::string planOf(const std::string& name, const std::string& cluster, int64_t devices, std::string_view type) {
  return fmt::format(R"(
plan {} {{
  model    = llama.llama3_2_1b
  cluster  = clusters.{}
  software = fsdp.fms
  train {{
    seq          = 1024
    global_batch = {}
    micro_batch  = 1
    optimizer    = optimizers.adamw
  }}
  mesh {{ dp = {} }}
  place {{ batch -> dp }}
  states {{ params -> dp }}
  precision {{ compute = {} }}
}}
)",
                     name, cluster, devices, devices, type);
}

struct Priced {
  double time = 0, mfu = 0, width = 0; ///< of the interval: its upper end over its lower
};

/// By name; a plan that is not priced is a failure.
std::map<std::string, Priced> price(const std::string& text) {
  std::map<std::string, Priced> found;
  PlanFile file;
  file.loadText("machines.plan", text);
  const bool good = file.check([&](std::unique_ptr<Compilation> plan) {
    const std::string& name = plan->asked().named;
    EXPECT_TRUE(plan->priceAlone()) << name;
    for (const Diagnostic* d : plan->diagnostics().sorted())
      if (d->isError()) ADD_FAILURE() << name << ": " << d->message;
    const cost::Estimate* e = plan->estimate();
    if (!e) return;
    found[name] = {e->totals.stepTime, e->totals.mfu, e->totals.confidence.high / e->totals.confidence.low};
    plan->release();
  });
  EXPECT_TRUE(good);
  for (const Diagnostic* d : file.diagnostics().sorted())
    if (d->isError()) ADD_FAILURE() << d->message;
  return found;
}

void expectSane(const std::map<std::string, Priced>& priced) {
  for (const auto& [name, p] : priced) {
    EXPECT_TRUE(std::isfinite(p.time) && p.time > 0) << name;
    EXPECT_GT(p.mfu, 0) << name;
    EXPECT_LT(p.mfu, 1) << name << ": no faster than its peak";
    EXPECT_GT(p.width, 1) << name;
  }
}

/// Nodes of any device, over the same links.
std::string box(const std::string& device, int perNode, int nodes) {
  return fmt::format("cluster(gpu = devices.{}, per_node = {}, nodes = {}, intra = fabrics.nvlink4, "
                     "intra_bandwidth = 450GB/s, inter = fabrics.ndr, nic = 50GB/s)",
                     device, perNode, nodes);
}

/// What a plan writes for a type of products: 8 and 4 bits as the device scales them.
std::string computed(const ir::Device& device, std::string_view type) {
  for (const ir::DType recipe : device.recipes)
    if (ir::name(ir::arithmetic(recipe)) == type) return std::string(ir::name(recipe));
  return std::string(type);
}

TEST(Machines, EveryDevicePricesEveryTypeThatItMultiplies) {
  std::string text = kHead;
  size_t plans = 0;
  for (const std::string& name : Library::names("device")) {
    const auto device = Library::device(name);
    ASSERT_TRUE(device) << name;
    const auto types = device->keys(ir::DeviceFact::GemmEfficiency);
    EXPECT_FALSE(types.empty()) << name;
    for (const ir::FactKey& key : types) {
      const std::string type(key.text());
      text += planOf(fmt::format("p_{}_{}", name, type), box(name, 8, 2), 16, computed(*device, type));
      ++plans;
    }
  }
  const auto priced = price(text);
  EXPECT_EQ(priced.size(), plans);
  expectSane(priced);
}

TEST(Machines, EveryClusterPricesAnExample) {
  std::string text = kHead;
  size_t clusters = 0;
  for (const Declaration& d : Library::list("cluster")) {
    if (d.name == "cluster") continue; // made of parts: the devices above
    std::string arguments;
    for (const std::string& p : d.parameters) arguments += fmt::format("{}{} = 4", arguments.empty() ? "" : ", ", p);
    const std::string use = fmt::format("{}({})", d.name, arguments);
    const auto cluster = Library::cluster(fmt::format("{}.{}", d.module.substr(d.module.rfind('.') + 1), use));
    ASSERT_TRUE(cluster) << use;
    const bool brain = cluster->device.has(ir::DeviceFact::Peak, ir::DType::bf16);
    text += planOf("p_" + d.name, use, cluster->devices(), brain ? "bf16" : "fp16");
    ++clusters;
  }
  const auto priced = price(text);
  EXPECT_EQ(priced.size(), clusters);
  expectSane(priced);
}

/// The second of each pair stands on fewer samples than the first, or is further from the part that it follows. Alone,
/// so that links say nothing.
TEST(Machines, WhatNobodySampledIsLessSure) {
  const std::pair<const char*, const char*> pairs[] = {{"l40s_48gb", "rtx_6000_ada_48gb"},
                                                       {"rtx_6000_ada_48gb", "rtx_pro_6000_96gb"},
                                                       {"a100_sxm4_80gb", "gaudi2_96gb"},
                                                       {"b300_sxm_288gb", "mi355x_288gb"},
                                                       {"mi355x_288gb", "trainium3"}};
  std::string text = kHead;
  std::map<std::string, bool> written;
  for (const auto& [known, far] : pairs)
    for (const char* name : {known, far})
      if (!std::exchange(written[name], true)) text += planOf(fmt::format("p_{}", name), box(name, 1, 1), 1, "bf16");
  const auto priced = price(text);
  for (const auto& [known, far] : pairs)
    EXPECT_GT(priced.at(fmt::format("p_{}", far)).width, priced.at(fmt::format("p_{}", known)).width) << far;
}

} // namespace
} // namespace planc::api
