// References to layers of a model, as plans, reports and command lines write them: one type with its printer and its
// parser. Code keeps a layer as this type and makes text only for printing.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Range.h"
#include "support/Source.h"
#include "support/Symbol.h"

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::ir {

/// One step of a path: a name, or `*` for any name, and the selected instances if the step names a repeat.
struct LayerStep {
  bool star = false;
  Symbol name;
  std::optional<RangeSet> slice;
  /// `*`: any one layer.
  static LayerStep any();
  /// `layers`: any repeat, with all of its instances.
  static LayerStep ofRepeats();
  bool isAllOfRepeats() const { return *this == ofRepeats(); }
  /// `layers`, `layers[0:4]`: any repeat, with all or some of its instances.
  bool isRepeats() const { return star && slice; }
  auto operator<=>(const LayerStep&) const = default;
};

/// A path of layers: `decoder[0:20].attn`. No steps: the whole model. It matches an operator if it is a prefix of the
/// operator's path.
struct LayerRef {
  std::vector<LayerStep> steps;
  /// Refers not to the layer but to the reshards between its classes, which have a report row: `decoder (carry)`.
  bool boundary = false;

  /// A reference by names, without slices.
  static LayerRef of(const std::vector<Symbol>& path);
  auto operator<=>(const LayerRef&) const = default;
  /// The text that `parseLayerRef` reads back.
  std::string str() const;
  /// The names of the steps, without slices.
  std::vector<Symbol> names() const;
  /// The first `steps` steps.
  LayerRef prefix(size_t steps) const;
  /// Returns the number of steps if this is a prefix of `path` (`*` matches one step), else nothing. Ignores slices.
  std::optional<int> matches(const std::vector<Symbol>& path) const;
};

/// Parses a path. Returns nothing if the text is not a path or has a slice that is no range of instances (`[3:2]`,
/// `[0:4:0]`, `[-1]`). `noRange`, if not null, receives such a slice.
std::optional<LayerRef> parseLayerRef(std::string_view text, std::optional<Range>* noRange = nullptr);

/// A path as written in a plan.
struct Selector : LayerRef {
  SourceRange range;
  SourceRange around = {}; ///< range of the steps that come from the enclosing blocks
  bool operator==(const Selector&) const = default;
};

} // namespace planc::ir
