// The console: results to stdout, diagnostics to stderr, colour, and exit codes.
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

/// The exit codes of all commands.
enum ExitCode : int {
  kClean = 0,
  kFailed = 1, ///< the plan has errors, an assertion failed, a measured value is out of tolerance, memory does not fit
  kUsage = 2,  ///< usage or I/O error
  kInternal = 3, ///< a bug in planc
};

enum class DiagnosticFormat { Human, Short, Json };

/// Rendered diagnostics, which do not need their sources any more.
struct RenderedDiagnostics {
  struct One {
    size_t more = 0; ///< it stands for this many errors that were not kept
    bool error = false;
    bool allowed = false; ///< allowed by its file or plan: kept with the reason, but not written
    std::string picture;  ///< without colour; equal pictures are written once
    std::string text;     ///< the text to write
    std::unique_ptr<nlohmann::ordered_json> json;
  };
  std::vector<One> all;

  RenderedDiagnostics();
  RenderedDiagnostics(RenderedDiagnostics&&) noexcept;
  RenderedDiagnostics& operator=(RenderedDiagnostics&&) noexcept;
  ~RenderedDiagnostics();
  /// Appends other diagnostics.
  void add(RenderedDiagnostics others);
};

/// The streams of one run.
class Console {
public:
  Console();
  ~Console();
  Console(const Console&) = delete;

  /// `mode`: `auto`, `always` or `never`.
  void setColor(std::string_view mode);
  void setDiagnosticFormat(std::string_view format);
  void setWarningRules(WarningRules rules) { rules_ = std::move(rules); }
  const WarningRules& warningRules() const { return rules_; }
  bool colorOut() const { return colorOut_; }

  /// Writes a result to stdout.
  void out(std::string_view text);
  /// Writes a remark (progress, a summary) to stderr.
  void remark(std::string_view text);
  /// Writes a remark, unless diagnostics are machine-readable.
  void note(std::string_view text);
  /// Reports a usage or I/O error: `planc: error: …`, and a `help:` line if `help` is not empty. Returns kUsage.
  int usageError(std::string_view message, std::string_view help = "");

  /// Renders diagnostics. Warnings that the rules allow are left out, and denied ones become errors. May run on any
  /// thread. `of`: a name for the plan that the diagnostics are about, if it is more precise than theirs.
  RenderedDiagnostics render(const DiagnosticEngine& diagnostics, const SourceManager& sources,
                             const std::string& of = "") const;
  /// Writes diagnostics to stderr and keeps them for JSON. Diagnostics that were already written are skipped.
  void diagnose(RenderedDiagnostics diagnostics);
  void diagnose(const DiagnosticEngine& diagnostics, const SourceManager& sources) {
    diagnose(render(diagnostics, sources));
  }
  /// Writes `2 errors, 1 warning`, if there are any and diagnostics are in the human format.
  void summarize();
  /// Returns the diagnostics so far as the array of the JSON contract.
  const nlohmann::ordered_json& diagnosticsJson() const;
  /// Returns warnings that files and plans allow, with the reasons. Warnings that options allow are not included.
  const nlohmann::ordered_json& suppressedJson() const { return *suppressed_; }
  bool hasErrors() const { return errors_ > 0; }

  /// Marks the result as incomplete, so that `finish` fails.
  void lose() { whole_ = false; }
  /// Flushes stdout. Returns false if a part of the result could not be written, for example on a full disk.
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
