// How well words of the command line fit the names of declarations.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// Those whose name is the word but for capitals and for what stands between letters and digits: `gpt-oss-120b`,
/// `Llama 3.1 405B`. Of a word with a `/`, `meta-llama/Meta-Llama-3-8B`, also what stands behind it, or the longest
/// name that it ends with. Else the only one of the module that is called so.
std::vector<api::Export> calledAlike(const std::vector<api::Export>& all, std::string_view word);
/// Those with the word in their name: as parts of it if there are any, else in one piece, else its
/// parts anywhere.
std::vector<api::Export> withInName(const std::vector<api::Export>& all, std::string_view word);
/// So many of the names, those first that are nearest to the word.
std::vector<api::Export> nearestNames(std::vector<api::Export> all, std::string_view word, size_t most);

} // namespace planc::driver
