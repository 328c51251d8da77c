// Chooses the model or the recipe of the library that expresses all settings, and writes its use.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "import/Settings.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::foreign {

/// The use of a target: plan text in which `@std.models.llama.dense@` stands for a declaration of the library.
struct TargetUse {
  const Target* target = nullptr;                             ///< points into the table
  std::vector<std::pair<std::string, std::string>> arguments; ///< parameters and values
  std::vector<std::string> statements;

  /// `layers = 32, hidden = 4096`.
  std::string argumentsText() const;
};

/// Returns the use of the first target that expresses every setting of the table; nullopt after errors that name what
/// the nearest one lacks.
std::optional<TargetUse> useOf(Import& import, const TargetTable& table);
/// Replaces each `{setting}` of a text by its value; nullopt if a setting has none, neither its own nor a default.
std::optional<std::string> filled(const std::string& text, const Settings& settings, const TargetTable& table);

} // namespace planc::foreign
