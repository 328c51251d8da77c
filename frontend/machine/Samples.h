// Reads the samples of a fabric: measured times of one collective by group size, `all_reduce = [{…}, …]`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/facts/Schema.h"

namespace planc::frontend {

/// Reads a list of `{ranks, a, b, g}` or `{ranks, time = curve(…)}` with ascending ranks (docs/language.md, section 8):
/// `a` and `g` in seconds, `b` in bytes per second, curves from bytes to seconds. Rows with `nodes` are samples across
/// nodes. Leaves `out` empty after reporting an error (PLAN0511).
void readSamples(ir::Fabric::Samples& out, FactInput& in);

} // namespace planc::frontend
