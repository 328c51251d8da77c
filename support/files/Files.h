// Descriptors of open files, and reading from them within a bound.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace planc {

/// A file descriptor that closes itself; those of the process itself (standard input, output, errors) stay open.
class Descriptor {
  int fd_;

public:
  /// `fd` as the system gave it; negative where nothing was opened.
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int get() const { return fd_; }
};

/// What can be read from an open file, at most `mostBytes` of it. Nothing, with the system's reason in `error`, where
/// reading fails.
std::optional<std::string> readAtMost(const Descriptor& file, size_t mostBytes, std::string& error);

} // namespace planc
