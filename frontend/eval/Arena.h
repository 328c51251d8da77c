// Owns values that other values point to. Values kept by declarations live as long as the session; all others are freed
// with the elaboration that created them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace planc::frontend {

/// Addresses of its items are stable.
class Arena {
  struct Holder {
    virtual ~Holder() = default;
  };
  template <class T> struct Of final : Holder {
    T item;
    explicit Of(T i) : item(std::move(i)) {}
  };
  using Items = std::vector<std::unique_ptr<Holder>>;

public:
  /// Stores an item. A member `lasting`, if there is one, is set to whether the item lives as long as the session.
  template <class T> T* make(T item) {
    if constexpr (requires { item.lasting; }) item.lasting = passing_ == nullptr;
    auto holder = std::make_unique<Of<T>>(std::move(item));
    T* made = &holder->item;
    (passing_ ? *passing_ : lasting_).push_back(std::move(holder));
    return made;
  }
  /// The number of items that live as long as the session.
  size_t lasting() const { return lasting_.size(); }

  /// Items created during the lifetime of a `Passing` are freed with it.
  class Passing {
  public:
    explicit Passing(Arena& arena) : arena_(arena), outer_(std::exchange(arena.passing_, &items_)) {}
    ~Passing() { arena_.passing_ = outer_; }
    Passing(const Passing&) = delete;

  private:
    Arena& arena_;
    Items items_;
    Items* outer_;
  };

  /// Items created during the lifetime of a `Lasting` live as long as the session. Used for results that are cached.
  class Lasting {
  public:
    explicit Lasting(Arena& arena, bool wanted = true)
        : arena_(arena), outer_(wanted ? std::exchange(arena.passing_, nullptr) : arena.passing_) {}
    ~Lasting() { arena_.passing_ = outer_; }
    Lasting(const Lasting&) = delete;

  private:
    Arena& arena_;
    Items* outer_;
  };

private:
  Items lasting_;
  Items* passing_ = nullptr; ///< items of the innermost `Passing`; null: items live as long as the session
};

} // namespace planc::frontend
