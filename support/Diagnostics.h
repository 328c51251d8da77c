// Diagnostics: each is declared with its code next to the code that reports it, collected here, and rendered elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <atomic>
#include <concepts>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace planc {

enum class Severity { Error, Warning };

/// The stage that a plan must reach before a warning of this kind can be reported: checked, priced, or compared with
/// others.
enum class Reached { Checked, Priced, Compared };

/// One kind of diagnostic. `message` holds `{name}` fields, filled from the arguments of a report; `{{` and `}}` are
/// braces. Codes are stable: 00xx syntax, 01xx modules, 02xx names, 03xx types and units, 04xx model, 05xx cluster,
/// 06xx mesh and placement, 07xx pipeline and schedule, 08xx memory and cost, 09xx assertions, 10xx samples and
/// calibration, 11xx projects, 12xx imports.
struct DiagnosticKind {
  int code;
  Severity severity;
  std::string_view name;
  std::string_view message;
  Reached needs;
  DiagnosticKind(int code, Severity severity, std::string_view name, std::string_view message,
                 Reached needs = Reached::Checked);
  /// `PLAN0612`.
  std::string id() const;
  /// Every kind linked into this binary, sorted by code.
  static const std::map<int, const DiagnosticKind*>& all();
  /// Codes that are declared more than once. A test requires this list to be empty.
  static const std::vector<int>& duplicates();
};

/// Declares a diagnostic at namespace scope of a .cpp file, next to the code that reports it:
///   PLANC_ERROR(IndivisibleExtent, 612, "dimension `{dim}` ({extent}) is not divisible by mesh axis `{axis}`
///   ({size})")
#define PLANC_ERROR(Name, Code, Message)                                                                               \
  static const ::planc::DiagnosticKind Name(Code, ::planc::Severity::Error, #Name, Message);
/// Declares a warning. If only a stage after checking can report the warning, the last argument names that
/// stage: `Reached::Priced`.
#define PLANC_WARNING(Name, Code, Message, ...)                                                                        \
  static const ::planc::DiagnosticKind Name(Code, ::planc::Severity::Warning, #Name,                                   \
                                            Message __VA_OPT__(, ::planc::) __VA_ARGS__);

/// A named argument of a diagnostic: fills a field of the message and is kept for JSON.
struct DiagnosticArg {
  std::string name;
  std::string text;
  DiagnosticArg(std::string n, std::string t) : name(std::move(n)), text(std::move(t)) {}
  DiagnosticArg(std::string n, std::string_view t) : name(std::move(n)), text(t) {}
  DiagnosticArg(std::string n, const char* t) : name(std::move(n)), text(t) {}
  template <std::integral T> DiagnosticArg(std::string n, T v) : name(std::move(n)), text(std::to_string(v)) {}
};

/// A second source range that takes part in the conflict, with the text shown under it.
struct Label {
  SourceRange range;
  std::string text;
};

/// Replaces `was`, which must occur exactly once in `range`, by `text`. An empty `was` means the whole range.
struct TextEdit {
  SourceRange range;
  std::string text;
  std::string was = {};
};

/// Edits that together fix the problem that a diagnostic reports.
struct TextFix {
  std::string title;
  std::vector<TextEdit> edits;
  bool safe = false; ///< no other fix is as likely to be the intended one
};

/// Allows one kind of warning in a plan or a file, with a reason. Several threads may use it at once.
struct Allowance {
  const DiagnosticKind* kind = nullptr;
  std::string reason;
  SourceRange range;
  FileId within; ///< applies only to ranges in this file; invalid: to the whole file or plan
  /// `used`: a warning matched it. `checked`, `priced`: a plan with this allowance reached that stage.
  std::atomic<bool> used = false, checked = false, priced = false;
};
using Allowances = std::vector<std::shared_ptr<Allowance>>;

struct Diagnostic {
  const DiagnosticKind* kind = nullptr;
  SourceRange range;
  std::string message;
  std::string primary; ///< text under the main range; may be empty
  std::vector<DiagnosticArg> args;
  std::vector<Label> labels;
  std::vector<std::string> help;
  std::vector<std::string> notes;
  std::vector<TextFix> fixes; ///< as reported; `placedFixes` of TextFixes.h returns the applicable ones
  bool denied = false;        ///< a warning that the caller asked to count as an error
  std::shared_ptr<const Allowance> allowed = nullptr; ///< the allowance that suppresses it; null if none

  bool isError() const { return denied || kind->severity == Severity::Error; }
};

/// Collects the diagnostics of a run. Keeps only the first of several reports with equal place and code.
class DiagnosticEngine {
public:
  /// Adds detail to the diagnostic just reported; chains.
  class Builder {
    Diagnostic* d_;

  public:
    explicit Builder(Diagnostic* d) : d_(d) {}
    Builder& primary(std::string text);
    Builder& label(SourceRange range, std::string text);
    Builder& help(std::string text);
    Builder& note(std::string text);
    Builder& fix(TextFix fix);
    /// Suggests what a misspelt name probably means, as help and as fixes of the main range. If no name in `known` is
    /// near and `list` is not empty, adds a note with all of them instead: "its levels are `node`, `rack`".
    Builder& meant(std::string_view name, const std::vector<std::string>& known, std::string_view list = {});
    /// As `meant`, but adds `otherwise` as help if no name is near. `place` is where the name stands; by default the
    /// main range.
    Builder& meantElse(std::string_view name, const std::vector<std::string>& known, std::string otherwise,
                       SourceRange place = {});
  };

  Builder report(const DiagnosticKind& kind, SourceRange range, std::vector<DiagnosticArg> args = {});
  bool hasErrors() const { return errors_ > 0; }
  size_t errorCount() const { return errors_; }
  /// Whether warnings are reported at all. If not, reports of warnings are dropped and callers can skip the search for
  /// them.
  bool wantsWarnings() const { return warnings_; }
  void ignoreWarnings(bool ignored = true) { warnings_ = !ignored; }
  /// Adds allowances: warnings that match one are marked as allowed from now on.
  void allow(const Allowances& more) { allowances_.insert(allowances_.end(), more.begin(), more.end()); }
  /// The allowances in force. `allowFirst` drops all but the first `count` of them.
  const Allowances& allowances() const { return allowances_; }
  void allowFirst(size_t count) { allowances_.resize(count); }
  /// Returns all reports so far and removes them from this engine.
  DiagnosticEngine take();
  /// Sorted by file (in the order of loading), position and code.
  std::vector<const Diagnostic*> sorted() const;
  /// The first error of `sorted()`; null if there is none.
  const Diagnostic* firstError() const;
  bool empty() const { return all_.empty(); }
  size_t size() const { return all_.size(); }
  /// Sets how many errors are kept. Further errors are only counted.
  void setLimit(size_t limit) { limit_ = limit; }
  size_t suppressed() const { return suppressed_; }

private:
  std::shared_ptr<Allowance> allowanceOf(const DiagnosticKind& kind, SourceRange range) const;

  std::vector<std::unique_ptr<Diagnostic>> all_;
  Allowances allowances_;
  std::set<std::tuple<int, uint32_t, uint32_t, uint32_t>>
      seen_;           // code (negative for an allowed warning), file, begin, end
  Diagnostic dropped_; // takes the details of reports that are dropped
  size_t errors_ = 0;
  size_t suppressed_ = 0;
  size_t limit_ = 100;
  bool warnings_ = true;
};

/// The candidate nearest to `name`; empty if none is near enough to be a likely misspelling.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);
/// `did you mean `x`?` as a help text, or `otherwise` if no candidate is near.
std::string didYouMean(std::string_view name, const std::vector<std::string>& candidates, std::string otherwise = {});

} // namespace planc
