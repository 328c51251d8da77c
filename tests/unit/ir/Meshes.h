// Small meshes for the tests of this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Mesh.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::ir::test {

/// Axes inner to outer; levels as (name, devices in one unit), the cluster's last.
inline Mesh mesh(const std::vector<std::pair<std::string, int64_t>>& axes,
                 const std::vector<std::pair<std::string, int64_t>>& levels = {}) {
  Mesh m;
  int64_t stride = 1;
  for (const auto& [name, size] : axes) {
    m.order.push_back(m.axes.add({Symbol(name), size, stride, Symbol(name), {}}));
    stride *= size;
  }
  for (const auto& [name, size] : levels) {
    m.levelNames.push_back(Symbol(name));
    m.levelSizes.push_back(size);
  }
  if (levels.empty()) {
    m.levelNames.push_back(Symbol("cluster"));
    m.levelSizes.push_back(stride);
  }
  return m;
}

inline AxisList axes(const Mesh& m, const std::vector<std::string>& names) {
  AxisList list;
  for (const std::string& n : names) {
    AxisList named = m.resolve(Symbol(n)).value_or(AxisList{});
    list.insert(list.end(), named.begin(), named.end());
  }
  return list;
}

} // namespace planc::ir::test
