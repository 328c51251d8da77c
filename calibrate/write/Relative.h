// Constants of a stack that are relative to what was measured: set anew, or refused with a reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/write/Library.h"
#include "support/Diagnostics.h"

namespace planc::calibrate {

/// Makes one whole of what was measured on a device and of the stack that the written one extends (`bases`). A stack's
/// constants are relative to the device that the library had when they were found:
/// * `attention.factor`, `.head`, `.backward` to the device's curve of attention, which was measured with this
/// software;
/// * passes and bytes of kernels to the rate that the device's memory reaches;
/// * bytes of an optimizer to its name: every optimizer of the library with the same update reads them.
/// Passes of kernels that the stack fuses, or runs as other kernels than those of the samples, are taken out: with a
/// note, or with a warning that shows both numbers.
void setAnew(Calibration& calibration, const Bases& bases, DiagnosticEngine& diagnostics);

} // namespace planc::calibrate
