// Candidates one by one: what a number of a space comes to.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Space.h"
#include "search/Engine.h"

#include <limits>
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

/// What became of a candidate.
enum class Fate {
  None,     ///< no candidate: a value is not in the list that the other values leave
  Cut,      ///< a condition on choices alone does not hold: `condition` is the first
  Rest,     ///< what is left of the devices is no whole number of ranks
  Unlawful, ///< a law forbids it: `code`
  Unmet,    ///< it is priced, and a condition on metrics does not hold: `condition` is the first
  Unfit,    ///< it is priced and does not fit in memory
  Met,      ///< it is an answer
  Worse,    ///< not priced: it is certainly worse than all that it could stand beside
};
inline constexpr int kFates = 8;

/// A candidate with its price. Less is better in every goal: what is maximized has its sign changed.
struct Outcome {
  ir::CandidateId id = 0;
  Fate fate = Fate::None;
  uint32_t condition = 0;        ///< Cut, Unmet: the first that does not hold
  bool alone = false;            ///< Unmet, Unfit: everything else is met
  int code = 0;                  ///< Unlawful
  std::vector<double> goals;     ///< from Unmet on
  double stepTime = 0, peak = 0; ///< s, bytes

  bool priced() const { return fate == Fate::Unmet || fate == Fate::Unfit || fate == Fate::Met; }
};

/// Better by the first goal in which they differ, then by number.
bool before(const Outcome& a, const Outcome& b);
/// No worse in any goal, and better in one.
bool dominates(const Outcome& a, const Outcome& b);

/// Prices candidates, for one thread. Those of one elaborated plan should be asked for in a row, and neighbours among
/// them: they share most.
class Candidates {
public:
  Candidates(const ir::Space& space, std::unique_ptr<PlanSource> source)
      : space_(space), source_(std::move(source)), innerEnd_(space.innerEnd()) {}

  /// What is certainly beyond `limit` in the first goal need not be priced.
  Outcome price(ir::CandidateId id, double limit = std::numeric_limits<double>::infinity());
  /// The plan of a candidate, as it is priced; null if a law forbids that there is one (reported).
  std::unique_ptr<ir::Plan> plan(ir::CandidateId id, DiagnosticEngine& diagnostics);
  Engine& engine() { return engine_; }
  /// Ranks of the axis that the space fills, in a plan of a candidate.
  std::optional<int64_t> filled(const ir::Plan& plan) const;

private:
  /// An elaborated plan that candidates are changes of.
  struct Base {
    ir::CandidateId outer = 0; ///< the number of its outer choices
    std::unique_ptr<ir::Plan> plan;
    int code = 0;            ///< of the law that forbids it
    bool elaborates = false; ///< its text reads what inner choices set: each candidate is elaborated
    cost::Wanted wanted = cost::Wanted::totals();
    bool bounded = false; ///< its one goal is the step time, of which floors are known
  };
  const Base& baseOf(ir::CandidateId id, std::span<const uint32_t> digits);
  bool changed(const Base& base, std::span<const uint32_t> digits, ir::Plan& plan, DiagnosticEngine& diagnostics,
               bool& whole);
  bool isCandidate(std::span<const uint32_t> digits) const;

  const ir::Space& space_;
  std::unique_ptr<PlanSource> source_;
  ir::CandidateId innerEnd_;
  std::unique_ptr<Base> base_;
  Engine engine_;
};

} // namespace planc::search
