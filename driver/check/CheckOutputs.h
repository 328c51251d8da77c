// Where the result of `check` and `test` goes: to stdout in one form, and to files in others.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/check/CheckFormats.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Command.h"

#include <functional>
#include <optional>

namespace planc::driver {

inline const Option kCheckFormatOption{
    "--format",
    "",
    {"text", "json", "sarif", "github", "gitlab", "junit"},
    "json: one object with what was found and all diagnostics; the others are read by tools of those names"};
inline const Option kCheckOutputOption{
    "--output", "FORMAT=FILE", {}, "write sarif, github, gitlab or junit to a file, beside what is printed", kEach};

class CheckOutputs {
public:
  /// What `--format` and `--output` say; nothing after a usage error.
  static std::optional<CheckOutputs> of(Console& console, const Arguments& arguments);
  /// The exit code after a usage error where one of them is a file that is to be read; else kClean.
  int spare(Console& console, const std::vector<WorkFile>& files, const std::vector<std::string>& policies) const;
  /// Why they may not be written beside what was read; empty if they may.
  std::string refused(const SourceManager& read) const;
  /// Writes what was found. `members`: those of the JSON result, beside the diagnostics; of text there is nothing to
  /// do. The exit code where a file cannot be written, else kClean.
  int write(Console& console, const CheckedResults& checked, std::string_view jsonForm,
            const std::function<void(JsonStream&)>& members) const;
  bool asText() const { return form_ == "text"; }

private:
  struct Output {
    const CheckFormat* format = nullptr;
    std::string path;
  };
  std::string form_;
  std::vector<Output> files_;
};

} // namespace planc::driver
