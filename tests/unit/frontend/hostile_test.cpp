// Input that nobody should write ends with few reports, in bounded time and memory.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"

#include <chrono>
#include <functional>

namespace planc::frontend {
namespace {

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}
std::string numbered(const std::function<std::string(int)>& piece, int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += piece(i);
  return text;
}
std::string n(int i) {
  return std::to_string(i);
}

/// The code of the first report, or nothing; few reports, in a few seconds even under a sanitizer.
std::string first(const std::string& text) {
  const auto begin = std::chrono::steady_clock::now();
  const auto found = check(text);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_LE(found.size(), 100u);
  return found.empty() ? "" : found[0].substr(found[0].find(' ') + 1, 8);
}

TEST(Hostile, LongChainsAreWalkedNotNested) {
  EXPECT_EQ(first("let a = 1" + repeated(" + 1", 100'000)), "");
  EXPECT_EQ(first("let a = true" + repeated(" and true", 100'000)), "");
  EXPECT_EQ(first("let r = {a = 1}\nlet b = r" + repeated(".a", 100'000)), "PLAN0202");
  EXPECT_EQ(first("let f(x) = x\nlet a = f" + repeated("(1)", 100'000)), "PLAN0312");
}

TEST(Hostile, ConditionsAreBounded) {
  const std::string begin = "import std.ops\nmodel m(h: int = 4) {\n in x: [batch, h]\n loss = ops.gelu(x)\n}\n"
                            "plan p {\n model = m\n mesh { t = 1 }\n";
  const auto chain = [&](const std::string& term, int times) { return term + repeated(" and " + term, times - 1); };
  for (const char* term : {"step_time >= 0s", "mesh.t >= 1", "1 == 1"}) {
    EXPECT_EQ(first(begin + " assert " + chain(term, 200) + "\n}"), "") << term;
    EXPECT_EQ(first(begin + " assert " + chain(term, 100'000) + "\n}"), "PLAN0319") << term;
    EXPECT_EQ(first(begin + " search {\n where " + chain(term, 200) + "\n }\n}"), "") << term;
    EXPECT_EQ(first(begin + " search {\n where " + chain(term, 100'000) + "\n }\n}"), "PLAN0319") << term;
  }
  std::string nested = "1 == 1"; // none of the chains is long
  for (int i = 0; i < 20; ++i) nested = "(" + nested + ")" + repeated(" and 1 == 1", 60);
  EXPECT_EQ(first(begin + " assert " + nested + "\n}"), "PLAN0319");
  EXPECT_EQ(first(begin + " measured step_time = 1s" + repeated(" + 1s", 100'000) + "\n}"), "PLAN0319");
  EXPECT_EQ(first(begin + " search {\n minimize step_time" + repeated(" + step_time", 100'000) + "\n }\n}"),
            "PLAN0319");
  EXPECT_EQ(first(begin + " search {\n vary mesh.t in [1]\n" +
                  numbered([](int i) { return " where step_time > " + n(i) + "ns\n"; }, 0, 5'000) + " }\n}"),
            "")
      << "many conditions are no deep one";
}

TEST(Hostile, WorkIsCounted) {
  EXPECT_EQ(first("let l = divisors(963761198400)\nlet m = [[[a * b * c for a in l] for b in l] for c in l]"),
            "PLAN0318");
  EXPECT_EQ(
      first("let f0(x) = x + 1\n" +
            numbered([](int i) { return "let f" + n(i) + "(x) = f" + n(i - 1) + "(f" + n(i - 1) + "(x))\n"; }, 1, 40) +
            "let r = f39(1)"),
      "PLAN0318");
  EXPECT_EQ(first("let a0 = [1, 2]\n" +
                  numbered([](int i) { return "let a" + n(i) + " = a" + n(i - 1) + " + a" + n(i - 1) + "\n"; }, 1, 60)),
            "PLAN0305");
}

TEST(Hostile, WhatListsShareIsCountedWhereItIsLookedAt) {
  const std::string shared =
      "let a0 = [1, 1]\n" +
      numbered([](int i) { return "let a" + n(i) + " = [a" + n(i - 1) + ", a" + n(i - 1) + "]\n"; }, 1, 40);
  EXPECT_EQ(first(shared + "assert a39 == a39"), "PLAN0318");
  EXPECT_EQ(first(shared + "let z = a39 in [a39]"), "PLAN0318");
  EXPECT_EQ(first(shared + "let z: " + repeated("list<", 40) + "int" + repeated(">", 40) + " = a39"), "PLAN0318");
  EXPECT_EQ(first(shared + "let f(x where len(x) > 5) = x\nlet z = f(a39)"), "PLAN0310");
}

TEST(Hostile, RecursionEnds) {
  EXPECT_EQ(first("let f(x) = f(x + 1)\nlet a = f(1)"), "PLAN0208");
  EXPECT_EQ(first("let f(x) = if x <= 1 then 1 else x * f(x - 1)\nassert f(10) == 3628800"), "")
      << "recursion that ends is legal";
  EXPECT_EQ(
      first("import std.ops\nblock a(x: [.., h]) { out: [.., h] = b(x) }\nblock b(x: [.., h]) { out: [.., h] = a(x) }\n"
            "model m(h: int = 4) {\n in x: [batch, h]\n loss = a(x)\n}"),
      "PLAN0208");
  EXPECT_EQ(first("model a = b\nmodel b = c\nmodel c = a"), "PLAN0209");
  EXPECT_EQ(first(numbered([](int i) { return "let a" + n(i) + " = a" + n(i + 1) + " + 1\n"; }, 0, 20'000) +
                  "let a20000 = 1"),
            "PLAN0319");
}

TEST(Hostile, ModelsAreBounded) {
  const std::string tree = "import std.ops\nblock b0(x: [.., h]) { out: [.., h] = ops.gelu(x) }\n" +
                           numbered(
                               [](int i) {
                                 return "block b" + n(i) + "(x: [.., h]) {\n a = b" + n(i - 1) +
                                        "(x)\n out: [.., h] = b" + n(i - 1) + "(a)\n}\n";
                               },
                               1, 40);
  EXPECT_EQ(first(tree + "model m(h: int = 4) {\n in x: [batch, h]\n loss = b39(x)\n}"), "PLAN0418");
  EXPECT_EQ(first("import std.ops\nmodel m(h: int = 4) {\n in x: [batch, h]\n d * 1000000000000 with y = x {\n e * "
                  "1000000000000 with z = y {\n"
                  " param w: [h]\n out ops.bias(z, w)\n }\n out e\n }\n loss = d\n}\nplan p { model = m }"),
            "")
      << "a folded count costs nothing";
  EXPECT_EQ(first("import std.ops\nmodel m(h: int = 0) {\n in x: [batch, h]\n loss = ops.gelu(x)\n}"), "PLAN0406");
  EXPECT_EQ(first("op o(x: [a, b]) -> [a, b] {\n kind = memory\n flops = (extent(a) + extent(b) + 1)" +
                  repeated(" * (extent(a) + extent(b) + 1)", 300) +
                  "\n}\nmodel m(a: int = 4, b: int = 5) {\n in x: [a, b]\n loss = o(x)\n}"),
            "PLAN0322");
}

TEST(Hostile, PlansAreBounded) {
  const std::string model = "import std.ops\nmodel m(h: int = 4) {\n in x: [batch, h]\n loss = ops.gelu(x)\n}\n";
  EXPECT_EQ(first(model + "plan p {\n model = m\n mesh {\n" +
                  numbered([](int i) { return " t" + n(i) + " = 1\n"; }, 0, 5000) + "}\n}"),
            "PLAN0662");
  EXPECT_EQ(first(model + "plan p {\n model = m\n mesh {\n t = 1\n g0 = [t, t]\n" +
                  numbered([](int i) { return " g" + n(i) + " = [g" + n(i - 1) + ", g" + n(i - 1) + "]\n"; }, 1, 30) +
                  "}\n}"),
            "PLAN0662");
  EXPECT_EQ(first(model + "plan p {\n model = m\n mesh { a = [b]; b = [a] }\n}"), "PLAN0654");
  EXPECT_EQ(first(model + "plan p {\n model = m\n mesh { a = 1099511627776; b = 1099511627776 }\n}"), "PLAN0662");
  EXPECT_EQ(first(model + "plan p0 { model = m }\n" +
                  numbered([](int i) { return "plan p" + n(i) + " extends p" + n(i - 1) + " { }\n"; }, 1, 100)),
            "PLAN0527");
}

} // namespace
} // namespace planc::frontend
