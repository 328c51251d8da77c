// Tells by the paths of choices which parts of a plan they can change.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/search/SharedParts.h"

#include "frontend/plan/Reading.h"
#include "ir/plan/Settings.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

namespace {

constexpr size_t kKept = 4096; ///< of each part

/// Returns whether a path is no part of model, cluster or stack, so that a value changes these only if the text of the
/// plan reads it.
bool isOfPlan(std::string_view path) {
  const ir::StatementRow* statement = ir::statementNamed(path.substr(0, path.find('.')));
  return path.ends_with("->") || (statement && statement->ofPlan) || ir::isBatch(path);
}

/// The values that may decide a part: all but those of `others` and of the plan, unless its text reads them.
std::string keyOf(const ir::Plan& plan, const ir::Space& space, std::span<const uint32_t> digits,
                  std::optional<int64_t> filled, std::initializer_list<ir::Statement> others) {
  const auto isRead = [&](const std::string& path) {
    return std::any_of(plan.reads.begin(), plan.reads.end(), [&](const std::string& r) { return samePlace(r, path); });
  };
  std::string key;
  for (size_t c = 0; c < digits.size(); ++c) {
    const auto& paths = space.choices[c].paths;
    const bool outside = std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
      const bool other =
          std::any_of(others.begin(), others.end(), [&](ir::Statement o) { return samePlace(ir::name(o), path); });
      return (other || isOfPlan(path)) && !isRead(path);
    });
    if (!outside) key += fmt::format("{}={} ", c, digits[c]);
  }
  if (filled && space.fill && isRead("mesh." + space.fill->str())) key += fmt::format("fill={}", *filled);
  return key;
}

template <class T>
void shareOne(std::map<std::string, std::shared_ptr<const T>>& known, std::string key, std::shared_ptr<const T>& part) {
  if (!part) return;
  if (known.size() >= kKept) known.clear();
  const auto [found, fresh] = known.emplace(std::move(key), part);
  if (!fresh) part = found->second;
}

} // namespace

void SharedParts::share(ir::Plan& plan, const ir::Space& space, std::span<const uint32_t> digits,
                        std::optional<int64_t> filled) {
  using enum ir::Statement;
  shareOne(models_, keyOf(plan, space, digits, filled, {Cluster, Software}), plan.model);
  shareOne(clusters_, keyOf(plan, space, digits, filled, {Model, Software, Train, Finetune, Infer}), plan.cluster);
  shareOne(stacks_, keyOf(plan, space, digits, filled, {Model, Cluster, Train, Finetune, Infer}), plan.stack);
}

} // namespace planc::frontend
