// Tables of names.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Scope.h"

namespace planc::frontend {

const NameTable::Entry* NameTable::find(Symbol name) const {
  if (entries_.size() < kIndexFrom) {
    for (const Entry& e : entries_)
      if (e.name == name) return &e;
    return nullptr;
  }
  auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

NameTable::Entry& NameTable::add(Symbol name, Value value, SourceRange range) {
  entries_.push_back({name, value, range});
  if (entries_.size() == kIndexFrom)
    for (uint32_t i = 0; i < kIndexFrom; ++i) index_.emplace(entries_[i].name, i);
  else if (entries_.size() > kIndexFrom)
    index_.emplace(name, static_cast<uint32_t>(entries_.size() - 1));
  return entries_.back();
}

} // namespace planc::frontend
