// Diagnostics: declared with a code beside the code that emits them, collected, and rendered elsewhere.
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

/// How far a plan must come before a warning of this kind can be met: checked, priced, or compared with others.
enum class Reached { Checked, Priced, Compared };

/// One kind of diagnostic. `message` holds `{name}` fields, filled from the arguments of a report; `{{` and `}}` are
/// braces. Codes are stable: 00xx syntax, 01xx modules, 02xx names, 03xx types and units, 04xx model, 05xx cluster,
/// 06xx mesh and placement, 07xx pipeline and schedule, 08xx memory and cost, 09xx assertions, 10xx samples and
/// calibration, 11xx projects.
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
  /// Every kind linked into this binary, by code.
  static const std::map<int, const DiagnosticKind*>& all();
  /// Codes declared more than once; the tests demand that there are none.
  static const std::vector<int>& duplicates();
};

/// Declares a diagnostic at namespace scope of a .cpp file, beside its emitter:
///   PLANC_ERROR(IndivisibleExtent, 612, "dimension `{dim}` ({extent}) is not divisible by mesh axis `{axis}`
///   ({size})")
#define PLANC_ERROR(Name, Code, Message)                                                                               \
  static const ::planc::DiagnosticKind Name(Code, ::planc::Severity::Error, #Name, Message);
/// A warning that checking does not meet says at its end how far a plan must come: `Reached::Priced`.
#define PLANC_WARNING(Name, Code, Message, ...)                                                                        \
  static const ::planc::DiagnosticKind Name(Code, ::planc::Severity::Warning, #Name,                                   \
                                            Message __VA_OPT__(, ::planc::) __VA_ARGS__);

/// A named argument of a diagnostic: filled into the message and kept for JSON.
struct DiagnosticArg {
  std::string name;
  std::string text;
  DiagnosticArg(std::string n, std::string t) : name(std::move(n)), text(std::move(t)) {}
  DiagnosticArg(std::string n, std::string_view t) : name(std::move(n)), text(t) {}
  DiagnosticArg(std::string n, const char* t) : name(std::move(n)), text(t) {}
  template <std::integral T> DiagnosticArg(std::string n, T v) : name(std::move(n)), text(std::to_string(v)) {}
};

/// A second place that takes part in the conflict, and what it says there.
struct Label {
  SourceRange range;
  std::string text;
};

/// `text` in the place of `was`, which stands once in `range`; an empty `was` is all of the range, whatever it says.
struct TextEdit {
  SourceRange range;
  std::string text;
  std::string was = {};
};

/// Changes of the text that together mend what a diagnostic says.
struct TextFix {
  std::string title;
  std::vector<TextEdit> edits;
  bool safe = false; ///< nothing else is as near to what was meant
};

/// A kind of warning that a plan or a file allows, and why. What uses it may belong to several threads.
struct Allowance {
  const DiagnosticKind* kind = nullptr;
  std::string reason;
  SourceRange range;
  FileId within; ///< only of places in this file; invalid: of all that the file or the plan is about
  /// Whether a warning met it, and how far a plan that has it came.
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
  std::vector<TextFix> fixes; ///< as reported; `placedFixes` of TextFixes.h has those that can be made
  bool denied = false;        ///< a warning that counts as an error, as whoever asked wants it
  std::shared_ptr<const Allowance> allowed = nullptr; ///< that keeps it from being told

  bool isError() const { return denied || kind->severity == Severity::Error; }
};

/// Collects the diagnostics of a run. Reports at the same place with the same code are kept once.
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
    /// What a misspelt name was probably meant to be, as help, and as fixes of the main range. Where none of `known` is
    /// near and there is a `list`, a note of all of them behind it: "its levels are `node`, `rack`".
    Builder& meant(std::string_view name, const std::vector<std::string>& known, std::string_view list = {});
    /// The same, with other help where none is near. The name stands in `place`, or else in the main range.
    Builder& meantElse(std::string_view name, const std::vector<std::string>& known, std::string otherwise,
                       SourceRange place = {});
  };

  Builder report(const DiagnosticKind& kind, SourceRange range, std::vector<DiagnosticArg> args = {});
  bool hasErrors() const { return errors_ > 0; }
  size_t errorCount() const { return errors_; }
  /// Whether anybody reads warnings: what looks for nothing else need not begin. Reports of them are dropped if not.
  bool wantsWarnings() const { return warnings_; }
  void ignoreWarnings(bool ignored = true) { warnings_ = !ignored; }
  /// Warnings that they are about are kept as allowed from now on.
  void allow(const Allowances& more) { allowances_.insert(allowances_.end(), more.begin(), more.end()); }
  /// What holds now, and how many of it go on to hold.
  const Allowances& allowances() const { return allowances_; }
  void allowFirst(size_t count) { allowances_.resize(count); }
  /// All reports so far, which are then no longer here.
  DiagnosticEngine take();
  /// In the order: file (as loaded), position, code.
  std::vector<const Diagnostic*> sorted() const;
  /// Of these the first error; null if there is none.
  const Diagnostic* firstError() const;
  bool empty() const { return all_.empty(); }
  size_t size() const { return all_.size(); }
  /// After this many errors further ones are counted, not kept.
  void setLimit(size_t limit) { limit_ = limit; }
  size_t suppressed() const { return suppressed_; }

private:
  std::shared_ptr<Allowance> allowanceOf(const DiagnosticKind& kind, SourceRange range) const;

  std::vector<std::unique_ptr<Diagnostic>> all_;
  Allowances allowances_;
  std::set<std::tuple<int, uint32_t, uint32_t, uint32_t>>
      seen_;           // code (of what is allowed: negative), file, begin, end
  Diagnostic dropped_; // takes the details of what is not kept
  size_t errors_ = 0;
  size_t suppressed_ = 0;
  size_t limit_ = 100;
  bool warnings_ = true;
};

/// The candidate nearest to `name`, or empty if none is near enough to be what was meant.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);
/// `did you mean `x`?` as a help text, or `otherwise` if no candidate is near.
std::string didYouMean(std::string_view name, const std::vector<std::string>& candidates, std::string otherwise = {});

} // namespace planc
