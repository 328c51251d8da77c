// A trace of PyTorch's profiler (Kineto), cut down to what tells how long an operator ran on the GPU: operators with
// their operands, nested as they were called, and the kernels that each of them launched.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Symbol.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::calibrate {

/// An argument of an operator. A list of tensors has no extents, only the elements of all of them.
struct TraceOperand {
  std::vector<double> extents;
  double elements = 0; ///< 0: no tensor
  Symbol type;         ///< `c10::BFloat16`
  std::string value;   ///< of a scalar: `True`
};

/// What NCCL's events say of a message.
struct TraceMessage {
  std::string collective, dtype; ///< `_allgather_base`, `BFloat16`
  double in = 0, out = 0;        ///< elements on one rank
  int group = 0;                 ///< ranks
  std::vector<int> ranks;        ///< those that are listed; long lists are cut
};

struct TraceOp {
  Symbol name;
  uint64_t thread = 0; ///< process and thread
  double begin = 0, end = 0;
  int64_t external = -1; ///< the id that its kernels may carry
  int64_t sequence = -1; ///< of the node of autograd that it makes, or that `backward` runs
  bool backward = false; ///< autograd runs a node
  std::vector<TraceOperand> operands;
  std::optional<TraceMessage> message;
  int parent = -1;    ///< the innermost operator around it
  double kernels = 0; ///< seconds of the kernels that it launched itself
};

struct TraceKernel {
  Symbol name;
  double seconds = 0;
  int64_t correlation = -1, external = -1;
  int op = -1; ///< the innermost operator that launched it
  std::optional<TraceMessage> message;
};

struct Trace {
  std::vector<TraceOp> ops;
  std::vector<TraceKernel> kernels;
  std::vector<std::string> devices; ///< of the host, by name
  bool shapes = false;              ///< any operand has extents
};

/// Where reading stopped, and why.
struct TraceError {
  size_t byte = 0;
  std::string why;   ///< `it ends in the middle`
  bool ends = false; ///< it was not written to its end
};

/// Reads the events and links them. Events of no use (Python functions, flows) are dropped as they come, so that memory
/// follows the number of operators and kernels.
std::optional<TraceError> readTrace(std::string_view json, Trace& out);

} // namespace planc::calibrate
