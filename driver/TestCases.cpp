// Judges the plans and tests of a file, one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "driver/TestCases.h"

#include "backends/report/Report.h"
#include "driver/CheckPlan.h"
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

/// A file under test.
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
  std::vector<TestCase> linesOf(const api::Compilation& plan, const std::string& id) const;

  InputFile& file_;
  const std::string& filter_;
  bool readable_ = true, clean_ = true;
  std::vector<JudgedCases> judged_;
  std::vector<std::pair<SourceRange, std::string>> seen_; ///< plans, by place and title
};

TestCase FileTests::made(std::string kind, const std::string& id, const ir::Plan* plan, std::string text,
                         SourceRange range, Outcome outcome) const {
  TestCase out{std::move(kind), id, plan ? plan->title : "", std::move(text), outcome, file_.shownPath()};
  if (!range.valid()) return out;
  out.place = file_.sources().path(range.file);
  out.line = file_.sources().begin(range).line;
  return out;
}

/// What was judged of a plan, in the order of its lines.
std::vector<TestCase> FileTests::linesOf(const api::Compilation& plan, const std::string& id) const {
  std::vector<TestCase> out;
  const verdict::Results& results = plan.results();
  for (const verdict::AssertionResult& r : results.assertions)
    out.push_back(made(r.policy.empty() ? "assert" : "policy", id, &plan.plan(), report::oneLine(r), r.range,
                       r.skipped ? Outcome::Skipped
                       : r.ok    ? Outcome::Passed
                                 : Outcome::Failed));
  for (const verdict::MeasuredResult& r : results.measured)
    if (r.tolerance || !r.ok) // one without a tolerance is told, and cannot fail
      out.push_back(
          made("measured", id, &plan.plan(), report::oneLine(r), r.range, r.ok ? Outcome::Passed : Outcome::Failed));
  return out;
}

/// A plan of which nothing is asserted is checked; it need not have what a price takes.
void FileTests::judge(api::Compilation& plan) {
  const std::string id = report::planId(file_.shownPath(), plan.plan());
  if (!readable_ || !wanted(id)) return;
  const std::pair key(plan.plan().range, plan.plan().title);
  if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) return;
  seen_.push_back(key);
  anyJudged(plan.plan()) ? void(plan.price()) : checkPlan(plan);
  JudgedCases out{linesOf(plan, id), file_.renderedOf(plan.diagnostics())};
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
  out.diagnostics = file_.renderedOf(test.found);
  if (test.plan) {
    for (TestCase& line : linesOf(*test.plan, id))
      if (line.outcome == Outcome::Failed) one.lines.push_back(std::move(line.text));
    if (!passed && one.lines.empty()) one.lines.push_back(firstError(test.plan->diagnostics()));
    out.diagnostics.add(file_.renderedOf(test.plan->diagnostics()));
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
  if (readable_) // else what is there is not all that was meant, or a guess at a word
    file_.eachTest([&](std::string_view name) { return wanted(fmt::format("{}#{}", file_.shownPath(), name)); },
                   [&](std::unique_ptr<api::Test> test) { addTest(*test); });
  if (filter_.empty() && !file_.hasErrors() && clean_) file_.reportIdleAllowances();
  JudgedCases whole;
  whole.diagnostics = file_.rendered();
  if (file_.hasErrors()) {
    whole.cases.push_back(made("file", file_.shownPath(), nullptr, file_.shownPath(), SourceRange{}, Outcome::Failed));
    whole.cases.back().lines.push_back(firstError(file_.diagnostics()));
  }
  judged_.insert(judged_.begin(), std::move(whole));
  return std::move(judged_);
}

} // namespace

std::vector<JudgedCases> testCases(InputFile& file, const std::string& filter) {
  return FileTests(file, filter).run();
}

Json told(Console& console, JudgedCases& judged) {
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
    const bool named = one.kind == "test" || one.kind == "file";
    out.push_back({{"id", one.id},
                   {"name", named ? one.text : one.plan + ": " + one.text},
                   {"kind", one.kind},
                   {"file", one.file},
                   {"line", one.place.empty() ? Json(nullptr) : Json(one.line)},
                   {"plan", one.plan.empty() ? Json(nullptr) : Json(one.plan)},
                   {"text", one.lines.empty() ? one.text : one.lines.front()},
                   {"ok", one.outcome != Outcome::Failed},
                   {"outcome", nameOf(one.outcome)},
                   {"diagnostics", std::move(own)}});
  }
  return out;
}

} // namespace planc::driver
