// The renderers of diagnostics: human (with source and underlines), short (one line each), JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <nlohmann/json_fwd.hpp>

namespace planc {

/// The picture for people: header, source lines with labels, help and notes.
std::string renderHuman(const Diagnostic& d, const SourceManager& sources, bool color);
/// `file:line:column: error[PLAN0612]: message`.
std::string renderShort(const Diagnostic& d, const SourceManager& sources);
/// Arguments of what is about one plan of several: which one, and what its picture shows in a few words.
inline constexpr std::string_view kOfArg = "of", kDetailArg = "detail";
/// A message as it is said where no picture stands below it, with what these arguments say.
std::string plainMessage(std::string_view message, std::string_view of, std::string_view detail);
/// One element of the `diagnostics` array of the JSON contract.
nlohmann::ordered_json toJson(const Diagnostic& d, const SourceManager& sources);

} // namespace planc
