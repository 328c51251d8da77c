// One test of a file: a plan with arguments, and whether it is as the test says.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"

#include <functional>
#include <memory>
#include <string>

namespace planc::api {

/// A test with one combination of its values.
struct Test {
  std::string name;  ///< `sizes(nodes = 4)`
  SourceRange range; ///< of the test's name
  /// What its plan is to fail with, and where that is said; null: the plan is to hold what is asserted.
  const DiagnosticKind* fails = nullptr;
  SourceRange failsRange;
  std::unique_ptr<Compilation> plan; ///< null after errors of its elaboration
  DiagnosticEngine found;            ///< these errors; after `run` what the test has to say beside its plan

  /// Prices the plan; whether the test passes.
  bool run();
  /// Gives the plan back.
  void release();

private:
  bool judgeFailure();
};

using TestUse = std::function<void(std::unique_ptr<Test>)>;
/// Whether a test of this name is asked for.
using TestWanted = std::function<bool(std::string_view name)>;

} // namespace planc::api
