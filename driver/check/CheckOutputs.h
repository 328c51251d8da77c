// The outputs of `check` and `test`: stdout in one format, and files in other formats.
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
    "json: one object with all results and diagnostics; the others are for the tools of these names"};
inline const Option kCheckOutputOption{
    "--output", "FORMAT=FILE", {}, "also write sarif, github, gitlab or junit to a file", kEach};

class CheckOutputs {
public:
  /// Parses `--format` and `--output`; nothing after a usage error.
  static std::optional<CheckOutputs> of(Console& console, const Arguments& arguments);
  /// Rejects outputs that would overwrite a file to be read. Returns the exit code of the usage error, or kClean.
  int spare(Console& console, const std::vector<WorkFile>& files, const std::vector<std::string>& policies) const;
  /// Returns why an output may not be written, given the files that were read; empty if all may.
  std::string refused(const SourceManager& read) const;
  /// Writes the results. `members` writes the members of the JSON result other than the diagnostics. Text output is
  /// left to the caller. Returns the exit code if a file cannot be written, else kClean.
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
