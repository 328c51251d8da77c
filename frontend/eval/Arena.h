// Owns the values that others point to: those that declarations keep last as long as the session, the rest passes with
// the elaboration that made it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace planc::frontend {

/// What it makes never moves.
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
  /// A struct with a member `lasting` is told whether it lasts as long as the session.
  template <class T> T* make(T item) {
    if constexpr (requires { item.lasting; }) item.lasting = passing_ == nullptr;
    auto holder = std::make_unique<Of<T>>(std::move(item));
    T* made = &holder->item;
    (passing_ ? *passing_ : lasting_).push_back(std::move(holder));
    return made;
  }
  /// How many items last.
  size_t lasting() const { return lasting_.size(); }

  /// While it lives, what is made passes with it.
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

  /// While it lives, what is made lasts: around what is computed once and kept.
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
  Items* passing_ = nullptr; ///< of the innermost `Passing`; null: everything lasts
};

} // namespace planc::frontend
