// The steps of a trace, and how a GPU spent them: kernels of operators, communication that nothing hides, waiting.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoWork.h"

#include <optional>
#include <vector>

namespace planc::calibrate {

/// One step on a GPU, from its first kernel to the first kernel of the next one; the last step ends with its last
/// kernel, or with the host's step if that is later. Seconds. `operators` + `exposed` + `host` + `idle` - `together` is
/// the step's time.
struct TraceStep {
  double seconds = 0;
  double operators = 0; ///< sum over the kernels of operators
  double together = 0;  ///< the part of `operators` in which several of them ran at once
  double exposed = 0;   ///< communication runs, and no operator
  double host = 0;      ///< nothing runs, and the next kernel has not been launched
  double idle = 0;      ///< nothing runs, and the next kernel has been launched: it waits for another stream or rank
  std::vector<size_t> kernels; ///< its kernels, by launch
};

/// Returns the steps that the profiler marked, without the first if there are several: it warms up. `moves` tells by
/// kernel which ones communicate. `device`: the GPU.
std::vector<TraceStep> stepsOf(const Trace& trace, const std::vector<bool>& moves, double device);

/// Returns the numbers of the GPUs that ran kernels, in order.
std::vector<double> devicesOf(const Trace& trace);

} // namespace planc::calibrate
