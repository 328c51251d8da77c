// Rules as statements of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/RuleText.h"

#include <fmt/format.h>

namespace planc::format {

namespace {

std::string targetText(const std::vector<Symbol>& axes, bool host) {
  std::string text;
  for (Symbol axis : axes) text += (text.empty() ? "" : ", ") + axis.str();
  if (host) text += (text.empty() ? "" : ", ") + std::string(ir::kHost);
  if (text.empty()) return "replicate";
  return text.find(',') == std::string::npos ? text : "[" + text + "]";
}

std::string statement(const ir::Selector& layers, bool isOverride, std::string_view block, const std::string& rule) {
  const std::string selector = layers.str();
  return fmt::format("{}{}{}{} {{ {} }}", isOverride ? "override " : "", block, selector.empty() ? "" : " ", selector,
                     rule);
}

} // namespace

std::string ruleText(const ir::PlacementRule& rule, bool isOverride) {
  return statement(rule.selector, isOverride, "place",
                   fmt::format("{} -> {}{}{}{}", rule.dim.view(), targetText(rule.targets, false),
                               rule.ring ? " via ring" : "", rule.uneven ? " uneven" : "",
                               rule.contiguous ? " contiguous" : ""));
}

std::string ruleText(const ir::StateRule& rule, bool isOverride) {
  return statement(rule.selector, isOverride, "states",
                   fmt::format("{} -> {}{}", ir::name(rule.state), targetText(rule.targets, rule.host),
                               rule.regather ? "" : " { regather = false }"));
}

} // namespace planc::format
