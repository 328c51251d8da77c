// Converts the numbers of candidates to values, and counts candidates.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/Space.h"

#include "ir/plan/Settings.h"

#include <algorithm>
#include <numeric>

namespace planc::ir {

namespace {

constexpr CandidateId kMost = CandidateId(1) << 62;

/// The index of a choice's list for given values of the choices that it depends on.
size_t listOf(const Space& space, const Choice& choice, std::span<const uint32_t> digits) {
  size_t at = 0;
  for (const uint32_t before : choice.depends) at = at * space.choices[before].values.size() + digits[before];
  return at;
}

bool isOf(const ExprTree& tree, ExprOp op) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [&](const ExprNode& node) { return node.op == op; });
}

/// Counts the candidates below a prefix of choices. Choices that no later list depends on are multiplied, not
/// enumerated.
class Counting {
public:
  explicit Counting(const Space& space) : space_(space), digits_(space.choices.size(), 0) {
    for (const Choice& choice : space.choices)
      for (const uint32_t before : choice.depends) last_ = std::max<size_t>(last_, before + 1);
  }

  double below(size_t at) {
    if (at == space_.choices.size()) return 1;
    const Choice& choice = space_.choices[at];
    if (at >= last_) { // no later list depends on this choice
      const double rest = below(at + 1);
      return rest * static_cast<double>(choice.lists[listOf(space_, choice, digits_)].size());
    }
    double sum = 0;
    for (const uint32_t value : choice.lists[listOf(space_, choice, digits_)]) {
      digits_[at] = value;
      sum += below(at + 1);
    }
    return sum;
  }

private:
  const Space& space_;
  std::vector<uint32_t> digits_;
  size_t last_ = 0; ///< number of choices up to the last one that another list depends on
};

} // namespace

std::string Choice::str(const std::string& path, const std::string& value) {
  return path + (path.ends_with("->") ? " " : " = ") + value;
}

std::string Choice::str(uint32_t value) const {
  const std::vector<std::string>& texts = values[value].texts;
  const auto isRule = [&](size_t i) { return paths[i].ends_with("->"); };
  std::string text;
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto same = [&](size_t j) { return texts[j] == texts[i] && isRule(j) == isRule(i); };
    size_t first = 0;
    while (!same(first)) ++first;
    if (first < i) continue; // printed with the first path of the same value
    text += i ? " with " : "";
    for (size_t j = i; j < paths.size(); ++j)
      if (same(j)) text += (j > i ? ", " : "") + paths[j].substr(0, paths[j].find(" ->"));
    text += (isRule(i) ? " -> " : " = ") + texts[i];
  }
  return text;
}

bool Condition::ofChoices() const {
  return !isOf(tree, ExprOp::Metric);
}

std::optional<CandidateId> Space::end() const {
  CandidateId product = 1;
  for (const Choice& choice : choices)
    if (__builtin_mul_overflow(product, choice.values.size(), &product) || product > kMost) return std::nullopt;
  return product;
}

bool Space::varies(std::string_view path) const {
  return std::ranges::any_of(choices,
                             [&](const Choice& c) { return std::ranges::find(c.paths, path) != c.paths.end(); });
}

CandidateId Space::innerEnd() const {
  CandidateId product = 1;
  for (const Choice& choice : choices)
    if (choice.inner) product *= choice.values.size();
  return product;
}

size_t Space::outerCount() const {
  return static_cast<size_t>(std::count_if(choices.begin(), choices.end(), [](const Choice& c) { return !c.inner; }));
}

std::vector<uint32_t> Space::digits(CandidateId id) const {
  std::vector<uint32_t> found(choices.size());
  for (size_t i = choices.size(); i-- > 0;) {
    found[i] = static_cast<uint32_t>(id % choices[i].values.size());
    id /= choices[i].values.size();
  }
  return found;
}

CandidateId Space::id(std::span<const uint32_t> digits) const {
  CandidateId id = 0;
  for (size_t i = 0; i < choices.size(); ++i) id = id * choices[i].values.size() + digits[i];
  return id;
}

bool Space::has(std::span<const uint32_t> digits, size_t at) const {
  const std::vector<uint32_t>& list = choices[at].lists[listOf(*this, choices[at], digits)];
  return std::find(list.begin(), list.end(), digits[at]) != list.end();
}

double Space::size() const {
  return Counting(*this).below(0);
}

std::optional<ExprValue> sizeAt(const Plan& plan, std::string_view path) {
  constexpr std::string_view kMesh = "mesh.";
  const auto count = [](int64_t n) {
    ExprValue value;
    value.quantity.value = static_cast<double>(n);
    return value;
  };
  if (path.starts_with(kMesh)) {
    const auto axes = plan.mesh.resolve(Symbol(path.substr(kMesh.size())));
    if (!axes) return std::nullopt;
    int64_t ranks = 1;
    for (const AxisId id : *axes) ranks *= plan.mesh.axes[id].size;
    return count(ranks);
  }
  if (path.ends_with(".micro_batch") || path == "infer.batch") return count(plan.workload.microBatch);
  if (path.ends_with(".global_batch")) return count(plan.workload.globalBatch);
  return std::nullopt;
}

std::string scheduleText(Symbol schedule, std::vector<ScheduleArgument> arguments) {
  std::ranges::sort(arguments, {}, [](const ScheduleArgument& a) { return a.name.view(); });
  return scheduleAsWritten(schedule, arguments);
}

std::string recomputeText(const std::vector<Recompute>& rules) {
  std::vector<std::string> texts;
  for (Recompute one : rules)
    for (const Selector& selector : std::vector<Selector>(std::move(one.selectors))) {
      one.selectors = {selector};
      texts.push_back(one.str());
    }
  std::sort(texts.begin(), texts.end());
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ", ") + one;
  return text.empty() ? "none" : text;
}

std::optional<ExprValue> factAt(const Plan& plan, std::string_view fact) {
  constexpr std::string_view kIs = " == ";
  const size_t is = fact.find(kIs);
  if (is == std::string_view::npos) return sizeAt(plan, fact);
  const std::string_view path = fact.substr(0, is), word = fact.substr(is + kIs.size());
  ExprValue value;
  value.isBool = true;
  if (path == "recompute")
    value.truth = recomputeText(plan.recompute) == word;
  else if (path == "pipeline.schedule" && plan.pipeline)
    value.truth = plan.pipeline->schedule.view() == word ||
                  scheduleText(plan.pipeline->schedule, plan.pipeline->arguments) == word;
  else if (path != "pipeline.schedule")
    return std::nullopt;
  return value;
}

std::string Space::str(CandidateId id) const {
  std::string text;
  const std::vector<uint32_t> values = digits(id);
  for (size_t i = 0; i < choices.size(); ++i) text += (i ? ", " : "") + choices[i].str(values[i]);
  return text;
}

} // namespace planc::ir
