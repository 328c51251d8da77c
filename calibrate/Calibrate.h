// Turns samples into calibrations: drops copies across files, separates devices, checks every series, and fits the good
// ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "calibrate/read/Readers.h"
#include "ir/plan/Plan.h"

namespace planc::calibrate {

/// Drops samples that equal a sample of another file in every digit, as when a merged table is given with its parts.
/// Adds a note.
void dropCopies(Samples& samples, const SourceManager& sources);
/// Returns the devices that the files name, sorted. Samples without a device name form a device with an empty name.
std::vector<std::string> devicesOf(const Samples& samples);
/// Checks and fits the samples of one device. Findings of checks are warnings; samples that a check excludes are not
/// fitted.
Calibration calibrate(const Samples& samples, const std::string& device, const Part& part, const SourceManager& sources,
                      DiagnosticEngine& diagnostics, std::span<const ir::Optimizer> optimizers = {});

/// Removes facts whose value no record accepts (300,000 passes, an efficiency above 1), and notes why. Such samples
/// were of something else, and planc could not read a library with these values.
void dropImpossible(Calibration& calibration);

} // namespace planc::calibrate
