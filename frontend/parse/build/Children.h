// A cursor over the children of a parse tree node, to read them in the order of the grammar rule without searching.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "PlanParser.h"
#include "frontend/parse/TokenStream.h"

#include <typeinfo>

namespace planc::parse {

class Children {
public:
  explicit Children(const antlr4::tree::ParseTree* node) : at_(node->children.begin()), end_(node->children.end()) {}

  bool atEnd() const { return at_ == end_; }
  /// Takes the next child if it is of rule `Context`; otherwise returns null.
  template <class Context> Context* rule() {
    if (at_ == end_) return nullptr;
    antlr4::tree::ParseTree& child = **at_;
    if (!is<Context>(child)) return nullptr;
    ++at_;
    return static_cast<Context*>(&child);
  }
  /// Takes the next child if it is a token; otherwise returns null.
  const PlanToken* token() {
    const PlanToken* token = peek();
    if (token) ++at_;
    return token;
  }
  /// Takes the next child if it is a token of this type; returns whether it was.
  bool accept(size_t type) {
    const PlanToken* token = peek();
    if (!token || token->getType() != type) return false;
    ++at_;
    return true;
  }
  const PlanToken* peek() const { return at_ == end_ ? nullptr : tokenOf(*at_); }
  /// The token of a leaf; null for the node of a rule.
  static const PlanToken* tokenOf(antlr4::tree::ParseTree* node) {
    if (!is<antlr4::tree::TerminalNodeImpl>(*node)) return nullptr;
    // The base is virtual, so a static cast must start from the whole object.
    auto* terminal = static_cast<antlr4::tree::TerminalNodeImpl*>(dynamic_cast<void*>(node));
    return static_cast<const PlanToken*>(terminal->symbol);
  }
  /// Skips `sep` nodes, commas and other children up to the next one of rule `Context`, and takes it. Returns null if
  /// there is none.
  template <class Context> Context* next() {
    for (; at_ != end_; ++at_)
      if (Context* found = rule<Context>()) return found;
    return nullptr;
  }

private:
  /// Compares types by name object, which is several times faster than dynamic_cast. This works because every node has
  /// a final type, and because each type has only one name object in a binary.
  template <class Node> static bool is(const antlr4::tree::ParseTree& node) {
    return typeid(node).name() == typeid(Node).name();
  }

  std::vector<antlr4::tree::ParseTree*>::const_iterator at_;
  std::vector<antlr4::tree::ParseTree*>::const_iterator end_;
};

} // namespace planc::parse
