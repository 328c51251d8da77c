// Reads JSON of somebody else's, members in their order, in a time that grows as its length does.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace planc::driver {

/// Nothing where it is no JSON. Of members of one name the last one counts.
std::optional<nlohmann::ordered_json> readJson(std::string_view text);

} // namespace planc::driver
