// What the verifiers share; private to ir/.
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

/// Collects what is wrong. A broken pass breaks every instance of its rule, so only the first findings are kept.
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

/// Placements and layouts of operators: an axis shards a value once, and extents divide.
void verifyLayouts(const ProgramHead& program, Findings& out);
/// No layout changes without a reshard that does it. Later the steps of a change are collectives, and slices are gone.
void verifyReshards(const ShardedProgram& program, Findings& out);
/// Collectives: real groups, bytes of the larger side, no reshard left.
void verifyCollectives(const Program& program, Findings& out);
/// L9: devices · local FLOPs of an operator = FLOPs · product of the idle axes.
void verifyWork(const Program& program, Findings& out);

} // namespace planc::ir
