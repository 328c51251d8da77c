// Random damage to real files: never a crash, nearly always one error, and that near the damage.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/parse/ParseHelper.h"
#include "tests/unit/support/PlanFiles.h"

#include <random>

using namespace planc;
using planc::test::Parsed;

namespace {

struct Damage {
  int one = 0, more = 0, none = 0, far = 0;
};

/// Removes the token at `index` and looks at the errors.
void damage(const std::string& text, const std::vector<parse::RawToken>& tokens, size_t index, Damage& result) {
  SourceRange cut = tokens[index].range;
  std::string broken = text.substr(0, cut.begin) + text.substr(cut.end);
  Parsed p(broken);
  std::vector<const Diagnostic*> errors = p.engine.sorted();
  result.none += errors.empty();
  result.one += errors.size() == 1;
  result.more += errors.size() > 1;
  if (errors.empty()) return;
  auto line = [&](uint32_t at) { return static_cast<int>(p.sources.begin({p.id, at, at}).line); };
  result.far += std::abs(line(errors[0]->range.begin) - line(cut.begin)) > 1;
}

TEST(ParseMutation, OneDeletedTokenGivesOneErrorNearby) {
  std::mt19937 random(7); // NOLINT: the same damage in every run
  Damage total;
  int count = 0;
  for (const test::PlanFile& file : test::planFiles()) {
    SourceManager sources;
    DiagnosticEngine engine;
    auto tokens = parse::tokenize(sources, sources.add("t", file.text), engine);
    if (!tokens || tokens->empty()) continue;
    for (int i = 0; i < 12; ++i) {
      size_t index = random() % tokens->size();
      auto kind = (*tokens)[index].kind;
      if (kind == parse::RawToken::Kind::LineBreak || kind >= parse::RawToken::Kind::Comment) continue;
      damage(file.text, *tokens, index, total);
      ++count;
    }
  }
  if (count == 0) GTEST_SKIP() << "no plan files";
  RecordProperty("one", total.one);
  std::printf("%d deletions: %d one error, %d more, %d none; %d far away\n", count, total.one, total.more, total.none,
              total.far);
  EXPECT_LT(total.more, count / 12);
  EXPECT_LT(total.far, count / 20);
}

TEST(ParseMutation, DuplicatedAndSwappedTokensNeverCrash) {
  std::mt19937 random(8); // NOLINT
  for (const test::PlanFile& file : test::planFiles()) {
    SourceManager sources;
    DiagnosticEngine engine;
    auto tokens = parse::tokenize(sources, sources.add("t", file.text), engine);
    if (!tokens || tokens->size() < 2) continue;
    for (int i = 0; i < 6; ++i) {
      SourceRange a = (*tokens)[random() % tokens->size()].range, b = (*tokens)[random() % tokens->size()].range;
      std::string text = file.text;
      text.insert(a.begin, std::string(sources.text(b)));
      Parsed p(text);
      EXPECT_EQ(!p.file || p.file->broken, p.engine.hasErrors());
    }
  }
}

} // namespace
