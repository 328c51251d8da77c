// Matches words of the command line with names of declarations.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// Returns declarations whose name equals the word, ignoring case and characters between letters and digits:
/// `gpt-oss-120b`, `Llama 3.1 405B`. For a word with a `/` such as `meta-llama/Meta-Llama-3-8B`, the part after it or
/// the longest name that ends it also counts. Otherwise, returns the only declaration of a module with that name.
std::vector<api::Export> calledAlike(const std::vector<api::Export>& all, std::string_view word);
/// Returns declarations whose name contains the word: as whole parts of the name, else in one piece, else with its
/// parts anywhere in the name.
std::vector<api::Export> withInName(const std::vector<api::Export>& all, std::string_view word);
/// Returns at most `most` names, those nearest to the word first.
std::vector<api::Export> nearestNames(std::vector<api::Export> all, std::string_view word, size_t most);

} // namespace planc::driver
