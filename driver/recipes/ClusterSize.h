// The arguments with which a cluster has a given number of devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/ImportedName.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::driver {

/// A cluster as plan text names it.
struct SizedCluster {
  /// An argument that was found.
  struct Size {
    std::string parameter;
    int64_t value = 0;
    bool said = true;  ///< else it is the default, which the text leaves out
    bool open = false; ///< the text gives it by a parameter of the plan of that name
  };
  std::string name;      ///< `hgx.hgx_h100`, or the name of `derived`
  std::string arguments; ///< that the word of the command line binds
  std::string derived; ///< a declaration of a part of one unit, `cluster hgx_h100_part extends … { … }`; else empty
  int64_t devices = 0;
  std::vector<Size> sizes{};

  /// `hgx.hgx_h100(nodes = 8)`
  std::string text() const;
  /// Lets a parameter of the plan of the same name give this argument; false if it is none of `sizes`.
  bool open(const std::string& name);
};

/// The cluster `name` with `devices` devices, by the arguments that its word does not bind; without `devices` one unit
/// of it. A size that is no whole number of units, or that no argument gives, is a usage error; then nothing.
std::optional<SizedCluster> sizedCluster(Console& console, const NamedExport& name, ImportLines& imports,
                                         std::optional<int64_t> devices);

} // namespace planc::driver
