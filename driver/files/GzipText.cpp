// Compresses with zlib, if LLVM was built with it.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/GzipText.h"

#ifdef PLANC_ZLIB
#include <array>
#include <zlib.h>

namespace planc::driver {

struct GzipText::Stream {
  z_stream z{};
  std::string out;

  void run(std::string_view text, int flush) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    std::array<char, 1 << 16> piece;
    do {
      z.next_out = reinterpret_cast<Bytef*>(piece.data()), z.avail_out = static_cast<uInt>(piece.size());
      deflate(&z, flush);
      out.append(piece.data(), piece.size() - z.avail_out);
    } while (z.avail_out == 0);
  }
};

bool GzipText::available() {
  return true;
}

GzipText::GzipText() : stream_(std::make_unique<Stream>()) {
  constexpr int kLevel = 4, kWindow = 15, kGzip = 16, kMemory = 8; // fast: traces repeat themselves
  deflateInit2(&stream_->z, kLevel, Z_DEFLATED, kWindow + kGzip, kMemory, Z_DEFAULT_STRATEGY);
}

GzipText::~GzipText() {
  deflateEnd(&stream_->z);
}

void GzipText::add(std::string_view text) {
  constexpr size_t kMost = size_t(1) << 30; // zlib counts in 32 bits
  for (; text.size() > kMost; text.remove_prefix(kMost)) stream_->run(text.substr(0, kMost), Z_NO_FLUSH);
  stream_->run(text, Z_NO_FLUSH);
}

std::string GzipText::finish() {
  stream_->run({}, Z_FINISH);
  return std::move(stream_->out);
}

} // namespace planc::driver

#else

namespace planc::driver {

struct GzipText::Stream {};
bool GzipText::available() {
  return false;
}
GzipText::GzipText() = default;
GzipText::~GzipText() = default;
void GzipText::add(std::string_view) {}
std::string GzipText::finish() {
  return {};
}

} // namespace planc::driver

#endif
