// Finds the arguments with which a cluster has a given number of devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/ImportedName.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::driver {

/// A cluster as plan text names it, with its size.
struct SizedCluster {
  /// An argument that determines the size.
  struct Size {
    std::string parameter;
    int64_t value = 0;
    bool said = true;  ///< false: it is the default, which the text omits
    bool open = false; ///< the text passes the plan's parameter of this name
  };
  std::string name;      ///< `hgx.hgx_h100`, or the name of `derived`
  std::string arguments; ///< the arguments that the command line binds
  std::string derived;   ///< `cluster hgx_h100_part extends … { … }`, a part of one unit; else empty
  int64_t devices = 0;
  std::vector<Size> sizes{};

  /// Returns `hgx.hgx_h100(nodes = 8)`.
  std::string text() const;
  /// Makes the plan's parameter `name` supply this argument. Returns false if `sizes` has no such argument.
  bool open(const std::string& name);
};

/// Returns the cluster `name` with `devices` devices, by choosing the arguments that the command line does not bind;
/// without `devices`, one unit of it. Returns nothing after a usage error if that size is not possible.
std::optional<SizedCluster> sizedCluster(Console& console, const NamedExport& name, ImportLines& imports,
                                         std::optional<int64_t> devices);

} // namespace planc::driver
