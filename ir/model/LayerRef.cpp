// Prints and parses paths of layers, and matches them with paths of operators.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/LayerRef.h"

#include "ir/print/Labels.h"
#include "support/text/Spelling.h"

#include <charconv>
#include <cstdint>

namespace planc::ir {

LayerStep LayerStep::any() {
  static const LayerStep kAny{true, Symbol("*"), {}};
  return kAny;
}

LayerStep LayerStep::ofRepeats() {
  static const LayerStep kRepeats{true, any().name, RangeSet{{Range{0, int64_t(1) << 62, 1}}}};
  return kRepeats;
}

LayerRef LayerRef::of(const std::vector<Symbol>& path) {
  LayerRef ref;
  for (Symbol name : path) ref.steps.push_back({false, name, {}});
  return ref;
}

std::string LayerRef::str() const {
  std::string text;
  for (const LayerStep& step : steps) {
    if (!text.empty()) text += '.';
    const bool repeats = step.isRepeats() && &step == &steps.front();
    text += repeats ? labels::kRepeats.view() : step.star ? "*" : step.name.view();
    if (step.slice && !step.isAllOfRepeats()) text += step.slice->str();
  }
  return boundary ? text + " " + labels::kBoundaryReshard.str() : text;
}

std::vector<Symbol> LayerRef::names() const {
  std::vector<Symbol> path;
  for (const LayerStep& step : steps) path.push_back(step.name);
  return path;
}

LayerRef LayerRef::prefix(size_t count) const {
  return {{steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count)}};
}

std::optional<int> LayerRef::matches(const std::vector<Symbol>& path) const {
  if (steps.size() > path.size()) return std::nullopt;
  for (size_t i = 0; i < steps.size(); ++i)
    if (!steps[i].star && steps[i].name != path[i]) return std::nullopt;
  return static_cast<int>(steps.size());
}

namespace {

/// Parses `a.b[0:4, 7].*`. Blanks between the tokens are allowed.
class RefReader {
public:
  explicit RefReader(std::string_view text) : rest_(text) {}

  std::optional<LayerRef> read() {
    LayerRef ref;
    do {
      if (!step(ref.steps.emplace_back())) return {};
    } while (take("."));
    ref.boundary = take(labels::kBoundaryReshard.view());
    blanks();
    return rest_.empty() ? std::optional(std::move(ref)) : std::nullopt;
  }

  std::optional<Range> noRange;

private:
  void blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  bool take(std::string_view word) {
    blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool step(LayerStep& out) {
    out.star = take("*");
    size_t length = 0;
    while (!out.star && length < rest_.size() && isWordChar(rest_[length])) ++length;
    if (!out.star && length == 0) return false;
    out.name = out.star ? LayerStep::any().name : Symbol(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return !take("[") || slice(out.slice.emplace());
  }

  bool slice(RangeSet& out) {
    do {
      if (!range(out.ranges.emplace_back())) return false;
    } while (take(","));
    return take("]");
  }

  /// `7`, `0:20` or `0:80:2`.
  bool range(Range& out) {
    if (!number(out.begin)) return false;
    if (!take(":")) {
      if (__builtin_add_overflow(out.begin, int64_t(1), &out.end)) return false;
    } else if (!number(out.end) || (take(":") && !number(out.step))) {
      return false;
    }
    if (out.isRange()) return true;
    noRange = out;
    return false;
  }

  bool number(int64_t& out) {
    blanks();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  std::string_view rest_;
};

} // namespace

std::optional<LayerRef> parseLayerRef(std::string_view text, std::optional<Range>* noRange) {
  RefReader reader(text);
  std::optional<LayerRef> ref = reader.read();
  if (noRange) *noRange = reader.noRange;
  return ref;
}

} // namespace planc::ir
