// Tests of the JSON report: every key of the contract, units in the names, null where there is no meaning.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/report/Fixture.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

using namespace planc;
using planc::test::ReportFixture;
using Json = nlohmann::ordered_json;

namespace {

void expectKeys(const Json& object, const std::vector<std::string>& keys, const std::string& where) {
  for (const std::string& key : keys) EXPECT_TRUE(object.contains(key)) << where << "." << key;
}

} // namespace

TEST(JsonReport, HasEveryKeyOfTheContract) {
  ReportFixture f;
  f.results.assertions.push_back({"step_time < 20s", true, 13.72, 20.0, units::time, false, true, "", {f.file, 0, 4}});
  f.results.measured.push_back(
      {"step_time", true, 13.75, 13.72, -0.002, units::time, false, 0.05, true, "Table 5", {}});
  Json j = report::json(f.report());
  expectKeys(j,
             {"name", "file", "model", "cluster", "software", "devices", "mesh", "totals", "interval", "memory",
              "layers", "collectives", "stages", "inference", "assertions", "measured"},
             "plan");
  expectKeys(j["totals"],
             {"step_time_s",
              "step_time_low_s",
              "step_time_high_s",
              "interval_coverage",
              "tokens_per_s",
              "tokens_low_per_s",
              "tokens_high_per_s",
              "tokens_per_s_per_device",
              "samples_per_s",
              "samples_low_per_s",
              "samples_high_per_s",
              "model_tflops_per_device",
              "model_tflops_per_device_causal",
              "hardware_tflops_per_device",
              "mfu",
              "mfu_low",
              "mfu_high",
              "mfu_causal",
              "hfu",
              "compute_s",
              "comm_s",
              "exposed_comm_s",
              "slowed_s",
              "launches_s",
              "bubble_s",
              "bubble_even_s",
              "bubble_imbalance_s",
              "optimizer_s",
              "overhead_s",
              "straggler_s",
              "params",
              "params_active",
              "device_hours",
              "device_hours_low",
              "device_hours_high",
              "cost_usd",
              "cost_low_usd",
              "cost_high_usd",
              "energy_kwh",
              "energy_low_kwh",
              "energy_high_kwh",
              "device_hours_per_1t_tokens",
              "cost_usd_per_1t_tokens",
              "energy_kwh_per_1t_tokens"},
             "totals");
  expectKeys(j["interval"], {"coverage", "low", "high", "runs_low", "runs_high", "outside_share", "terms"}, "interval");
  expectKeys(j["interval"]["terms"][0], {"what", "share", "error", "outside_share", "samples"}, "terms");
  expectKeys(j["memory"],
             {"peak_bytes", "pool_bytes", "capacity_bytes", "reserved_bytes", "room_bytes", "fits", "fits_probability",
              "params_bytes", "grads_bytes", "optimizer_bytes", "activations_bytes", "buffers_bytes", "host_bytes",
              "host_capacity_bytes", "stages", "fixes"},
             "memory");
  expectKeys(
      j["memory"]["stages"][0],
      {"stage", "peak_bytes", "allocated_bytes", "pass_peak_bytes", "step_peak_bytes", "host_bytes", "at", "live"},
      "memory.stages");
  expectKeys(j["layers"][0],
             {"path", "count", "stage", "forward_s", "backward_s", "recompute_s", "comm_s", "exposed_comm_s", "flops",
              "bytes", "params", "activation_bytes", "bound", "on_path_s", "slowed_s", "launches_s",
              "exposed_on_path_s"},
             "layers");
  expectKeys(j["collectives"][0],
             {"op", "class", "phase", "axis", "group", "level", "stage", "bytes", "count", "time_s", "exposed_s",
              "on_path_s", "layer", "because"},
             "collectives");
  expectKeys(j["stages"][0],
             {"stage", "forward_s", "backward_s", "kind", "computing_s", "slowed_s", "launches_s", "communicating_s",
              "idle_s"},
             "stages");
  expectKeys(j["critical"], {"stage", "work_s", "mean_work_s", "imbalance_s"}, "critical");
  expectKeys(j["assertions"][0], {"text", "ok", "value", "file", "line"}, "assertions");
  expectKeys(j["measured"][0],
             {"metric", "measured", "predicted", "error", "tolerance", "low", "high", "inside", "ok", "source"},
             "measured");
}

TEST(JsonReport, HoldsTheUnitsOfItsNames) {
  ReportFixture f;
  Json j = report::json(f.report());
  EXPECT_DOUBLE_EQ(j["totals"]["model_tflops_per_device"], 140);
  EXPECT_DOUBLE_EQ(j["totals"]["device_hours"], 0.025);
  EXPECT_DOUBLE_EQ(j["totals"]["energy_kwh"], 4e4 / 3.6e6);
  EXPECT_DOUBLE_EQ(j["totals"]["cost_usd"], 0.06);
  EXPECT_EQ(j["totals"]["interval_coverage"], 0.9);
  EXPECT_DOUBLE_EQ(j["totals"]["step_time_high_s"], 1.15 * j["totals"]["step_time_s"].get<double>());
  EXPECT_DOUBLE_EQ(j["totals"]["tokens_low_per_s"], 1e5 / 1.15) << "a rate is low where the step is long";
  EXPECT_DOUBLE_EQ(j["totals"]["cost_high_usd"], 0.06 * 1.15);
  EXPECT_EQ(j["memory"]["fits"], true);
  EXPECT_EQ(j["memory"]["peak_bytes"].dump(), "61000000000");
  EXPECT_EQ(j["software"], "megatron_2022");
  EXPECT_EQ(j["mesh"].dump(), R"({"tp":8,"dp":2,"pp":4})");
  EXPECT_EQ(j["layers"][1]["bound"], "compute");
  EXPECT_EQ(j["collectives"][0]["class"], "activation");
}

TEST(JsonReport, IsNullWithoutMeaning) {
  ReportFixture f;
  f.estimate.totals.tokensPerSecond.reset();
  f.estimate.totals.cost.reset();
  f.estimate.totals.mfu = std::numeric_limits<double>::infinity();
  Json j = report::json(f.report());
  EXPECT_TRUE(j["totals"]["tokens_per_s"].is_null());
  EXPECT_TRUE(j["totals"]["cost_usd"].is_null());
  EXPECT_TRUE(j["totals"]["mfu"].is_null());
  EXPECT_TRUE(j["inference"].is_null());
  EXPECT_TRUE(j["collectives"][0]["because"].is_null());
}

TEST(JsonReport, SaysWhenAStageIsFullestAndWhatLivesThen) {
  ReportFixture f;
  cost::StageMemory& m = f.estimate.memory.stages[0];
  m.phase = ir::Phase::Backward;
  m.microBatch = 3;
  m.layer = planc::test::layerOf("decoder");
  m.live = {{"parameters", 8e9}, {"workspace", 1e8}};
  Json stage = report::json(f.report())["memory"]["stages"][0];
  EXPECT_EQ(stage["at"].dump(), R"({"phase":"backward","micro_batch":3,"chunk":0,"layer":"decoder"})");
  EXPECT_EQ(stage["live"][1].dump(), R"({"what":"workspace","bytes":100000000})");
  m.phase = ir::Phase::Step;
  EXPECT_TRUE(report::json(f.report())["memory"]["stages"][0]["at"]["layer"].is_null());
  const std::string text = report::textOf(report::estimatePage(f.report()), false);
  EXPECT_NE(text.find("fullest in the optimizer's step:"), std::string::npos);
}

TEST(JsonReport, SaysWhereAnAssertionStands) {
  ReportFixture f;
  f.results.assertions.push_back({"memory.fits", false, {}, {}, units::none, false, true, "", {f.file, 13, 14}});
  Json j = report::json(f.report());
  EXPECT_EQ(j["assertions"][0]["file"], "plans/small.plan");
  EXPECT_EQ(j["assertions"][0]["line"], 2);
  EXPECT_TRUE(j["assertions"][0]["value"].is_null());
}
