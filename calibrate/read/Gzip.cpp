// Decompresses gzip with zlib, if LLVM was built with it.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/Gzip.h"

#include <algorithm>

#ifdef PLANC_ZLIB
#include <zlib.h>
#endif

namespace planc::calibrate {

bool isGzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b\x08");
}

#ifdef PLANC_ZLIB

std::optional<std::string> gunzip(std::string_view bytes, size_t most, std::string& error) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) {
    error = "zlib cannot be used";
    return std::nullopt;
  }
  std::string out, piece(1u << 18, '\0');
  size_t at = 0;
  int state = Z_OK;
  while (state == Z_OK && out.size() <= most) {
    if (stream.avail_in == 0) {
      const size_t next = std::min<size_t>(bytes.size() - at, 1u << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
      stream.avail_in = static_cast<uInt>(next);
      at += next;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
    // A file may consist of several gzip members.
    if (state == Z_STREAM_END && (stream.avail_in > 0 || at < bytes.size())) state = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (state == Z_STREAM_END && out.size() <= most) return out;
  error = out.size() > most ? "holds more text than planc reads" : "is not a complete gzip file";
  return std::nullopt;
}

#else

std::optional<std::string> gunzip(std::string_view, size_t, std::string& error) {
  error = "is compressed, and this planc was built without zlib: `gunzip` it";
  return std::nullopt;
}

#endif

} // namespace planc::calibrate
