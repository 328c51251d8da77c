// The editions of the language.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iterator>
#include <string_view>

namespace planc {

/// Every edition that this program reads, oldest first. An edition is a year; it fixes what the text of a plan means.
/// A text keeps the meaning of the edition that its package declares: a later program may report more about it, but
/// never derives other collectives from it.
///
/// A change of the language needs a new edition if a text that is accepted today gets another meaning or is refused;
/// an addition that only accepts more needs none. A new edition adds its year at the end of this table, decides by the
/// edition of the file wherever the two differ, and adds a folder of plans with their results to `tests/editions`.
inline constexpr std::string_view kEditions[] = {"2026"};

/// The edition of a text whose package declares none: the newest.
inline constexpr std::string_view kNewestEdition = *(std::end(kEditions) - 1);

} // namespace planc
