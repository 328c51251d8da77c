// What a derivation prints is what was computed: the numbers and the symbols of every equation, read back, give the
// seconds of the price, and its parts have units that go together.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/Collectives.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/StackFacts.h"
#include "ir/vocabulary/Algorithms.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace planc::cost::test {
namespace {

using namespace ir;
using Symbols = std::map<std::string, double>;

/// Reads an expression as `symbols` and `numbers` write it. Values are in base units.
class Reader {
public:
  Reader(std::string_view text, const Symbols& known) : rest_(text), known_(known) {}
  double all() {
    const double value = sum();
    EXPECT_EQ(rest_, "") << "left over";
    return value;
  }

private:
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  double sum() {
    double value = product();
    while (true) {
      if (take(" + "))
        value += product();
      else if (take(" - "))
        value -= product();
      else
        return value;
    }
  }
  double product() {
    double value = atom();
    while (true) {
      if (take(" · ") || take("·"))
        value *= atom();
      else if (take(" / "))
        value /= atom();
      else
        return value;
    }
  }
  double list(double (*pick)(double, double)) {
    double value = sum();
    while (take(", ")) value = pick(value, sum());
    EXPECT_TRUE(take(")"));
    return value;
  }
  double atom() {
    if (take("√")) return std::sqrt(atom());
    if (take("max(")) return list([](double a, double b) { return std::max(a, b); });
    if (take("min(")) return list([](double a, double b) { return std::min(a, b); });
    if (take("hypot(")) return list([](double a, double b) { return std::hypot(a, b); });
    const Symbols::value_type* longest = nullptr;
    for (const auto& entry : known_)
      if (rest_.starts_with(entry.first) && (!longest || entry.first.size() > longest->first.size())) longest = &entry;
    if (longest) return rest_.remove_prefix(longest->first.size()), longest->second;
    if (take("log2(")) return std::log2(list([](double a, double) { return a; }));
    if (take("(")) return list([](double a, double) { return a; });
    return quantity();
  }
  /// `50.33 MB`, `2`.
  double quantity() {
    const size_t digits = std::min(rest_.find_first_not_of("0123456789.e-"), rest_.size());
    std::string text(rest_.substr(0, digits));
    rest_.remove_prefix(digits);
    if (rest_.size() > 1 && rest_[0] == ' ' && std::isalpha(static_cast<unsigned char>(rest_[1]))) {
      const size_t end = std::min(rest_.find_first_of(" ),", 1), rest_.size());
      text += rest_.substr(1, end - 1);
      rest_.remove_prefix(end);
    }
    std::string bad;
    const std::optional<Quantity> read = parseQuantity(text, bad);
    EXPECT_TRUE(read) << "no quantity: '" << text << "' before '" << rest_ << "'";
    return read ? read->value : 0;
  }

  std::string_view rest_;
  const Symbols& known_;
};

double read(std::string_view text, const Symbols& known = {}) {
  return Reader(text, known).all();
}

/// The symbols of a formula with their values; false where one symbol has two.
bool collect(const Formula& f, Symbols& found) {
  bool unique = true;
  if (f.operation <= Operation::Named && !f.symbol.empty())
    unique = found.emplace(f.symbol, f.value).first->second == f.value;
  if (f.operation == Operation::Named) return unique;
  if (f.left) unique &= collect(*f.left, found);
  if (f.right) unique &= collect(*f.right, found);
  return unique;
}

/// Sums and maxima are of like units.
void expectUnits(const Formula& f) {
  if (f.operation == Operation::Root || f.operation == Operation::Log2) {
    EXPECT_TRUE(f.left->unit.plain()) << symbols(f);
  } else if (f.left && f.right && f.operation != Operation::Multiply && f.operation != Operation::Divide) {
    EXPECT_EQ(f.left->unit.name(), f.right->unit.name()) << symbols(f);
  }
  if (f.left) expectUnits(*f.left);
  if (f.right) expectUnits(*f.right);
}

constexpr double kPrinted = 2e-3; // numbers have four digits

/// The law. Counts equations whose symbols could be read back, too: no two parts of them share a name.
void expectTrue(const Derivation& why, double seconds, int& readBack) {
  if (!why.formula) {
    EXPECT_EQ(seconds, 0) << why.reason;
    return;
  }
  const Formula& f = *why.formula;
  const std::string text = evaluated(f);
  EXPECT_EQ(f.value, seconds);
  EXPECT_EQ(f.unit.name(), units::time.name()) << symbols(f);
  expectUnits(f);
  const size_t equals = text.rfind(" = ");
  const std::string left = text.substr(0, equals), right = equals == text.npos ? text : text.substr(equals + 3);
  EXPECT_NEAR(read(left) / seconds, 1, kPrinted) << symbols(f) << "\n" << text;
  EXPECT_NEAR(read(right) / seconds, 1, kPrinted) << text;
  Symbols known;
  if (!collect(f, known)) return;
  ++readBack;
  EXPECT_NEAR(read(symbols(f), known) / seconds, 1, 1e-12) << symbols(f);
}

TEST(Formulas, WhatIsPrintedIsWhatIsComputed) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Formulas formulas;
    Symbols known;
    std::vector<Term> terms = {1, 2, 3};
    for (const char* name : {"a", "b", "t0", "hop", "efficiency", "bytes(scores)", "ranks per node"}) {
      const double value = known[name] = 1 + static_cast<double>(random() % 97) / 7;
      terms.emplace_back(value, formulas.add({.operation = Operation::Fact, .value = value, .symbol = name}));
    }
    for (int i = 0; i < 8; ++i) {
      const Term &a = terms[random() % terms.size()], &b = terms[random() % terms.size()];
      const auto made = [&]() -> Term {
        switch (random() % 7) {
        case 0:
          return a - b;
        case 1:
          return a * b;
        case 2:
          return b.value == 0 ? a : a / b;
        case 3:
          return max(a, b);
        case 4:
          return min(a, b);
        case 5:
          return a.value < 0 ? a : sqrt(a);
        default:
          return a + b;
        }
      };
      const Term last = made();
      if (!last.from || std::fabs(last.value) > 1e6) continue;
      terms.push_back(last);
      EXPECT_DOUBLE_EQ(last.from->value, last.value);
      EXPECT_NEAR(read(symbols(*last.from), known), last.value, 1e-6 * (1 + std::fabs(last.value)))
          << symbols(*last.from);
    }
  }
}

TEST(Formulas, HowTheyAreWritten) {
  Formulas formulas;
  auto fact = [&](const char* name, double value, const Unit& unit) {
    return Term(value, formulas.add({.operation = Operation::Fact, .value = value, .unit = unit, .symbol = name}));
  };
  const Term bytes(
      1e9, formulas.add({.operation = Operation::Quantity, .value = 1e9, .unit = units::bytes, .symbol = "bytes"}));
  const Term bandwidth = fact("efficiency", .5, units::none) * fact("B", 1e12, units::bandwidth);
  const Term time = memory(2 * bytes / bandwidth) + launch(fact("start", 5e-6, units::time));
  EXPECT_EQ(symbols(*time.from), "2 · bytes / (efficiency · B) + start");
  EXPECT_EQ(evaluated(*time.from), "2 GB / 500 GB/s + 5 us = 4.005 ms");
  EXPECT_EQ(where(*time.from), "bytes = 1 GB");
  EXPECT_EQ(time.bound, Bound::Memory);
  // What changes nothing is not written, and what is divided by is not multiplied by its reciprocal.
  EXPECT_EQ(symbols(*(Term(1) * bytes + 0).from), "bytes");
  EXPECT_EQ(symbols(*(bytes * (1 / bandwidth)).from), "bytes / (efficiency · B)");
  // No derivation, no tree.
  EXPECT_EQ((Term(2) * 3 + 4).from, nullptr);
}

/// A node with work of every kind.
Node busy(const Builder& b, OpId op, Role role) {
  Node node = b.compute(op, role, role == Role::Forward ? Phase::Forward : Phase::Backward);
  LocalWork& w = node.compute().work;
  w.flops = 3e11, w.share = .5, w.reads = 2e8, w.writes = 1e8, w.firstOperandBytes = 1.5e8, w.resultBytes = 1e8;
  w.row = 4096, w.batch = 8, w.m = 512, w.n = 14336, w.k = 4096, w.elements = 5e7, w.tokensPerExpert = 512;
  w.sequence = 4096, w.headDim = 64, w.sequenceSplit = true, w.dtype = DType::fp16;
  return node;
}

TEST(Formulas, OfEveryOperator) {
  int readBack = 0, priced = 0;
  for (const OperatorEquation& row : operatorEquations())
    for (Role role :
         {Role::Forward, Role::DGrad, Role::WGrad, Role::Backward, Role::Accumulate, Role::Cast, Role::Save})
      for (const char* name : {"gelu", "unheard"}) { // with passes, and without
        Builder b(1, {{"tp", 8}});
        b.unit("layer");
        const OpId op = b.op(name, row.kind);
        Node node = busy(b, op, role);
        node.compute().value = b.param(op, "w", {64, 64});
        DiagnosticEngine diagnostics;
        Derivation why;
        const double seconds = b.model(diagnostics)->price(b.program, node, {&why}).seconds;
        SCOPED_TRACE(std::string(ir::name(row.kind)) + " " + std::string(ir::name(role)) + " " + name);
        expectTrue(why, seconds, readBack);
        priced += seconds > 0;
      }
  EXPECT_GT(priced, 70);
  EXPECT_EQ(readBack, priced) << "no two parts of an operator's equation have one name";
}

TEST(Formulas, OfEveryCollective) {
  int readBack = 0;
  std::set<std::string> ran;
  for (const int64_t nodes : {1, 2, 8})
    for (const char* axes : {"inside", "all", "across"})
      for (size_t word = 0; word < algorithmWords().words().size(); ++word)
        for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllToAll, CollectiveKind::SendRecv})
          for (const double copies : {1., 8.}) {
            Builder b(nodes, {{"inside", 8}, {"across", nodes}});
            edit(b.plan.stack).set(StackFact::Algorithm, kind, number(static_cast<double>(word)));
            AxisMask mask = b.axis("inside") | b.axis("across");
            if (std::string_view(axes) != "all") mask = b.axis(axes);
            Node node = b.collective({}, kind, CollectiveClass::Gradient, mask, 1e8);
            node.collective().copies = copies;
            node.collective().ring = copies > 1;
            DiagnosticEngine diagnostics;
            Derivation why;
            const double seconds = b.model(diagnostics)->price(b.program, node, {&why}).seconds;
            SCOPED_TRACE(std::string(ir::name(kind)) + " " + axes + " " +
                         std::string(algorithmWords().words()[word]->name));
            expectTrue(why, seconds, readBack);
            for (const auto& [key, text] : why.notes)
              if (key == "algorithm") ran.insert(text.substr(0, text.find(':')));
          }
  EXPECT_GT(readBack, 300);
  for (const char* name :
       {"sampled", "pipelined", "exchange across", "send and receive", "ring", "tree", "hierarchical"})
    EXPECT_TRUE(ran.contains(name)) << name;
}

} // namespace
} // namespace planc::cost::test
