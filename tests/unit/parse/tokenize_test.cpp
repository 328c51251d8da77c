// The unfiltered token stream: what the formatter and editors see.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/parse/ParseHelper.h"

using namespace planc;
using planc::parse::RawToken;

namespace {

struct Tokens {
  SourceManager sources;
  DiagnosticEngine engine;
  std::optional<std::vector<RawToken>> tokens;
  explicit Tokens(std::string text) {
    FileId id = sources.add("t.plan", std::move(text));
    tokens = parse::tokenize(sources, id, engine);
  }
  /// One letter per token: Word, Number, String, Punctuation, `|` and `,` for kept and dropped breaks, `/ D *`
  /// comments.
  std::string shape() const {
    std::string out;
    for (const RawToken& t : *tokens)
      out += t.kind == RawToken::Kind::LineBreak ? (t.statementEnd ? '|' : ',') : "WNSP /D*"[static_cast<int>(t.kind)];
    return out;
  }
};

TEST(Tokenize, KeepsEverythingButBlanks) {
  Tokens t("/// doc\nlet a = 1 + // why\n  2GB /* x\ny */ \nlet b = \"s\"\n\n");
  EXPECT_EQ(t.shape(), "D,WWPNP/,N*|WWPS,,");
  std::string joined;
  for (const RawToken& token : *t.tokens) joined += t.sources.text(token.range);
  EXPECT_EQ(joined, "/// doc\nleta=1+// why\n2GB/* x\ny */\nletb=\"s\"\n\n");
}

TEST(Tokenize, NothingForAFileThatDoesNotParse) {
  Tokens t("let a =\n");
  EXPECT_FALSE(t.tokens);
  EXPECT_EQ(t.engine.errorCount(), 1u);
}

} // namespace
