// The test cases that `planc test` reports for a file: judged lines, tests, and plans or files with errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/InputFile.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace planc::driver {

enum class Outcome { Passed, Failed, Skipped };

/// One reported case.
struct TestCase {
  std::string kind; ///< `assert`, `measured`, `policy`, `test`; `plan` or `file` if it has errors
  std::string id;   ///< `plans/run.plan#house_8b(nodes = 8)`
  std::string plan; ///< title of the plan; empty if there is none
  std::string name; ///< for a line: the assertion as written, which does not change with the plan's values
  std::string text; ///< the assertion with its values; for other failures, the reason
  Outcome outcome = Outcome::Passed;
  std::string file{};               ///< as reports show it
  std::string place{};              ///< the file that contains its line; empty if there is none
  uint32_t line = 0;                ///< line in `place`
  std::string planFile{};           ///< the file that declares its plan; empty if there is none
  uint32_t planLine = 0;            ///< line in `planFile`
  std::vector<std::string> lines{}; ///< lines of a failed test that do not hold
};

/// Cases with their rendered diagnostics.
struct JudgedCases {
  std::vector<TestCase> cases;
  RenderedDiagnostics diagnostics;
};

/// Returns the cases of a file in order: the file if it has errors, its plans, the plans of its comparisons, its tests.
/// `filter`: only plans and tests whose id contains it; empty: all. May run on any thread.
std::vector<JudgedCases> testCases(InputFile& file, const std::string& filter);

/// Returns a failed case for a file that has errors.
JudgedCases brokenFile(InputFile& file);

/// How often each case name was used.
using GivenNames = std::map<std::string, size_t>;

/// Writes the diagnostics of the cases and returns the cases as elements of the JSON result. Repeated names get a
/// number.
nlohmann::ordered_json told(Console& console, JudgedCases& judged, GivenNames& given);

} // namespace planc::driver
