// The text of a plan that extends a recipe with a model and a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/ClusterSize.h"
#include "driver/recipes/ImportedName.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::driver {

/// What the text is made of.
struct RecipePlan {
  NamedExport model, cluster, recipe;
  ImportLines imports;
  SizedCluster sized{};
  std::string recipeName{};                                   ///< in the text: `recipes.megatron`
  std::string chosenBy{};                                     ///< the constant that chose the recipe; empty: `--as` did
  std::vector<std::pair<std::string, std::string>> given{};   ///< arguments of the recipe beside model and cluster
  std::vector<std::pair<std::string, std::string>> chosen{};  ///< arguments that the constant binds
  std::vector<std::pair<std::string, std::string>> assumed{}; ///< parameters whose defaults hold, with their values
  std::vector<std::string> statements{};                      ///< of the plan itself, between its braces
  std::vector<std::string> open{};                            ///< parameters of the plan itself: `nodes: int = 8`
  std::string command{};                                      ///< that writes the text
};

/// Fills in the recipe that the library calls usual for the model and the cluster; false after a report.
bool chooseRecipe(Console& console, api::Catalogue& catalogue, RecipePlan& plan);

/// The parameters of the recipe that nothing gives a value, with their defaults, evaluated as far as they can be.
std::vector<std::pair<std::string, std::string>> assumedValues(RecipePlan& plan);

/// The text of such a plan with another list of what is assumed.
std::string withAssumed(const std::string& text, const std::vector<std::pair<std::string, std::string>>& values);

/// The formatted text; nothing after a report.
std::optional<std::string> textOf(Console& console, RecipePlan& plan);

} // namespace planc::driver
