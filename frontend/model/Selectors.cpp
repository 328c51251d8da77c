// Parses selectors with their slices, and checks them against the paths of a model.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Selectors.h"

#include "ir/print/Labels.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(MatchesNothing, 655, "`{selector}` matches no layer of model `{model}`")
PLANC_ERROR(SliceOutOfRange, 656, "`{slice}` is out of range for `{layer}`, which has {count} instances")
PLANC_ERROR(SliceOfOne, 657, "`{layer}` is not repeated, so it has no instances to choose from")
PLANC_WARNING(
    InnerSlice, 471,
    "`{selector}` chooses instances of a repeat inside of `{outer}`; it has no effect on whole instances of `{outer}`")
PLANC_ERROR(SliceBounds, 659, "a slice must be `[begin:end:step]` with begin < end and step > 0; this is {slice}")
PLANC_ERROR(SelectorText, 664, "`{text}` is not the path of a layer")

PathTree::PathTree(const ir::Model& model) {
  nodes_.push_back({model.name, 0, {}});
  for (const ir::Region& r : model.regions) add(r.path, r.count);
  for (const ir::Layer& layer : model.layers) add({layer.name});
  for (const ir::Op& op : model.ops) add(op.path);
  for (ir::ValueId p : model.params) add(model.values[p].path);
}

uint32_t PathTree::child(uint32_t node, Symbol name) {
  const auto [at, fresh] = byName_.try_emplace({node, name}, static_cast<uint32_t>(nodes_.size()));
  if (fresh) {
    nodes_[node].children.push_back(at->second);
    nodes_.push_back({name, 0, {}});
  }
  return at->second;
}

void PathTree::add(const std::vector<Symbol>& path, int64_t count) {
  uint32_t at = 0;
  for (Symbol s : path) at = child(at, s);
  if (count > 0) nodes_[at].count = count;
}

std::vector<uint32_t> PathTree::step(const std::vector<uint32_t>& at, const ir::LayerStep& s) const {
  std::vector<uint32_t> next;
  for (uint32_t n : at)
    for (uint32_t c : nodes_[n].children)
      if (s.star ? !s.slice || nodes_[c].count > 0 : nodes_[c].name == s.name) next.push_back(c);
  return next;
}

namespace {

/// The written selector with another name in the step that is `behind` steps before its last step, as a suggestion for
/// the underlined text. The name alone if that step comes from an enclosing block.
std::string renamed(std::string_view written, size_t behind, std::string_view from, const std::string& to) {
  size_t end = written.size();
  for (; behind > 0 && end != std::string_view::npos; --behind) end = written.substr(0, end).rfind('.');
  if (end == std::string_view::npos) return to;
  const size_t dot = written.substr(0, end).rfind('.');
  const size_t at = dot != std::string_view::npos ? dot + 1 : written.starts_with('"') ? 1 : 0;
  if (!written.substr(at).starts_with(from)) return to;
  return fmt::format("{}{}{}", written.substr(0, at), to, written.substr(at + from.size()));
}

} // namespace

void PathTree::resolve(ir::Selector& selector) const {
  if (selector.steps.empty() || selector.steps[0].star || selector.steps[0].name != ir::labels::kRepeats) return;
  if (byName_.contains({0, ir::labels::kRepeats})) return;
  const std::optional<ir::RangeSet> slice = selector.steps[0].slice;
  selector.steps[0] = ir::LayerStep::ofRepeats();
  if (slice) selector.steps[0].slice = slice;
}

namespace {

/// Warns of a slice of a repeat inside of another repeat. All instances of the outer one are the same layer; only those
/// that `stage` lines cut have inner instances of their own.
void warnOfInnerSlice(const ir::Selector& selector, Symbol outer, Context& context) {
  context.report(InnerSlice, selector.range, {{"selector", selector.str()}, {"outer", outer.str()}})
      .help(fmt::format("instances of `{0}` are one layer, whose inner instances cannot differ: leave the slice out, "
                        "or write two repeats in the model",
                        outer.view()))
      .help(
          fmt::format("if `stage` lines cut an instance of `{0}`, name that instance, as in `{0}[3].…`", outer.view()));
}

} // namespace

bool PathTree::check(const ir::Selector& selector, Context& context, bool optional) {
  std::vector<uint32_t> at{0};
  std::string prefix;
  const Symbol* outer = nullptr; // the first repeat whose instances the selector does not choose
  for (size_t i = 0; i < selector.steps.size(); ++i) {
    const ir::LayerStep& s = selector.steps[i];
    const std::vector<uint32_t> next = step(at, s);
    prefix += "." + s.name.str();
    if (next.empty()) {
      if (optional || (s.isRepeats() && selector.steps.size() == 1)) return true; // a model may have no repeats
      if (!reported_.insert(prefix).second) return false;
      std::vector<std::string> names;
      for (uint32_t n : at)
        for (uint32_t c : nodes_[n].children) names.push_back(nodes_[c].name.str());
      auto report = context.report(MatchesNothing, selector.range,
                                   {{"selector", selector.str()}, {"model", nodes_[0].name.str()}});
      std::vector<std::string> meant;
      const bool inside = context.text(selector.range).find(s.name.view()) != std::string_view::npos;
      const SourceRange place = inside ? selector.range : selector.around;
      const std::string only = onlyNearest(s.name.view(), names);
      for (const std::string& name : allNearest(s.name.view(), names)) {
        report.fix({fmt::format("write `{}`", name), {{place, name, s.name.str()}}, name == only});
        meant.push_back(renamed(context.text(selector.range), selector.steps.size() - 1 - i, s.name.view(), name));
      }
      if (!meant.empty()) {
        report.help(fmt::format("did you mean {}?", quotedChoice(meant)));
      } else {
        std::string list;
        for (size_t n = 0; n < std::min<size_t>(names.size(), 12); ++n) list += (n ? ", `" : "`") + names[n] + "`";
        if (!list.empty()) report.note(fmt::format("layers there: {}{}", list, names.size() > 12 ? ", …" : ""));
      }
      return false;
    }
    if (s.slice && !s.isAllOfRepeats()) {
      if (!checkSlice(next, s, selector, context)) return false;
      if (outer) warnOfInnerSlice(selector, *outer, context);
    }
    for (const uint32_t n : next)
      if (!s.slice && nodes_[n].count > 1 && !outer) outer = &nodes_[n].name;
    at = next;
  }
  return true;
}

bool PathTree::checkSlice(const std::vector<uint32_t>& at, const ir::LayerStep& s, const ir::Selector& selector,
                          Context& context) const {
  for (uint32_t n : at) {
    const Node& node = nodes_[n];
    const auto outside = [&](const ir::Range& r) { return r.end > node.count; };
    if (node.count == 0) {
      context.report(SliceOfOne, selector.range, {{"layer", node.name.str()}});
      return false;
    }
    if (std::any_of(s.slice->ranges.begin(), s.slice->ranges.end(), outside)) {
      context
          .report(SliceOutOfRange, selector.range,
                  {{"slice", s.slice->str()}, {"layer", node.name.str()}, {"count", node.count}})
          .help(node.count == 1 ? "its only index is 0"
                                : fmt::format("indices go from 0 to {}, and an end is not included", node.count - 1));
      return false;
    }
  }
  return true;
}

namespace {

void reportSlice(Context& context, const ir::Range& r, SourceRange at) {
  context.report(SliceBounds, at, {{"slice", fmt::format("[{}:{}:{}]", r.begin, r.end, r.step)}});
}

} // namespace

std::optional<ir::Selector> makeSelector(Evaluator& ev, const syntax::Selector& written, Scope& scope,
                                         const ir::Selector& prefix) {
  ir::Selector made = prefix;
  made.around = prefix.around.valid() ? SourceRange::cover(prefix.around, prefix.range) : prefix.range;
  made.range = written.range;
  for (const syntax::SelectorStep& s : written.steps) {
    ir::LayerStep step;
    step.star = s.star;
    step.name = s.star ? ir::LayerStep::any().name : s.name.text;
    if (s.hasIndex) {
      const auto begin = ev.integer(*s.begin, scope, "an index");
      const auto end = s.end ? ev.integer(*s.end, scope, "the end of a slice") : std::nullopt;
      const auto stride = s.step ? ev.integer(*s.step, scope, "the step of a slice") : std::nullopt;
      if (!begin || (s.end && !end) || (s.step && !stride)) return std::nullopt;
      ir::Range range{*begin, 0, stride.value_or(1)};
      if (end)
        range.end = *end;
      else if (__builtin_add_overflow(*begin, int64_t(1), &range.end))
        range.end = *begin;
      if (!range.isRange()) {
        reportSlice(ev.context, range, s.range);
        return std::nullopt;
      }
      step.slice = ir::RangeSet{{range}};
    }
    made.steps.push_back(std::move(step));
  }
  return made;
}

std::optional<ir::Selector> parseSelector(Context& context, std::string_view text, SourceRange range) {
  std::optional<ir::Range> noRange;
  const std::optional<ir::LayerRef> ref = ir::parseLayerRef(text, &noRange);
  if (ref && !ref->boundary) return ir::Selector{*ref, range};
  if (noRange)
    reportSlice(context, *noRange, range);
  else
    context.report(SelectorText, range, {{"text", text}})
        .help("write it as in `place`: `decoder.attn`, `decoder[0:20].mlp`");
  return std::nullopt;
}

bool choosesInstances(const ir::Selector& s) {
  return std::any_of(s.steps.begin(), s.steps.end(), [](const ir::LayerStep& x) { return bool(x.slice); });
}

bool overlaps(const ir::Selector& a, const ir::Selector& b) {
  const size_t common = std::min(a.steps.size(), b.steps.size());
  for (size_t i = 0; i < common; ++i) {
    const ir::LayerStep &x = a.steps[i], &y = b.steps[i];
    if (!x.star && !y.star && x.name != y.name) return false;
    if (!x.slice || !y.slice) continue;
    if (!x.slice->firstCommon(*y.slice)) return false;
  }
  return true;
}

} // namespace planc::frontend
