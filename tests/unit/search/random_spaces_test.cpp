// Random spaces with all kinds of choices, conditions and goals: bounds and threads change nothing that is kept.
// PLANC_SPACES=200 tries more and larger ones.
// SPDX-License-Identifier: Apache-2.0
#include "api/Searches.h"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace planc::api {
namespace {

/// A plan with lines of its spaces: of those of one group a space has at most one.
struct Base {
  const char *file, *plan, *fill;
  std::vector<std::vector<const char*>> groups;
};

const std::vector<Base> kBases{
    {"/bench/search.plan",
     "gpt3_512",
     "mesh.dp",
     {{"cluster.nodes in [32, 64]", "cluster.nodes in [8, 64, 128]"},
      {"cluster.device.memory in [40GB, 80GB]", "cluster.device.bandwidth in [1.5TB/s, 2TB/s]",
       "cluster.node.bandwidth in steps(200GB/s, 600GB/s, 3)"},
      {"mesh.tp in [1, 2, 4, 8]", "mesh.tp in [4, 8], mesh.pp in if mesh.tp > 4 then [4, 8] else [8, 16, 24]",
       "mesh.tp in [2, 8], mesh.pp in divisors(96)"},
      {"train.micro_batch in [1, 2, 4]", "train.micro_batch in [1, 3], train.global_batch in [512, 1536]"},
      {"recompute in [none, decoder.attn.core, decoder]", "recompute in [decoder(save = [attn]), decoder]"},
      {"decoder.seq -> in [tp, replicate] with position.seq -> in [tp, replicate] with norm.seq -> in [tp, replicate]"},
      {"pipeline.schedule in [one_f_one_b, gpipe, zb_h1, interleaved_1f1b(chunks = [2, 3])]",
       "pipeline.schedule in [zb_v, zb_h2, dualpipe, paired_1f1b, interleaved_1f1b(chunks = [1, 6])]"},
      {"pipeline.stages in [even, balanced]"},
      {"states.optimizer -> in [dp, replicate]",
       "states.params -> in [replicate, replicate, dp] with states.grads -> in [replicate, dp, dp] with "
       "states.optimizer -> in [dp, dp, dp]"},
      {"precision.compute in [fp16, bf16]", "precision.grads in [fp32, fp16]"}}},
    {"/bench/experts.plan",
     "deepseek_v3_2048",
     "mesh.edp",
     {{"cluster.nodes in [128, 256]"},
      {"mesh.tp in [1, 2, 4], mesh.ep in [16, 64]", "mesh.ep in [8, 32, 64]"},
      {"mesh.pp in [8, 16, 32]"},
      {"train.micro_batch in [1, 2]"},
      {"recompute in [none, [dense, decoder, mtp]]"},
      {"pipeline.schedule in [one_f_one_b, zb_h1, interleaved_1f1b(chunks = [2, 4])]"},
      {"states.params -> in [replicate, dp] with states.grads -> in [replicate, dp] with states.optimizer -> in "
       "[replicate, dp]"},
      {"cluster.device.memory in [80GB, 141GB]"}}},
    {"/examples/llama3_405b.plan",
     "llama3_405b(cp = 1, dp = 128, seq = 8192, batch = 2048)",
     "mesh.dp",
     {{"cp in [1, 2, 4]", "mesh.cp in [1, 2], mesh.tp in [4, 8]", "seq in [8192, 16384], batch in [1024, 2048]"},
      {"mesh.pp in [8, 16, 32]"},
      {"train.micro_batch in [1, 2]"},
      {"pipeline.schedule in [one_f_one_b, interleaved_1f1b(chunks = [2, 4]), zb_h1]",
       "pipeline.stages in [even, balanced]"},
      {"states.optimizer -> in [dp, replicate]"},
      {"recompute in [none, decoder.attn.core, decoder, decoder(first = 1)]"},
      {"cluster.device.memory in [60GB, 80GB, 141GB]", "cluster.device.peak.bf16 in [500TFLOP/s, 989.4TFLOP/s]"},
      {"precision.compute in [bf16, fp8]"}}},
};

const std::vector<std::vector<const char*>> kGoals{{},
                                                   {},
                                                   {"minimize step_time"},
                                                   {"minimize cost.per_1t_tokens"},
                                                   {"maximize tokens_per_second_per_device"},
                                                   {"minimize step_time", "minimize memory.peak"},
                                                   {"maximize tokens_per_second", "minimize device_hours"},
                                                   {"minimize memory.peak"},
                                                   {"maximize mfu"},
                                                   {"minimize bubble", "minimize step_time"},
                                                   {"minimize step_time / 2"}};
const std::vector<const char*> kConditions{"memory.peak < 60GB", "bubble < 0.1 * step_time", "mesh.tp * mesh.pp <= 32",
                                           "mesh.tp >= 2", "comm.exposed < 0.2 * step_time"};

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(engine_); }
  template <class T> const T& of(const std::vector<T>& list) { return list[below(list.size())]; }

private:
  std::mt19937 engine_;
};

/// `vary` lines stand behind each other as they depend on each other.
ir::SearchWords wordsOf(const Base& base, Random& random) {
  ir::SearchWords words;
  for (const auto& group : base.groups)
    if (random.below(5) < 3) words.vary.push_back(random.of(group));
  if (words.vary.empty()) words.vary.push_back(base.groups[1][0]);
  words.fill = {base.fill};
  for (const char* goal : random.of(kGoals)) words.goals.push_back(goal);
  if (random.below(3) == 0) words.where.push_back(random.of(kConditions));
  words.top = static_cast<int64_t>(1 + random.below(8));
  return words;
}

std::string shown(const std::vector<search::Outcome>& list) {
  std::string text;
  for (const search::Outcome& o : list) {
    text += std::to_string(o.id);
    for (const double goal : o.goals) text += fmt::format(" {:a}", goal);
    text += "; ";
  }
  return text;
}

/// What every walk finds: the best, the front, and what would be the best without the memory or a condition.
std::string kept(const search::Answer& answer) {
  std::string text = shown(answer.best()) + "| " + shown(answer.front());
  const auto binding = [&](const search::Outcome* without) {
    if (without && !answer.best().empty() && before(*without, answer.best()[0])) text += "| " + shown({*without});
  };
  binding(answer.bestUnfit());
  for (size_t i = 0; i < answer.unmet().size(); ++i) binding(answer.bestWithout(i));
  return text;
}

std::string counted(const search::Answer& answer, const ir::Space& space) {
  std::string text;
  for (int f = 0; f < search::kFates; ++f) text += fmt::format("{} ", answer.of(static_cast<search::Fate>(f)).count);
  for (const auto& [code, counted] : answer.unlawful()) text += fmt::format("{}: {} ", code, counted.count);
  for (size_t c = 0; c < space.choices.size(); ++c)
    for (uint32_t v = 0; v < space.choices[c].values.size(); ++v)
      text += answer.bestOf(c, v) ? fmt::format("{} ", answer.bestOf(c, v)->id) : "- ";
  return text;
}

std::string said(const ir::SearchWords& words) {
  std::string text;
  for (const auto* list : {&words.vary, &words.where, &words.goals})
    for (const std::string& line : *list) text += line + "; ";
  return text;
}

std::string texts(DiagnosticEngine& diagnostics) {
  std::string text;
  for (const Diagnostic* found : diagnostics.sorted()) text += found->message + "\n";
  return text;
}

/// Floors of some candidates against what these come to; how many were compared.
int compareFloors(Search& search, Random& random) {
  search::Candidates& candidates = search.candidates();
  int compared = 0;
  for (int n = 0; n < 40; ++n) {
    const ir::CandidateId id = random.below(*search.space().end());
    DiagnosticEngine why;
    const auto plan = candidates.plan(id, why);
    const double step = plan ? candidates.engine().stepFloor(*plan) : 0;
    const search::Outcome found = candidates.price(id);
    if (!found.priced()) continue;
    EXPECT_LE(step, found.stepTime) << search.space().str(id);
    const auto floor = candidates.floor(id);
    EXPECT_LE(floor ? floor->least : found.goals[0], found.goals[0]) << search.space().str(id);
    compared += step > 0 && floor;
  }
  return compared;
}

struct Asked {
  int spaces = 9;
  double largest = 160;
};
Asked asked() {
  const char* more = std::getenv("PLANC_SPACES");
  return more ? Asked{std::atoi(more), 5000} : Asked{};
}

TEST(RandomSpaces, BoundsAndThreadsChangeNothing) {
  uint64_t spared = 0, answers = 0;
  int floors = 0;
  const auto [spaces, largest] = asked();
  for (int n = 0; n < spaces; ++n) {
    Random random(static_cast<unsigned>(n));
    const Base& base = kBases[static_cast<size_t>(n) % kBases.size()];
    PlanFile file;
    std::string error;
    ASSERT_TRUE(file.load(PLANC_SOURCE_DIR + std::string(base.file), error)) << error;
    std::unique_ptr<Search> search;
    ir::SearchWords words;
    for (int tries = 0; tries < 200 && (!search || search->space().size() > largest); ++tries) {
      words = wordsOf(base, random);
      search = Search::of(file, base.plan, words);
      ASSERT_TRUE(search) << said(words) << texts(file.diagnostics());
      ASSERT_TRUE(search->check());
    }
    ASSERT_LE(search->space().size(), largest);
    const search::Answer all = search->run(1, false);
    EXPECT_EQ(counted(all, search->space()), counted(search->run(7, false), search->space())) << said(words);
    for (const unsigned threads : {1u, 2u, 7u}) {
      const search::Answer bounded = search->run(threads, true);
      EXPECT_EQ(kept(all), kept(bounded)) << said(words) << threads;
      EXPECT_EQ(all.candidates(), bounded.candidates()) << said(words);
      if (threads == 1) spared += all.priced() - bounded.priced();
    }
    floors += compareFloors(*search, random);
    answers += all.of(search::Fate::Met).count;
  }
  EXPECT_GT(spared, 0u);
  EXPECT_GT(floors, spaces);
  EXPECT_GT(answers, 50u);
}

} // namespace
} // namespace planc::api
