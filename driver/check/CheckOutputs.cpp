// Parses `--format` and `--output`, and writes the results.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/CheckOutputs.h"

#include "driver/files/Files.h"
#include "project/Config.h"
#include "support/files/FileTree.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {
namespace {

namespace fs = std::filesystem;

/// Returns `junit=b.xml` for `a.sarif,junit=b.xml`; empty if the path contains no second format.
std::string secondFormat(const std::string& path) {
  for (size_t at = path.find(','); at != std::string::npos; at = path.find(',', at + 1)) {
    const std::string behind = path.substr(at + 1);
    if (const size_t sign = behind.find('='); sign != std::string::npos && checkFormat(behind.substr(0, sign)))
      return behind;
  }
  return "";
}

/// Returns a description of a file that people write and planc reads, which no result may replace; empty for other
/// files.
std::string_view sourceKind(const std::string& path) {
  std::error_code ignored;
  for (const fs::path& name : {fs::path(path), fs::path(meantPath(path))}) {
    if (name.filename() == project::kConfigName) return "the settings of a project";
    if (!fs::is_regular_file(path, ignored)) continue;
    if (name.extension() == kPlanSuffix) return "a file of plans";
    if (name.extension() == kSnapshotSuffix) return "a snapshot";
  }
  return {};
}

} // namespace

std::optional<CheckOutputs> CheckOutputs::of(Console& console, const Arguments& arguments) {
  CheckOutputs out;
  out.form_ = *arguments.value(kCheckFormatOption.name);
  for (const std::string& word : arguments.all(kCheckOutputOption.name)) {
    const size_t at = word.find('=');
    const std::string name = word.substr(0, at), path = at == std::string::npos ? "" : word.substr(at + 1);
    std::vector<std::string> names;
    for (const CheckFormat& format : checkFormats()) names.emplace_back(format.name);
    const CheckFormat* const format = checkFormat(name);
    if (!format || path.empty()) {
      console.usageError("`--output` takes a format and a file; this is `" + word + "`",
                         format ? "write `--output " + name + "=FILE`"
                                : didYouMean(name, names, "formats are " + quotedList(names)));
      return std::nullopt;
    }
    if (const std::string second = secondFormat(path); !second.empty()) {
      console.usageError(
          "`--output` takes one format and one file; this is `" + word + "`",
          fmt::format("repeat it: `--output {} --output {}`", word.substr(0, word.size() - second.size() - 1), second));
      return std::nullopt;
    }
    const auto same = [&](const Output& other) { return meantPath(other.path) == meantPath(path); };
    if (std::any_of(out.files_.begin(), out.files_.end(), same)) {
      console.usageError("two formats have the file " + path, "name another file for one of them");
      return std::nullopt;
    }
    if (const std::string_view kind = sourceKind(path); !kind.empty()) {
      console.usageError(fmt::format("`--output` is refused: {} is {}", path, kind), "name another file");
      return std::nullopt;
    }
    out.files_.push_back({format, path});
  }
  return out;
}

int CheckOutputs::spare(Console& console, const std::vector<WorkFile>& files,
                        const std::vector<std::string>& policies) const {
  std::vector<std::string> read = policies;
  for (const WorkFile& file : files) read.push_back(file.path);
  for (const Output& output : files_)
    for (const std::string& path : read)
      if (std::error_code none; fs::equivalent(output.path, path, none)) // even if reading it would fail later
        return console.usageError(fmt::format("`--output` is refused: {} is a file that is read", output.path),
                                  "name another file");
  return kClean;
}

std::string CheckOutputs::refused(const SourceManager& read) const {
  for (const Output& output : files_)
    if (std::string why = refusedOutput(output.path, read); !why.empty()) return why;
  return "";
}

int CheckOutputs::write(Console& console, const CheckedResults& checked, std::string_view jsonForm,
                        const std::function<void(JsonStream&)>& members) const {
  if (form_ == "json") {
    JsonDocument document(jsonForm);
    members(document.found());
    document.print(console);
  } else if (const CheckFormat* asked = checkFormat(form_)) {
    console.out(asked->text(checked));
  }
  for (const Output& file : files_)
    if (const std::string problem = writeFile(file.path, file.format->text(checked)); !problem.empty())
      return console.usageError(file.path + " cannot be written: " + problem);
  return kClean;
}

} // namespace planc::driver
