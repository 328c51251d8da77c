// Pairs the plans of two sides, attributes each difference to its cause, and judges it.
// SPDX-License-Identifier: Apache-2.0
#include "driver/diff/DiffCompare.h"

#include "backends/diff/Pairs.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace planc::driver {
namespace {

/// The plans of a side as candidates for pairs, with their files.
class Candidates {
public:
  explicit Candidates(const DiffSide& side) {
    for (const SideFile& file : side.files) {
      byKey_.emplace(file.key, &file);
      all_.push_back(&file);
      for (const diff::Result& result : file.results) {
        plans.push_back({file.key, &result});
        files.push_back(&file);
      }
    }
  }

  /// Returns null if there is no such file.
  const SideFile* file(const std::string& key) const {
    const auto found = byKey_.find(key);
    return found == byKey_.end() ? nullptr : found->second;
  }

  /// Returns why a plan of the other side has no price on this side: the error of the plan with the same name and
  /// arguments, else with other arguments, else of its file. Null if this side has no such plan.
  const PlanError* errorOf(const std::string& key, const std::string& name, const std::string& plan) const {
    const SideFile* const in = file(key);
    if (!in) return nullptr;
    if (const PlanError* failed = failureOf(*in, name, plan)) return failed;
    return in->error.text.empty() ? nullptr : &in->error;
  }
  static const PlanError* failureOf(const SideFile& file, const std::string& name, const std::string& plan) {
    if (const auto failed = file.failed.find(name); failed != file.failed.end()) return &failed->second;
    const auto failed = file.failed.lower_bound(plan + "(");
    return failed != file.failed.end() && failed->first.starts_with(plan + "(") ? &failed->second : nullptr;
  }
  /// Returns the plans that may form a pair with a plan of the other side. A plan that is broken there is left out, so
  /// that it is not paired with another plan.
  std::vector<size_t> pairing(const Candidates& other) const {
    std::vector<size_t> out;
    for (size_t i = 0; i < plans.size(); ++i) {
      const SideFile* const in = other.file(plans[i].file);
      if (!in || !failureOf(*in, plans[i].result->name(), plans[i].result->plan)) out.push_back(i);
    }
    return out;
  }
  std::vector<diff::Candidate> of(const std::vector<size_t>& some) const {
    std::vector<diff::Candidate> out;
    for (const size_t i : some) out.push_back(plans[i]);
    return out;
  }
  /// Returns all plans but `some`, which must be sorted.
  std::vector<size_t> others(const std::vector<size_t>& some) const {
    std::vector<size_t> out;
    for (size_t i = 0, at = 0; i < plans.size(); ++i)
      if (at < some.size() && some[at] == i)
        ++at;
      else
        out.push_back(i);
    return out;
  }

  std::vector<diff::Candidate> plans;
  std::vector<const SideFile*> files;

  const std::vector<const SideFile*>& all() const { return all_; }

private:
  std::map<std::string, const SideFile*> byKey_;
  std::vector<const SideFile*> all_;
};

/// Finds whose change a difference is. If plan and libraries both changed, prices the old plan with the new libraries,
/// once per file.
class Origins {
public:
  Origins(const DiffSide& before, const DiffSide& after) : before_(before), after_(after) {}

  diff::Origin of(const SideFile& before, const SideFile& after, const diff::Result& result) {
    diff::Origin out;
    out.planc = before_.planc != after_.planc || before_.library != after_.library;
    out.libraries = librariesDiffer(before, after);
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
      out.unsplit = "the earlier plan does not compile with the current libraries" +
                    (known->second.error.text.empty() ? "" : ": " + known->second.error.text);
    return out;
  }

private:
  /// Returns whether imported files differ. A JSON result lists the inputs of all its plans together, so only files
  /// that both sides read are compared. Otherwise the texts are compared, regardless of their paths.
  bool librariesDiffer(const SideFile& before, const SideFile& after) const {
    if (before_.json || after_.json)
      return std::any_of(before.imports.begin(), before.imports.end(), [&](const auto& file) {
        const auto other = after.imports.find(file.first);
        return other != after.imports.end() && other->second != file.second;
      });
    return textsOf(before) != textsOf(after);
  }
  static std::multiset<std::string> textsOf(const SideFile& file) {
    std::multiset<std::string> out;
    for (const auto& [path, digest] : file.imports) out.insert(digest);
    return out;
  }

  const DiffSide &before_, &after_;
  std::map<std::pair<const SideFile*, const SideFile*>, SideFile> mixed_;
};

/// Returns the place of a difference: the first changed fact in the file or its imports, else the first line of an
/// import that changed. Files of the embedded library are skipped, because users cannot open them.
std::string placeOf(const diff::Difference& d, const SideFile& before, const SideFile& after) {
  for (const diff::OwnedChange& owned : d.owned)
    for (const diff::FactChange& fact : owned.facts)
      if (fact.after && after.reads(fact.where.substr(0, fact.where.rfind(':')))) return fact.where;
  for (const auto& [path, digest] : after.imports)
    if (const auto was = before.imports.find(path); was != before.imports.end() && was->second != digest)
      return path + ":1";
  return after.path + ":1";
}

/// Judges a plan by the gates. A new plan has no earlier numbers, but booleans must hold.
void judge(const std::vector<Gate>& gates, const report::PlanDiff& plan, report::DiffReport& out) {
  const diff::Result* const now = plan.difference ? plan.difference->after : plan.result;
  for (const Gate& gate : gates) {
    const std::string metric(gate.metric->name());
    const auto after = now->metric(metric);
    const auto before = plan.difference ? plan.difference->before->metric(metric) : gate.beforeNew();
    if (before && !after) out.failures.push_back({plan.id, gate.str(), "it no longer has a value", plan.where});
    if (!before || !after || !gate.fails(*before, *after)) continue;
    const std::string what = gate.metric->isBool ? "it does not" : report::metricChange(*plan.difference, metric);
    out.failures.push_back({plan.id, gate.str(), what, plan.where});
  }
}

/// Compares two sides and collects the report.
class Comparer {
public:
  Comparer(const DiffSide& before, const DiffSide& after, const std::vector<Gate>& gates)
      : before_(before), after_(after), gates_(gates), origins_(before, after) {}

  report::DiffReport run() {
    out_.gates = gates_.size();
    const std::vector<size_t> was = before_.pairing(after_), is = after_.pairing(before_);
    const diff::Pairs pairs = diff::pair(before_.of(was), after_.of(is));
    for (const auto& [a, b] : pairs.both) addChanged(was[a], is[b]);
    for (const size_t b : pairs.fresh) addNew(is[b]);
    for (const size_t b : after_.others(is)) addNew(b);
    for (const size_t a : pairs.gone) addGone(was[a]);
    for (const size_t a : before_.others(was)) addGone(a);
    for (const SideFile* file : after_.all()) addBroken(*file);
    for (const Gate& gate : gates_) tellUnheld(gate);
    report::sortWorstFirst(out_);
    return std::move(out_);
  }

private:
  /// Adds a plan that both sides have, unless it is unchanged.
  void addChanged(size_t a, size_t b) {
    const SideFile &from = *before_.files[a], &to = *after_.files[b];
    const diff::Result &was = *before_.plans[a].result, &is = *after_.plans[b].result;
    report::PlanDiff plan{report::Fate::Changed, is.id()};
    const bool same = (from.key == to.key || was.file == is.file) && was.name() == is.name();
    if (!same) plan.was = was.id();
    plan.difference = diff::difference(was, is, origins_.of(from, to, was));
    if (!plan.difference->any()) {
      if (same) return void(++out_.equal);
      plan.fate = report::Fate::Renamed;
    }
    plan.where = placeOf(*plan.difference, from, to);
    judge(gates_, plan, out_);
    out_.plans.push_back(std::move(plan));
  }

  void addNew(size_t b) {
    const diff::Result& result = *after_.plans[b].result;
    const PlanError* error = before_.errorOf(after_.plans[b].file, result.name(), result.plan);
    report::PlanDiff plan{error ? report::Fate::Mended : report::Fate::Added, result.id()};
    plan.result = &result;
    if (error) plan.error = error->text;
    plan.where = after_.files[b]->path + ":1";
    judge(gates_, plan, out_);
    out_.plans.push_back(std::move(plan));
  }

  void addGone(size_t a) {
    const diff::Result& result = *before_.plans[a].result;
    const std::string& key = before_.plans[a].file;
    const PlanError* error = after_.errorOf(key, result.name(), result.plan);
    report::PlanDiff plan{error ? report::Fate::Broken : report::Fate::Removed, result.id()};
    plan.result = &result;
    if (error) {
      plan.error = error->text;
      plan.where = error->where;
      told_.emplace(key, result.name());
      told_.emplace(key, result.plan);
    } else if (const SideFile* file = after_.file(key)) {
      if (const auto open = file->open.find(result.plan); open != file->open.end())
        plan.error = fmt::format("it now needs arguments: `{}`", open->second);
    }
    out_.plans.push_back(std::move(plan));
  }

  /// Adds plans of a file that have no price on either side.
  void addBroken(const SideFile& file) {
    for (const auto& [name, error] : file.failed)
      if (!told_.contains({file.key, name}) && !told_.contains({file.key, name.substr(0, name.find('('))}))
        addBroken(file, file.path + "#" + name, name, error);
    const auto any = told_.lower_bound({file.key, ""});
    const bool told = any != told_.end() && any->first == file.key;
    if (!file.unreadable && !file.error.text.empty() && !told && file.failed.empty())
      addBroken(file, file.path, "", file.error);
  }
  void addBroken(const SideFile& file, std::string id, const std::string& name, const PlanError& error) {
    const bool before = before_.errorOf(file.key, name, name.substr(0, name.find('('))) != nullptr;
    report::PlanDiff plan{before ? report::Fate::StillBroken : report::Fate::Broken, std::move(id)};
    plan.error = error.text;
    plan.where = error.where;
    out_.plans.push_back(std::move(plan));
  }

  /// Reports a gate whose metric no plan has, because it would accept everything.
  void tellUnheld(const Gate& gate) {
    const bool held = std::any_of(after_.plans.begin(), after_.plans.end(), [&](const diff::Candidate& plan) {
      return plan.result->metric(gate.metric->name()).has_value();
    });
    if (!held && !after_.plans.empty()) out_.unheld.push_back(gate.str());
  }

  Candidates before_, after_;
  const std::vector<Gate>& gates_;
  Origins origins_;
  std::set<std::pair<std::string, std::string>> told_; ///< broken plans that had a price before, by file and name
  report::DiffReport out_;
};

} // namespace

report::DiffReport compared(const DiffSide& before, const DiffSide& after, const std::vector<Gate>& gates) {
  report::DiffReport out = Comparer(before, after, gates).run();
  out.before = before.name;
  out.after = after.name;
  return out;
}

} // namespace planc::driver
