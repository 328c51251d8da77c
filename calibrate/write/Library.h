// Calibrations as plan text: records that extend those of the library, with provenance.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "ir/plan/Plan.h"

namespace planc::calibrate {

/// What the written records extend, as plan text names it; empty: nothing.
struct Bases {
  std::string stack; ///< `megatron.megatron_2021`, of `std.stacks`
  const ir::Stack* stackFacts = nullptr;
  std::string fabric; ///< `hdr`, of `std.fabrics`: for what lies between nodes
  const ir::Fabric* fabricFacts = nullptr;
  std::vector<std::string> operators{};  ///< names of the library's; empty: not known
  std::vector<ir::Optimizer> optimizers; ///< of the library: those with the same update read what one was measured at
};

/// The text of a module with the records of all calibrations: `X_measured` for devices, `X_stack`, `X_node` and
/// `X_network` where there is something to write. It parses; its layout is the formatter's business.
std::string libraryText(const std::vector<Calibration>& calibrations, const Bases& bases);

/// Names of the written records of a device and of its stack: `h200_sxm_141gb_measured`, `h200_sxm_141gb_stack`.
std::string deviceRecord(const Part& part);
std::string stackRecord(const Part& part);

} // namespace planc::calibrate
