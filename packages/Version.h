// Versions of packages and of planc: semver.org 2.0.0, without build metadata.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace planc::packages {

/// `1.4.0`, `2.0.0-rc.1`. What is before a release (`-rc.1`) comes before it.
struct Version {
  uint32_t major = 0, minor = 0, patch = 0;
  std::string before; ///< `rc.1`; empty: a release

  /// Nothing for what is no version: three numbers without leading zeros and, behind `-`, words with dots.
  static std::optional<Version> parse(std::string_view text);
  /// Of a tag: `v1.4.0` or `1.4.0`.
  static std::optional<Version> ofTag(std::string_view tag);
  std::string text() const;
  bool operator==(const Version&) const = default;
  /// The order of semver.org, section 11.
  std::strong_ordering operator<=>(const Version& other) const;
};

/// The version of this program.
const Version& plancVersion();
/// What a manifest asks of planc, `>=0.2` or `>=0.2.1`; nothing for what is written otherwise.
std::optional<Version> leastPlanc(std::string_view text);

} // namespace planc::packages
