// The exports of the packages that the project of the current folder depends on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"
#include "driver/words/Console.h"

#include <span>
#include <string>

namespace planc::driver {

/// Adds the modules of the packages to a catalogue. `asked` are the names that the user wrote: a package that one of
/// them begins with must be readable, and one that none begins with is skipped, with a remark where one of them may
/// be in it. Returns kClean, or the exit code after a report.
int addPackages(Console& console, std::span<const std::string> asked, api::Catalogue& catalogue);

} // namespace planc::driver
