// Argument lists and shell scripts: the options of the command that a script runs, with its variables substituted.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "import/Foreign.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planc::foreign {

/// A word of a script, expanded.
struct ShellWord {
  std::string text; ///< each variable without a value is the mark of `unsetMark`
  SourceRange range;
};

/// The mark of a variable without a value in an expanded text.
std::string unsetMark(std::string_view variable);
/// The first variable without a value in a text; empty if there is none.
std::string unsetIn(std::string_view text);

/// Variables of a script, of `--set` and of an environment.
class ShellVariables {
public:
  /// Variables of `--set`, which no assignment of a script changes.
  std::map<std::string, std::string, std::less<>> given;
  std::map<std::string, std::string, std::less<>> assigned;
  std::map<std::string, std::vector<ShellWord>, std::less<>> lists;

  /// The value; nullptr if there is none. Names that it returned are in `asked`.
  const std::string* find(std::string_view name) const;
  /// Expands `$A`, `${A}`, `${A:-8}`, `${A:=8}`, `${A:+8}` and `$((A * 2))` in a text without quotes. Another form is
  /// the mark of its text.
  std::string expanded(std::string_view text, size_t depth = 0);

  /// Makes the value of a variable unknown, of `given` ones excepted.
  void doubt(const std::string& name);
  /// Takes the value of a variable away.
  void forget(const std::string& name);

  std::set<std::string, std::less<>> doubted; ///< names whose values were in doubt at some time
  std::set<std::string, std::less<>> lost;    ///< those among them that had options
  mutable std::vector<std::string> asked;     ///< names of `given` that were used
};

struct RawWord;
/// Whether `[ "$A" == "b" ] || [[ -n $C ]]` holds; nullopt if it is something else, or if nobody knows an operand.
std::optional<bool> conditionHolds(const std::vector<RawWord>& condition, ShellVariables& variables);
/// Reads a script, or a text that is nothing but arguments, and returns the options of each command that has any as a
/// table: `--tp-size 8` is the member `--tp-size`, a bare option is true, several values are a list. What it cannot
/// decide has no value thereafter. Reports options that it cannot follow; nullopt after errors.
std::optional<std::vector<ForeignValue>> readShell(const SourceManager& sources, FileId file, ShellVariables& variables,
                                                   DiagnosticEngine& found);
/// The options among words, likewise.
ForeignValue optionsOf(const std::vector<ShellWord>& words);

} // namespace planc::foreign
