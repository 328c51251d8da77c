// Decompresses sample files, because profilers write `.json.gz`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace planc::calibrate {

/// Returns whether the bytes begin like a gzip file (RFC 1952).
bool isGzip(std::string_view bytes);
/// Returns the decompressed text. Returns nothing and sets `error` if the bytes are damaged, the text is longer than
/// `most` bytes, or planc was built without zlib.
std::optional<std::string> gunzip(std::string_view bytes, size_t most, std::string& error);

} // namespace planc::calibrate
