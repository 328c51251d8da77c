// Writes calibrations as plan text: records that extend the library's records, with provenance.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "ir/plan/Plan.h"

namespace planc::calibrate {

/// The records that the written ones extend, by their names in plan text; an empty name means none.
struct Bases {
  std::string stack; ///< `megatron.megatron_2021`, a name in `std.stacks`
  const ir::Stack* stackFacts = nullptr;
  std::string fabric; ///< `hdr`, a name in `std.fabrics`, for the network between nodes
  const ir::Fabric* fabricFacts = nullptr;
  std::vector<std::string> operators{};  ///< names of the library's operators; empty: unknown
  std::vector<ir::Optimizer> optimizers; ///< the library's optimizers; those with equal updates share a measurement
};

/// Returns the text of a module with the records of all calibrations: `X_measured` for devices, and `X_stack`, `X_node`
/// and `X_network` if they have facts. The text parses; `planc fmt` defines its layout.
std::string libraryText(const std::vector<Calibration>& calibrations, const Bases& bases);

/// Return the names of the written records of a device and its stack: `h200_sxm_141gb_measured`,
/// `h200_sxm_141gb_stack`.
std::string deviceRecord(const Part& part);
std::string stackRecord(const Part& part);

} // namespace planc::calibrate
