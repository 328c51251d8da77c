// What holds for the layout of every file: formatting twice changes nothing, and only blanks and line breaks change.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Format.h"
#include "frontend/parse/Parse.h"
#include "tests/unit/support/PlanFiles.h"

#include <gtest/gtest.h>
#include <random>

using namespace planc;

namespace {

/// Nothing if the file does not parse.
std::optional<std::string> format(const std::string& text, const std::string& path) {
  SourceManager sources;
  DiagnosticEngine engine;
  FileId file = sources.add(path, text);
  std::optional<std::string> out = format::formatFile(sources, file, engine);
  EXPECT_EQ(out.has_value(), !engine.hasErrors()) << path; // the formatter's own check reports an error
  return out;
}

/// The text of the tokens, without the layout.
std::string tokens(const std::string& text) {
  SourceManager sources;
  DiagnosticEngine engine;
  std::string out;
  auto raw = parse::tokenize(sources, sources.add("t", text), engine);
  if (!raw) return "does not parse";
  for (const parse::RawToken& token : *raw)
    if (token.kind != parse::RawToken::Kind::LineBreak) out += std::string(sources.text(token.range)) + "\n";
  return out;
}

TEST(FormatProperty, IdempotentAndFaithfulOnEveryFile) {
  size_t count = 0;
  for (const test::PlanFile& file : test::planFiles()) {
    std::optional<std::string> once = format(file.text, file.path);
    if (!once) continue; // a test of errors
    ++count;
    EXPECT_TRUE(format(*once, file.path) == once) << file.path; // the texts would fill the log
    EXPECT_TRUE(tokens(*once) == tokens(file.text)) << file.path;
    EXPECT_TRUE(once->empty() || once->ends_with('\n')) << file.path;
    EXPECT_EQ(once->find(" \n"), std::string::npos) << file.path;
    EXPECT_EQ(once->find("\n\n\n"), std::string::npos) << file.path;
  }
  if (count == 0) GTEST_SKIP() << "no plan files";
}

/// Blanks and line breaks are put between tokens at random, as far as the file still parses.
TEST(FormatProperty, LayoutDoesNotDependOnBlanks) {
  std::mt19937 random(3); // NOLINT: the same files in every run
  for (const test::PlanFile& file : test::planFiles()) {
    std::optional<std::string> expected = format(file.text, file.path);
    if (!expected) continue;
    std::string noisy;
    bool comment = false;
    for (char c : *expected) {
      noisy += c;
      if (noisy.ends_with("/*") || noisy.ends_with("*/")) comment = c == '*';
      if (comment) continue; // blanks in it stay
      if (c == ' ' && noisy.find('"', noisy.rfind('\n') + 1) == std::string::npos &&
          noisy.find('/', noisy.rfind('\n') + 1) == std::string::npos)
        noisy.append(random() % 3, ' ');
      if (c == '\n') noisy.append(random() % 5, ' ');
    }
    EXPECT_TRUE(format(noisy, file.path) == expected) << file.path;
  }
}

TEST(FormatProperty, RandomLineBreaksStayStable) {
  std::mt19937 random(4); // NOLINT
  size_t parsed = 0;
  for (const test::PlanFile& file : test::planFiles()) {
    for (int round = 0; round < 3; ++round) {
      std::string text = file.text;
      for (int i = 0; i < 4; ++i) {
        size_t at = text.find_first_of(" ,({[", random() % (text.size() + 1));
        if (at != std::string::npos) text.insert(at + 1, random() % 2 ? "\n" : " // c\n");
      }
      SourceManager sources;
      DiagnosticEngine engine;
      FileId id = sources.add("t", text);
      if (!parse::tokenize(sources, id, engine)) continue;
      ++parsed;
      std::optional<std::string> once = format(text, file.path);
      EXPECT_TRUE(format(*once, file.path) == once) << text;
    }
  }
  if (parsed == 0) GTEST_SKIP() << "no plan files";
}

} // namespace
