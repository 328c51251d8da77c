// `planc show`: prints a module of the embedded library, lists a folder of it, or all of it.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"
#include "driver/Commands.h"
#include "support/Embedded.h"
#include "support/FileTree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>

namespace planc::driver {
namespace {

/// The folder of stacks, which says of each what it fits.
constexpr std::string_view kStacks = "std.stacks";

/// `std/models/gpt.plan` -> `std.models.gpt`.
std::string moduleName(std::string_view path) {
  std::string name(path.substr(0, path.size() - kPlanSuffix.size()));
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

/// The first sentence of the comment that opens a module.
std::string firstSentence(std::string_view text) {
  std::string comment;
  while (text.starts_with("//")) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of("/ "), line.size()));
    comment += fmt::format("{}{}", comment.empty() ? "" : " ", line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  size_t stop = comment.find(". ");
  return comment.substr(0, stop == std::string::npos ? stop : stop + 1);
}

/// Lists the modules below a prefix; false if there are none.
bool listModules(Console& console, const std::string& prefix) {
  std::vector<std::pair<std::string, std::string>> rows;
  size_t width = 0;
  for (const EmbeddedFile& file : embeddedStdlib()) {
    std::string name = moduleName(file.path);
    if (!prefix.empty() && !name.starts_with(prefix + ".")) continue;
    width = std::max(width, name.size());
    rows.emplace_back(std::move(name), firstSentence(file.text));
  }
  for (const auto& [name, comment] : rows)
    console.out(comment.empty() ? name + "\n" : fmt::format("{:<{}}  {}\n", name, width, comment));
  return !rows.empty();
}

/// `hopper 1024, blackwell 256`: devices of the largest run by architecture.
std::string reach(const ir::Stack& stack, ir::StackFact fact) {
  std::string text;
  for (const ir::FactKey& key : stack.keys(fact))
    text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", key.text(), stack.number(fact, key)->value);
  return text.empty() ? "-" : text;
}

/// Which stack fits what: a line each, by the first month of its release.
void listStacks(Console& console) {
  std::vector<const api::LibraryStack*> stacks;
  for (const api::LibraryStack& s : api::Library::stacks()) stacks.push_back(&s);
  std::stable_sort(stacks.begin(), stacks.end(),
                   [](const auto* a, const auto* b) { return a->firstMonth() < b->firstMonth(); });
  std::vector<std::array<std::string, 6>> rows{
      {"stack", "released", "framework", "dispatcher", "ran on, devices", "with experts on"}};
  const auto cell = [](std::string_view text) { return std::string(text.empty() ? "-" : text); };
  for (const api::LibraryStack* s : stacks)
    rows.push_back({s->name, cell(s->released()), cell(s->framework()), cell(s->dispatcher()),
                    reach(s->stack, ir::StackFact::AccuracySeen), reach(s->stack, ir::StackFact::AccuracyExperts)});
  std::array<size_t, 6> widths{};
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    console.out(line.substr(0, line.find_last_not_of(' ') + 1) + "\n");
  }
}

int unknownModule(Console& console, const std::string& name) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embeddedStdlib()) {
    names.push_back(moduleName(file.path));
    for (size_t dot = names.back().rfind('.'); dot != std::string::npos && dot > 3;
         dot = names.back().rfind('.', dot - 1))
      names.push_back(names.back().substr(0, dot));
  }
  std::error_code failed;
  if (std::filesystem::exists(name, failed))
    return console.usageError(fmt::format("`{}` is no module of the library, but lies on this disk", name),
                              "`planc show` prints modules such as `std.models.gpt`; by itself it lists them");
  bool bare = std::find(names.begin(), names.end(), "std." + name) != names.end();
  return console.usageError("no module `" + name + "` in the library",
                            bare ? "did you mean `std." + name + "`?"
                                 : didYouMean(name, names, "`planc show` lists them"));
}

int runShow(Console& console, const Arguments& arguments) {
  std::string name = arguments.positional.empty() ? "" : arguments.positional[0];
  if (name.ends_with(kPlanSuffix)) name.resize(name.size() - kPlanSuffix.size());
  std::replace(name.begin(), name.end(), '/', '.');
  for (const EmbeddedFile& file : embeddedStdlib())
    if (moduleName(file.path) == name) {
      console.out(file.text);
      return kClean;
    }
  if (!listModules(console, name)) return unknownModule(console, name);
  if (name == kStacks) {
    console.out("\n");
    listStacks(console);
  }
  return kClean;
}

} // namespace

const Command kShowCommand = {
    "show",
    "print a module of the standard library, or list its modules",
    {{"MODULE", 0, 1,
      "std.models.llama; a folder lists its files, std.stacks also what each stack fits; nothing lists all"}},
    {},
    "planc show std.models.gpt",
    runShow,
};

} // namespace planc::driver
