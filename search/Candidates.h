// Candidates one by one: what a number of a space comes to.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Answer.h"
#include "search/Engine.h"

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace planc::search {

/// Where the plans come from that candidates are changes of: the frontend, for one thread.
class PlanSource {
public:
  virtual ~PlanSource() = default;
  /// The plan with the values of the first choices of the space, `filled` ranks on the axis that is filled. Null after
  /// reports, which go to `diagnostics`.
  virtual std::unique_ptr<ir::Plan> plan(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                         DiagnosticEngine& diagnostics) = 0;
};

/// A step through so many numbers, from 0 on and around, that soon has been near each of them: of the golden section.
inline uint64_t goldenStride(uint64_t count) {
  return static_cast<uint64_t>(0.6180339887498949 * static_cast<double>(count));
}

/// Prices candidates, for one thread. Those of one elaborated plan should be asked for in a row, and neighbours among
/// them: they share most.
class Candidates {
public:
  /// `kept`: as of `Engine`.
  explicit Candidates(const ir::Space& space, std::unique_ptr<PlanSource> source, size_t kept = 64);

  /// What is certainly worse than all that `known` keeps need not be priced; null: all are.
  Outcome price(ir::CandidateId id, const Answer* known = nullptr);
  /// The first number from this one on that is not certainly worse than all that `known` keeps, seen by what all
  /// candidates up to there have in common.
  ir::CandidateId skip(ir::CandidateId id, const Answer& known);
  /// What the first goal of any candidate in [id, end) is at least; infinite where a law forbids all of them.
  struct Floor {
    double least = 0;
    ir::CandidateId end = 0;
  };
  /// Nothing where no floor is known. May price some of them to know one.
  std::optional<Floor> floor(ir::CandidateId id);
  /// How many of the numbers [from, to) are candidates.
  uint64_t countIn(ir::CandidateId from, ir::CandidateId to) const;
  /// Is there such a plan: whole, in its lists, and neither a law nor a condition on choices forbids it?
  bool isLawful(ir::CandidateId id);
  /// The plan of a candidate, as it is priced; null if a law forbids that there is one (reported).
  std::unique_ptr<ir::Plan> plan(ir::CandidateId id, DiagnosticEngine& diagnostics);
  Engine& engine() { return engine_; }
  /// Ranks of the axis that the space fills, in a plan of a candidate.
  std::optional<int64_t> filled(const ir::Plan& plan) const;

private:
  /// What the values of choices of the machine make of it: plans that share it share layers and prices.
  struct Machine {
    std::vector<uint32_t> values; ///< of these choices
    std::shared_ptr<const ir::Cluster> cluster;
    std::shared_ptr<const ir::Stack> stack;
  };
  /// An elaborated plan that candidates are changes of.
  struct Base {
    ir::CandidateId outer = 0; ///< the number of its outer choices
    std::unique_ptr<ir::Plan> plan;
    int code = 0;            ///< of the law that forbids it
    bool elaborates = false; ///< its text reads what inner choices set: each candidate is elaborated
    cost::Wanted wanted = cost::Wanted::totals();
    bool bounded = false; ///< all its goals follow from what floors are known of
    /// What candidates have in common that agree in all choices up to the last that says more than a layout: the number
    /// of the first of them, and the floors of their goals.
    ir::CandidateId common = 0, commonEnd = 0;
    std::vector<double> floors = {};
    std::list<Machine> machines = {}; ///< the last one met first
  };
  /// A candidate on its way to a price.
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
  std::list<Base> bases_;         ///< the last one met first
  Base* base_ = nullptr;          ///< this one
  std::vector<size_t> ofMachine_; ///< choices that change facts of cluster, device or stack
  Engine engine_;
};

} // namespace planc::search
