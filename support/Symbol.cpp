// The table of interned names.
// SPDX-License-Identifier: Apache-2.0
#include "support/Symbol.h"

#include <mutex>
#include <unordered_set>

namespace planc {
namespace {

/// Allows look-ups by string_view, so that finding an existing name allocates nothing.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

struct Table {
  std::mutex lock;
  std::unordered_set<std::string, TextHash, std::equal_to<>> names; // node-based: addresses are stable
};

/// Never destroyed: symbols in static objects stay valid until the process ends.
Table& internedNames() {
  static Table& table = *new Table;
  return table;
}

/// A per-thread cache of names by hash. Most look-ups hit it and need no lock on the table. It is trivially
/// destructible, so that it may be used while a thread ends.
constexpr size_t kRecent = 2048;
thread_local const std::string* recent[kRecent];

const std::string* intern(std::string_view text) {
  const std::string*& known = recent[TextHash()(text) % kRecent];
  if (known && *known == text) return known;
  Table& t = internedNames();
  std::lock_guard guard(t.lock);
  auto found = t.names.find(text);
  return known = found != t.names.end() ? &*found : &*t.names.emplace(text).first;
}

const std::string* emptyText() {
  static const std::string* const empty = new std::string;
  return empty;
}

} // namespace

Symbol::Symbol() : text_(emptyText()) {}
Symbol::Symbol(std::string_view text) : text_(text.empty() ? emptyText() : intern(text)) {}

} // namespace planc
