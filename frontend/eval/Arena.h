// Owns the values of one compilation that others point to; everything lives until the session ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace planc::frontend {

/// Grows only; what it makes never moves.
class Arena {
  struct Holder {
    virtual ~Holder() = default;
  };
  template <class T> struct Of final : Holder {
    T item;
    explicit Of(T i) : item(std::move(i)) {}
  };
  std::vector<std::unique_ptr<Holder>> items_;

public:
  template <class T> T* make(T item) {
    auto holder = std::make_unique<Of<T>>(std::move(item));
    T* made = &holder->item;
    items_.push_back(std::move(holder));
    return made;
  }
};

} // namespace planc::frontend
