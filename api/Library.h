// The parts that samples name, as records of the library: what torch and NVML call them, and a usual cluster of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/Fits.h"
#include "ir/Plan.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::api {

/// The part of a name in a sample file (`NVIDIAA100-SXM4-80GB`), or of a device of std.devices (`h200_sxm_141gb`);
/// nothing if the library has none.
std::optional<calibrate::Part> findPart(const std::string& name);
/// The devices of std.devices, for suggestions.
std::vector<std::string> knownParts();

/// The stacks of the embedded library: `megatron.megatron_2022`.
std::vector<std::string> knownStacks();
/// A stack (`megatron.megatron_2021`) and a fabric (`hdr`) of the library; nothing if it has none.
std::optional<ir::Stack> findStack(const std::string& name);
std::optional<ir::Fabric> findFabric(const std::string& name);
std::vector<std::string> knownFabrics();

/// The stacks of the library whose numbers come from devices of the platform of the plan's own, a line each with what
/// they are; all of them where that is not known or none is.
std::vector<std::string> stacksFor(const ir::Plan& plan);

} // namespace planc::api
