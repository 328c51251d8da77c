// Caches values by the inputs of their computation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace planc {

/// The inputs of a computation as 64-bit words. A computation whose inputs do not fit is not cached.
class Reads {
public:
  template <class T>
  requires std::integral<T> || std::is_enum_v<T> Reads& operator<<(T value) {
    return word(static_cast<uint64_t>(value));
  }
  Reads& operator<<(double value) { return word(std::bit_cast<uint64_t>(value)); }
  Reads& operator<<(std::span<const uint64_t> many) {
    if (size_ + many.size() <= words_.size()) std::copy(many.begin(), many.end(), words_.begin() + size_);
    size_ += many.size();
    return *this;
  }

  bool fits() const { return size_ <= words_.size(); }
  std::span<const uint64_t> words() const { return std::span(words_).first(size_); }
  uint64_t hash() const {
    uint64_t h = size_;
    for (const uint64_t word : words()) h = (std::rotl(h, 29) ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
  }

private:
  Reads& word(uint64_t word) {
    if (size_ < words_.size()) words_[size_] = word;
    ++size_;
    return *this;
  }
  std::array<uint64_t, 48> words_;
  size_t size_ = 0;
};

/// A cache from inputs to values. It is cleared when it would exceed `most` values.
template <class T> class Memo {
public:
  explicit Memo(size_t most = 1 << 16) : most_(most) {}

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
    if (entries_.size() >= most_) clear();
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const auto words = reads.words();
    entries_.push_back(
        {reads.hash(), static_cast<uint32_t>(words_.size()), static_cast<uint32_t>(words.size()), std::move(value)});
    words_.insert(words_.end(), words.begin(), words.end());
    place(entries_.size() - 1);
  }

  void clear() { entries_.clear(), words_.clear(), slots_.clear(); }
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

  size_t most_;
  std::vector<Entry> entries_;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> slots_; ///< index + 1 into `entries_`; 0: empty. Size is a power of two, at most half full
};

} // namespace planc
