// Where a command writes: results to stdout, diagnostics to stderr, colour where wanted; and the exit codes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/WarningRules.h"
#include "support/Diagnostics.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// The exit codes of every command.
enum ExitCode : int {
  kClean = 0,
  kFailed = 1, ///< the plan has errors, an assertion failed, a measured value is out of tolerance, memory does not fit
  kUsage = 2,  ///< usage or I/O
  kInternal = 3, ///< a bug in planc
};

enum class DiagnosticFormat { Human, Short, Json };

/// What is left of diagnostics without their sources.
struct RenderedDiagnostics {
  struct One {
    size_t more = 0; ///< it stands for so many errors that were not kept
    bool error = false;
    bool allowed = false; ///< by its file or plan: kept with the reason, and not written
    std::string picture;  ///< without colour: two that look alike are one
    std::string text;     ///< as it is written
    std::unique_ptr<nlohmann::ordered_json> json;
  };
  std::vector<One> all;

  RenderedDiagnostics();
  RenderedDiagnostics(RenderedDiagnostics&&) noexcept;
  RenderedDiagnostics& operator=(RenderedDiagnostics&&) noexcept;
  ~RenderedDiagnostics();
  /// Adds those of others behind these.
  void add(RenderedDiagnostics others);
};

/// The streams of one run.
class Console {
public:
  Console();
  ~Console();
  Console(const Console&) = delete;

  /// `auto`, `always`, `never`.
  void setColor(std::string_view mode);
  void setDiagnosticFormat(std::string_view format);
  void setWarningRules(WarningRules rules) { rules_ = std::move(rules); }
  const WarningRules& warningRules() const { return rules_; }
  bool colorOut() const { return colorOut_; }

  /// A result.
  void out(std::string_view text);
  /// A remark beside the result (progress, summaries), on stderr.
  void remark(std::string_view text);
  /// The same, where a person reads it.
  void note(std::string_view text);
  /// A usage or I/O problem: `planc: error: …`, and a `help:` line if there is help. Returns kUsage.
  int usageError(std::string_view message, std::string_view help = "");

  /// Diagnostics as they will be written, without warnings that the rules allow; those that they deny are errors. On
  /// any thread. `of`: what those are about that name a plan, where that is known better than they do.
  RenderedDiagnostics render(const DiagnosticEngine& diagnostics, const SourceManager& sources,
                             const std::string& of = "") const;
  /// Writes diagnostics to stderr and keeps them for JSON; one that was written before is left out.
  void diagnose(RenderedDiagnostics diagnostics);
  void diagnose(const DiagnosticEngine& diagnostics, const SourceManager& sources) {
    diagnose(render(diagnostics, sources));
  }
  /// `2 errors, 1 warning`, if there were any and a person reads them.
  void summarize();
  /// The diagnostics so far, as the array of the JSON contract.
  const nlohmann::ordered_json& diagnosticsJson() const;
  /// Warnings that files and plans allow, each with the reason; those that options allow are left out of this, too.
  const nlohmann::ordered_json& suppressedJson() const { return *suppressed_; }
  bool hasErrors() const { return errors_ > 0; }

  /// A part of the result is lost.
  void lose() { whole_ = false; }
  /// Flushes stdout; false if it could not be written (a full disk), not all of it.
  bool finish();

private:
  std::string textOf(const Diagnostic& d, const RenderedDiagnostics::One& rendered, const SourceManager& sources) const;

  bool colorOut_ = false, colorErr_ = false, whole_ = true;
  DiagnosticFormat format_ = DiagnosticFormat::Human;
  WarningRules rules_;
  std::set<std::string> seen_;
  size_t errors_ = 0, warnings_ = 0;
  std::unique_ptr<nlohmann::ordered_json> json_, suppressed_;
};

} // namespace planc::driver
