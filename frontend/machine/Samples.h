// The samples of a fabric: what one collective took, by group size, as `all_reduce = [{…}, …]` says.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Schema.h"

namespace planc::frontend {

/// Reads a list of `{ranks, a, b, g}` or `{ranks, time = curve(…)}` with rising ranks (docs/language.md, section 8):
/// `a` and `g` in seconds, `b` in bytes per second, curves from bytes to seconds. Rows with `nodes` are samples across
/// nodes. Leaves `out` empty after reporting what is wrong (PLAN0511).
void readSamples(ir::Fabric::Samples& out, FactInput& in);

} // namespace planc::frontend
