// Mutated configurations: each import ends, with the text of a plan that can be formatted or with errors that have a
// place. PLANC_MUTATIONS sets the number of inputs.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"
#include "import/Import.h"
#include "tests/unit/support/PlanFiles.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

using namespace planc;

struct Seed {
  const char* format;
  std::vector<const char*> files;
  const char* devices = "64";
};

const Seed kSeeds[] = {
    {"hf", {"llama.json"}},
    {"hf", {"mixture.json"}},
    {"hf", {"latent.json"}},
    {"megatron", {"launch.sh"}},
    {"megatron", {"mixture.yaml"}},
    {"megatron", {"arguments.txt"}, "8"},
    {"torchtitan", {"titan.toml"}},
    {"deepspeed", {"ds_config.json"}},
    {"calculon", {"calculon_model.json", "calculon_execution.json"}},
    {"simumax", {"simumax_model.json", "simumax_strategy.json"}},
    {"madmax", {"madmax_model.json", "madmax_task.json"}},
};

/// Values that replace a number or a word.
const std::string kValues[] = {"-1",
                               "0",
                               "1e308",
                               "1e999",
                               "NaN",
                               "-Infinity",
                               "null",
                               "true",
                               "\"12\"",
                               "\"<script>\"",
                               "[]",
                               "{}",
                               "1.5",
                               "2147483648",
                               "9223372036854775807",
                               "18446744073709551616",
                               "\"a\\\"b\\nc\"",
                               "[[[[1]]]]",
                               "$X",
                               "${X:-8}",
                               "$((1/0))",
                               "\"@std.ops@\"",
                               "'\"}'"};

std::string small(const char* name) {
  return test::readFile(fs::path(PLANC_SOURCE_DIR) / "tests" / "import" / "small" / name);
}

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

/// Replaces the value that stands behind some `:`, `=` or blank.
void replaceValue(std::string& text, std::mt19937& random) {
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t i = 1; i < text.size(); ++i) {
    if (!isWord(text[i]) || isWord(text[i - 1])) continue;
    size_t end = i;
    while (end < text.size() && isWord(text[end])) ++end;
    words.emplace_back(i, end - i);
  }
  if (words.empty()) return;
  const auto [at, length] = words[random() % words.size()];
  text.replace(at, length, kValues[random() % std::size(kValues)]);
}

void mutate(std::string& text, std::mt19937& random) {
  if (text.empty()) return;
  const size_t at = random() % text.size();
  switch (random() % 8) {
  case 0:
    text.resize(at);
    break;
  case 1:
    text[at] = static_cast<char>(random());
    break;
  case 2:
    text.erase(at, 1 + random() % 12);
    break;
  case 3: { // a line twice
    const size_t begin = text.rfind('\n', at), from = begin == std::string::npos ? 0 : begin + 1;
    const std::string line = text.substr(from, std::min(text.find('\n', at), text.size() - 1) + 1 - from);
    text.insert(from, line);
    break;
  }
  case 4:
    text.insert(at, std::string(1 + random() % 300, "[{(\"'"[random() % 5]));
    break;
  default:
    replaceValue(text, random);
  }
}

foreign::TextNames namesFor() {
  foreign::TextNames names;
  names.name = [](const std::string& path) { return path.substr(path.rfind('.', path.rfind('.') - 1) + 1); };
  names.imports = [] { return std::string(); };
  names.command = "planc import";
  names.cluster = "hgx.hgx_h100(nodes = 1)";
  names.model = "llama.llama3_8b";
  return names;
}

/// Imports the files; returns whether they became a plan.
bool importOnce(const Seed& seed, const std::vector<std::string>& texts) {
  SourceManager sources;
  DiagnosticEngine found;
  foreign::ImportRequest request{
      seed.format, {}, {{"devices", seed.devices}}, std::string(seed.format) == "deepspeed", true};
  for (size_t i = 0; i < texts.size(); ++i) request.files.push_back(sources.add(seed.files[i], texts[i]));
  std::vector<std::string> unused;
  const auto result = foreign::imported(request, sources, found, unused);
  if (!result) {
    EXPECT_TRUE(found.hasErrors());
    for (const Diagnostic* d : found.sorted()) {
      EXPECT_TRUE(d->range.valid()) << d->message;
      EXPECT_LE(d->range.end, sources.text(d->range.file).size()) << d->message;
      EXPECT_LE(d->range.begin, d->range.end) << d->message;
      EXPECT_EQ(d->message.find('\n'), std::string::npos) << d->message;
    }
    return false;
  }
  EXPECT_FALSE(found.hasErrors());
  SourceManager written;
  DiagnosticEngine wrong;
  const std::string text = foreign::textOf(*result, namesFor());
  EXPECT_TRUE(api::formatText(written, written.add("imported.plan", text), wrong)) << text;
  EXPECT_FALSE(foreign::countingText(*result, namesFor(), "hgx.hgx_h100(nodes = 1)").empty());
  return true;
}

TEST(ImportMutations, EveryImportEndsWithAPlanOrPlacedErrors) {
  const char* asked = std::getenv("PLANC_MUTATIONS");
  const int count = asked ? std::atoi(asked) : 4000;
  std::mt19937 random(47);
  int plans = 0;
  for (int i = 0; i < count; ++i) {
    const Seed& seed = kSeeds[static_cast<size_t>(i) % std::size(kSeeds)];
    std::vector<std::string> texts;
    for (const char* file : seed.files) texts.push_back(small(file));
    for (size_t n = random() % 3 + 1; n > 0; --n) mutate(texts[random() % texts.size()], random);
    plans += importOnce(seed, texts);
    if (testing::Test::HasFailure()) {
      for (const std::string& text : texts)
        std::cerr << "---- " << seed.format << " of mutation " << i << "\n" << text << "\n";
      return;
    }
  }
  EXPECT_GT(plans, count / 20);
  EXPECT_LT(plans, count);
}

TEST(ImportMutations, FilesAsTheyAreBecomePlans) {
  for (const Seed& seed : kSeeds) {
    std::vector<std::string> texts;
    for (const char* file : seed.files) texts.push_back(small(file));
    EXPECT_TRUE(importOnce(seed, texts)) << seed.format << " " << seed.files[0];
  }
}

} // namespace
