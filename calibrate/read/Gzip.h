// Compressed sample files: profilers write `.json.gz`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace planc::calibrate {

/// Whether these bytes begin as gzip does (RFC 1952).
bool isGzip(std::string_view bytes);
/// The text inside; nothing if the bytes are broken, or hold more than `most` bytes, or if planc was built without
/// zlib: `error` says which.
std::optional<std::string> gunzip(std::string_view bytes, size_t most, std::string& error);

} // namespace planc::calibrate
