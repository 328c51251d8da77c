// Adds the exports of packages that the project of the current folder depends on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"
#include "driver/words/Console.h"

#include <span>
#include <string>

namespace planc::driver {

/// Adds the modules of the packages to a catalogue. `asked`: the names that the user wrote. A package whose name begins
/// one of them must be readable. Other packages that cannot be read are skipped, with a remark if they may contain one
/// of the names. Returns kClean, or the exit code after a report.
int addPackages(Console& console, std::span<const std::string> asked, api::Catalogue& catalogue);

} // namespace planc::driver
