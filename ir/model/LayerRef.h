// Layers of a model as plans, reports and command lines name them: one type for all, its text and its reader. What
// refers to a layer keeps it as this; text is made where something is printed.
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

/// A name, or `*` for any, and which instances are meant where a repeat has it.
struct LayerStep {
  bool star = false;
  Symbol name;
  std::optional<RangeSet> slice;
  /// Any one layer: `*`.
  static LayerStep any();
  /// Any repeat, all of its instances: `layers`.
  static LayerStep ofRepeats();
  bool isAllOfRepeats() const { return *this == ofRepeats(); }
  /// Any repeat, all of its instances or some: only repeats have any. `layers[0:4]`.
  bool isRepeats() const { return star && slice; }
  auto operator<=>(const LayerStep&) const = default;
};

/// A path of layers: `decoder[0:20].attn`; no steps = the whole model. A prefix of an operator's path matches it.
struct LayerRef {
  std::vector<LayerStep> steps;
  /// Not the layer: what is resharded between its classes, which has a row beside it. `decoder (carry)`.
  bool boundary = false;

  /// Of names without slices.
  static LayerRef of(const std::vector<Symbol>& path);
  auto operator<=>(const LayerRef&) const = default;
  /// As `parseLayerRef` reads it.
  std::string str() const;
  /// Without slices.
  std::vector<Symbol> names() const;
  /// The first `steps` of it.
  LayerRef prefix(size_t steps) const;
  /// Steps matched if it is a prefix of `path` (`*` matches one step), else nothing. Slices are not looked at.
  std::optional<int> matches(const std::vector<Symbol>& path) const;
};

/// Nothing if the text is no path. A slice that is no range of instances (`[3:2]`, `[0:4:0]`, `[-1]`) is none either;
/// it is handed out where `noRange` is given.
std::optional<LayerRef> parseLayerRef(std::string_view text, std::optional<Range>* noRange = nullptr);

/// A path as a plan states it.
struct Selector : LayerRef {
  SourceRange range;
  SourceRange around = {}; ///< of the steps that it has from the blocks that it stands in
  bool operator==(const Selector&) const = default;
};

} // namespace planc::ir
