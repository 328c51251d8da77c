// What makes an operator of a plan and a kernel's operator the same work: kind and local sizes, never a name alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/samples/Sample.h"
#include "ir/program/Program.h"

#include <array>
#include <string>
#include <tuple>

namespace planc::calibrate {

/// The pass of work. `Either`: the trace cannot tell, because a plan recomputes in its backward pass.
enum class WorkPass : uint8_t { Forward, Backward, Either };
std::string_view name(WorkPass pass); ///< empty for `Either`

struct WorkKey {
  Kind kind = Kind::Memory;
  Symbol name = {};             ///< operator of the library, for kinds that sizes do not identify; or a mark
  std::array<double, 4> size{}; ///< by kind
  WorkPass pass = WorkPass::Forward;
  bool operator<(const WorkKey& other) const {
    return std::tie(kind, name, size, pass) < std::tie(other.kind, other.name, other.size, other.pass);
  }
};

/// Returns the key of measured work. `inBackward`: autograd ran it.
WorkKey keyOf(const Sample& sample, bool inBackward);

/// Returns the key of a node that computes. `forward`: the work of the same operator in the forward list of its class.
/// `again`: the plan recomputes, so products have no pass.
WorkKey keyOf(const ir::Program& program, const ir::Node& node, const ir::LocalWork& forward, bool again);

/// Returns what a mark around the kernels of a node is called: `decoder.attn.wq`, `decoder.attn.wq backward`.
std::string labelOf(const ir::Program& program, const ir::Node& node);

/// Returns `gemm of 8192 x 2048 x 5632`, `rms_norm of 16.8 M elements`.
std::string sizeText(const WorkKey& key);

} // namespace planc::calibrate
