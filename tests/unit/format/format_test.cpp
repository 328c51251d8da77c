// The canonical layout, rule by rule.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Format.h"
#include "support/DiagnosticRender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace planc;

namespace {

std::string format(std::string text) {
  SourceManager sources;
  DiagnosticEngine engine;
  FileId file = sources.add("t.plan", std::move(text));
  std::optional<std::string> out = format::formatFile(sources, file, engine);
  for (const Diagnostic* d : engine.sorted()) ADD_FAILURE() << renderHuman(*d, sources, false);
  return out.value_or("");
}

/// Formats, and checks that formatting the result changes nothing.
std::string formatted(std::string text) {
  std::string out = format(std::move(text));
  EXPECT_EQ(format(out), out);
  return out;
}

TEST(Format, BlanksBetweenTokens) {
  EXPECT_EQ(formatted("let   a=1+2*-b**2\n"), "let a = 1 + 2 * -b ** 2\n");
  EXPECT_EQ(formatted("let a=f (x,y = 2) [ 1 ] . c\n"), "let a = f(x, y = 2)[1].c\n");
  EXPECT_EQ(formatted("let a = not(b)or - (c)\n"), "let a = not (b) or -(c)\n");
  EXPECT_EQ(formatted("let a = if(b)then(c)else[d]\n"), "let a = if (b) then (c) else [d]\n");
  EXPECT_EQ(formatted("let a:list < list<int> > = [ n for n in f( 3 ) ]\n"),
            "let a: list<list<int>> = [n for n in f(3)]\n");
  EXPECT_EQ(formatted("let a = { b=1,c = { } }\n"), "let a = {b = 1, c = {}}\n");
  EXPECT_EQ(formatted("op f(x:[ .. ,a = b ]int32,y : int=3 where(y>0))->[ .. ]\n"),
            "op f(x: [.., a = b] int32, y: int = 3 where (y > 0)) -> [..]\n");
  EXPECT_EQ(formatted("enum e{a,b}\n"), "enum e { a, b }\n");
  EXPECT_EQ(formatted("import \"x.plan\"   as   y\nimport std . ops\n"), "import \"x.plan\" as y\nimport std.ops\n");
  EXPECT_EQ(formatted("plan p { }\n"), "plan p {}\n");
}

TEST(Format, SoftKeywordsBeforeAnOperand) {
  EXPECT_EQ(formatted("model m() {\n  out -x\n  require (a) < -b\n  out: [..] = out(x) - 1\n}\n"),
            "model m() {\n  out -x\n  require (a) < -b\n  out: [..] = out(x) - 1\n}\n");
  EXPECT_EQ(formatted("plan p { pipeline[pp,vp]{ stage 0=a[ 0:4 :2 ],* } ; keep a=gathered }\n"),
            "plan p { pipeline [pp, vp] { stage 0 = a[0:4:2], * }; keep a = gathered }\n");
}

TEST(Format, IndentationByBlocks) {
  EXPECT_EQ(
      formatted("plan p {\nmesh {\ntp = 8\n}\n      place {\n decoder { attn {\nheads -> tp } }\n}\n}\n"),
      "plan p {\n  mesh {\n    tp = 8\n  }\n  place {\n    decoder {\n      attn {\n        heads -> tp\n      }\n"
      "    }\n  }\n}\n");
}

TEST(Format, BlocksWithALineBreakAreOpenedOut) {
  EXPECT_EQ(formatted("plan p { a = 1\nb = 2 }\n"), "plan p {\n  a = 1\n  b = 2\n}\n");
  EXPECT_EQ(formatted("plan p { a = 1; b = 2\n}\n"), "plan p {\n  a = 1; b = 2\n}\n");
  EXPECT_EQ(formatted("plan p { a = 1; mesh { b = 2 } }\n"), "plan p { a = 1; mesh { b = 2 } }\n");
}

TEST(Format, ElseStandsBesideTheBrace) {
  EXPECT_EQ(formatted("block b(x: int) {\nif x > 1 {\nout x\n}\nelse {\nout y\n}\n}\n"),
            "block b(x: int) {\n  if x > 1 {\n    out x\n  } else {\n    out y\n  }\n}\n");
}

TEST(Format, LinesInParenthesesStandBelowTheirFirstToken) {
  EXPECT_EQ(formatted("export op f(a: int,\nb: int)\n-> [..] {\nkind = x\n}\n"),
            "export op f(a: int,\n            b: int)\n  -> [..] {\n  kind = x\n}\n");
  EXPECT_EQ(formatted("let a = f(\nx,\n  y = [\n1,\n],\n)\n"), "let a = f(\n  x,\n  y = [\n    1,\n  ],\n)\n");
  EXPECT_EQ(formatted("let aa = f(x = [1,\n2])\n"), "let aa = f(x = [1,\n                2])\n");
}

TEST(Format, OtherContinuationsAreIndented) {
  EXPECT_EQ(formatted("plan p {\nassert a <\nb\nand c\n: \"why\"\nx = 1\n}\n"),
            "plan p {\n  assert a <\n    b\n    and c\n    : \"why\"\n  x = 1\n}\n");
}

TEST(Format, BlankLines) {
  EXPECT_EQ(formatted("\n\nlet a = 1\n\n\n\nlet b = 2\n\n\n"), "let a = 1\n\nlet b = 2\n");
  EXPECT_EQ(formatted("plan p {\n\n\n  a = 1\n\n  b = 2\n\n}\n"), "plan p {\n  a = 1\n\n  b = 2\n}\n");
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("\n\n"), "");
  EXPECT_EQ(formatted("let a = 1"), "let a = 1\n");
}

TEST(Format, AlignsFactsInARun) {
  EXPECT_EQ(formatted("plan p {\n  model = a\n  cluster = b\n\n  x = 1\n  recompute d\n  long = 2\n}\n"),
            "plan p {\n  model   = a\n  cluster = b\n\n  x = 1\n  recompute d\n  long = 2\n}\n");
  EXPECT_EQ(formatted("let a = 1\nlet bcd = 2\nexport let e = 3\n"), "let a   = 1\nlet bcd = 2\nexport let e = 3\n");
}

TEST(Format, FactsOfRecomputation) {
  EXPECT_EQ(formatted("plan p {\n  recompute   a.b,c{save=[ d.e ,f];first = 2}\n  override  recompute   none\n}\n"),
            "plan p {\n  recompute a.b, c { save = [d.e, f]; first = 2 }\n  override recompute none\n}\n");
}

TEST(Format, AlignsTypesPlacementsSectionsAndReasons) {
  EXPECT_EQ(formatted("block b(x: int) {\n  param wq: [a]\n  param w: [b]\n  gate: [.., ffn] = f(x)\n  up: [.., ffn] = "
                      "g(x)\n  act = h(x)\n  out: [.., hidden] = k(act)\n}\n"),
            "block b(x: int) {\n  param wq: [a]\n  param w:  [b]\n  gate: [.., ffn]   = f(x)\n  up:   [.., ffn]   = "
            "g(x)\n  act               = h(x)\n  out: [.., hidden] = k(act)\n}\n");
  EXPECT_EQ(formatted("plan p { place {\nbatch -> dp\nseq -> cp\nattn { heads -> tp }\nmlp { ffn -> tp }\n} }\n"),
            "plan p {\n  place {\n    batch -> dp\n    seq   -> cp\n    attn { heads -> tp }\n    mlp  { ffn -> tp }\n"
            "  }\n}\n");
  EXPECT_EQ(formatted("plan p { mesh {\ntp = 8 within node\ndp = 16 across rack\n} }\n"),
            "plan p {\n  mesh {\n    tp = 8  within node\n    dp = 16 across rack\n  }\n}\n");
  EXPECT_EQ(formatted("cluster c() {\n  level node * 8 { a = 1 }\n  level nodes * n { a = 1 }\n}\n"),
            "cluster c() {\n  level node  * 8 { a = 1 }\n  level nodes * n { a = 1 }\n}\n");
  EXPECT_EQ(formatted("cluster c  extends b(n=1) {\n override node {a=1}\noverride level  nodes*n {a=1}\n override "
                      "level node*4\n}\n"),
            "cluster c extends b(n = 1) {\n  override node { a = 1 }\n  override level nodes * n { a = 1 }\n  override "
            "level node  * 4\n}\n");
  EXPECT_EQ(
      formatted("plan p extends q { override mesh={tp=2 within node inside  dp;rep=2 outside dp}\n override "
                "place={batch->dp}\n}\n"),
      "plan p extends q {\n  override mesh = { tp = 2 within node inside dp; rep = 2 outside dp }\n  override place "
      "= { batch -> dp }\n}\n");
}

TEST(Format, ACommentBehindASectionKeepsItsColumn) {
  EXPECT_EQ(formatted("plan p { place {\nattn { heads -> tp } // x\nmlp { ffn -> tp }\n} }\n"),
            "plan p {\n  place {\n    attn { heads -> tp }  // x\n    mlp  { ffn -> tp }\n  }\n}\n");
}

TEST(Format, ReasonsAlignThroughTheSectionsOfARecord) {
  EXPECT_EQ(
      formatted("device d {\n  memory = 80GB : \"a\"\n  peak {\n    // dense\n    fp16 = 312TFLOP/s : \"b\"\n  }\n"
                "  power = 400W : \"c\"\n\n  price = 1USD/h : \"d\"\n}\n"),
      "device d {\n  memory = 80GB       : \"a\"\n  peak {\n    // dense\n    fp16 = 312TFLOP/s : \"b\"\n  }\n"
      "  power = 400W        : \"c\"\n\n  price = 1USD/h : \"d\"\n}\n");
}

TEST(Format, OutliersStandAlone) {
  EXPECT_EQ(
      formatted(
          "plan p {\n  a = 1 : \"x\"\n  b = some_function_of(many, arguments, indeed) : \"y\"\n  cc = 1 : \"z\"\n}\n"),
      "plan p {\n  a  = 1 : \"x\"\n  b  = some_function_of(many, arguments, indeed) : \"y\"\n  cc = 1 : \"z\"\n}\n");
}

TEST(Format, Comments) {
  EXPECT_EQ(
      formatted("// top\nplan p {// open\n//own\na = 1// one\nbcd = 2    // two   \n/// doc\n// end\n}// close\n"),
      "// top\nplan p {  // open\n  //own\n  a   = 1  // one\n  bcd = 2  // two\n  /// doc\n  // end\n}  // close\n");
  EXPECT_EQ(formatted("let a = f(// why\n// own\nx, // x\nlonger // y\n)\n"),
            "let a = f(  // why\n  // own\n  x,      // x\n  longer  // y\n)\n");
  EXPECT_EQ(formatted("let a = 1 + // plus\n2\n"), "let a = 1 +  // plus\n  2\n");
  EXPECT_EQ(formatted("let a = /* in */ 1 /* out */\n"), "let a = /* in */ 1 /* out */\n");
  EXPECT_EQ(formatted("  /* one\n     two */\nlet a = 1\n"), "/* one\n     two */\nlet a = 1\n");
  EXPECT_EQ(formatted("plan p {\n  a\n  // between\n  .b = 1\n}\n"), "plan p {\n  a\n    // between\n    .b = 1\n}\n");
}

TEST(Format, OtherScriptsKeepTheColumns) {
  EXPECT_EQ(formatted("let a = \"é模\" // x\nlet b = \"ab\" // y\n"), "let a = \"é模\"  // x\nlet b = \"ab\"   // y\n");
}

TEST(Format, SeparatorsStay) {
  EXPECT_EQ(formatted("let a = 1;let b = 2 ;; let c = 3;\nlet d = 4\n"),
            "let a = 1; let b = 2;; let c = 3;\nlet d = 4\n");
}

TEST(Format, ForeignLineEndsAndByteOrderMarks) {
  EXPECT_EQ(formatted("\xEF\xBB\xBFlet a = 1 // x\r\n/* y\r\nz */\r\nlet b = 2\r\n"),
            "let a = 1  // x\n/* y\nz */\nlet b = 2\n");
}

TEST(Format, NothingForABrokenFile) {
  SourceManager sources;
  DiagnosticEngine engine;
  EXPECT_FALSE(format::formatFile(sources, sources.add("t.plan", "let a =\n"), engine));
  EXPECT_TRUE(engine.hasErrors());
}

} // namespace
