// `planc export`: writes a step of a plan in the format of another tool.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Export.h"
#include "backends/export/Ranks.h"
#include "backends/timeline/Build.h"
#include "backends/timeline/Verify.h"
#include "driver/estimate/PlanWords.h"
#include "driver/files/Files.h"
#include "driver/files/GzipText.h"
#include "driver/files/InputFile.h"
#include "driver/files/OptionValues.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace planc::driver {
namespace {

constexpr std::string_view kGzipSuffix = ".gz";

std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const exports::Format& format : exports::formats()) names.emplace_back(format.name);
  return names;
}

/// Adds the ranks of `0`, `8-15`. Returns false if the text is neither.
bool addRanks(std::string_view text, std::vector<int64_t>& ranks, int64_t count) {
  int64_t first = 0;
  const char* end = text.data() + text.size();
  const auto one = std::from_chars(text.data(), end, first);
  int64_t last = first;
  if (one.ec != std::errc()) return false;
  if (one.ptr != end) {
    if (*one.ptr != '-') return false;
    const auto other = std::from_chars(one.ptr + 1, end, last);
    if (other.ec != std::errc() || other.ptr != end) return false;
  }
  if (first < 0 || last < first || last >= count) return false;
  for (int64_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
  return true;
}

/// Returns the ranks of `--ranks`; without it one of each stage, or of the critical stage if the format takes one.
/// Nothing after a report.
std::optional<std::vector<int64_t>> ranksOf(Console& console, const Arguments& arguments, const ir::Program& program,
                                            const exports::Format& format, int64_t critical) {
  const int64_t count = program.mesh.devices();
  std::vector<int64_t> ranks;
  const std::string text = arguments.value("--ranks").value_or("");
  if (text.empty() && format.oneRank) return std::vector{exports::firstRankOf(program, critical)};
  if (text.empty())
    for (int64_t stage = 0; stage < program.stages; ++stage) ranks.push_back(exports::firstRankOf(program, stage));
  else if (text == "all")
    addRanks(fmt::format("0-{}", count - 1), ranks, count);
  else
    for (size_t at = 0; at <= text.size();) {
      const size_t comma = std::min(text.find(',', at), text.size());
      const std::string word = text.substr(at, comma - at);
      if (!addRanks(word, ranks, count)) {
        console.usageError(
            fmt::format("`--ranks` takes `all`, or ranks from 0 to {} such as `0,8-15`; this is `{}`", count - 1, word),
            fmt::format("the plan has {} devices", count));
        return std::nullopt;
      }
      at = comma + 1;
    }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (format.oneRank && ranks.size() > 1) {
    console.usageError(
        fmt::format("a trace of `{}` is of one device; `--ranks {}` names {}", format.name, text, ranks.size()),
        "name one rank, such as `--ranks 0`");
    return std::nullopt;
  }
  return ranks;
}

/// The file of `-o`; empty: stdout.
std::string outputOf(const Arguments& arguments) {
  const std::string path = arguments.value("-o").value_or("");
  return path == "-" ? "" : path;
}

/// The text of an export, for a file or for stdout.
class Output {
public:
  /// `path`: the file; empty: stdout.
  Output(Console& console, std::string path) : console_(console), path_(std::move(path)) {
    if (path_.ends_with(kGzipSuffix)) gzip_.emplace();
  }
  void operator()(std::string_view text) {
    if (path_.empty())
      console_.out(text);
    else if (gzip_)
      gzip_->add(text);
    else
      text_ += text;
  }
  /// Replaces the file as a whole. Returns an exit code.
  int finish() {
    if (path_.empty()) return kClean;
    const std::string problem = writeFile(path_, gzip_ ? gzip_->finish() : text_);
    if (problem.empty()) return kClean;
    return console_.usageError(fmt::format("`{}` cannot be written: {}", path_, problem),
                               "name another file with `-o`; a name that ends in `.gz` takes a twentieth of the space");
  }

private:
  Console& console_;
  std::string path_, text_;
  std::optional<GzipText> gzip_;
};

/// Checks the laws of the timeline if `--verify` or PLANC_VERIFY is given, like the results of passes.
void verify(const Arguments& arguments, const timeline::Timeline& line, const api::Compilation& plan) {
  if (!arguments.has("--verify") && !std::getenv("PLANC_VERIFY")) return;
  const std::vector<std::string> found = timeline::verify(line, *plan.estimate());
  if (!found.empty()) throw passes::InternalError(fmt::format("the timeline is wrong:\n{}", fmt::join(found, "\n")));
}

/// Writes the plan as a configuration of another system.
int writeWords(Console& console, const Arguments& arguments, const exports::Format& format, InputFile& file,
               const api::Compilation& plan) {
  DiagnosticEngine found;
  const auto text = foreign::writtenBack(format.name, wordsOf(plan, file.sources()), found);
  console.diagnose(found, file.sources());
  if (!text) {
    console.summarize();
    return kFailed;
  }
  Output output(console, outputOf(arguments));
  output(*text);
  return output.finish();
}

int write(Console& console, const Arguments& arguments, const exports::Format& format, InputFile& file,
          api::Compilation& plan) {
  DiagnosticEngine found;
  std::unique_ptr<timeline::Timeline> line;
  if (format.needsTimes) {
    line = timeline::build(*plan.schedule(), found);
    if (!line) {
      console.diagnose(found, file.sources());
      console.summarize();
      return kFailed;
    }
    verify(arguments, *line, plan);
  }
  const auto ranks = ranksOf(console, arguments, *plan.program(), format, line ? line->critical : 0);
  if (!ranks) return kUsage;
  const exports::ExportInput input{line.get(), plan.schedule(), &file.sources(), plan.plan().title, *ranks};
  Output output(console, outputOf(arguments));
  const std::string leftOut = format.write(input, [&](std::string_view text) { output(text); });
  if (!leftOut.empty()) console.note(fmt::format("planc: shown: {}\n", leftOut));
  return output.finish();
}

int runExport(Console& console, const Arguments& arguments) {
  const exports::Format& format = *exports::findFormat(arguments.positional[0]);
  const std::string path = arguments.positional[1], output = outputOf(arguments);
  if (output.ends_with(kGzipSuffix) && !GzipText::available())
    return console.usageError("this planc was built without zlib, so it cannot write `" + output + "`",
                              "leave out `.gz`, and compress the file with gzip");
  if (const int code = oneFileOf(console, path)) return code;
  InputFile file(console, path);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  if (!output.empty())
    if (const int code = checkOutputs(console, arguments, {"-o"}, file.sources())) return code;
  const Plans plans = onePlan(console, file, arguments.all("--plan"), "exporting");
  const bool read = !plans.empty() && !file.hasErrors();
  const auto reach = [&](api::Compilation& plan) {
    return format.needsTimes ? plan.checkParts() && plan.priceAlone() : plan.lower() && plan.makeSchedule();
  };
  if (!read || !reach(*plans.front())) {
    file.report(plans);
    console.summarize();
    return console.hasErrors() ? kFailed : noPlans(console, file);
  }
  file.report(plans);
  if (!format.write) return writeWords(console, arguments, format, file, *plans.front());
  return write(console, arguments, format, file, *plans.front());
}

} // namespace

const Command kExportCommand = {
    "export",
    "write a step of a plan for a trace viewer, a profiler's tools or Graphviz, or the plan for Megatron-LM",
    {{"FORMAT", 1, 1,
      "perfetto: trace events; kineto: one device as PyTorch's profiler; dot: graphs; megatron: arguments",
      formatNames},
     {"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"--plan", "NAME", {}, "this plan; default: the first; 'NAME(nodes = 8)' binds its parameters"},
     kSetOption,
     {"--ranks", "LIST", {}, "devices to write, as `0,8-15` or `all`; default: one of each stage"},
     {"-o", "FILE", {}, "write to a file, compressed if its name ends in .gz; default: stdout"}},
    "planc export perfetto examples/gpt3_175b.plan --plan gpt3_175b -o step.json.gz",
    runExport,
};

} // namespace planc::driver
