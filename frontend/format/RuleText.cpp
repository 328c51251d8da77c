// Writes rules as statements of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/RuleText.h"

#include "ir/plan/MeshUse.h"

#include <fmt/format.h>

namespace planc::format {

namespace {

std::string statement(const ir::Selector& layers, bool isOverride, std::string_view block, const std::string& rule) {
  const std::string selector = layers.str();
  return fmt::format("{}{}{}{} {{ {} }}", isOverride ? "override " : "", block, selector.empty() ? "" : " ", selector,
                     rule);
}

} // namespace

std::string ruleText(const ir::PlacementRule& rule, bool isOverride) {
  return statement(rule.selector, isOverride, "place", fmt::format("{} -> {}", rule.dim.view(), ir::effectText(rule)));
}

std::string ruleText(const ir::StateRule& rule, bool isOverride) {
  return statement(rule.selector, isOverride, "states",
                   fmt::format("{} -> {}", ir::name(rule.state), ir::effectText(rule)));
}

std::vector<std::string> recomputeLines(std::vector<std::string> statements, bool stated) {
  if (statements.empty()) statements.emplace_back("none");
  for (std::string& statement : statements) { // the first of them says that they are replaced
    statement.insert(0, stated ? "override recompute " : "recompute ");
    stated = false;
  }
  return statements;
}

} // namespace planc::format
