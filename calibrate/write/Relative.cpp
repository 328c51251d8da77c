// Adapts one family of relative constants per step.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/write/Relative.h"

#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace planc::calibrate {

PLANC_WARNING(OtherKernel, 1014,
              "`{name}` was measured with another kernel than that of `{stack}`: {measured} passes {direction}, but "
              "{known} in the stack")

PLANC_WARNING(StackExtendsNone, 827,
              "`{record}` extends no stack: it has only the sampled facts and cannot price a plan")

namespace {

using ir::DeviceFact;
using ir::StackFact;

/// Kernels bound by memory reach 40 to 100 % of its rate. A larger factor between passes means different traffic.
constexpr double kSameKernel = 2.5;
/// Fewer compared operators do not tell how the stack's kernels relate to its numbers.
constexpr size_t kFewestKernels = 3;
/// A number that would change by a smaller share is kept.
constexpr double kMoves = 0.005;

double largest(const Fact& fact) {
  return fact.table.empty() ? fact.number : fact.table.y.back();
}
ir::Table times(ir::Table table, double factor) {
  for (double& y : table.y) y *= factor;
  return table;
}
/// The reason, for a source text, why a value that was not measured changes.
constexpr std::string_view kKernels = "the ratio of its measured kernels, or of the memory's rate";
/// A stack's passes of a kernel, and the ratio of measured passes to them.
struct Compared {
  double known = 0, ratio = 0;
};
bool passesFact(const ir::FactRef& fact) {
  return fact.id == ir::FactId(StackFact::PassesForward) || fact.id == ir::FactId(StackFact::PassesBackward);
}

class Relatives {
public:
  Relatives(Calibration& calibration, const Bases& bases, DiagnosticEngine& diagnostics)
      : c_(calibration), bases_(bases), stack_(*bases.stackFacts), diagnostics_(diagnostics) {}

  void run() {
    noteUnknownOperators();
    compare();
    for (const StackFact fact : {StackFact::PassesForward, StackFact::PassesBackward})
      for (const ir::FactKey& key : stack_.keys(fact))
        scale({fact, key}, factorOf(stack_.number(fact, key)->value), false, kKernels);
    for (const StackFact fact : {StackFact::TableGradient, StackFact::Accumulation})
      scale({fact}, factorOf(0), true, kKernels);
    attention();
    optimizers();
  }

private:
  Section* sectionOf(const ir::FactRef& fact) {
    for (Section& s : c_.sections)
      if (!s.row() && std::any_of(s.facts.begin(), s.facts.end(), [&](const Fact& f) { return f.of == fact; }))
        return &s;
    return nullptr;
  }
  const Fact* measured(Record record, const ir::FactRef& fact) const {
    for (const Section& s : c_.sections)
      for (const Fact& f : s.facts)
        if (s.record == record && f.of == fact) return &f;
    return nullptr;
  }
  const ir::Number* known(const ir::FactRef& fact) const {
    return stack_.number(static_cast<StackFact>(fact.id.index), fact.key);
  }

  /// Notes measured passes whose name is no operator of the library; only plans with an operator of that name read
  /// them.
  void noteUnknownOperators() {
    for (const Section& s : c_.sections) {
      if (s.row() || s.record != Record::Stack || !passesFact(s.facts.front().of)) continue;
      const std::string name(s.facts.front().of.key.text());
      const std::vector<std::string>& known = bases_.operators;
      if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string meant = didYouMean(name, known);
      c_.notes.push_back(fmt::format(
          "`{}` is not an operator of the library: plans use its passes if they have an operator of this name{}{}",
          name, meant.empty() ? "" : "; ", meant));
    }
  }

  /// Removes samples of kernels that the stack does not run, and stores how the others compare with the stack's passes.
  void compare() {
    std::vector<std::string> fused;
    std::erase_if(c_.sections, [&](const Section& s) {
      if (s.row() || s.record != Record::Stack || !passesFact(s.facts.front().of)) return false;
      std::vector<Compared> own;
      const Fact* farthest = nullptr;
      double most = 0, together = 0; // sums of logarithms, because both directions are one kernel
      for (const Fact& f : s.facts) {
        const ir::Number* number = passesFact(f.of) ? known(f.of) : nullptr;
        if (!number) continue;
        if (number->value == 0) {
          fused.emplace_back(f.of.key.text());
          return true;
        }
        own.push_back({number->value, largest(f) / number->value});
        const double off = std::log(own.back().ratio);
        together += off;
        if (!farthest || std::abs(off) > std::abs(most)) farthest = &f, most = off;
      }
      if (farthest && apart(std::exp(together / static_cast<double>(own.size())), 1)) {
        refuse(*farthest, known(farthest->of)->value);
        return true;
      }
      compared_.insert(compared_.end(), own.begin(), own.end());
      operators_ += !own.empty();
      return false;
    });
    if (!fused.empty())
      c_.notes.push_back(fmt::format("not written, since `{}` fuses it into a neighbour: `{}`", bases_.stack,
                                     fmt::join(fused, "`, `")));
  }
  static bool apart(double a, double b) { return std::abs(std::log(a / b)) > std::log(kSameKernel); }

  /// Returns the factor for passes that were not measured: the median of measured / known over kernels with a similar
  /// number of passes (chains of small kernels lose more time than single ones), or over all kernels if few are
  /// similar. If too few kernels were compared, returns the factor that leaves times unchanged.
  double factorOf(double passes) const {
    std::vector<double> near, all;
    for (const Compared& kernel : compared_) {
      all.push_back(kernel.ratio);
      if (passes > 0 && !apart(kernel.known, passes)) near.push_back(kernel.ratio);
    }
    if (operators_ >= kFewestKernels) return median(std::move(near.size() >= kFewestKernels ? near : all));
    const Fact* rate = measured(Record::Device, {DeviceFact::MemoryEfficiency});
    const ir::Number* before = c_.part->device.number(DeviceFact::MemoryEfficiency);
    return rate && before ? rate->number / before->value : 1;
  }

  void refuse(const Fact& fact, double known) {
    const bool forward = fact.of.id == ir::FactId(StackFact::PassesForward);
    diagnostics_
        .report(OtherKernel, {},
                {{"name", fact.of.key.text()},
                 {"stack", bases_.stack},
                 {"measured", fmt::format("{:.3g}", largest(fact))},
                 {"direction", forward ? "forward" : "backward"},
                 {"known", fmt::format("{:.3g}", known)}})
        .note(fmt::format("these samples are not written: `{}` keeps its own passes, multiplied by the ratio of its "
                          "other measured kernels",
                          bases_.stack))
        .help(
            "sample the operator as your framework runs it, or extend the stack of a framework that runs this kernel");
  }

  /// Scales a fact that was not measured. Facts that the stack lacks, or that are 0, stay.
  void scale(const ir::FactRef& fact, double factor, bool alone, std::string_view like) {
    const ir::Number* number = known(fact);
    if (!number || number->value == 0 || std::abs(factor - 1) < kMoves || sectionOf(fact)) return;
    Fact made{fact, number->value * factor, times(number->table, factor)};
    const std::string why = fmt::format("not measured: {:.4g} times the value of the extended record, {}; {}", factor,
                                        like, number->source);
    // Forward and backward passes of an operator are one statement.
    const ir::FactRef other(fact.id == ir::FactId(StackFact::PassesForward) ? StackFact::PassesBackward
                                                                            : StackFact::PassesForward,
                            fact.key);
    if (Section* own = passesFact(fact) ? sectionOf(other) : nullptr) {
      const bool same = own->samples == 0;
      own->facts.push_back(std::move(made));
      own->source += same ? fmt::format("; `{}` {:.4g} times", direction(fact), factor)
                          : fmt::format("; `{}` is {}", direction(fact), why);
      return;
    }
    add(std::move(made), alone, why);
  }
  static std::string_view direction(const ir::FactRef& fact) {
    return fact.id == ir::FactId(StackFact::PassesForward) ? "forward" : "backward";
  }
  void add(Fact fact, bool alone, std::string source) {
    Section section;
    section.record = Record::Stack;
    section.alone = alone;
    section.facts.push_back(std::move(fact));
    section.source = std::move(source);
    c_.sections.push_back(std::move(section));
  }

  /// The device's attention curve was measured with this stack's kernel, so its factors relative to another curve are
  /// reset.
  void attention() {
    const Section* curve = sectionOf({DeviceFact::AttentionForward});
    if (!curve) return;
    const std::string why = "the device's curve was measured with this software, " + curve->source;
    const auto same = [&](StackFact of, double value, ir::Table table) {
      const ir::Number* number = stack_.number(of);
      if (number && (number->value != value || number->table.x != table.x || number->table.y != table.y))
        add({{of}, value, std::move(table)}, true, why);
    };
    same(StackFact::AttentionFactor, 1, {});
    const auto ofDevice = [&](DeviceFact fact, StackFact of) {
      const Fact* own = measured(Record::Device, {fact});
      const ir::Number* library = c_.part->device.number(fact);
      if (!own && (!library || of == StackFact::AttentionBackward)) return; // a ratio within the same kernel stays
      const ir::Table& table = own ? own->table : library->table;
      const double number = !table.empty() ? median(table.y) : own ? own->number : library->value;
      same(of, number, of == StackFact::AttentionHead ? table : ir::Table());
    };
    ofDevice(DeviceFact::AttentionHead, StackFact::AttentionHead);
    ofDevice(DeviceFact::AttentionBackward, StackFact::AttentionBackward);
  }

  /// Optimizers with the same update get the same bytes. The bytes of others are scaled by the same factor.
  void optimizers() {
    std::vector<double> ratios;
    const std::vector<Section> own = c_.sections;
    for (const Section& s : own) {
      if (s.row()) continue;
      const ir::FactRef of = s.facts.front().of;
      const bool bytes = of.id == ir::FactId(StackFact::Optimizer);
      if (!bytes && of.id != ir::FactId(StackFact::OptimizerTensor)) continue;
      if (const ir::Number* before = bytes ? known(of) : nullptr; before && before->value > 0)
        ratios.push_back(largest(s.facts.front()) / before->value);
      if (!optimizer(Symbol(of.key.text())))
        c_.notes.push_back(
            fmt::format("`{}` is not an optimizer of the library: plans use `{}` if their optimizer has this name",
                        of.key.text(), of.path()));
      for (const Symbol name : sameUpdates(Symbol(of.key.text()))) {
        const ir::FactRef as =
            bytes ? ir::FactRef(StackFact::Optimizer, name) : ir::FactRef(StackFact::OptimizerTensor, name);
        if (sectionOf(as)) continue;
        Section copy = s;
        copy.facts.front().of = as;
        copy.source = fmt::format("the update of `{}`: {}", of.key.text(), s.source);
        c_.sections.push_back(std::move(copy));
      }
    }
    const double factor = ratios.empty() ? factorOf(0) : median(ratios);
    for (const ir::FactKey& key : stack_.keys(StackFact::Optimizer))
      if (inMemory(Symbol(key.text())))
        scale({StackFact::Optimizer, key}, factor, true,
              ratios.empty() ? kKernels : "the ratio of its measured updates");
  }

  const ir::Optimizer* optimizer(Symbol name) const {
    const auto found = std::find_if(bases_.optimizers.begin(), bases_.optimizers.end(),
                                    [&](const ir::Optimizer& o) { return o.name == name; });
    return found == bases_.optimizers.end() ? nullptr : &*found;
  }
  /// Returns whether the update runs at the memory rate of the device: not on the host, and not on rows in random
  /// order.
  bool inMemory(Symbol name) const {
    const ir::Optimizer* own = optimizer(name);
    return own && !own->onHost && own->rowStates == 0;
  }
  /// Returns the other optimizers of the library with the same states and work.
  std::vector<Symbol> sameUpdates(Symbol name) const {
    std::vector<Symbol> out;
    const ir::Optimizer* own = optimizer(name);
    if (!own) return out;
    for (ir::Optimizer other : bases_.optimizers) {
      if (other.name == name) continue;
      const Symbol called = other.name;
      other.name = own->name;
      other.range = own->range;
      if (other == *own) out.push_back(called);
    }
    return out;
  }

  std::vector<Compared> compared_;
  size_t operators_ = 0; ///< count of compared operators
  Calibration& c_;
  const Bases& bases_;
  const ir::Stack& stack_;
  DiagnosticEngine& diagnostics_;
};

} // namespace

void setAnew(Calibration& calibration, const Bases& bases, DiagnosticEngine& diagnostics) {
  static const ir::Stack kNone;
  Bases known = bases;
  if (!known.stackFacts) known.stackFacts = &kNone;
  Relatives(calibration, known, diagnostics).run();
  const bool written = std::any_of(calibration.sections.begin(), calibration.sections.end(),
                                   [](const Section& s) { return s.record == Record::Stack; });
  if (!written || bases.stackFacts) return;
  diagnostics.report(StackExtendsNone, {}, {{"record", stackRecord(*calibration.part)}})
      .note("a plan also needs facts that samples of operators do not have: launches, overlap, accumulation")
      .help("name the stack of your framework, which the new record then extends: `--stack NAME`; `planc show "
            "std.stacks` lists them");
}

} // namespace planc::calibrate
