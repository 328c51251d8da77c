// Versions of packages and of planc: semver.org 2.0.0, without build metadata.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace planc::packages {

/// `1.4.0`, `2.0.0-rc.1`. A pre-release sorts before its release.
struct Version {
  uint32_t major = 0, minor = 0, patch = 0;
  std::string before; ///< pre-release part `rc.1`; empty: a release

  /// Parses three numbers without leading zeros, optionally followed by `-` and words separated by dots. Returns
  /// nullopt for any other text.
  static std::optional<Version> parse(std::string_view text);
  /// Parses a tag: `v1.4.0` or `1.4.0`.
  static std::optional<Version> ofTag(std::string_view tag);
  std::string text() const;
  bool operator==(const Version&) const = default;
  /// The order of semver.org, section 11.
  std::strong_ordering operator<=>(const Version& other) const;
};

/// The version of this program.
const Version& plancVersion();
/// The minimum planc version in a manifest: `>=0.2` or `>=0.2.1`. Returns nullopt for any other form.
std::optional<Version> leastPlanc(std::string_view text);

} // namespace planc::packages
