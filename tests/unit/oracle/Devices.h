// Simulated devices and what they hold: tensors of full size in which everything a device does not hold is NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "Executor.h"
#include "ir/layout/Layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace planc::oracle {
using namespace ir;
using ir::Layer; // not planc::Layer, the exponents of a quantity

/// Per dimension the indices that a device holds.
using Indices = std::vector<std::vector<int64_t>>; // per dimension those that a device holds

inline constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Visits every point of a product of index lists, the last dimension fastest.
template <class Visit> void forEach(const Indices& indices, Visit visit) {
  for (const auto& list : indices)
    if (list.empty()) return;
  std::vector<size_t> position(indices.size());
  std::vector<int64_t> at(indices.size());
  for (size_t d = 0; d < indices.size(); ++d) at[d] = indices[d][0];
  for (;;) {
    visit(at);
    size_t d = indices.size();
    for (; d-- > 0;) {
      if (++position[d] < indices[d].size()) {
        at[d] = indices[d][position[d]];
        break;
      }
      position[d] = 0;
      at[d] = indices[d][0];
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

/// Where a point of an iteration space lies in a tensor that has some of its dimensions.
using Strides = std::vector<size_t>;
inline size_t dot(const Strides& strides, const std::vector<int64_t>& at) {
  size_t o = 0;
  for (size_t d = 0; d < strides.size(); ++d) o += strides[d] * static_cast<size_t>(at[d]);
  return o;
}
inline double read(const Tensor& t, size_t o) {
  const double v = t.data[o];
  if (std::isnan(v)) throw std::runtime_error("a device reads what it does not hold");
  return v;
}

/// The devices of a mesh by their coordinates.
struct Devices {
  const Mesh& mesh;
  int64_t count;
  explicit Devices(const Mesh& m) : mesh(m), count(m.devices()) {}
  int64_t coordinate(int64_t device, AxisId a) const { return device / mesh.axes[a].stride % mesh.axes[a].size; }
  /// Devices that differ from this one along `axes` only.
  std::vector<int64_t> group(int64_t device, AxisMask axes) const {
    std::vector<int64_t> members;
    for (int64_t d = 0; d < count; ++d)
      if (std::all_of(mesh.order.begin(), mesh.order.end(),
                      [&](AxisId a) { return (axes & maskOf(a)) || coordinate(d, a) == coordinate(device, a); }))
        members.push_back(d);
    return members;
  }
  bool first(int64_t device, AxisMask axes) const { return group(device, axes).front() == device; }
  Indices held(int64_t device, const std::vector<int64_t>& extents, const Layout& layout) const {
    Indices result(extents.size());
    for (size_t d = 0; d < extents.size(); ++d)
      for (int64_t x = 0; x < extents[d]; ++x)
        if (std::all_of(layout.shard[d].begin(), layout.shard[d].end(), [&](const Digit& g) {
              const int64_t size = mesh.axes[g.axis].size;
              return x / (extents[d] / (g.offset(mesh) * size)) % size == coordinate(device, g.axis);
            }))
          result[d].push_back(x);
    return result;
  }
};

inline size_t offset(const std::vector<int64_t>& extents, const std::vector<int64_t>& at) {
  size_t o = 0;
  for (size_t d = 0; d < extents.size(); ++d) o = o * static_cast<size_t>(extents[d]) + static_cast<size_t>(at[d]);
  return o;
}

inline Tensor empty(const std::vector<int64_t>& extents, double fill = kNothing) {
  size_t n = 1;
  for (int64_t e : extents) n *= static_cast<size_t>(e);
  return {extents, std::vector<double>(n, fill)};
}

inline double get(const Tensor& t, const std::vector<int64_t>& at) {
  const double v = t.data[offset(t.extents, at)];
  if (std::isnan(v)) throw std::runtime_error("a device reads what it does not hold");
  return v;
}

} // namespace planc::oracle
