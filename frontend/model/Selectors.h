// Selectors: parses them with their slices, and checks them against the paths of a model.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"
#include "ir/plan/Plan.h"

#include <unordered_set>

namespace planc::frontend {

/// The tree of all paths of a model: layers, repeats, operators, parameters.
class PathTree {
public:
  explicit PathTree(const ir::Model& model);
  /// Resolves a leading `layers` to every repeat of the model, unless a layer has this name.
  void resolve(ir::Selector& selector) const;
  /// Resolves the selector, then checks it.
  bool settle(ir::Selector& selector, Context& context, bool optional = false) {
    resolve(selector);
    return check(selector, context, optional);
  }
  /// Returns whether a selector is valid. Reports a selector that matches nothing, a slice of a layer that is no
  /// repeat, and a slice out of range. Reports each wrong name once, even if many rules use it. `optional`: it may
  /// match nothing.
  bool check(const ir::Selector& selector, Context& context, bool optional = false);

private:
  struct Node {
    Symbol name;
    int64_t count = 0; ///< count of a repeat; 0: no repeat
    std::vector<uint32_t> children;
  };
  uint32_t child(uint32_t node, Symbol name);
  void add(const std::vector<Symbol>& path, int64_t count = 0);
  std::vector<uint32_t> step(const std::vector<uint32_t>& at, const ir::LayerStep& s) const;
  bool checkSlice(const std::vector<uint32_t>& at, const ir::LayerStep& s, const ir::Selector& selector,
                  Context& context) const;

  std::vector<Node> nodes_;
  std::unordered_set<std::string> reported_; ///< reported beginnings of selectors that match nothing
  struct Key {
    uint32_t node;
    Symbol name;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const { return std::hash<Symbol>()(k.name) * 31 + k.node; }
  };
  std::unordered_map<Key, uint32_t, KeyHash> byName_; ///< a hash table, because a layer may have many children
};

/// Appends the steps of a written selector to `prefix`. Returns nothing after a report about its slices.
std::optional<ir::Selector> makeSelector(Evaluator& ev, const syntax::Selector& written, Scope& scope,
                                         const ir::Selector& prefix = {});
/// Parses a selector from a string: `layer("decoder[0:20].attn")`.
std::optional<ir::Selector> parseSelector(Context& context, std::string_view text, SourceRange range);
/// Returns whether the selector has a slice. Only a slice may depend on a parameter; the rest of a selector is names.
bool choosesInstances(const ir::Selector& s);
/// Returns whether both selectors can match one instance of a layer, or one can match a layer inside of the other's.
bool overlaps(const ir::Selector& a, const ir::Selector& b);

} // namespace planc::frontend
