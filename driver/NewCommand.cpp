// `planc new`: writes a plan of a model on a cluster that extends a recipe.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/CheckPlan.h"
#include "driver/files/Files.h"
#include "driver/files/InputFile.h"
#include "driver/recipes/RecipeWords.h"
#include "driver/words/Commands.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

namespace planc::driver {
namespace {

int runNew(Console& console, const Arguments& given) {
  Arguments arguments = given;
  const std::optional<std::string> path = arguments.value("-o");
  if (path)
    if (const std::string taken = takenPlanPath(*path); !taken.empty())
      return console.usageError(fmt::format("{}, so nothing was written", taken), "write into a new file");
  const std::string place = path.value_or(std::string(kWordsPath));
  const std::optional<std::string> text =
      recipeText(console, arguments, arguments.positional[0], arguments.positional[1], place);
  if (!text) return kUsage;
  InputFile file(console, place);
  file.take(*text);
  Plans plans;
  file.check([&](std::unique_ptr<api::Compilation> plan) {
    checkPlan(*plan);
    plans.push_back(std::move(plan));
  });
  file.report(plans);
  if (console.hasErrors()) {
    console.summarize();
    return kFailed;
  }
  if (!path) {
    console.out(*text);
    return kClean;
  }
  if (const std::string problem = writeFile(*path, *text); !problem.empty())
    return console.usageError(fmt::format("cannot write {}: {}", *path, problem));
  console.note(fmt::format(
      "planc: next, price it with `planc estimate {0}`, or find better plans with `planc search {0}`\n", *path));
  return kClean;
}

} // namespace

const Command kNewCommand = {
    "new",
    "write a plan of five lines: a model on a cluster, trained by a recipe of the library",
    {{"MODEL", 1, 1, "llama3_70b; a name, words of it, a dotted path, or FILE:NAME; `planc show WORD` searches"},
     {"CLUSTER", 1, 1, "hgx_h100, named like a model; 'gb200_nvl72(gpus = 64)' binds parameters"}},
    {kDevicesOption,
     kRecipeOption,
     kSeqOption,
     kBatchOption,
     kTokensOption,
     kParameterOption,
     {"-o", "FILE", {}, "write the plan to a new file; default: stdout"}},
    "planc new llama3_70b hgx_h100 --devices 64",
    runNew,
};

} // namespace planc::driver
