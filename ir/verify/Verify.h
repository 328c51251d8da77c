// Helpers that the verifiers share; private to ir/.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/print/Names.h"
#include "ir/program/Program.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace planc::ir {

inline bool holds(const std::vector<DimId>& dims, DimId d) {
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

/// Collects errors. A broken pass breaks every instance of its rule, so only the first 50 are kept.
class Findings {
public:
  template <class... Args> void wrong(fmt::format_string<Args...> format, Args&&... args) {
    if (list_.size() < kLimit) list_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  bool empty() const { return list_.empty(); }
  std::vector<std::string> take() { return std::move(list_); }

private:
  static constexpr size_t kLimit = 50;
  std::vector<std::string> list_;
};

/// Checks ids, sizes of parallel lists, dependencies and stages, which the other verifiers rely on.
void verifyLayouts(const ProgramHead& program, Findings& out);
/// Checks placements and layouts: an axis shards a value once, extents divide, and no layout changes without a node
/// that changes it.
void verifyReshards(const ShardedProgram& program, Findings& out);
/// Checks collectives: groups of several devices, bytes of the larger side, no reshard left.
void verifyCollectives(const Program& program, Findings& out);
/// Checks L9: devices · local FLOPs of an operator = FLOPs · product of the idle axes.
void verifyWork(const Program& program, Findings& out);

} // namespace planc::ir
