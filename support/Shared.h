// A value that its copies share until one of them is edited.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>
#include <utility>

namespace planc {

/// Copy-on-write: reads as a `const T`; `edit` first copies the value if other copies share it. Copies are cheap. Two
/// threads that hold copies of one value may each edit their own copy.
template <class T> class Shared {
  std::shared_ptr<T> value_; ///< null: a default-constructed T
  static const T& blank() {
    static const T kBlank{};
    return kBlank;
  }

public:
  Shared() = default;
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}
  /// Shares a value that other owners hold.
  Shared(const std::shared_ptr<const T>& value) : value_(std::const_pointer_cast<T>(value)) {}

  const T& operator*() const { return value_ ? *value_ : blank(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }
  T& edit() {
    if (!value_)
      value_ = std::make_shared<T>();
    else if (value_.use_count() > 1)
      value_ = std::make_shared<T>(std::as_const(*value_));
    else
      std::atomic_thread_fence(std::memory_order_acquire); // the last other owner has finished reading
    return *value_;
  }
  /// Keeps the object alive and unchanged: later edits copy it. Null for a default-constructed value.
  std::shared_ptr<const void> handle() const { return value_; }
  /// Whether both refer to the same object.
  bool sharedWith(const Shared& other) const { return value_ == other.value_; }

  // Forwarded members of containers.
  auto begin() const { return (**this).begin(); }
  auto end() const { return (**this).end(); }
  auto rbegin() const { return (**this).rbegin(); }
  auto rend() const { return (**this).rend(); }
  auto size() const { return (**this).size(); }
  bool empty() const { return (**this).empty(); }
  const auto& front() const { return (**this).front(); }
  const auto& back() const { return (**this).back(); }
  const auto& operator[](auto index) const { return (**this)[index]; }
};

/// An ordered list, such as a `Store`, with copy-on-write. Access through a constant list never copies. Access through
/// a list that is not constant first copies the list if other copies share it.
template <class List> class SharedList {
  Shared<List> list_;

public:
  using IdType = typename List::IdType;
  SharedList() = default;
  SharedList(List list) : list_(std::move(list)) {}
  IdType add(typename List::value_type item) { return list_.edit().add(std::move(item)); }
  auto& operator[](IdType id) { return list_.edit()[id]; }
  const auto& operator[](IdType id) const { return (*list_)[id]; }
  auto size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  auto begin() { return list_.edit().begin(); }
  auto end() { return list_.edit().end(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  bool operator==(const SharedList& other) const { return list_.sharedWith(other.list_) || *list_ == *other.list_; }
};

/// Copy-on-write for a shared pointer, which must not be null: copies the value if it has other owners, and returns it.
template <class T> T& edit(std::shared_ptr<const T>& value) {
  if (value.use_count() > 1)
    value = std::make_shared<const T>(*value);
  else
    std::atomic_thread_fence(std::memory_order_acquire);
  return const_cast<T&>(*value);
}

} // namespace planc
