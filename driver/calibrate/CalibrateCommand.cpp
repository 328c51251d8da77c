// `planc calibrate`: reads measured times of operators and collectives, and writes calibrated records.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"
#include "api/Texts.h"
#include "calibrate/Calibrate.h"
#include "calibrate/fit/Units.h"
#include "calibrate/write/Library.h"
#include "calibrate/write/Relative.h"
#include "calibrate/write/Report.h"
#include "driver/calibrate/CalibrationCheck.h"
#include "driver/calibrate/SampleText.h"
#include "driver/calibrate/StepScales.h"
#include "driver/files/Files.h"
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/words/Commands.h"
#include "driver/words/Help.h"
#include "support/Step.h"
#include "support/files/Digest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace planc::driver {

PLANC_ERROR(NoSampleFormat, 1001, "the format of this file is not recognized")
PLANC_ERROR(NoSamples, 1008, "there are no samples in {files}")
PLANC_ERROR(NothingFitted, 1066, "nothing was fitted, so there is no record to write")
PLANC_ERROR(UnknownPart, 1009, "the library has no device for {name}, on which these samples were taken")

namespace {

namespace fs = std::filesystem;
using namespace calibrate;

/// An input file. A named file must contain samples; a file found in a folder need not.
struct Input {
  std::string path;
  bool named = true;
};

std::vector<Input> inputs(const std::vector<std::string>& paths) {
  std::vector<Input> out;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (path == "-" || !fs::is_directory(path, failed)) {
      out.push_back({path, true});
      continue;
    }
    std::vector<std::string> found;
    fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, failed), end;
    for (; !failed && it != end; it.increment(failed))
      if (it->is_regular_file(failed)) found.push_back(it->path().string());
    std::sort(found.begin(), found.end());
    for (std::string& file : found) out.push_back({std::move(file), false});
  }
  return out;
}

/// Most devices that network cards serve together; larger than any pod.
constexpr int64_t kMostUnit = 1 << 20;

/// The data of one run.
struct Run {
  Console& console;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  Samples samples;
  std::vector<Part> parts; ///< one per device of the samples
  std::vector<Calibration> calibrations;
  std::optional<ir::Stack> stack;
  std::optional<ir::Fabric> fabric;
  Bases bases;
  double unit = 0;                       ///< value of `--unit`; 0: not given
  std::string day;                       ///< the day of the fit
  std::map<FileId, std::string> digests; ///< digests of the files as read, before unpacking

  explicit Run(Console& c) : console(c) {}

  bool read(const std::vector<Input>& files) {
    Step step("reading samples");
    for (const Input& input : files) {
      const SampleText text = readSampleText(console, input.path, sources, diagnostics);
      if (!text.found) return false;
      if (!text.id) continue;
      digests[*text.id] = text.digest;
      const std::string& shown = sources.path(*text.id);
      if (readSamples({*text.id, shown, sources.text(*text.id)}, samples, diagnostics)) continue;
      if (input.named)
        diagnostics.report(NoSampleFormat, {*text.id, 0, 0}).help("docs/calibrate.md lists the supported formats");
      else
        samples.notes.push_back(shown + ": no samples; skipped");
    }
    return true;
  }

  /// Returns the devices of the samples. `--device` replaces their names; a note lists other parts among them.
  std::vector<std::string> devices(const std::optional<std::string>& given) {
    std::vector<std::string> names = devicesOf(samples);
    if (!given) return names;
    std::string other;
    for (const std::string& name : names) {
      const std::string own = name.empty() ? name : api::Library::deviceOf(name);
      if (!own.empty() && own != api::Library::deviceOf(*given))
        samples.notes.push_back(fmt::format(
            "the samples are of `{}`, which is `{}` of the library, but `--device` is `{}`", name, own, *given));
      other += fmt::format("{}{}", other.empty() ? "" : ", ", name.empty() ? "a part without a name" : name);
    }
    if (names.size() < 2) return names;
    samples.notes.push_back(fmt::format("`--device {}` joins samples of {}", *given, other));
    for (Series& series : samples.series) series.device = *given;
    return {*given};
  }

  /// Notes options without effect, because no sample belongs to their subject.
  void noteVoidOptions() {
    bool collectives = false, between = false;
    for (const Sample& s : samples.samples) collectives |= s.kind == Kind::Collective;
    for (const Calibration& c : calibrations)
      for (const Section& s : c.sections) between |= s.record == Record::Network;
    if (unit > 0 && !collectives) samples.notes.push_back("`--unit` has no effect: no sample is of a collective");
    if (fabric && !between)
      samples.notes.push_back(
          fmt::format("`--fabric {}` has no effect: no fitted sample is of a group over several nodes", bases.fabric));
  }

  /// Finds the library's records of the sampled devices. Returns false after a report.
  bool findParts(const std::vector<std::string>& devices, const std::optional<std::string>& given) {
    Step step("looking parts up");
    for (const std::string& device : devices) {
      const std::string name = given.value_or(device);
      std::optional<Part> part = api::Library::part(name);
      if (part) {
        parts.push_back(std::move(*part));
        continue;
      }
      SourceRange at;
      for (const Sample& s : samples.samples)
        if (samples.series[s.series].device == device && !at.valid()) at = s.range;
      auto report =
          diagnostics.report(UnknownPart, at, {{"name", name.empty() ? "a part without a name" : "`" + name + "`"}});
      report.meant(name, api::Library::names("device"));
      report.help("name it: `--device h100_sxm5_80gb`; `planc show std.devices` lists the devices");
    }
    return parts.size() == devices.size();
  }

  bool findBases(const Arguments& arguments) {
    if (const auto name = arguments.value("--stack")) {
      if (!(stack = api::Library::stack(*name))) return unknown("--stack", *name, api::Library::names("stack"));
      bases.stack = *name;
      bases.stackFacts = &*stack;
    }
    if (const auto name = arguments.value("--fabric")) {
      if (!(fabric = api::Library::fabric(*name))) return unknown("--fabric", *name, api::Library::names("fabric"));
      bases.fabric = *name;
      bases.fabricFacts = &*fabric;
    }
    return true;
  }
  bool unknown(std::string_view option, const std::string& name, const std::vector<std::string>& known) {
    console.usageError(fmt::format("`{}`: the library has no `{}`", option, name),
                       didYouMean(name, known, "`planc show` lists its modules"));
    return false;
  }

  /// Returns the digest of the files that contain samples of a device.
  std::string digestOfSamples(const std::string& device) const {
    std::set<FileId> files;
    for (const Sample& s : samples.samples)
      if (samples.series[s.series].device == device) files.insert(s.range.file);
    std::vector<std::string> read;
    for (const FileId file : files) read.push_back(digests.at(file));
    return samplesDigest(std::move(read));
  }

  void fit(const std::vector<std::string>& devices) {
    Step step("fitting");
    bases.optimizers = api::Library::optimizers();
    bases.operators = api::Library::names("op");
    for (size_t i = 0; i < devices.size(); ++i) {
      if (unit > 0) parts[i].unit = unit, parts[i].host = 0;
      countUnits(samples, devices[i], parts[i]);
      calibrations.push_back(
          calibrate::calibrate(samples, devices[i], parts[i], sources, diagnostics, bases.optimizers));
      calibrations.back().fitted = {digestOfSamples(devices[i]), std::string(versionNumber()), day};
      setAnew(calibrations.back(), bases, diagnostics);
      dropImpossible(calibrations.back());
    }
  }

  /// Returns whether any record can be written. Reports each device without one, and the reason as far as counts tell
  /// it.
  bool anyRecord() {
    std::string empty;
    size_t records = 0;
    for (const Calibration& c : calibrations) {
      records += c.sections.size();
      if (!c.sections.empty()) continue;
      const std::string name = c.label.empty() ? c.part->name : c.label;
      const std::string text =
          fmt::format("{}: {} samples, {} times left out by the checks", name, c.samples, c.excluded);
      samples.notes.push_back(text + ": nothing was fitted, so no record is written");
      empty += (empty.empty() ? "" : "; ") + text;
    }
    if (records > 0) return true;
    diagnostics.report(NothingFitted, {})
        .note(empty)
        .help("the warnings tell what is wrong with the samples; docs/calibrate.md lists the columns of each kind");
    return false;
  }

  /// Returns the formatted library. An error in it is a bug of planc and is shown as such.
  std::optional<std::string> library() {
    Step step("writing the library");
    const std::string raw = libraryText(calibrations, bases);
    SourceManager texts;
    DiagnosticEngine found;
    const std::optional<std::string> text = api::formatText(texts, texts.add("calibrated.plan", raw), found);
    if (text) {
      api::PlanFile written;
      written.loadText("calibrated.plan", *text);
      const bool good = written.check();
      console.diagnose(written.diagnostics(), written.sources());
      if (good) return text;
    }
    console.diagnose(found, texts);
    return std::nullopt;
  }
};

void printFits(const Run& run, const std::optional<std::string>& library,
               const std::optional<CalibrationCheck>& check) {
  nlohmann::ordered_json whole{{"devices", reportJson(run.calibrations, run.sources)},
                               {"notes", run.samples.notes},
                               {"library", library ? nlohmann::ordered_json(*library) : nlohmann::ordered_json()}};
  if (check) whole["check"] = check->json();
  printJson(run.console, kCalibrationFormat, std::move(whole));
}

/// Compares the records of one device with the measured lines of a file; nothing after errors, which are written.
std::optional<CalibrationCheck> checked(Console& console, const Run& run, const std::string& library,
                                        const std::string& path) {
  const Part& part = run.parts.front();
  const std::string& stack = run.bases.stack;
  CalibrationCheck check;
  const bool good =
      check.run(console, path,
                {part.name, stack.substr(stack.find('.') + 1), api::Library::deviceIn(library, deviceRecord(part)),
                 api::Library::stackIn(library, stackRecord(part))});
  return good ? std::optional(std::move(check)) : std::nullopt;
}

/// Writes the library to its output. Returns the exit code.
int save(Console& console, const std::string& path, const std::string& text) {
  if (path == "-") {
    console.out(text);
    return kClean;
  }
  const std::string problem = writeFile(path, text);
  return problem.empty() ? kClean : console.usageError(path + " cannot be written: " + problem);
}

int runCalibrate(Console& console, const Arguments& arguments) {
  const auto steps = arguments.value("--steps");
  if (steps && !arguments.positional.empty())
    return console.usageError("`--steps` takes one file of plans and no samples");
  for (const std::string_view option : {"--device", "--stack", "--fabric", "--unit", "--check"})
    if (steps && arguments.value(option))
      return console.usageError(fmt::format("`{}` is of samples; `--steps` takes stacks from the plans", option));
  if (steps) return scaleSteps(console, *steps, arguments);
  if (arguments.positional.empty()) return console.usageError("`planc calibrate` needs SAMPLES, or `--steps FILE`");
  Run run(console);
  const std::optional<int64_t> unit = countOf(console, arguments, "--unit", 1, kMostUnit, 0);
  if (!unit) return kUsage;
  run.unit = static_cast<double>(*unit);
  if (std::optional<std::string> day = dayOf(console, arguments))
    run.day = std::move(*day);
  else
    return kUsage;
  const std::vector<Input> files = inputs(arguments.positional);
  if (!run.findBases(arguments) || !run.read(files)) return kUsage;
  if (arguments.value("-o") != "-")
    if (const int code = checkOutputs(console, arguments, {"-o"}, run.sources)) return code;
  dropCopies(run.samples, run.sources);
  const std::vector<std::string> devices = run.devices(arguments.value("--device"));
  if (!run.diagnostics.hasErrors() && devices.empty())
    run.diagnostics.report(NoSamples, {}, {{"files", arguments.positional.front()}});
  std::optional<std::string> library;
  const bool json = arguments.value("--format") == "json";
  const std::optional<std::string> output = arguments.value("-o"), file = arguments.value("--check");
  std::optional<CalibrationCheck> check;
  if (file && devices.size() > 1)
    return console.usageError("`--check` compares one device with its runs, but these samples are of several");
  if (!run.diagnostics.hasErrors() && run.findParts(devices, arguments.value("--device"))) {
    run.fit(devices);
    run.noteVoidOptions();
    const bool any = run.anyRecord();
    if (any && (json || output || file)) library = run.library();
    if (file && library) check = checked(console, run, *library, *file);
    const std::string report =
        reportText(run.calibrations, run.samples, run.sources) + (check ? check->text() : std::string());
    if (!json) output == "-" ? console.remark(report) : console.out(report);
  }
  console.diagnose(run.diagnostics, run.sources);
  console.summarize();
  if (json) printFits(run, library, check);
  if (console.hasErrors()) return kFailed;
  if (file && library && !check) return kUsage; // the check reported why
  return output && library && !(json && output == "-") ? save(console, *output, *library) : kClean;
}

} // namespace

const Command kCalibrateCommand = {
    "calibrate",
    "fit a device, a software stack and fabrics to measured times; print the errors, and write plan text",
    {{"SAMPLES", 0, kMany, "files of samples, folders of them, or - for stdin (docs/calibrate.md)"}},
    {{"-o", "FILE", {}, "write the library to a file; - is stdout, and the report goes to stderr"},
     {"--device", "NAME", {}, "the device of std.devices, if the samples do not name it"},
     {"--stack", "NAME", {}, "the stack of the library that the new one extends: megatron.megatron_2021"},
     {"--fabric", "NAME", {}, "the fabric of the library that the new one between nodes extends: ndr"},
     {"--unit",
      "N",
      {},
      "devices that share network cards, if not those of a host: 72 for a rack of NVL72; default: from the library's "
      "cluster of the device"},
     {"--check",
      "FILE",
      {},
      "a plan file with `measured` lines: compare their errors with the library and with the new records"},
     {"--steps",
      "FILE",
      {},
      "instead of samples: a plan file with measured step times; fits one factor per software stack"},
     kDateOption,
     {"--format", "", {"text", "json"}, "json: one object with all fits, outliers, the library and all diagnostics"}},
    "planc calibrate examples/h100_samples.csv --device h100_sxm5_80gb",
    runCalibrate,
};

} // namespace planc::driver
