// Builds the help texts from the command tables.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Help.h"

#include "support/Editions.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::driver {
namespace {

/// Returns two columns, the first as wide as its widest entry.
std::string columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  std::string out;
  for (const auto& [left, right] : rows)
    out += right.empty() ? fmt::format("  {}\n", left) : fmt::format("  {:<{}}  {}\n", left, width, right);
  return out;
}

std::string optionText(const Option& option) {
  if (option.name == "--help") return "-h, --help";
  if (!option.value.empty()) return fmt::format("{} {}", option.name, option.value);
  std::string choices;
  for (std::string_view choice : option.choices) choices += fmt::format("{}{}", choices.empty() ? "" : "|", choice);
  return choices.empty() ? std::string(option.name) : fmt::format("{}={}", option.name, choices);
}

void addOptions(std::vector<std::pair<std::string, std::string>>& rows, const std::vector<Option>& options) {
  for (const Option& option : options) rows.emplace_back(optionText(option), option.help);
}

} // namespace

std::string_view versionNumber() {
  return PLANC_VERSION;
}

std::string versionText() {
  return fmt::format("planc {} (edition {})\n", versionNumber(), kNewestEdition);
}

std::vector<std::string> commandNames() {
  std::vector<std::string> names;
  for (const Command* command : commands()) names.emplace_back(command->name);
  return names;
}

std::string usageLine(const Command& command) {
  std::string text = fmt::format("usage: planc {} [options]", command.name);
  for (const Positional& p : command.arguments) {
    std::string name = fmt::format("{}{}", p.name, p.most > 1 ? "…" : "");
    text += p.least == 0 ? " [" + name + "]" : " " + name;
  }
  return text;
}

std::string commandHelp(const Command& command) {
  std::vector<std::pair<std::string, std::string>> arguments, options;
  for (const Positional& p : command.arguments) arguments.emplace_back(p.name, p.help);
  addOptions(options, command.options);
  addOptions(options, commonOptions());
  std::string out = fmt::format("{}\n\n{}\n", command.summary, usageLine(command));
  if (!arguments.empty()) out += fmt::format("\n{}", columns(arguments));
  out += fmt::format("\noptions:\n{}", columns(options));
  return out + fmt::format("\nexample:\n  {}\n", command.example);
}

std::string programHelp() {
  std::vector<std::pair<std::string, std::string>> rows, options;
  for (const Command* command : commands()) rows.emplace_back(command->name, command->summary);
  addOptions(options, commonOptions());
  options.emplace_back("--version", "print the version");
  return "planc compiles plans (a model, a cluster, and how the model is spread over it) and computes the cost of a "
         "step\n\nusage: planc COMMAND [options] …\n\ncommands:\n" +
         columns(rows) + "\noptions:\n" + columns(options) +
         "\nexample:\n  planc estimate examples/gpt3_175b.plan\n\n`planc COMMAND --help` prints the options of a "
         "command.\n";
}

} // namespace planc::driver
