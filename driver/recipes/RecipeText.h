// Writes the text of a plan that extends a recipe with a model and a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/ClusterSize.h"
#include "driver/recipes/ImportedName.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::driver {

/// The content of the text.
struct RecipePlan {
  NamedExport model, cluster, recipe;
  ImportLines imports;
  SizedCluster sized{};
  std::string recipeName{};                                   ///< its name in the text: `recipes.megatron`
  std::string chosenBy{};                                     ///< the constant that chose the recipe; empty: `--as` did
  std::vector<std::pair<std::string, std::string>> given{};   ///< arguments other than model and cluster
  std::vector<std::pair<std::string, std::string>> chosen{};  ///< arguments that the constant binds
  std::vector<std::pair<std::string, std::string>> assumed{}; ///< parameters that keep their defaults, with the values
  std::vector<std::string> statements{};                      ///< statements in the body of the plan
  std::vector<std::string> open{};                            ///< parameters of the plan: `nodes: int = 8`
  std::string command{};                                      ///< the command line that writes the text
};

/// Sets the recipe that the library considers usual for the model and the cluster. Returns false after a report.
bool chooseRecipe(Console& console, api::Catalogue& catalogue, RecipePlan& plan);

/// Returns the parameters of the recipe that keep their defaults, with the values, evaluated as far as possible.
std::vector<std::pair<std::string, std::string>> assumedValues(RecipePlan& plan);

/// Returns the text of such a plan with another list of assumed values.
std::string withAssumed(const std::string& text, const std::vector<std::pair<std::string, std::string>>& values);

/// Returns the formatted text; nothing after a report.
std::optional<std::string> textOf(Console& console, RecipePlan& plan);

} // namespace planc::driver
