// How the parts of an assertion are written in messages.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/ExprText.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::verdict {
namespace {

/// Line breaks and runs of blanks become one blank.
std::string oneLine(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

} // namespace

std::string textOf(const ir::ExprTree& tree, ir::ExprId id) {
  const ir::ExprNode& node = tree.nodes[id];
  if (id == tree.root) return oneLine(tree.text);
  const ir::ExprNode& root = tree.nodes[tree.root];
  // The text is the source of the root's range unless the frontend normalised it.
  bool exact = root.range.end - root.range.begin == tree.text.size();
  if (exact && node.range.file == root.range.file && node.range.begin >= root.range.begin &&
      node.range.end <= root.range.end && node.range.begin < node.range.end)
    return oneLine(
        std::string_view(tree.text).substr(node.range.begin - root.range.begin, node.range.end - node.range.begin));
  if (node.op == ir::ExprOp::Metric) return metricText(node);
  if (node.op == ir::ExprOp::Constant) return valueText(node.constant, false);
  return "…";
}

std::string metricText(const ir::ExprNode& node) {
  if (node.layer.steps.empty() || !node.metric.starts_with("layer.")) return node.metric;
  return fmt::format("layer(\"{}\").{}", node.layer.str(), node.metric.substr(6));
}

std::string quantityText(double value, const Unit& unit, bool percent) {
  return percent && unit.plain() ? percentText(value, 4) : formatQuantity(value, unit);
}

std::string valueText(const ir::ExprValue& value, bool percent) {
  if (value.isBool) return value.truth ? "true" : "false";
  return quantityText(value.quantity.value, value.quantity.unit, percent);
}

std::string typeText(bool isBool, const Unit& unit) {
  if (isBool) return "condition";
  return unit.plain() ? "number" : unit.name();
}

std::string percentText(double fraction, int digits) {
  double p = std::abs(fraction) * 100;
  int whole = p < 1 ? 1 : static_cast<int>(std::floor(std::log10(p))) + 1;
  std::string text =
      p < 0.1 ? fmt::format("{:.{}g}", p, digits) : fmt::format("{:.{}f}", p, std::max(digits - whole, 0));
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return (fraction < 0 ? "-" : "") + text + " %";
}

std::string signedPercentText(double fraction) {
  return fmt::format("{}{}", fraction >= 0 ? "+" : "", percentText(fraction, 2));
}

bool writtenInPercent(const ir::ExprTree& tree, ir::ExprId id) {
  const ir::ExprNode& node = tree.nodes[id];
  if (node.op == ir::ExprOp::Constant) return node.literal && textOf(tree, id).ends_with('%');
  return std::any_of(node.kids.begin(), node.kids.end(), [&](ir::ExprId kid) { return writtenInPercent(tree, kid); });
}

bool isComparison(ir::ExprOp op) {
  switch (op) {
  case ir::ExprOp::Lt:
  case ir::ExprOp::Gt:
  case ir::ExprOp::Le:
  case ir::ExprOp::Ge:
  case ir::ExprOp::Eq:
  case ir::ExprOp::Ne:
    return true;
  default:
    return false;
  }
}

} // namespace planc::verdict
