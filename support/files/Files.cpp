// Descriptors of open files, and reading from them within a bound.
// SPDX-License-Identifier: Apache-2.0
#include "support/files/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace planc {

Descriptor::~Descriptor() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

std::optional<std::string> readAtMost(const Descriptor& file, size_t mostBytes, std::string& error) {
  std::string text;
  char buffer[1 << 16];
  while (text.size() < mostBytes) {
    const ssize_t n = ::read(file.get(), buffer, std::min(sizeof buffer, mostBytes - text.size()));
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error = std::strerror(errno);
      return std::nullopt;
    }
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

} // namespace planc
