// What `planc test` says of a file: each line that was judged, each test, and what could not be judged.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/InputFile.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace planc::driver {

enum class Outcome { Passed, Failed, Skipped };

/// One case.
struct TestCase {
  std::string kind; ///< `assert`, `measured`, `policy`, `test`; `plan`, `file`: of what has errors
  std::string id;   ///< `plans/run.plan#house_8b(nodes = 8)`
  std::string plan; ///< its title; empty: of none
  std::string name; ///< of a line: what it asserts as it is written, which is the same whatever plans come to
  std::string text; ///< what is asserted, with its values; of what failed otherwise, why
  Outcome outcome = Outcome::Passed;
  std::string file{};               ///< as reports show it
  std::string place{};              ///< the file in which its line stands; empty: it has none
  uint32_t line = 0;                ///< there
  std::string planFile{};           ///< in which its plan is declared; empty: it has none
  uint32_t planLine = 0;            ///< there
  std::vector<std::string> lines{}; ///< of a test that failed: those of its lines that do not hold
};

/// Cases, and what is written of what they are about.
struct JudgedCases {
  std::vector<TestCase> cases;
  RenderedDiagnostics diagnostics;
};

/// The cases of a file, in order: itself, if it has errors, its plans as they stand, those of its comparisons, its
/// tests. `filter`: only plans and tests whose id has it in it; empty: all. On any thread.
std::vector<JudgedCases> testCases(InputFile& file, const std::string& filter);

/// A file that has errors, as a case that fails.
JudgedCases brokenFile(InputFile& file);

/// Names that were given, each with how often.
using GivenNames = std::map<std::string, size_t>;

/// Writes what is to be said of the cases, and gives them as elements of the JSON result. Of equal names all but the
/// first are numbered.
nlohmann::ordered_json told(Console& console, JudgedCases& judged, GivenNames& given);

} // namespace planc::driver
