// Counts memory allocations, which an evaluation pays for besides arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace planc::bench {

/// Returns how often the calling thread has called `operator new`, which the benchmark replaces by a counting one.
size_t allocations();

} // namespace planc::bench
