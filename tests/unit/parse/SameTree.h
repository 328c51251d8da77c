// Whether two syntax trees say the same: every field of every node, by the lists of frontend/syntax/Fields.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Fields.h"

namespace planc::test {

template <class T> bool sameTree(const T& a, const T& b);

template <class Tuple, size_t... I> bool sameFields(const Tuple& a, const Tuple& b, std::index_sequence<I...>) {
  return (sameTree(std::get<I>(a), std::get<I>(b)) && ...);
}

template <class T> bool sameTree(const T& a, const T& b) {
  if constexpr (syntax::Node<T>) {
    const auto left = syntax::fields(a), right = syntax::fields(b);
    return sameFields(left, right, std::make_index_sequence<std::tuple_size_v<decltype(syntax::fields(a))>>());
  } else if constexpr (std::is_pointer_v<T>) {
    return !a == !b && (!a || sameTree(*a, *b));
  } else if constexpr (requires { a.has_value(); }) {
    return a.has_value() == b.has_value() && (!a || sameTree(*a, *b));
  } else if constexpr (requires { a.index(); }) {
    return a.index() == b.index() && std::visit(
                                         [&](const auto& item) {
                                           using Item = std::decay_t<decltype(item)>;
                                           return sameTree(item, std::get<Item>(b));
                                         },
                                         a);
  } else if constexpr (requires { a.begin(); }) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& left, const auto& right) { return sameTree(left, right); });
  } else {
    return a == b;
  }
}

} // namespace planc::test
