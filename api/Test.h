// One test of a file: a plan with arguments, and the outcome that the test expects.
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
  SourceRange range; ///< place of the test's name
  /// The error with which the plan must fail, and where the test names it. Null: the plan's assertions must hold.
  const DiagnosticKind* fails = nullptr;
  SourceRange failsRange;
  std::unique_ptr<Compilation> plan; ///< null after errors of its elaboration
  DiagnosticEngine found;            ///< errors of the elaboration; after `run` also the test's own findings

  /// Prices the plan and returns whether the test passes.
  bool run();
  /// Frees the plan.
  void release();

private:
  bool judgeFailure();
};

using TestUse = std::function<void(std::unique_ptr<Test>)>;
/// Returns whether the test of this name shall run.
using TestWanted = std::function<bool(std::string_view name)>;

} // namespace planc::api
