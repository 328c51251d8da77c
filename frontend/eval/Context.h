// State that all parts of the frontend share in one compilation: sources, diagnostics, limits on work, and the active
// calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Arena.h"
#include "frontend/modules/Loader.h"
#include "support/Diagnostics.h"

namespace planc::frontend {

/// Limits that keep hostile input from costing unbounded time, memory or stack.
namespace limits {
inline constexpr uint64_t kSteps = 3'000'000;         ///< evaluation steps of one request to a session
inline constexpr size_t kListItems = 100'000;         ///< items of one list
inline constexpr unsigned kDepth = 400;               ///< nesting of expressions; more than the parser accepts
inline constexpr unsigned kConditionDepth = 1'000;    ///< depth of a condition's tree; a chain of `and` nests, too
inline constexpr size_t kCalls = 48;                  ///< nesting of functions, blocks and `extends`
inline constexpr size_t kExtends = 64;                ///< links of an `extends` chain
inline constexpr uint32_t kOperators = 50'000;        ///< operators of one model, repeats folded
inline constexpr size_t kRules = 20'000;              ///< placement rules of one plan
inline constexpr int64_t kDevices = int64_t(1) << 40; ///< devices of a cluster or mesh
} // namespace limits

/// An active call. Reports inside it show where the call is.
struct Frame {
  const DeclInfo* decl = nullptr;
  SourceRange call;
};

class Context {
public:
  Context(SourceManager& texts, DiagnosticEngine& reports, Loader& modules)
      : sources(texts), diagnostics(reports), loader(modules) {}

  SourceManager& sources;
  DiagnosticEngine& diagnostics;
  Loader& loader;
  Arena arena;
  std::vector<Frame> frames;
  std::vector<DeclInfo*> evaluating; ///< constants being computed; meeting one again is a cycle
  unsigned depth = 0;
  /// Increases with every error, even one that is reported already and kept once. A result is valid only if this count
  /// did not change while it was computed.
  uint64_t failures = 0;

  /// Reports a diagnostic, and labels the innermost active calls that do not contain the range.
  DiagnosticEngine::Builder report(const DiagnosticKind& kind, SourceRange range, std::vector<DiagnosticArg> args = {});
  /// Charges `n` steps of work. Returns false, after one report, when the limit is reached; from then on all values are
  /// Invalid.
  bool step(SourceRange at, uint64_t n = 1);
  /// Starts a new request with a full budget of steps. Has no effect after the limit was reached, which ends the
  /// session.
  void renew() { steps_ = exhausted() ? steps_ : 0; }
  /// Ends evaluation without another report.
  void stop() { steps_ = limits::kSteps + 1; }
  bool exhausted() const { return steps_ > limits::kSteps; }
  /// Enters a call. Returns false, without entering it, after reporting that calls nest too deep.
  bool enter(const DeclInfo& decl, SourceRange call);
  void leave() { frames.pop_back(); }
  std::string_view text(SourceRange range) const { return sources.text(range); }

private:
  Diagnostic dropped_;
  uint64_t steps_ = 0;
};

} // namespace planc::frontend
