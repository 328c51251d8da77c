// A call as text has it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <string>
#include <utility>
#include <vector>

namespace planc {

/// A call as a plan writes it: the declaration, and its arguments as plan text by name; unnamed ones have an empty
/// name.
struct WrittenCall {
  std::string path; ///< as written: `llama.dense`
  std::vector<std::pair<std::string, std::string>> arguments{};
  SourceRange range{};
};

} // namespace planc
