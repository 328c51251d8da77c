// Digests of texts: two that have the same are the same text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace planc {

/// SHA-256, as 64 hexadecimal digits.
std::string digestOf(std::string_view text);
/// As many of these digits as a person compares.
std::string shortDigestOf(std::string_view text);

} // namespace planc
