// Typed 32-bit indices, and the stores that they index.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

namespace planc {

/// An index into a Store of `Tag`s. A default-constructed id is invalid.
template <class Tag> struct Id {
  static constexpr uint32_t kNone = ~0u;
  uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t i) : index(i) {}
  constexpr bool valid() const { return index != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

/// A growing array addressed by typed ids. Ids stay valid; references do not survive `add`.
template <class T, class Tag = T> class Store {
  std::vector<T> items_;

public:
  using IdType = Id<Tag>;
  using value_type = T;
  IdType add(T item) {
    items_.push_back(std::move(item));
    return IdType(static_cast<uint32_t>(items_.size() - 1));
  }
  T& operator[](IdType id) { return items_[id.index]; }
  const T& operator[](IdType id) const { return items_[id.index]; }
  uint32_t size() const { return static_cast<uint32_t>(items_.size()); }
  bool empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  bool operator==(const Store&) const = default;
};

} // namespace planc
