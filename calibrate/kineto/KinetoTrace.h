// A trace of PyTorch's profiler (Kineto), reduced to what shows how long operators ran on the GPU: operators with their
// operands, nested as they were called, and the kernels that each operator launched.
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

/// An argument of an operator. A list of tensors has no extents, only the count of all elements.
struct TraceOperand {
  std::vector<double> extents;
  double elements = 0; ///< 0: not a tensor
  Symbol type;         ///< `c10::BFloat16`
  std::string value;   ///< text of a scalar: `True`
};

/// A message as NCCL's events describe it.
struct TraceMessage {
  std::string collective, dtype; ///< `_allgather_base`, `BFloat16`
  double in = 0, out = 0;        ///< elements on one rank
  int group = 0;                 ///< count of ranks
  std::vector<int> ranks;        ///< the listed ranks; long lists are cut off
};

struct TraceOp {
  Symbol name;
  uint64_t thread = 0; ///< index of process and thread
  double begin = 0, end = 0;
  int64_t external = -1; ///< id that links kernels to it
  int64_t sequence = -1; ///< sequence number of the autograd node that it creates, or runs if `backward`
  bool backward = false; ///< autograd runs a node
  std::vector<TraceOperand> operands;
  std::optional<TraceMessage> message;
  int parent = -1;    ///< index of the innermost operator around it
  double kernels = 0; ///< seconds of the kernels that it launched itself
};

/// What ran on a GPU: a kernel, a copy, a fill. Begins and ends of all events are microseconds of the trace's clock.
struct TraceKernel {
  Symbol name;
  double seconds = 0;
  double begin = 0;     ///< on the GPU
  double launched = -1; ///< when the host launched it; negative: unknown
  double device = 0;    ///< number of its GPU
  int64_t correlation = -1, external = -1;
  int op = -1;   ///< index of the innermost operator that launched it
  int mark = -1; ///< index of the innermost mark in which it was launched
  std::optional<TraceMessage> message;
  double end() const { return begin + seconds * 1e6; }
};

/// A span on a thread of the host that the program named: a step of the profiler, or `record_function`.
struct TraceMark {
  Symbol name;
  uint64_t thread = 0;
  double begin = 0, end = 0;
};

struct Trace {
  std::vector<TraceOp> ops;
  std::vector<TraceKernel> kernels;
  std::vector<TraceMark> marks;     ///< by thread and time, outer ones first
  std::vector<TraceMark> steps;     ///< `ProfilerStep#3`, by time
  std::vector<std::string> devices; ///< GPUs of the host, by name
  size_t untimed = 0;               ///< kernels left out, because their begin or duration is no time
  int64_t rank = -1, world = -1;    ///< of the distributed run; -1: not said
  bool shapes = false;              ///< at least one operand has extents
};

/// The position and reason of an error.
struct TraceError {
  size_t byte = 0;
  std::string why;   ///< `it ends in the middle`
  bool ends = false; ///< the file was cut off
};

/// Reads and links the events. Unneeded events (Python functions, flows) are dropped while parsing, so memory grows
/// only with the number of operators and kernels. Returns an error if the text cannot be parsed.
std::optional<TraceError> readTrace(std::string_view json, Trace& out);

} // namespace planc::calibrate
