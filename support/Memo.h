// Caches values by what their computation read.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Shared.h"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace planc {

/// The inputs of a computation: numbers by value, shared objects by identity. A memo keeps these objects alive, so that
/// no other object gets their address. A computation whose inputs do not fit is not cached.
class Reads {
public:
  template <class T>
  requires std::integral<T> || std::is_enum_v<T> Reads& operator<<(T value) {
    return word(static_cast<uint64_t>(value));
  }
  Reads& operator<<(double value) { return word(std::bit_cast<uint64_t>(value)); }
  template <std::same_as<std::span<const uint64_t>> Words> Reads& operator<<(Words many) {
    if (size_ + many.size() <= words_.size()) std::copy(many.begin(), many.end(), words_.begin() + size_);
    size_ += many.size();
    return *this;
  }

  /// Adds an object, which must outlive this key.
  template <class T> Reads& operator<<(const Shared<T>& object) {
    return hold(&*object, &object, [](const void* from) { return static_cast<const Shared<T>*>(from)->handle(); });
  }
  template <class T> Reads& operator<<(const std::shared_ptr<T>& object) {
    return hold(object.get(), &object,
                [](const void* from) -> Handle { return *static_cast<const std::shared_ptr<T>*>(from); });
  }

  bool fits() const { return size_ <= words_.size() && objects_ <= held_.size(); }
  std::span<const uint64_t> words() const { return std::span(words_).first(size_); }
  uint64_t hash() const {
    uint64_t h = size_;
    for (const uint64_t word : words()) h = (std::rotl(h, 29) ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
  }

  using Handle = std::shared_ptr<const void>;
  /// Calls `f` with a handle of each object.
  void eachObject(auto f) const {
    for (size_t i = 0; i < objects_; ++i) f(held_[i].handleOf(held_[i].from));
  }

private:
  struct Held {
    const void* from;
    Handle (*handleOf)(const void* from);
  };
  Reads& hold(const void* object, const void* from, Handle (*handleOf)(const void*)) {
    if (objects_ < held_.size()) held_[objects_] = {from, handleOf};
    ++objects_;
    return word(reinterpret_cast<uintptr_t>(object));
  }
  Reads& word(uint64_t word) {
    if (size_ < words_.size()) words_[size_] = word;
    ++size_;
    return *this;
  }
  std::array<uint64_t, 48> words_;
  std::array<Held, 4> held_;
  size_t size_ = 0, objects_ = 0;
};

/// A cache from inputs to values. It is cleared when it would exceed `kMost` values.
template <class T, size_t kMost = 1 << 10> class Memo {
public:
  /// The cached value; null if there is none. The pointer is valid until the next `add` or `clear`.
  const T* find(const Reads& reads) const {
    if (entries_.empty() || !reads.fits()) return nullptr;
    const uint64_t hash = reads.hash();
    for (size_t at = hash & mask(); slots_[at] != 0; at = (at + 1) & mask()) {
      const Entry& entry = entries_[slots_[at] - 1];
      if (entry.hash == hash && equal(entry, reads.words())) return &entry.value;
    }
    return nullptr;
  }

  T* find(const Reads& reads) { return const_cast<T*>(std::as_const(*this).find(reads)); }

  void add(const Reads& reads, T value) {
    if (!reads.fits()) return;
    if (entries_.size() >= kMost) clear();
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const auto words = reads.words();
    entries_.push_back(
        {reads.hash(), static_cast<uint32_t>(words_.size()), static_cast<uint32_t>(words.size()), std::move(value)});
    words_.insert(words_.end(), words.begin(), words.end());
    reads.eachObject([&](Reads::Handle object) {
      if (object) objects_.push_back(std::move(object));
    });
    place(entries_.size() - 1);
  }

  void clear() { entries_.clear(), words_.clear(), slots_.clear(), objects_.clear(); }
  size_t size() const { return entries_.size(); }

private:
  struct Entry {
    uint64_t hash = 0;
    uint32_t begin = 0, size = 0; ///< range in `words_`
    T value;
  };
  size_t mask() const { return slots_.size() - 1; }
  bool equal(const Entry& entry, std::span<const uint64_t> words) const {
    return entry.size == words.size() && std::equal(words.begin(), words.end(), words_.begin() + entry.begin);
  }
  void place(size_t index) {
    size_t at = entries_[index].hash & mask();
    while (slots_[at] != 0) at = (at + 1) & mask();
    slots_[at] = static_cast<uint32_t>(index + 1);
  }
  void grow() {
    slots_.assign(std::max<size_t>(64, 2 * slots_.size()), 0);
    for (size_t i = 0; i < entries_.size(); ++i) place(i);
  }

  std::vector<Entry> entries_;
  std::vector<uint64_t> words_;
  std::vector<Reads::Handle> objects_; ///< that keys name
  std::vector<uint32_t> slots_; ///< index + 1 into `entries_`; 0: empty. Size is a power of two, at most half full
};

/// The last few values, for inputs that are compared and not hashed.
template <class T, size_t kMost = 8> class Latest {
public:
  Latest() = default;
  explicit Latest(size_t most) : most_(most) {}

  /// Returns the first value for which `is` holds and makes it the most recent one; null if there is none.
  T* find(auto is) {
    const auto at = std::find_if(values_.begin(), values_.end(), is);
    if (at == values_.end()) return nullptr;
    values_.splice(values_.begin(), values_, at);
    return &values_.front();
  }
  /// Adds the most recent value and drops the least recent one if there are too many.
  T& add(T value) {
    values_.push_front(std::move(value));
    if (values_.size() > most_) values_.pop_back();
    return values_.front();
  }
  void clear() { values_.clear(); }

private:
  size_t most_ = kMost;
  std::list<T> values_; ///< most recent first
};

/// Caches that computations share, one object of each type. Its owner decides how long they live and which thread uses
/// them.
class Memos {
public:
  /// Returns the object of a type, default-constructed at first.
  template <class T> T& of() {
    for (const Held& held : held_)
      if (held.type == &type<T>) return *static_cast<T*>(held.object.get());
    return *static_cast<T*>(held_.emplace_back(Held{&type<T>, std::make_shared<T>()}).object.get());
  }
  void clear() { held_.clear(); }
  /// Returns a number that it has not returned before, as a short name for several inputs.
  uint64_t fresh() { return ++names_; }

private:
  template <class T> static constexpr char type = 0; ///< its address stands for T
  struct Held {
    const char* type;
    std::shared_ptr<void> object;
  };
  std::vector<Held> held_;
  uint64_t names_ = 0;
};

/// Returns what `make` returned for the same reads before, or calls it. Each call in the source has a memo of its own.
/// Without memos nothing is cached.
template <class Make> std::invoke_result_t<Make> remember(Memos* memos, const Reads& reads, Make make) {
  using Value = std::invoke_result_t<Make>;
  struct Made : Memo<Value> {};
  if (!memos) return make();
  if (const Value* before = memos->of<Made>().find(reads)) return *before;
  Value value = make();
  memos->of<Made>().add(reads, value);
  return value;
}

} // namespace planc
