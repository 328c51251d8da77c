// Tests of the metric table: every metric of the language, its unit and its JSON field.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/verdict/Fixture.h"

#include <gtest/gtest.h>
#include <set>

using namespace planc;
using namespace planc::verdict;

TEST(Metrics, AreThoseOfTheLanguage) {
  const std::set<std::string_view> expected = {"step_time",
                                               "step_time.low",
                                               "step_time.high",
                                               "tokens_per_second",
                                               "tokens_per_second.low",
                                               "tokens_per_second.high",
                                               "tokens_per_second_per_device",
                                               "samples_per_second",
                                               "samples_per_second.low",
                                               "samples_per_second.high",
                                               "model_rate",
                                               "model_rate_causal",
                                               "hardware_rate",
                                               "mfu",
                                               "mfu.low",
                                               "mfu.high",
                                               "mfu_causal",
                                               "hfu",
                                               "compute",
                                               "comm.total",
                                               "comm.exposed",
                                               "slowed",
                                               "launches",
                                               "bubble",
                                               "bubble.even",
                                               "bubble.imbalance",
                                               "optimizer",
                                               "overhead",
                                               "straggler",
                                               "params",
                                               "params.active",
                                               "cluster.devices",
                                               "device_hours",
                                               "device_hours.low",
                                               "device_hours.high",
                                               "cost",
                                               "cost.low",
                                               "cost.high",
                                               "energy",
                                               "energy.low",
                                               "energy.high",
                                               "device_hours.per_1t_tokens",
                                               "cost.per_1t_tokens",
                                               "energy.per_1t_tokens",
                                               "memory.peak",
                                               "memory.pool",
                                               "memory.capacity",
                                               "memory.fits",
                                               "memory.fits_probability",
                                               "memory.params",
                                               "memory.grads",
                                               "memory.optimizer",
                                               "memory.activations",
                                               "memory.buffers",
                                               "layer.forward",
                                               "layer.backward",
                                               "layer.recompute",
                                               "layer.comm",
                                               "layer.exposed",
                                               "run.days",
                                               "run.days.low",
                                               "run.days.high",
                                               "run.device_hours",
                                               "run.device_hours.low",
                                               "run.device_hours.high",
                                               "run.cost",
                                               "run.cost.low",
                                               "run.cost.high",
                                               "run.energy",
                                               "run.energy.low",
                                               "run.energy.high",
                                               "run.emissions",
                                               "run.emissions.low",
                                               "run.emissions.high",
                                               "run.goodput",
                                               "run.productive",
                                               "run.checkpointing",
                                               "run.lost",
                                               "run.restarting",
                                               "run.unused",
                                               "run.failures",
                                               "run.checkpoints",
                                               "run.steps",
                                               "run.job_mtbf",
                                               "run.every",
                                               "run.checkpoint",
                                               "run.checkpoint_bytes"};
  std::set<std::string_view> actual, fields;
  for (const Metric* m : metrics().rows()) {
    EXPECT_TRUE(actual.insert(m->name()).second) << m->name() << " stands twice";
    EXPECT_TRUE(fields.insert(m->jsonField).second) << m->jsonField << " stands twice";
    EXPECT_EQ((m->ofStep != nullptr) + (m->ofRun != nullptr) + m->ofLayer(), 1) << m->name();
  }
  EXPECT_EQ(actual, expected);
}

TEST(Metrics, ReadBaseUnits) {
  cost::Estimate e = planc::test::smallEstimate();
  EXPECT_DOUBLE_EQ(*findMetric("device_hours")->read(e), 90); // 0.025 device-hours in device-seconds
  EXPECT_DOUBLE_EQ(*findMetric("energy")->read(e), 4e4);
  EXPECT_DOUBLE_EQ(*findMetric("model_rate")->read(e), 1.4e14);
  EXPECT_DOUBLE_EQ(*findMetric("memory.fits")->read(e), 1);
}

TEST(Metrics, WithoutMeaningAreEmpty) {
  cost::Estimate e = planc::test::smallEstimate();
  e.totals.tokensPerSecond.reset();
  EXPECT_FALSE(findMetric("tokens_per_second")->read(e));
}

TEST(Metrics, UnknownNameHasNoRow) {
  EXPECT_EQ(findMetric("steptime"), nullptr);
}
