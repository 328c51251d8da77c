// Builds manual pages in man(7) format from the command tables.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Help.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <llvm/Support/ConvertUTF.h>

namespace planc::driver {
namespace {

/// Escapes text for roff. Characters beyond ASCII are written by number; text in backticks becomes bold.
std::string roff(std::string_view text) {
  std::string out;
  bool code = false;
  const auto* at = reinterpret_cast<const llvm::UTF8*>(text.data());
  const auto* end = at + text.size();
  while (at < end) {
    llvm::UTF32 c = 0;
    if (llvm::convertUTF8Sequence(&at, end, &c, llvm::lenientConversion) != llvm::conversionOK) break;
    if (c == '`') {
      out += code ? "\\fR" : "\\fB";
      code = !code;
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '~' || c == '^') {
      out += c == '~' ? "\\(ti" : "\\(ha";
    } else if (c < 0x80) {
      out += static_cast<char>(c);
    } else {
      out += fmt::format("\\[u{:04X}]", static_cast<uint32_t>(c));
    }
  }
  return out;
}

/// Returns a paragraph in lines of at most 78 characters, none of which begins like a roff request. If `end` begins
/// with a backslash, roff joins the lines.
std::string manLines(std::string_view text, std::string_view end = "\n") {
  constexpr size_t kWidth = 78;
  std::string out, line;
  const std::string all = roff(text);
  for (size_t at = 0; at < all.size();) {
    const size_t space = std::min(all.find(' ', at), all.size());
    const std::string word = all.substr(at, space - at);
    at = space + 1;
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      out += fmt::format("{}{}", line, end);
      line.clear();
    }
    line += line.empty() ? (!word.empty() && word[0] == '.' ? "\\&" : "") + word : " " + word;
  }
  return out + line + "\n";
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

/// Returns a list entry: a tag and a text.
std::string manEntry(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + "\n" + manLines(text);
}

std::string manOptions(const std::vector<Option>& options) {
  std::string out;
  for (const Option& option : options) {
    std::string tag = option.name == "--help" ? bold("-h") + ", " : std::string();
    tag += bold(option.name);
    if (!option.value.empty()) tag += " " + italic(option.value);
    for (std::string_view choice : option.choices) tag += (choice == option.choices[0] ? "=" : "|") + bold(choice);
    out += manEntry(tag, option.help);
  }
  return out;
}

/// Returns the title line. Its date is SOURCE_DATE_EPOCH, which builds set to the time of the commit; empty without it.
std::string manTitle(const std::string& name) {
  std::string date, upper;
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const std::time_t seconds = std::strtoll(epoch, &end, 10);
    std::tm utc = {};
    if (end != epoch && *end == 0 && gmtime_r(&seconds, &utc))
      date = fmt::format("{}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
  }
  for (char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"{}\" \"planc {}\" \"planc\"\n", roff(upper), date, versionNumber());
}

std::string manHead(const std::string& name, std::string_view summary) {
  return manTitle(name) + ".SH NAME\n" + manLines(fmt::format("{} - {}", name, summary)) + ".SH SYNOPSIS\n";
}

struct ManExit {
  ExitCode code;
  std::string_view meaning;
};
constexpr ManExit kManExits[] = {
    {kClean, "clean"},
    {kFailed,
     "a plan or planc.toml has errors, an assertion failed, a measured value is out of tolerance, or memory does "
     "not fit"},
    {kUsage, "wrong words on the command line, or a file that cannot be read or written"},
    {kInternal, "an internal error: a bug in planc"},
};

std::string manFoot(std::string_view example, const std::string& seeAlso) {
  std::string out = ".SH EXIT STATUS\n";
  for (const ManExit& row : kManExits) out += manEntry(bold(std::to_string(row.code)), row.meaning);
  return out + ".SH EXAMPLES\n.nf\n" + manLines(example, " \\\n") + ".fi\n.SH SEE ALSO\n" + seeAlso;
}

/// Returns `planc-check(1)` for each command, one per line.
std::string pageNames(const std::vector<const Command*>& all) {
  std::string out;
  for (const Command* command : all)
    out += fmt::format(".BR planc\\-{} (1){}\n", roff(command->name), command == all.back() ? "" : ",");
  return out;
}

} // namespace

std::string programMan() {
  std::string out = manHead("planc", "price machine-learning training plans");
  out += "\\fBplanc\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] ...\n.SH DESCRIPTION\n";
  out += manLines("planc compiles plans: files that describe a model, its cluster, and how the model is spread over "
                  "it. It checks a plan and prices a training step.");
  out += ".SH COMMANDS\n";
  for (const Command* command : commands()) out += manEntry(bold(command->name), command->summary);
  out += ".SH OPTIONS\n" + manOptions(commonOptions()) + manEntry(bold("--version"), "print the version");
  out += ".SH FILES\n" + manEntry(bold("planc.toml"), "the settings of a repository of plans for all commands: files, "
                                                      "warnings, gates; the nearest one above each file is used");
  return out + manFoot("planc estimate examples/gpt3_175b.plan", pageNames(commands()));
}

std::string commandMan(const Command& command) {
  std::string out = manHead("planc-" + std::string(command.name), command.summary);
  out += fmt::format("{} {} [\\fIoptions\\fR]", bold("planc"), bold(command.name));
  for (const Positional& p : command.arguments) {
    const std::string name = italic(p.name) + (p.most > 1 ? " ..." : "");
    out += p.least == 0 ? " [" + name + "]" : " " + name;
  }
  out += "\n";
  if (!command.arguments.empty()) out += ".SH ARGUMENTS\n";
  for (const Positional& p : command.arguments) {
    out += manEntry(italic(p.name), p.help);
    if (p.choices) out += ".IP\n" + manLines("One of " + quotedList(p.choices()));
  }
  out += ".SH OPTIONS\n" + manOptions(command.options) + manOptions(commonOptions());
  return out + manFoot(command.example, ".BR planc (1)\n");
}

} // namespace planc::driver
