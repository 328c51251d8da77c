// `planc version`.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Commands.h"
#include "driver/Help.h"

namespace planc::driver {

static int runVersion(Console& console, const Arguments&) {
  console.out(versionText());
  return kClean;
}

const Command kVersionCommand = {
    "version", "print the version", {}, {}, "planc version", runVersion,
};

} // namespace planc::driver
