// File descriptors, and bounded reads from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace planc {

/// A file descriptor that closes itself. The standard streams stay open.
class Descriptor {
  int fd_;

public:
  /// `fd` as returned by the system; negative if the open failed.
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int get() const { return fd_; }
};

/// Reads at most `mostBytes` from an open file. Returns nullopt, with the system's reason in `error`, if a read fails.
std::optional<std::string> readAtMost(const Descriptor& file, size_t mostBytes, std::string& error);

} // namespace planc
