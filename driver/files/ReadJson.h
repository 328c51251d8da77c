// Parses foreign JSON with members in their order, in linear time.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace planc::driver {

/// Returns nothing if the text is not JSON. If members have the same name, the last one counts.
std::optional<nlohmann::ordered_json> readJson(std::string_view text);

} // namespace planc::driver
