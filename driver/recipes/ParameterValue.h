// Turns a value that the command line gives a recipe's parameter into an argument of plan text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/ImportedName.h"

#include <optional>
#include <string>

namespace planc::driver {

/// Returns the argument for a value `said`: an expression or, if the parameter's type is a kind of declaration, a name
/// that is found as `--model` finds models, and imported. Nothing after a usage error. The recipe's model and cluster
/// have options of their own.
std::optional<std::string> argumentOf(Console& console, api::Catalogue& catalogue, ImportLines& imports,
                                      const api::Export& recipe, const api::ExportParameter& parameter,
                                      const std::string& said);

} // namespace planc::driver
