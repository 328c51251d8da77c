// What each kernel of a trace computed: the kernels of one call of an operator, with the sample that they measure.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoTrace.h"
#include "calibrate/samples/Sample.h"

#include <optional>
#include <vector>

namespace planc::calibrate {

/// The kernels of one call of an operator, or of all calls of an operator that the vocabulary does not have.
struct TraceWork {
  std::optional<Sample> sample; ///< without times; nothing: the operator or its shape is unknown
  Symbol name;                  ///< operator of PyTorch or of the library; the kernel, if no operator launched it
  bool backward = false;        ///< its time is a part of the backward time of the sample
  std::vector<size_t> kernels;  ///< indices into `Trace::kernels`
  double seconds = 0;           ///< of its kernels
};

struct TraceWorks {
  std::vector<TraceWork> works; ///< every kernel of the trace is in one of them
  bool assumedType = false;     ///< the type of an update was assumed, because the trace does not give it
};

/// Attributes the kernels of a trace. A kernel belongs to the message that it moves, to the chain of its operator, to
/// the outermost operator around it that the vocabulary has, or to an unknown one. `perNode`: GPUs of a node.
TraceWorks worksOf(const Trace& trace, size_t perNode);

} // namespace planc::calibrate
