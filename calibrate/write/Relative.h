// Adapts the constants of a stack that are relative to measured values, or rejects them with a reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/write/Library.h"
#include "support/Diagnostics.h"

namespace planc::calibrate {

/// Makes the measured facts of a device consistent with the stack that the written one extends (`bases`). A stack's
/// constants are relative to the library's device record of their time:
/// * `attention.factor`, `.head` and `.backward` are relative to the device's attention curve, which was now measured
///   with this software.
/// * Passes and bytes of kernels are relative to the memory rate that the device reaches.
/// * Bytes of an optimizer belong to its name; every optimizer of the library with the same update uses them.
///
/// Passes of kernels that the stack fuses, or runs as other kernels than the sampled ones, are removed with a note, or
/// with a warning that shows both numbers.
void setAnew(Calibration& calibration, const Bases& bases, DiagnosticEngine& diagnostics);

} // namespace planc::calibrate
