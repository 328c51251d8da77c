// `planc test`: prices the plans of files and judges assertions of plans, tests and policies. Prints only failures and
// a summary.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/ReadFiles.h"
#include "driver/check/TestCases.h"
#include "driver/files/Files.h"
#include "driver/files/OptionValues.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "support/text/TextCells.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;

/// Returns how many cases have this outcome.
size_t count(const std::vector<TestCase>& cases, Outcome outcome) {
  return static_cast<size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const TestCase& one) { return one.outcome == outcome; }));
}

std::string summary(const std::vector<TestCase>& cases) {
  if (cases.empty()) return "nothing to test: there are no assertions and no tests\n";
  std::string out = fmt::format("{} passed", count(cases, Outcome::Passed));
  if (const size_t failed = count(cases, Outcome::Failed)) out += fmt::format(", {} failed", failed);
  if (const size_t skipped = count(cases, Outcome::Skipped)) out += fmt::format(", {} skipped", skipped);
  return out + "\n";
}

/// Returns a line for each failing line of a plan or test.
std::string failures(const Console& console, const std::vector<TestCase>& cases) {
  const char* mark = console.colorOut() ? "\x1b[1;31m✗\x1b[0m" : "✗";
  std::string out;
  for (const TestCase& one : cases) {
    if (one.outcome != Outcome::Failed) continue;
    const std::string id = printableLine(one.id);
    for (const std::string& line : one.lines) out += fmt::format("{} {}  {}\n", mark, id, printableLine(line));
    if (one.lines.empty()) out += fmt::format("{} {}  {}\n", mark, id, printableLine(one.text));
  }
  return out;
}

/// The result of testing a file.
struct TestedFile : ReadFile {
  std::vector<JudgedCases> judged;
};

/// The options that apply to each file.
struct TestRequest {
  Console& console;
  ir::PlanEdit edit;
  std::vector<std::string> policies;
  std::string filter;
};

/// Tests a file; may run on any thread.
TestedFile testFile(const TestRequest& asked, const WorkFile& work, const CheckOutputs& outputs) {
  TestedFile out;
  InputFile file(asked.console, work.path, work.as);
  if (!file.load(out.unreadable) || !file.addPolicies(asked.policies, out.unreadable)) return out;
  out.set = file.set(asked.edit);
  if (out.set)
    out.judged = testCases(file, asked.filter);
  else
    out.judged.push_back({{}, file.rendered()});
  out.close(file, outputs);
  return out;
}

/// Checks each policy file once before it is applied. A file with errors is removed from the list, and becomes a failed
/// case in `broken` unless it is among the tested files. Returns false, after a report, if a file cannot be read or has
/// no policies.
bool readPolicies(Console& console, const std::vector<WorkFile>& files, std::vector<std::string>& policies,
                  std::vector<JudgedCases>& broken) {
  bool readable = true;
  std::erase_if(policies, [&](const std::string& path) {
    InputFile file(console, path);
    std::string error;
    if (!file.load(error) || !file.addPolicies({path}, error)) {
      console.usageError(error);
      readable = false;
      return true;
    }
    if (file.check(); !file.hasErrors()) return false;
    const bool tested = std::any_of(files.begin(), files.end(), [&](const WorkFile& other) {
      return wholePath(other.path) == wholePath(path); // the file is tested itself and reports its errors
    });
    if (!tested) broken.push_back(brokenFile(file));
    return true;
  });
  return readable;
}

int runTest(Console& console, const Arguments& arguments) {
  const auto outputs = CheckOutputs::of(console, arguments);
  const auto edit = editOf(console, arguments);
  const auto jobs = jobsOf(console, arguments);
  const auto stdinPath = stdinPathOf(console, arguments);
  if (!outputs || !edit || !jobs || !stdinPath) return kUsage;
  WorkFiles work;
  if (const int found = filesOf(console, arguments.positional, work, *stdinPath); found == kUsage) return found;
  const std::string filter = arguments.value("--filter").value_or("");
  TestRequest asked{console, *edit, arguments.all("--policy"), filter};
  const bool listed = policiesOf(console, work.project, asked.policies) == kClean;
  if (!listed) work.files.clear(); // the result has no cases, and the diagnostics say why
  if (const int code = outputs->spare(console, work.files, asked.policies)) return code;
  std::vector<JudgedCases> broken;
  const bool readable = readPolicies(console, work.files, asked.policies, broken);
  std::vector<TestCase> cases;
  GivenNames given;
  Json json = Json::array();
  const auto test = [&](size_t i) { return testFile(asked, work.files[i], *outputs); };
  const auto take = [&](std::vector<JudgedCases>& all) {
    for (JudgedCases& judged : all) {
      for (Json& one : told(console, judged, given)) json.push_back(std::move(one));
      std::move(judged.cases.begin(), judged.cases.end(), std::back_inserter(cases));
    }
  };
  take(broken);
  ReadFiles read =
      readFiles<TestedFile>(console, work.files.size(), *jobs, test, [&](TestedFile file) { take(file.judged); });
  read.unreadable = read.unreadable || !readable;
  if (read.stopped != kClean) return read.stopped;
  console.summarize();
  const bool whole = listed && read.set;
  if (whole && cases.empty() && !filter.empty() && !read.unreadable)
    return console.usageError("no test and no plan with assertions has `" + filter + "` in its name",
                              "names are as in the JSON result, such as `plans/run.plan#sizes(nodes = 4)`");
  if (whole && outputs->asText()) console.out(failures(console, cases) + summary(cases));
  const auto asJson = [&](JsonStream& root) {
    root.member("passed", count(cases, Outcome::Passed));
    root.member("failed", count(cases, Outcome::Failed));
    root.member("skipped", count(cases, Outcome::Skipped));
    root.member("tests", json);
    addInputs(root, read.inputs);
  };
  if (const int code = outputs->write(console, {"test", json, console.diagnosticsJson()}, kTestFormat, asJson))
    return code;
  return read.unreadable ? kUsage : console.hasErrors() || count(cases, Outcome::Failed) > 0 ? kFailed : kClean;
}

} // namespace

const Command kTestCommand = {
    "test",
    "check plans against their assertions, measured values, tests and policies",
    {{"FILE", 0, kMany, "a .plan file, a folder of them, or - for stdin; default: the files of planc.toml"}},
    {{"--filter", "TEXT", {}, "only plans and tests whose name, FILE#NAME(arguments), contains this"},
     {"--policy", "FILE", {}, "a file of policies for every plan; repeat it for others", kEach},
     kSetOption,
     kJobsOption,
     kStdinOption,
     kCheckFormatOption,
     kCheckOutputOption},
    "planc test examples/gpt3_175b.plan",
    runTest,
};

} // namespace planc::driver
