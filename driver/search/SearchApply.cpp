// `planc search --apply N [-o FILE]`: writes one of the best candidates as a plan.
// SPDX-License-Identifier: Apache-2.0
#include "driver/search/SearchApply.h"

#include "driver/files/Files.h"
#include "driver/files/OptionValues.h"
#include "driver/recipes/RecipeText.h"
#include "support/files/FileTree.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace planc::driver {

namespace {

/// Returns `3rd`.
std::string ordinal(size_t n) {
  const size_t last = n % 10, two = n % 100;
  const bool teen = two >= 11 && two <= 13;
  return fmt::format("{}{}", n, teen || last > 3 || last == 0 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd");
}

/// Returns whether a file that is not a plan exists at the path or at the target of a link.
bool isOtherFile(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  const std::filesystem::path whole = std::filesystem::canonical(path, failed);
  return !failed && !whole.string().ends_with(kPlanSuffix);
}

} // namespace

std::optional<Applying> applyingOf(Console& console, const Arguments& arguments) {
  Applying made;
  made.file = arguments.value("-o");
  const std::optional<std::string> text = arguments.value("--apply");
  if (!text && made.file) {
    console.usageError("`-o` needs `--apply`: it is the file of the written plan", "write `--apply 1 -o best.plan`");
    return std::nullopt;
  }
  if (!text) return made;
  const auto rank = countOf(console, arguments, "--apply", 1, ir::kMostShown, 0);
  if (!rank) return std::nullopt;
  made.rank = static_cast<size_t>(*rank);
  return made;
}

int checkApplied(Console& console, const Applying& applying) {
  if (!applying.file || !isOtherFile(*applying.file)) return kClean;
  return console.usageError(fmt::format("{} exists and is not a plan file, so it is not overwritten", *applying.file),
                            "write into a file `NAME.plan`");
}

int writeRanked(Console& console, const Applying& applying, const InputFile& file, api::Search& search,
                const std::vector<ir::CandidateId>& found, bool stopped) {
  if (applying.rank > found.size())
    return console.usageError(
        found.empty()
            ? std::string("no candidate is valid, so there is none to write")
            : fmt::format("`--apply` is {}, but there {} {} to write", applying.rank, found.size() == 1 ? "is" : "are",
                          found.size() == 1 ? "one plan" : fmt::format("{} plans", found.size())));
  const ir::CandidateId id = found[applying.rank - 1];
  const std::string plan = search.plan().plan().name.str();
  std::string name = plan + "_best";
  if (applying.rank > 1) name += fmt::format("_{}", applying.rank);
  const std::string place = applying.rank == 1 ? "The best" : fmt::format("The {} best", ordinal(applying.rank));
  const std::string sentence =
      fmt::format("{} of {}{}.", place,
                  file.isFile() ? fmt::format("the search of `{}` in {}", plan, file.shownPath()) : "its search",
                  stopped ? ", which was stopped before all candidates were decided" : "");
  std::string why;
  std::vector<std::pair<std::string, std::string>> assumed;
  auto text = search.written(id, applying.file.value_or("written.plan"), name, sentence, why,
                             file.isFile() ? nullptr : &assumed);
  if (!text)
    return console.usageError(fmt::format("candidate {} cannot be written down as a plan: {}", id, why),
                              fmt::format("its values: {}", search.choicesText(id)));
  if (!file.isFile()) text = withAssumed(*text, assumed);
  if (!applying.file) {
    console.out(*text);
    return kClean;
  }
  const std::string problem = writeFile(*applying.file, *text);
  if (problem.empty()) return kClean;
  return console.usageError(fmt::format("cannot write {}: {}", *applying.file, problem));
}

} // namespace planc::driver
