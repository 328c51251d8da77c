// How often memory was asked for: what an evaluation costs besides arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace planc::bench {

/// Calls of `operator new` so far by the thread that asks; the benchmark replaces it by one that counts.
size_t allocations();

} // namespace planc::bench
