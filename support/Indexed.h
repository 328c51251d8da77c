// Arrays indexed by enum members or by signed integers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace planc {

/// A vector indexed by stages, micro-batches, operands and so on. Indices are signed, because callers compute
/// neighbours as `i - 1`. An index must not be negative.
template <class T> class Indexed : public std::vector<T> {
public:
  using std::vector<T>::vector;
  Indexed() = default;
  Indexed(std::vector<T> items) : std::vector<T>(std::move(items)) {}
  template <std::integral I> explicit Indexed(I count, const T& each = T()) {
    this->assign(static_cast<size_t>(count), each);
  }
  T& operator[](std::integral auto i) { return std::vector<T>::operator[](static_cast<size_t>(i)); }
  const T& operator[](std::integral auto i) const { return std::vector<T>::operator[](static_cast<size_t>(i)); }
};

/// An array with an entry for each of the first N members of an enum. It also takes plain integers, for loops over all
/// entries.
template <class E, class T, size_t N> class EnumArray : public std::array<T, N> {
public:
  T& operator[](E member) { return (*this)[static_cast<size_t>(member)]; }
  const T& operator[](E member) const { return (*this)[static_cast<size_t>(member)]; }
  T& operator[](std::integral auto i) { return std::array<T, N>::operator[](static_cast<size_t>(i)); }
  const T& operator[](std::integral auto i) const { return std::array<T, N>::operator[](static_cast<size_t>(i)); }
};

} // namespace planc
