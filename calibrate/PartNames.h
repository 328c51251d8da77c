// The parts that samples name, as records of the library: vocabulary/parts.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/Vocabulary.h"

namespace planc::calibrate {

/// A piece of what drivers call a part.
struct PartName {
  std::string piece;   ///< letters and digits, lower case
  std::string device;  ///< of `std.devices`
  std::string cluster; ///< a usual one of it: `hgx.hgx_h100(nodes = 2)`, of `std.clusters`
};
/// Reads `parts.json`.
std::vector<PartName> partNames(std::string_view text);

/// The row of a device of the library that has this name, else that with the longest piece of the name; null: none.
const PartName* findPartName(std::string_view name);

} // namespace planc::calibrate
