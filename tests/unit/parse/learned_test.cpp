// The tables that planc was built with decide as ANTLR does: on every plan, and on texts that are none.
// SPDX-License-Identifier: Apache-2.0
#include "ParseHelper.h"
#include "SameTree.h"
#include "frontend/parse/Decisions.h"
#include "frontend/parse/Lex.h"
#include "tests/unit/support/PlanFiles.h"

#include <random>

namespace planc::test {
namespace {

constexpr parse::ParseLimits kByAntlr{.learned = false};

TEST(Learned, ThereAreTables) {
  const parse::Decisions& learned = parse::learnedDecisions();
  EXPECT_TRUE(learned.lexer.next && learned.lexer.classes > 40);
  EXPECT_GT(learned.parser.decisions, 100u);
}

/// Trees and reports, of texts with errors too: what the tables do not know is left to ANTLR.
TEST(Learned, TreesAndReportsAreThoseOfAntlr) {
  for (const PlanFile& file : planFiles()) {
    const Parsed learned(file.text), antlr(file.text, kByAntlr);
    EXPECT_EQ(learned.errors(), antlr.errors()) << file.path;
    ASSERT_EQ(!learned.file, !antlr.file) << file.path;
    EXPECT_TRUE(!learned.file || sameTree(learned.file->decls, antlr.file->decls)) << file.path;
  }
}

/// `type begin-end` of each token, those hidden from the grammar in brackets.
std::string tokens(const std::string& text, const parse::ParseLimits& limits) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  parse::SyntaxReporter reporter(sources, diagnostics, limits.maxErrors);
  const auto file = parse::lex(sources, sources.add("t.plan", text), reporter, limits);
  std::string out;
  if (!file) return "none";
  for (const parse::Lexeme& t : file->tokens)
    out += (t.comment ? "(" : "") + std::to_string(t.type) + " " + std::to_string(t.begin) + "-" +
           std::to_string(t.end) + (t.comment ? ") " : " ") + (t.kept ? "" : "- ");
  return out;
}

/// Texts of pieces that lexers trip over: numbers, quotes, comments, escapes, characters of other alphabets.
TEST(Learned, TokensAreThoseOfAntlr) {
  const std::vector<std::string> pieces{
      "1",    "12_3", ".", "..", "e5", "1e9", "GB", "/s", "%",  "\"",   "\\", "a", "//",     "///", "/*",   "*/",
      "*",    "**",   "-", "->", "if", "iff", "_",  "\n", "\r", "\r\n", "\t", " ", "é",      "→",   "\x01", "#",
      "plan", "<=",   "<", "==", "=",  "!",   "!=", "[",  "{",  ")",    ";",  ":", "across", "x9",  "'",    "&"};
  std::mt19937 random(7);
  std::uniform_int_distribution<size_t> pick(0, pieces.size() - 1), length(0, 30);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t left = length(random); left > 0; --left) text += pieces[pick(random)];
    ASSERT_EQ(tokens(text, {}), tokens(text, kByAntlr)) << text;
  }
}

} // namespace
} // namespace planc::test
