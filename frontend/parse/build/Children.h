// A cursor over the children of a parse tree node: a node is read in the order of its grammar rule, without searching.
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
  /// The next child if it is of rule `Context`, which is then passed; null otherwise.
  template <class Context> Context* rule() {
    if (at_ == end_) return nullptr;
    antlr4::tree::ParseTree& child = **at_;
    if (!is<Context>(child)) return nullptr;
    ++at_;
    return static_cast<Context*>(&child);
  }
  /// The next child if it is a token, which is then passed; null otherwise.
  const PlanToken* token() {
    const PlanToken* token = peek();
    if (token) ++at_;
    return token;
  }
  /// Passes the next child if it is a token of this type.
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
    // The base is virtual: the way down is over the whole object.
    auto* terminal = static_cast<antlr4::tree::TerminalNodeImpl*>(dynamic_cast<void*>(node));
    return static_cast<const PlanToken*>(terminal->symbol);
  }
  /// Passes `sep` nodes, commas and whatever else is not of rule `Context`, up to the next child that is.
  template <class Context> Context* next() {
    for (; at_ != end_; ++at_)
      if (Context* found = rule<Context>()) return found;
    return nullptr;
  }

private:
  /// Comparing types is several times faster than dynamic_cast, and every node is of a final type in fact. In one
  /// binary a type has one name object, so that the names need not be compared letter by letter either.
  template <class Node> static bool is(const antlr4::tree::ParseTree& node) {
    return typeid(node).name() == typeid(Node).name();
  }

  std::vector<antlr4::tree::ParseTree*>::const_iterator at_;
  std::vector<antlr4::tree::ParseTree*>::const_iterator end_;
};

} // namespace planc::parse
