// Turns candidate numbers into plans and prices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Answer.h"
#include "search/Engine.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace planc::search {

/// Supplies the elaborated plans that candidates are changes of. Use one source per thread.
class PlanSource {
public:
  virtual ~PlanSource() = default;
  /// Returns the plan with the values of the first `digits.size()` choices of the space and, if given, `filled` ranks
  /// on the axis that is filled. Null after errors, which go to `diagnostics`.
  virtual std::unique_ptr<ir::Plan> plan(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                         DiagnosticEngine& diagnostics) = 0;
};

/// Returns a stride through the numbers from 0 to `count` - 1, taken modulo `count`, that soon comes near every number:
/// `count` times the golden ratio.
inline uint64_t goldenStride(uint64_t count) {
  return static_cast<uint64_t>(0.6180339887498949 * static_cast<double>(count));
}

/// Prices candidates on one thread. Request candidates with the same outer choices in a row, and neighbours among them
/// together, because they share most of the work.
class Candidates {
public:
  /// `kept`: as in `Engine`.
  explicit Candidates(const ir::Space& space, std::unique_ptr<PlanSource> source, size_t kept = 64);

  /// Prices a candidate. If `known` is given, a candidate that is certainly worse than everything `known` keeps is not
  /// priced, and its fate is Worse.
  Outcome price(ir::CandidateId id, const Answer* known = nullptr);
  /// Returns the first number from `id` on that is not certainly worse than everything `known` keeps. It uses only the
  /// properties that all candidates before that number share.
  ir::CandidateId skip(ir::CandidateId id, const Answer& known);
  /// A lower bound of the first goal of the candidates [id, end); infinite if a law forbids all of them.
  struct Floor {
    double least = 0;
    ir::CandidateId end = 0;
  };
  /// Returns the bound for `id`; nothing if none can be computed. May price some candidates first.
  std::optional<Floor> floor(ir::CandidateId id);
  /// Returns how many of the numbers [from, to) are candidates.
  uint64_t countIn(ir::CandidateId from, ir::CandidateId to) const;
  /// Returns whether the candidate has a plan: its values are in their lists, the filled axis is a whole number, and no
  /// law and no condition on choices forbids it.
  bool isLawful(ir::CandidateId id);
  /// Returns the plan of a candidate as it is priced; null if a law forbids it, which is reported.
  std::unique_ptr<ir::Plan> plan(ir::CandidateId id, DiagnosticEngine& diagnostics);
  Engine& engine() { return engine_; }
  /// Returns the ranks of the axis that the space fills, in a plan of a candidate; nothing if the space fills none.
  std::optional<int64_t> filled(const ir::Plan& plan) const;

private:
  /// The cluster and stack that the choices of the machine result in. Plans that share them share layers and prices.
  struct Machine {
    std::vector<uint32_t> values; ///< values of the choices in `ofMachine_`
    std::shared_ptr<const ir::Cluster> cluster;
    std::shared_ptr<const ir::Stack> stack;
  };
  /// An elaborated plan that candidates are changes of.
  struct Base {
    ir::CandidateId outer = 0; ///< candidate number divided by `innerEnd_`
    std::unique_ptr<ir::Plan> plan;
    int code = 0;            ///< code of the law that forbids the plan
    bool elaborates = false; ///< the text reads values that inner choices set, so each candidate is elaborated
    cost::Wanted wanted = cost::Wanted::totals();
    bool bounded = false; ///< floors of step time and memory bound all goals
    /// The range of candidates that agree in all choices up to the last one that changes the work, and lower bounds of
    /// their goals.
    ir::CandidateId common = 0, commonEnd = 0;
    std::vector<double> floors = {};
    Latest<Machine> machines = {};
  };
  /// A candidate with the results of each stage before its price.
  struct Asked {
    ir::Plan plan;
    DiagnosticEngine found;
    std::unique_ptr<ir::Program> program;
    std::unique_ptr<ir::Schedule> schedule;
  };
  Outcome prepare(ir::CandidateId id, Asked& asked, const Answer* known);
  Base& baseOf(ir::CandidateId id, std::span<const uint32_t> digits);
  void elaborate(Base& base, std::span<const uint32_t> digits);
  void shareMachine(Base& base, std::span<const uint32_t> digits, ir::Plan& plan) const;
  bool changed(Base& base, std::span<const uint32_t> digits, ir::Plan& plan, DiagnosticEngine& diagnostics,
               bool& whole);
  bool isCandidate(std::span<const uint32_t> digits) const;
  const ir::SearchTerms& terms() const;
  std::vector<double> floorsOf(const ir::Plan& plan, double step, double peak) const;
  bool worse(const ir::Plan& plan, const Answer& known);
  bool worse(const ir::Plan& plan, const ir::Schedule& schedule, const Answer& known);
  static bool shareFloors(const ir::Plan& a, const ir::Plan& b);
  void findCommon(ir::CandidateId id, std::span<const uint32_t> digits);

  const ir::Space& space_;
  std::unique_ptr<PlanSource> source_;
  ir::CandidateId innerEnd_;
  Latest<Base> bases_;            ///< neighbouring blocks of a walk alternate between them
  Base* base_ = nullptr;          ///< the base of the last candidate
  std::vector<size_t> ofMachine_; ///< choices that change facts of cluster, device or stack
  Engine engine_;
};

} // namespace planc::search
