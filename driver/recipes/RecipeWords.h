// A plan that words of the command line name: a model, a cluster, and a recipe that trains the one on the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

#include <optional>
#include <string>

namespace planc::driver {

/// How the text of such a plan is called in messages and reports while it stands in no file.
inline constexpr std::string_view kWordsPath = "<planc new>";

inline const Option kModelOption{"--model", "NAME", {}, "in place of a FILE: the model, with --cluster, as llama3_70b"};
inline const Option kClusterOption{"--cluster", "NAME", {}, "the cluster that the model is trained on, as hgx_h100"};
inline const Option kRecipeOption{
    "--as",
    "RECIPE",
    {},
    "how it is trained: a recipe of the library, of a package, or FILE:NAME; if not said the usual"};
inline const Option kDevicesOption{"--devices", "N", {}, "so many devices of the cluster; if not said one unit of it"};
inline const Option kSeqOption{"--seq", "N", {}, "the tokens of a sequence: the recipe's parameter `seq`"};
inline const Option kBatchOption{
    "--batch", "N", {}, "what a step reads: 512 or 512samples, or 4Mtokens; the recipe's parameter `batch`"};
inline const Option kTokensOption{
    "--tokens", "N", {}, "what the whole run reads, as 1Ttokens: the fact `run.tokens` of the plan"};
inline const Option kParameterOption{"--set", "NAME=VALUE", {}, "another value for a parameter of the recipe", kLines};

/// The text of the plan that `planc new MODEL CLUSTER` writes, to stand at `place`; nothing after a usage error.
/// Removes from `arguments` each `--set` that gives a parameter of the recipe its value. If the plan is `searched`,
/// each such value, and each value of another option, becomes the only value of a choice.
std::optional<std::string> recipeText(Console& console, Arguments& arguments, const std::string& model,
                                      const std::string& cluster, const std::string& place, bool searched = false);

/// If the words of a command name a plan by `--model` and `--cluster`, puts its text into `arguments` in place of a
/// FILE. kClean, or the exit code after a report.
int takeWords(Console& console, const Command& command, Arguments& arguments);

} // namespace planc::driver
