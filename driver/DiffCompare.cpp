// Pairs the plans of two sides, tells whose change each difference is, and judges it.
// SPDX-License-Identifier: Apache-2.0
#include "driver/DiffCompare.h"

#include "backends/diff/Pairs.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

namespace planc::driver {
namespace {

/// A side as candidates of pairs, with the file of each.
class Candidates {
public:
  explicit Candidates(const Side& side) {
    for (const SideFile& file : side.files) {
      byKey_.emplace(file.key, &file);
      for (const diff::Result& result : file.results) {
        plans.push_back({file.key, &result});
        files.push_back(&file);
      }
    }
  }

  /// Why a plan of the other side stands for no price on this one; empty where it is not there.
  std::string errorOf(const diff::Candidate& other) const {
    const auto file = byKey_.find(other.file);
    if (file == byKey_.end()) return "";
    const auto failed = file->second->failed.find(other.result->name());
    return failed != file->second->failed.end() ? failed->second : file->second->error;
  }

  std::vector<diff::Candidate> plans;
  std::vector<const SideFile*> files;

private:
  std::map<std::string, const SideFile*> byKey_;
};

/// Tells whose change it is; prices old plans with new libraries where both differ, each file once.
class Origins {
public:
  Origins(const Side& before, const Side& after) : before_(before), after_(after) {}

  diff::Origin of(const SideFile& before, const SideFile& after, const diff::Result& result) {
    diff::Origin out;
    out.planc = before_.planc != after_.planc || before_.library != after_.library;
    out.libraries = before.imports != after.imports;
    out.plan = before.digest != after.digest;
    if (before_.json || after_.json) {
      out.unsplit = "a JSON result cannot be priced again; compare the files themselves";
      return out;
    }
    if (!out.libraries || !out.plan) return out;
    const auto [known, fresh] = mixed_.try_emplace({&before, &after});
    if (fresh) known->second = priceSideFile(after_.tree, after.key, after.path, before.text);
    for (const diff::Result& between : known->second.results)
      if (between.name() == result.name()) out.between = &between;
    if (!out.between)
      out.unsplit = "the plan as it was does not compile with the libraries as they are" +
                    (known->second.error.empty() ? "" : ": " + known->second.error);
    return out;
  }

private:
  const Side &before_, &after_;
  std::map<std::pair<const SideFile*, const SideFile*>, SideFile> mixed_;
};

void judge(const std::vector<Gate>& gates, const report::PlanDiff& plan, report::DiffReport& out) {
  const diff::Difference& d = *plan.difference;
  for (const Gate& gate : gates) {
    const std::string metric(gate.metric->name());
    const auto before = d.before->metric(metric), after = d.after->metric(metric);
    if (!before || !after || !gate.fails(*before, *after)) continue;
    std::string where;
    for (const diff::OwnedChange& owned : d.owned)
      for (const diff::FactChange& fact : owned.facts)
        if (where.empty() && fact.after) where = fact.where;
    const double change = *before != 0 ? *after / *before - 1 : 0;
    out.failures.push_back({plan.id, fmt::format("{} {} {}", metric, gate.falling ? "<" : ">", gate.text),
                            fmt::format("{} → {} ({:+.1f} %)", formatQuantity(*before, gate.metric->unit),
                                        formatQuantity(*after, gate.metric->unit), 100 * change),
                            where});
  }
}

/// What became of a plan that both sides have; says nothing of one that is as it was.
void addChanged(const Candidates& before, size_t a, const Candidates& after, size_t b, Origins& origins,
                const std::vector<Gate>& gates, report::DiffReport& out) {
  const diff::Result &was = *before.plans[a].result, &is = *after.plans[b].result;
  report::PlanDiff plan{report::Fate::Changed, is.id()};
  const bool same = (before.plans[a].file == after.plans[b].file || was.file == is.file) && was.name() == is.name();
  if (!same) plan.was = was.id();
  plan.difference = diff::difference(was, is, origins.of(*before.files[a], *after.files[b], was));
  if (!plan.difference->any() && same) {
    ++out.equal;
    return;
  }
  judge(gates, plan, out);
  out.plans.push_back(std::move(plan));
}

/// A plan that one side has. `failed`: what became of it where it has no price on the `other` side, else `missing`.
void addSingle(const diff::Candidate& plan, const Candidates& other, report::Fate missing, report::Fate failed,
               report::DiffReport& out) {
  std::string error = other.errorOf(plan);
  out.plans.push_back({error.empty() ? missing : failed, plan.result->id(), "", {}, plan.result, std::move(error)});
}

} // namespace

report::DiffReport compared(const Side& before, const Side& after, const std::vector<Gate>& gates) {
  report::DiffReport out;
  out.before = before.name;
  out.after = after.name;
  out.gates = gates.size();
  const Candidates old(before), fresh(after);
  const diff::Pairs pairs = diff::pair(old.plans, fresh.plans);
  Origins origins(before, after);
  for (const auto& [a, b] : pairs.both) addChanged(old, a, fresh, b, origins, gates, out);
  for (const size_t b : pairs.fresh) addSingle(fresh.plans[b], old, report::Fate::Added, report::Fate::Mended, out);
  for (const size_t a : pairs.gone) addSingle(old.plans[a], fresh, report::Fate::Removed, report::Fate::Broken, out);
  report::sortWorstFirst(out);
  return out;
}

} // namespace planc::driver
