// Stores output text until it is complete.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace planc::driver {
namespace {

/// Bytes kept in memory: the results of a few dozen plans never touch a disk.
constexpr size_t kMostHeld = 4u << 20;
/// Bytes read back at once.
constexpr size_t kPiece = 64u << 10;

/// Opens a file without a name, which disappears with its descriptor even if the process crashes.
int openNameless() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (failed) return -1;
  std::string path = (folder / "planc.XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(path.c_str());
  return file;
}

} // namespace

void Spool::add(std::string_view text) {
  held_ += text;
  if (held_.size() > kMostHeld && !full_) store();
}

/// Moves held text to the file. Text that cannot be written stays in memory.
void Spool::store() {
  if (!file_) file_.emplace(openNameless());
  size_t done = 0;
  while (done < held_.size() && !full_) {
    const ssize_t n = ::write(file_->get(), held_.data() + done, held_.size() - done);
    if (n > 0) done += static_cast<size_t>(n);
    full_ = n == 0 || (n < 0 && errno != EINTR);
  }
  stored_ += done;
  held_.erase(0, done);
}

void Spool::print(Console& console) const {
  std::string piece(std::min(kPiece, stored_), '\0');
  for (size_t at = 0; at < stored_;) {
    const ssize_t n = ::pread(file_->get(), piece.data(), std::min(piece.size(), stored_ - at), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return console.lose(); // a gap would make the text after it meaningless
    console.out(std::string_view(piece).substr(0, static_cast<size_t>(n)));
    at += static_cast<size_t>(n);
  }
  console.out(held_);
}

} // namespace planc::driver
