// The largest and the least value that fits: against a scan, with laws that leave holes, and on plans.
// SPDX-License-Identifier: Apache-2.0
#include "api/Largest.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace planc::search {
namespace {

using Law = std::function<bool(int64_t)>;

/// Memory that grows with the value, or falls with it, up to 80.
TriedValue tried(int64_t value, const Law& lawful, const std::function<double(int64_t)>& peak) {
  TriedValue out{.value = value};
  if (!lawful(value)) {
    out.code = 612;
    return out;
  }
  out.peak = peak(value);
  out.fate = out.peak <= 80 ? TriedValue::Fate::Fits : TriedValue::Fate::Unfit;
  return out;
}

struct Case {
  Law lawful;
  std::function<double(int64_t)> peak;
  size_t trials = 0;
  ExtremeFound find(Extreme what, std::optional<int64_t> start = {}, Probing probing = Probing::Dense) {
    const auto trial = [&](const std::vector<int64_t>& values) {
      std::vector<TriedValue> out;
      for (const int64_t value : values) out.push_back(tried(value, lawful, peak));
      trials += values.size();
      return out;
    };
    return findExtreme(what, start, trial, probing);
  }
};

/// Of all values up to `most`.
std::optional<int64_t> scanned(const Case& of, Extreme what, int64_t most) {
  std::optional<int64_t> found;
  for (int64_t v = 1; v <= most; ++v)
    if (of.lawful(v) && of.peak(v) <= 80 && (what == Extreme::Largest || !found)) found = v;
  return found;
}

TEST(Extremes, AreThoseOfAScan) {
  std::mt19937 random(13);
  const auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)) + 1; };
  for (int run = 0; run < 200; ++run) {
    const int64_t stride = upTo(run % 3 == 0 ? 1 : 48), whole = upTo(4000);
    const double least = static_cast<double>(upTo(60)), slope = static_cast<double>(upTo(1000)) / 1000;
    const bool divides = run % 4 == 1; // of a batch
    const Law lawful = [=](int64_t v) { return divides ? whole % v == 0 : v % stride == 0; };
    const std::optional<int64_t> start = run % 2 ? std::optional(upTo(300)) : std::nullopt;
    Case grows{lawful, [=](int64_t v) { return least + slope * static_cast<double>(v); }};
    EXPECT_EQ(grows.find(Extreme::Largest, start).in.value_or(TriedValue{}).value,
              scanned(grows, Extreme::Largest, 80'000).value_or(0))
        << run << " stride " << stride << " of " << whole;
    Case falls{lawful, [=](int64_t v) { return least / 2 + 10 * slope + 500 * slope / static_cast<double>(v); }};
    EXPECT_EQ(falls.find(Extreme::Fewest, start).in.value_or(TriedValue{}).value,
              scanned(falls, Extreme::Fewest, 80'000).value_or(0))
        << run << " stride " << stride << " of " << whole;
  }
}

TEST(Extremes, AreThoseOfAScanWithFewTrials) {
  std::mt19937 random(17);
  const auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)) + 1; };
  for (int run = 0; run < 200; ++run) {
    const int64_t stride = upTo(run % 3 == 0 ? 1 : 48), whole = upTo(500);
    const double least = static_cast<double>(upTo(60)), slope = static_cast<double>(upTo(1000)) / 1000;
    const bool divides = run % 4 == 1;
    const Law lawful = [=](int64_t v) { return divides ? whole % v == 0 : v % stride == 0; };
    Case grows{lawful, [=](int64_t v) { return least + slope * static_cast<double>(v); }};
    EXPECT_EQ(grows.find(Extreme::Largest, {}, Probing::Sparse).in.value_or(TriedValue{}).value,
              scanned(grows, Extreme::Largest, 80'000).value_or(0))
        << run << " stride " << stride << " of " << whole;
    Case falls{lawful, [=](int64_t v) { return least / 2 + 10 * slope + 500 * slope / static_cast<double>(v); }};
    EXPECT_EQ(falls.find(Extreme::Fewest, {}, Probing::Sparse).in.value_or(TriedValue{}).value,
              scanned(falls, Extreme::Fewest, 80'000).value_or(0))
        << run << " stride " << stride << " of " << whole;
  }
  Case doubled{[](int64_t v) { return (v & (v - 1)) == 0; }, [](int64_t v) { return 1000 / static_cast<double>(v); }};
  const ExtremeFound found = doubled.find(Extreme::Fewest, {}, Probing::Sparse);
  ASSERT_TRUE(found.in && found.out && found.refused);
  EXPECT_EQ(found.in->value, 16);
  EXPECT_EQ(found.out->value, 8);
  EXPECT_EQ(found.looked, 8) << "every value between was tried";
  EXPECT_LT(doubled.trials, 20u) << "each is a search";
}

TEST(Extremes, SayTheNextLawfulValue) {
  Case of{[](int64_t v) { return v % 48 == 0; }, [](int64_t v) { return static_cast<double>(v) / 100; }};
  const ExtremeFound found = of.find(Extreme::Largest);
  ASSERT_TRUE(found.in && found.out && found.refused);
  EXPECT_EQ(found.in->value, 7968);
  EXPECT_EQ(found.out->value, 8016);
  EXPECT_EQ(found.refused->value, 7969);
  EXPECT_EQ(found.looked, 48) << "every value between was tried";
  EXPECT_FALSE(found.contrary);
  EXPECT_LT(of.trials, 500u);
}

TEST(Extremes, EndWithTheLaw) {
  Case of{[](int64_t v) { return 96 % v == 0; }, [](int64_t) { return 1.0; }};
  const ExtremeFound found = of.find(Extreme::Largest);
  ASSERT_TRUE(found.in);
  EXPECT_EQ(found.in->value, 96);
  EXPECT_FALSE(found.out);
  EXPECT_GE(found.looked, kLookedBeyond);
  const ExtremeFound least = of.find(Extreme::Fewest);
  ASSERT_TRUE(least.in);
  EXPECT_EQ(least.in->value, 1);
  EXPECT_TRUE(least.end);
}

TEST(Extremes, ThatDoNotFitSayTheLeastPeak) {
  Case of{[](int64_t v) { return v % 4 == 0; }, [](int64_t v) { return 100 + static_cast<double>(v); }};
  const ExtremeFound found = of.find(Extreme::Largest, 16);
  EXPECT_FALSE(found.in);
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(found.nearest->value, 4);
  Case none{[](int64_t) { return false; }, {}};
  const ExtremeFound nothing = none.find(Extreme::Largest);
  EXPECT_FALSE(nothing.in || nothing.nearest);
  EXPECT_TRUE(nothing.refused);
}

/// A range ends at no power of two; what is lawful may lie beside all round values.
TEST(Extremes, FindTheEndOfARange) {
  Case of{[](int64_t v) { return v <= 1'000'000'000; }, [](int64_t) { return 1.0; }};
  const ExtremeFound found = of.find(Extreme::Largest);
  ASSERT_TRUE(found.in && !found.out);
  EXPECT_EQ(found.in->value, 1'000'000'000);
  EXPECT_LT(of.trials, 10'000u);
  Case odd{[](int64_t v) { return v % 2 == 1 || v < 100; }, [](int64_t v) { return static_cast<double>(v) / 1000; }};
  EXPECT_EQ(odd.find(Extreme::Largest).in.value_or(TriedValue{}).value, 79'999);
}

/// Two conditions that hold from somewhere on and up to somewhere else; memory as a third one.
TEST(Extremes, FindBandsBetweenConditions) {
  std::mt19937 random(29);
  const auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)) + 1; };
  for (int run = 0; run < 200; ++run) {
    const int64_t stride = upTo(12), low = upTo(60'000), high = low + upTo(run % 3 ? 200 : 20);
    const auto found = [&](Extreme what) {
      return findExtreme(what, upTo(300) * stride, [&](const std::vector<int64_t>& values) {
        std::vector<TriedValue> out;
        for (const int64_t value : values) {
          TriedValue& one = out.emplace_back(TriedValue{.value = value, .code = 612});
          if (value % stride != 0) continue;
          one.peak = 1;
          one.fate = value < low                    ? TriedValue::Fate::Missed
                     : value <= high                ? TriedValue::Fate::Fits
                     : run % 2 && value > high + 40 ? TriedValue::Fate::Unfit
                                                    : TriedValue::Fate::Missed;
          one.condition = value < low ? 0 : 1;
        }
        return out;
      });
    };
    const int64_t first = (low + stride - 1) / stride * stride, last = high / stride * stride;
    for (const Extreme what : {Extreme::Largest, Extreme::Fewest}) {
      const ExtremeFound of = found(what);
      const int64_t wanted = first > last ? 0 : what == Extreme::Largest ? last : first;
      EXPECT_EQ(of.in.value_or(TriedValue{}).value, wanted) << run << ": " << low << " to " << high << " by " << stride;
    }
  }
}

TEST(Extremes, SayThatThereIsNoEnd) {
  Case of{[](int64_t) { return true; }, [](int64_t) { return 1.0; }};
  const ExtremeFound found = of.find(Extreme::Largest);
  EXPECT_TRUE(found.in && found.ended);
  EXPECT_LT(of.trials, 1000u);
}

TEST(Extremes, SayWhereMemoryIsNotMonotone) {
  Case of{[](int64_t) { return true; }, [](int64_t v) { return v == 16 ? 90.0 : static_cast<double>(v) / 10; }};
  const ExtremeFound found = of.find(Extreme::Largest);
  ASSERT_TRUE(found.in && found.contrary);
  EXPECT_EQ(found.in->value, 800);
  EXPECT_EQ(found.contrary->value, 16);
}

// ---- plans

std::string fittingPlan(int64_t layers, int64_t nodes, int64_t batch, const std::string& optimizer,
                        const std::string& recompute) {
  return "import std.models.llama\nimport std.clusters.hgx\nimport std.optimizers\nimport std.stacks.te\n"
         "plan p(layers: int = " +
         std::to_string(layers) + ", nodes: int = " + std::to_string(nodes) +
         ") {\n  model = llama.llama3_8b(layers = layers)\n  cluster = hgx.hgx_h100(nodes = nodes)\n"
         "  software = te.te\n  train { seq = 2048; global_batch = " +
         std::to_string(batch) + "; micro_batch = 1; optimizer = optimizers." + optimizer +
         " }\n  precision { params = bf16; compute = bf16 }\n  mesh { tp = 4; dp = 2 * nodes }\n"
         "  place { batch -> dp }\n  place decoder { seq -> tp; attn { heads -> tp }; mlp { ffn -> tp } }\n" +
         recompute + "  states { optimizer -> dp }\n}\n";
}

/// Bisection finds what a walk over every value finds.
TEST(Extremes, OfPlansAreThoseOfAScan) {
  std::mt19937 random(7);
  for (int run = 0; run < 4; ++run) {
    const std::string text = fittingPlan(4 + static_cast<int64_t>(random() % 30), 1 << random() % 3, 48 << random() % 3,
                                         run % 2 ? "adam" : "adamw", run % 3 ? "" : "  recompute decoder\n");
    for (const std::string path : {"train.micro_batch", "layers", "train.seq", "nodes"}) {
      const Extreme what = path == "nodes" ? Extreme::Fewest : Extreme::Largest;
      api::PlanFile file;
      file.loadText("fits.plan", text);
      const api::FittingValue of = api::fittingValue(file, "", {}, what, path);
      ASSERT_FALSE(of.found.failed) << text;
      if (!of.found.in) continue;
      // beside it, on the side that does not fit, up to the next lawful value and a little beyond
      const int64_t value = of.found.in->value, span = std::min<int64_t>(of.found.looked + 16, 400);
      api::PlanFile again;
      again.loadText("fits.plan", text);
      ir::SearchWords words;
      words.alone = true;
      std::string list;
      std::vector<int64_t> values;
      for (int64_t i = 1; i <= span; ++i)
        if (const int64_t v = what == Extreme::Largest ? value + i : value - i; v >= 1) {
          values.push_back(v);
          list += (list.empty() ? "" : ", ") + std::to_string(v);
        }
      if (values.empty()) continue;
      words.vary = {path + " in [" + list + "]"};
      const auto search = api::Search::of(again, "", words);
      ASSERT_TRUE(search);
      for (size_t i = 0; i < values.size(); ++i) {
        const Outcome outcome = search->candidates().price(i);
        EXPECT_NE(outcome.fate, Fate::Met) << path << " = " << values[i] << " beside " << value << "\n" << text;
        if (of.found.out && of.found.out->value == values[i]) {
          EXPECT_EQ(outcome.fate, Fate::Unfit);
        }
      }
    }
  }
}

TEST(Extremes, HonourConditions) {
  api::PlanFile file;
  file.loadText("fits.plan", fittingPlan(8, 1, 64, "adam", ""));
  ir::SearchWords words;
  words.where = {"train.micro_batch <= 5"};
  const api::FittingValue of = api::fittingValue(file, "", words, Extreme::Largest, "train.micro_batch");
  ASSERT_TRUE(of.found.in && of.found.out);
  EXPECT_EQ(of.found.in->value, 4);
  EXPECT_EQ(of.found.out->value, 6) << "what a condition on choices leaves out is not looked at further";
  EXPECT_EQ(of.found.out->fate, TriedValue::Fate::Missed);
  EXPECT_EQ(of.conditions[of.found.out->condition], "train.micro_batch <= 5");
}

} // namespace
} // namespace planc::search
