// The value that the command line gives a parameter of a recipe, as the argument of a plan's text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/ImportedName.h"

#include <optional>
#include <string>

namespace planc::driver {

/// The argument that gives a parameter of the recipe the value `said`: one expression, or where the parameter's type is
/// a kind of declaration the name of one, found as `--model` finds models, with its import. Nothing after a usage
/// error; the recipe's model and cluster have options of their own.
std::optional<std::string> argumentOf(Console& console, api::Catalogue& catalogue, ImportLines& imports,
                                      const api::Export& recipe, const api::ExportParameter& parameter,
                                      const std::string& said);

} // namespace planc::driver
