// Finds the declarations that words of the command line name: a dotted path, a name, search words, or FILE:NAME.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"
#include "driver/words/Console.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// A declaration that a word names.
struct NamedExport {
  api::Export decl;
  std::string file;      ///< the path of the plan file that declares it; empty: the library or a package does
  std::string arguments; ///< the arguments that the word binds, `layers = 8`; empty: none

  /// Returns `name` with the arguments: `llama.llama3_8b(layers = 8)`.
  std::string called(const std::string& name) const { return arguments.empty() ? name : name + "(" + arguments + ")"; }
};

/// The kind of declaration that a word must name.
struct WantedExport {
  std::string_view what;  ///< for messages: `model`
  std::string_view usage; ///< how the command line writes it: `--model NAME`
  /// Why a declaration is not of this kind, `is a device, not a model`; empty if it is.
  std::string (*misfit)(const api::Export& decl);
};

extern const WantedExport kWantedModel, kWantedCluster, kWantedRecipe;

/// The kind of declaration that a parameter of type `type` takes, such as `stack`. Returns nothing if `type` is not the
/// name of such a kind.
std::optional<WantedExport> wantedOfType(std::string_view type);

/// The parameter of a declaration that has this type, if exactly one has; else null.
const api::ExportParameter* onlyParameter(const api::Export& decl, std::string_view type);

/// The one declaration that a word names in the library, in packages, or in the file of `FILE:NAME`. Returns nothing
/// after a usage error: several declarations fit, it is of another kind, or there is none.
std::optional<NamedExport> namedExport(Console& console, api::Catalogue& catalogue, const WantedExport& wanted,
                                       const std::string& word);

} // namespace planc::driver
