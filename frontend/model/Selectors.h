// Selectors: from text with slices to ir::Selector, and against the paths that a model has.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"
#include "ir/plan/Plan.h"

#include <unordered_set>

namespace planc::frontend {

/// Every path of a model: layers, repeats, operators, parameters.
class PathTree {
public:
  explicit PathTree(const ir::Model& model);
  /// `layers` in front of a selector means every repeat of the model, unless a layer is called so.
  void resolve(ir::Selector& selector) const;
  /// Of one that may be resolved first.
  bool settle(ir::Selector& selector, Context& context, bool optional = false) {
    resolve(selector);
    return check(selector, context, optional);
  }
  /// Reports a selector that matches nothing, a slice of what is no repeat, a slice out of range. True if all is well.
  /// One wrong name is reported once, however many rules stand below it. `optional`: it may match nothing.
  bool check(const ir::Selector& selector, Context& context, bool optional = false);

private:
  struct Node {
    Symbol name;
    int64_t count = 0; ///< of a repeat; 0: none
    std::vector<uint32_t> children;
  };
  uint32_t child(uint32_t node, Symbol name);
  void add(const std::vector<Symbol>& path, int64_t count = 0);
  std::vector<uint32_t> step(const std::vector<uint32_t>& at, const ir::LayerStep& s) const;
  bool checkSlice(const std::vector<uint32_t>& at, const ir::LayerStep& s, const ir::Selector& selector,
                  Context& context) const;

  std::vector<Node> nodes_;
  std::unordered_set<std::string> reported_; ///< beginnings of selectors that match nothing
  struct Key {
    uint32_t node;
    Symbol name;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const { return std::hash<Symbol>()(k.name) * 31 + k.node; }
  };
  std::unordered_map<Key, uint32_t, KeyHash> byName_; ///< a layer may have many children
};

/// Appends the steps of a selector as written to `prefix`; nothing after a report about its slices.
std::optional<ir::Selector> makeSelector(Evaluator& ev, const syntax::Selector& written, Scope& scope,
                                         const ir::Selector& prefix = {});
/// A selector out of a string: `layer("decoder[0:20].attn")`.
std::optional<ir::Selector> parseSelector(Context& context, std::string_view text, SourceRange range);
/// Which instances a slice chooses may follow from a parameter; all else in a selector is names.
bool choosesInstances(const ir::Selector& s);
/// Could both match one instance of one layer, or one a layer inside the other's?
bool overlaps(const ir::Selector& a, const ir::Selector& b);

} // namespace planc::frontend
