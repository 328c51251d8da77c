// Digests of texts. Texts with equal digests are taken to be equal.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace planc {

/// SHA-256 as 64 hexadecimal digits.
std::string digestOf(std::string_view text);
/// The first digits of `digestOf`, for people to compare.
std::string shortDigestOf(std::string_view text);

} // namespace planc
