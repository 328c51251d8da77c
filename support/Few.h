// A list that stores its first few items inside itself, so that short lists need no allocation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <type_traits>

namespace planc {

/// Like std::vector, for trivially copyable items. Up to N items are stored in the list object.
template <class T, uint32_t N> class Few {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  using value_type = T;
  using size_type = size_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  Few() : few_{} {}
  Few(std::initializer_list<T> items) : Few(items.begin(), items.end()) {}
  template <std::forward_iterator I> Few(I first, I last) : few_{} { insert(end(), first, last); }
  explicit Few(size_t count, const T& item = T()) : few_{} { resize(count, item); }
  Few(const Few& other) { copy(other); }
  Few(Few&& other) noexcept { take(other); }
  Few& operator=(const Few& other) {
    if (this == &other) return *this;
    release();
    size_ = 0;
    copy(other);
    return *this;
  }
  Few& operator=(Few&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(other);
    return *this;
  }
  ~Few() { release(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return capacity_ > N ? many_ : few_; }
  const T* data() const { return capacity_ > N ? many_ : few_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return *begin(); }
  const T& front() const { return *begin(); }
  T& back() { return end()[-1]; }
  const T& back() const { return end()[-1]; }
  bool operator==(const Few& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

  auto operator<=>(const Few& other) const requires std::three_way_comparable<T> {
    return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
  }

  void clear() { size_ = 0; }
  void reserve(size_t count) {
    if (count > capacity_) grow(count);
  }
  void resize(size_t count, const T& item = T()) {
    const T copy = item;
    reserve(count);
    for (size_t i = size_; i < count; ++i) data()[i] = copy;
    size_ = static_cast<uint32_t>(count);
  }
  void push_back(const T& item) {
    const T copy = item; // `item` may be an element of this list
    if (size_ == capacity_) grow(size_t(size_) + 1);
    data()[size_++] = copy;
  }
  template <class... Arguments> T& emplace_back(Arguments&&... arguments) {
    push_back(T{std::forward<Arguments>(arguments)...});
    return back();
  }
  void pop_back() { --size_; }
  /// Inserts before `at`. [first, last) must not be a range of this list.
  template <std::forward_iterator I> T* insert(const T* at, I first, I last) {
    const auto place = static_cast<size_t>(at - begin()), count = static_cast<size_t>(std::distance(first, last));
    reserve(size_ + count);
    std::copy_backward(begin() + place, end(), end() + count);
    std::copy(first, last, begin() + place);
    size_ += static_cast<uint32_t>(count);
    return begin() + place;
  }
  T* insert(const T* at, const T& item) {
    const T copy = item;
    return insert(at, &copy, &copy + 1);
  }
  T* erase(const T* first, const T* last) {
    T* place = begin() + (first - begin());
    std::copy(last, static_cast<const T*>(end()), place);
    size_ -= static_cast<uint32_t>(last - first);
    return place;
  }
  T* erase(const T* at) { return erase(at, at + 1); }

private:
  void grow(size_t least) {
    const size_t room = std::max<size_t>(least, size_t(2) * capacity_);
    T* items = new T[room];
    std::copy(begin(), end(), items);
    release();
    many_ = items;
    capacity_ = static_cast<uint32_t>(room);
  }
  /// Frees the heap storage. The caller must set capacity and items afterwards.
  void release() {
    if (capacity_ > N) delete[] many_;
    capacity_ = N;
  }
  /// Copies into a list without heap storage. Copying all N inline items takes fewer instructions than counting them.
  void copy(const Few& other) {
    if (other.capacity_ <= N) {
      std::memcpy(static_cast<void*>(few_), other.few_, sizeof few_);
    } else {
      reserve(other.size_);
      std::copy(other.begin(), other.end(), begin());
    }
    size_ = other.size_;
  }
  void take(Few& other) {
    if (other.capacity_ <= N) {
      copy(other);
    } else {
      size_ = other.size_;
      capacity_ = other.capacity_;
      many_ = other.many_;
      other.capacity_ = N;
    }
    other.size_ = 0;
  }

  uint32_t size_ = 0, capacity_ = N;
  union {
    T few_[N];
    T* many_;
  };
};

} // namespace planc
