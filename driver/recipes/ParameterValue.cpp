// Turns a value of the command line into an argument of plan text.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/ParameterValue.h"

#include "api/Texts.h"

#include <fmt/format.h>

namespace planc::driver {

std::optional<std::string> argumentOf(Console& console, api::Catalogue& catalogue, ImportLines& imports,
                                      const api::Export& recipe, const api::ExportParameter& parameter,
                                      const std::string& said) {
  for (const WantedExport* own : {&kWantedModel, &kWantedCluster})
    if (onlyParameter(recipe, own->what) == &parameter) {
      console.usageError(
          fmt::format("`{}` is the {} of the plan, so `--set` cannot change it", parameter.name, own->what),
          fmt::format("set it with `{}`", own->usage));
      return std::nullopt;
    }
  const std::string& type = parameter.type.text;
  if (const std::optional<WantedExport> wanted = wantedOfType(type)) {
    const auto found = namedExport(console, catalogue, *wanted, said);
    if (!found) return std::nullopt;
    return found->called(imports.add(*found));
  }
  if (api::isPlanText(fmt::format("let value = ({})\n", said))) return said; // it must be a single expression
  console.usageError(
      fmt::format("`--set {}={}`: `{}` is not a value", parameter.name, said, said),
      type.empty() ? "a value is one expression, such as `8` or `4Mtokens`"
                   : fmt::format("a value is one expression; the value of `{}` has type `{}`", parameter.name, type));
  return std::nullopt;
}

} // namespace planc::driver
