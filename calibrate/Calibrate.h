// From samples to calibrations: repeats across files dropped, devices kept apart, every series checked, the good ones
// fitted.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "calibrate/read/Readers.h"
#include "ir/plan/Plan.h"

namespace planc::calibrate {

/// Drops samples that repeat one of another file to the last digit (joined tables beside their parts), with a note.
void dropCopies(Samples& samples, const SourceManager& sources);
/// The devices that the files name, in order of name; an empty name is one, too.
std::vector<std::string> devicesOf(const Samples& samples);
/// Checks and fits the samples of one device. Findings of the checks are warnings; what they take out is not fitted.
Calibration calibrate(const Samples& samples, const std::string& device, const Part& part, const SourceManager& sources,
                      DiagnosticEngine& diagnostics, std::span<const ir::Optimizer> optimizers = {});

/// Takes out facts with a value that no record takes (300,000 passes, an efficiency above 1), and notes why: the
/// samples were of something else, and a library with them could not be read.
void dropImpossible(Calibration& calibration);

} // namespace planc::calibrate
