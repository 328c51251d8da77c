// Plans that the command line names by a model, a cluster, and a recipe that trains the model on the cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

#include <optional>
#include <string>

namespace planc::driver {

/// The name of such a plan's text in messages and reports, because it is in no file.
inline constexpr std::string_view kWordsPath = "<planc new>";

inline const Option kModelOption{"--model", "NAME", {}, "instead of a FILE: the model, with --cluster, as llama3_70b"};
inline const Option kClusterOption{"--cluster", "NAME", {}, "the cluster of --model, as hgx_h100"};
inline const Option kRecipeOption{
    "--as", "RECIPE", {}, "the training recipe: of the library, of a package, or FILE:NAME; default: the usual one"};
inline const Option kDevicesOption{"--devices", "N", {}, "number of devices of the cluster; default: one unit"};
inline const Option kSeqOption{"--seq", "N", {}, "tokens of a sequence: the recipe's parameter `seq`"};
inline const Option kBatchOption{
    "--batch", "N", {}, "batch of a step: 512, 512samples, or 4Mtokens; the recipe's parameter `batch`"};
inline const Option kTokensOption{
    "--tokens", "N", {}, "tokens of the whole run, as 1Ttokens: the fact `run.tokens` of the plan"};
inline const Option kParameterOption{"--set", "NAME=VALUE", {}, "another value for a parameter of the recipe", kLines};

/// Returns the text of the plan that `planc new MODEL CLUSTER` writes, for the path `place`; nothing after a usage
/// error. Removes each `--set` of a recipe parameter from `arguments`. If the plan is `searched`, each value that the
/// command line gives becomes the only value of a choice.
std::optional<std::string> recipeText(Console& console, Arguments& arguments, const std::string& model,
                                      const std::string& cluster, const std::string& place, bool searched = false);

/// If a command names a plan by `--model` and `--cluster`, stores its text in `arguments` in place of a FILE. Returns
/// kClean, or the exit code after a report.
int takeWords(Console& console, const Command& command, Arguments& arguments);

} // namespace planc::driver
