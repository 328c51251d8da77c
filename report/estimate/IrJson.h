// The levels of the IR as JSON, for tools: `planc compile --format json`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"

#include <nlohmann/json_fwd.hpp>

namespace planc::report {

/// Level `model`: dimensions, parameters, layers with their operators.
nlohmann::ordered_json json(const ir::Model& model, const SourceManager& sources);
/// Levels `sharded` and `comm`: the mesh, the classes with their nodes and states, the stages.
nlohmann::ordered_json json(const ir::ShardedProgram& program, const SourceManager& sources);
nlohmann::ordered_json json(const ir::Program& program, const SourceManager& sources);
/// Level `task`: streams and shares of the segments of each class, and the schedule that runs them.
nlohmann::ordered_json json(const ir::Schedule& schedule, const SourceManager& sources);

} // namespace planc::report
