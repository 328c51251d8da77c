// Stores facts sorted by id and key, and prints keys.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/FactStore.h"

#include "ir/facts/FactTable.h"
#include "ir/layout/Layout.h"
#include "ir/machine/Machine.h"

#include <algorithm>

namespace planc::ir {

std::string_view FactKey::text() const {
  switch (of_) {
  case Of::Type:
    return name(static_cast<DType>(raw_));
  case Of::Kind:
    return name(static_cast<CollectiveKind>(raw_));
  case Of::Class:
    return name(static_cast<CollectiveClass>(raw_));
  case Of::Name:
    return *reinterpret_cast<const std::string*>(raw_);
  case Of::None:
    break;
  }
  return {};
}

bool FactKey::operator<(const FactKey& other) const {
  return of_ == Of::Name && other.of_ == Of::Name ? text() < other.text() : raw_ < other.raw_;
}

std::string FactRef::path() const {
  if (id == FactId()) return {};
  const std::string_view pattern = factRow(id).path;
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return std::string(pattern);
  return std::string(pattern.substr(0, star)).append(key.text()).append(pattern.substr(star + 1));
}

void FactStore::set(uint8_t id, FactKey key, Number number) {
  if (Number* known = find(id, key)) {
    *known = std::move(number);
    return;
  }
  const auto begin = keys_.begin() + first_[id], end = keys_.begin() + first_[id + 1];
  const auto at = std::upper_bound(begin, end, key) - keys_.begin();
  keys_.insert(keys_.begin() + at, key);
  numbers_.insert(numbers_.begin() + at, std::move(number));
  for (size_t i = id + 1; i < first_.size(); ++i) ++first_[i];
}

void FactStore::erase(uint8_t id, FactKey key) {
  for (size_t i = first_[id]; i < first_[id + 1]; ++i)
    if (keys_[i] == key) return cut(id, i, i + 1);
}

void FactStore::erase(uint8_t id) {
  cut(id, first_[id], first_[id + 1]);
}

void FactStore::cut(uint8_t id, size_t from, size_t to) {
  keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(from), keys_.begin() + static_cast<std::ptrdiff_t>(to));
  numbers_.erase(numbers_.begin() + static_cast<std::ptrdiff_t>(from),
                 numbers_.begin() + static_cast<std::ptrdiff_t>(to));
  for (size_t i = id + 1; i < first_.size(); ++i) first_[i] -= static_cast<uint16_t>(to - from);
}

} // namespace planc::ir
