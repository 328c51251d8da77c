// The exports of the packages that the project of the current folder depends on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"
#include "driver/Console.h"

#include <string_view>

namespace planc::driver {

/// Adds the modules of the packages to a catalogue. `asked` is the dotted name that the user wrote: a package that it
/// begins with must be readable, and a package that it does not mention is skipped with a remark. Returns kClean, or
/// the exit code after a report.
int addPackages(Console& console, std::string_view asked, api::Catalogue& catalogue);

} // namespace planc::driver
