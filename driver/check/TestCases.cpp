// Judges the plans and tests of a file one by one.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/TestCases.h"

#include "driver/check/CheckPlan.h"
#include "report/Report.h"
#include "support/Step.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;

std::string_view nameOf(Outcome outcome) {
  return outcome == Outcome::Passed ? "passed" : outcome == Outcome::Failed ? "failed" : "skipped";
}

bool anyFailed(const std::vector<TestCase>& cases) {
  return std::any_of(cases.begin(), cases.end(), [](const TestCase& one) { return one.outcome == Outcome::Failed; });
}

bool anyJudged(const ir::Plan& plan) {
  return !plan.assertions.empty() || !plan.measured.empty();
}

std::string firstError(const DiagnosticEngine& found) {
  const Diagnostic* error = found.firstError();
  return error ? fmt::format("{}: {}", error->kind->id(), error->message) : "";
}

/// Runs the tests of one file.
class FileTests {
public:
  FileTests(InputFile& file, const std::string& filter) : file_(file), filter_(filter) {}

  std::vector<JudgedCases> run();

private:
  bool wanted(const std::string& id) const { return id.find(filter_) != std::string::npos; }
  void judge(api::Compilation& plan);
  void addTest(api::Test& test);
  TestCase made(std::string kind, const std::string& id, const ir::Plan* plan, std::string text, SourceRange range,
                Outcome outcome) const;
  template <class Line>
  TestCase madeOf(const Line& line, std::string kind, const std::string& id, const ir::Plan& plan,
                  Outcome outcome) const;
  std::vector<TestCase> linesOf(const api::Compilation& plan, const std::string& id) const;

  InputFile& file_;
  const std::string& filter_;
  bool readable_ = true, clean_ = true;
  std::vector<JudgedCases> judged_;
  std::vector<std::pair<SourceRange, std::string>> seen_; ///< judged plans, by place and name with arguments
};

TestCase FileTests::made(std::string kind, const std::string& id, const ir::Plan* plan, std::string text,
                         SourceRange range, Outcome outcome) const {
  TestCase out{std::move(kind), id, plan ? plan->title : "", "", std::move(text), outcome, file_.shownPath()};
  if (plan && plan->range.valid()) {
    out.planFile = file_.sources().path(plan->range.file);
    out.planLine = file_.sources().begin(plan->range).line;
  }
  if (!range.valid()) return out;
  out.place = file_.sources().path(range.file);
  out.line = file_.sources().begin(range).line;
  return out;
}

/// Returns the case of a judged line.
template <class Line>
TestCase FileTests::madeOf(const Line& line, std::string kind, const std::string& id, const ir::Plan& plan,
                           Outcome outcome) const {
  TestCase out = made(std::move(kind), id, &plan, report::oneLine(line), line.range, outcome);
  out.name = report::asWritten(line);
  return out;
}

/// Returns the cases of a plan, in the order of its lines.
std::vector<TestCase> FileTests::linesOf(const api::Compilation& plan, const std::string& id) const {
  std::vector<TestCase> out;
  const verdict::Results& results = plan.results();
  for (const verdict::AssertionResult& r : results.assertions)
    out.push_back(madeOf(r, r.policy.empty() ? "assert" : "policy", id, plan.plan(),
                         r.skipped ? Outcome::Skipped
                         : r.ok    ? Outcome::Passed
                                   : Outcome::Failed));
  for (const verdict::MeasuredResult& r : results.measured)
    if (r.tolerance || !r.ok) // a line without a tolerance is only reported
      out.push_back(madeOf(r, "measured", id, plan.plan(), r.ok ? Outcome::Passed : Outcome::Failed));
  return out;
}

/// Judges a plan. A plan without assertions is only checked, because it may lack what a price needs.
void FileTests::judge(api::Compilation& plan) {
  const std::string id = report::planId(file_.shownPath(), plan.plan());
  if (!readable_ || !wanted(id)) return;
  const std::pair key(plan.plan().range, id);
  if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) return;
  seen_.push_back(key);
  if (!anyJudged(plan.plan()))
    checkPlan(plan);
  else if (plan.price())
    plan.settleAllowances(Reached::Priced);
  JudgedCases out{linesOf(plan, id), file_.renderedOf(plan.diagnostics(), id)};
  clean_ = clean_ && !plan.diagnostics().hasErrors();
  if (plan.diagnostics().hasErrors() && !anyFailed(out.cases))
    out.cases.push_back(
        made("plan", id, &plan.plan(), firstError(plan.diagnostics()), plan.plan().range, Outcome::Failed));
  judged_.push_back(std::move(out));
}

void FileTests::addTest(api::Test& test) {
  const bool passed = test.run();
  const std::string id = fmt::format("{}#{}", file_.shownPath(), test.name);
  TestCase one = made("test", id, test.plan ? &test.plan->plan() : nullptr, test.name, test.range,
                      passed ? Outcome::Passed : Outcome::Failed);
  JudgedCases out;
  out.diagnostics = file_.renderedOf(test.found, id);
  if (test.plan) {
    for (TestCase& line : linesOf(*test.plan, id))
      if (line.outcome == Outcome::Failed) one.lines.push_back(std::move(line.text));
    if (!passed && one.lines.empty()) one.lines.push_back(firstError(test.plan->diagnostics()));
    out.diagnostics.add(file_.renderedOf(test.plan->diagnostics(), id));
  } else if (!passed) {
    one.lines.push_back(test.found.hasErrors() ? firstError(test.found) : "its plan cannot be made");
  }
  clean_ = clean_ && passed;
  out.cases.push_back(std::move(one));
  judged_.push_back(std::move(out));
}

std::vector<JudgedCases> FileTests::run() {
  readable_ = !file_.hasErrors();
  file_.check([&](std::unique_ptr<api::Compilation> plan) { judge(*plan); });
  for (api::Comparison& comparison : file_.comparisons())
    for (const auto& plan : comparison.plans) judge(*plan);
  if (readable_) // with syntax errors, tests may be incomplete or misread
    file_.eachTest([&](std::string_view name) { return wanted(fmt::format("{}#{}", file_.shownPath(), name)); },
                   [&](std::unique_ptr<api::Test> test) { addTest(*test); });
  if (filter_.empty() && !file_.hasErrors() && clean_) file_.reportIdleAllowances();
  judged_.insert(judged_.begin(), file_.hasErrors() ? brokenFile(file_) : JudgedCases{{}, file_.rendered()});
  return std::move(judged_);
}

} // namespace

JudgedCases brokenFile(InputFile& file) {
  const std::string path = file.shownPath();
  JudgedCases out{{}, file.rendered()};
  out.cases.push_back({"file", path, "", "", path, Outcome::Failed, path});
  out.cases.back().lines.push_back(firstError(file.diagnostics()));
  return out;
}

std::vector<JudgedCases> testCases(InputFile& file, const std::string& filter) {
  return FileTests(file, filter).run();
}

namespace {

/// Returns the name, with a number if it was used before: `x (2)`.
std::string numbered(std::string name, GivenNames& given) {
  const size_t before = given[name]++;
  return before == 0 ? name : numbered(fmt::format("{} ({})", name, before + 1), given);
}

/// Returns a line number; null if there is no file.
Json lineJson(const std::string& file, uint32_t line) {
  return file.empty() ? Json(nullptr) : Json(line);
}

} // namespace

Json told(Console& console, JudgedCases& judged, GivenNames& given) {
  const Json& all = console.diagnosticsJson();
  const size_t from = all.size();
  console.diagnose(std::move(judged.diagnostics));
  Json out = Json::array();
  for (const TestCase& one : judged.cases) {
    const bool ofLine = one.kind == "assert" || one.kind == "measured" || one.kind == "policy";
    Json own = Json::array();
    for (size_t i = from; one.outcome == Outcome::Failed && i < all.size(); ++i)
      if (all[i].at("severity") == "error" &&
          (!ofLine || (all[i].at("line") == one.line && all[i].at("file") == one.place)))
        own.push_back(i);
    const std::string id = numbered(ofLine ? one.id + ": " + one.name : one.id, given);
    out.push_back({{"id", id},
                   {"name", one.kind == "file" ? id : id.substr(std::min(id.size(), one.file.size() + 1))},
                   {"kind", one.kind},
                   {"file", one.place.empty() ? one.file : one.place},
                   {"line", lineJson(one.place, one.line)},
                   {"plan", one.plan.empty() ? Json(nullptr) : Json(one.plan)},
                   {"plan_file", one.planFile.empty() ? Json(nullptr) : Json(one.planFile)},
                   {"plan_line", lineJson(one.planFile, one.planLine)},
                   {"text", one.lines.empty() ? one.text : one.lines.front()},
                   {"ok", one.outcome != Outcome::Failed},
                   {"outcome", nameOf(one.outcome)},
                   {"diagnostics", std::move(own)}});
  }
  return out;
}

} // namespace planc::driver
