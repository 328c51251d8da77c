// The registry of diagnostic kinds, and the engine that collects reports.
// SPDX-License-Identifier: Apache-2.0
#include "support/Diagnostics.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace planc {
namespace {

// Function-local, because static objects in every file register kinds in any order.
std::map<int, const DiagnosticKind*>& registry() {
  static std::map<int, const DiagnosticKind*> kinds;
  return kinds;
}
std::vector<int>& duplicateCodes() {
  static std::vector<int> codes;
  return codes;
}

/// Replaces each `{name}` by the argument of that name. A name without an argument stays as written. `{{` and `}}` are
/// braces.
std::string fillMessage(std::string_view message, const std::vector<DiagnosticArg>& args) {
  std::string out;
  while (!message.empty()) {
    size_t brace = message.find_first_of("{}");
    out += message.substr(0, brace);
    if (brace == std::string_view::npos) break;
    message.remove_prefix(brace);
    bool doubled = message.size() > 1 && message[1] == message[0];
    size_t close = message[0] == '{' && !doubled ? message.find('}') : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += message[0];
      message.remove_prefix(doubled ? 2 : 1);
      continue;
    }
    std::string_view name = message.substr(1, close - 1);
    auto arg = std::find_if(args.begin(), args.end(), [&](const DiagnosticArg& a) { return a.name == name; });
    out += arg != args.end() ? std::string_view(arg->text) : message.substr(0, close + 1);
    message.remove_prefix(close + 1);
  }
  return out;
}

} // namespace

DiagnosticKind::DiagnosticKind(int c, Severity s, std::string_view n, std::string_view m, Reached at)
    : code(c), severity(s), name(n), message(m), needs(at) {
  if (!registry().emplace(code, this).second) duplicateCodes().push_back(code);
}

std::string DiagnosticKind::id() const {
  return fmt::format("PLAN{:04}", code);
}
const std::map<int, const DiagnosticKind*>& DiagnosticKind::all() {
  return registry();
}
const std::vector<int>& DiagnosticKind::duplicates() {
  return duplicateCodes();
}

DiagnosticEngine::Builder& DiagnosticEngine::Builder::primary(std::string text) {
  d_->primary = std::move(text);
  return *this;
}
DiagnosticEngine::Builder& DiagnosticEngine::Builder::label(SourceRange range, std::string text) {
  if (range.valid()) d_->labels.push_back({range, std::move(text)});
  return *this;
}
DiagnosticEngine::Builder& DiagnosticEngine::Builder::help(std::string text) {
  if (!text.empty()) d_->help.push_back(std::move(text)); // didYouMean returns an empty text if it has no suggestion
  return *this;
}
DiagnosticEngine::Builder& DiagnosticEngine::Builder::note(std::string text) {
  if (!text.empty()) d_->notes.push_back(std::move(text));
  return *this;
}
DiagnosticEngine::Builder& DiagnosticEngine::Builder::fix(TextFix fix) {
  d_->fixes.push_back(std::move(fix));
  return *this;
}
DiagnosticEngine::Builder&
DiagnosticEngine::Builder::meant(std::string_view name, const std::vector<std::string>& known, std::string_view list) {
  const bool listed = !list.empty() && !known.empty() && allNearest(name, known).empty();
  return listed ? note(std::string(list) + quotedList(known)) : meantElse(name, known, {});
}
DiagnosticEngine::Builder& DiagnosticEngine::Builder::meantElse(std::string_view name,
                                                                const std::vector<std::string>& known,
                                                                std::string otherwise, SourceRange place) {
  const SourceRange range = place.valid() ? place : d_->range;
  const std::string only = onlyNearest(name, known);
  if (range.valid() && !name.empty())
    for (const std::string& word : offered(name, known))
      fix({fmt::format("write `{}`", word), {{range, word, std::string(name)}}, word == only});
  return help(didYouMean(name, known, std::move(otherwise)));
}

std::shared_ptr<Allowance> DiagnosticEngine::allowanceOf(const DiagnosticKind& kind, SourceRange range) const {
  const auto found = std::find_if(allowances_.begin(), allowances_.end(), [&](const auto& allowance) {
    return allowance->kind == &kind && (!allowance->within.valid() || allowance->within == range.file);
  });
  return found == allowances_.end() ? nullptr : *found;
}

DiagnosticEngine::Builder DiagnosticEngine::report(const DiagnosticKind& kind, SourceRange range,
                                                   std::vector<DiagnosticArg> args) {
  dropped_ = Diagnostic();
  bool error = kind.severity == Severity::Error;
  if (!error && !warnings_) return Builder(&dropped_);
  auto allowed = error ? nullptr : allowanceOf(kind, range);
  if (allowed) allowed->used = true;
  bool fresh = seen_.emplace(allowed ? -kind.code : kind.code, range.file.index, range.begin, range.end).second;
  // Reports without a place are never treated as duplicates.
  if (!fresh && range.valid()) return Builder(&dropped_);
  if (error && ++errors_ > limit_) {
    ++suppressed_;
    return Builder(&dropped_);
  }
  auto d = std::make_unique<Diagnostic>();
  d->kind = &kind;
  d->range = range;
  d->message = fillMessage(kind.message, args);
  d->args = std::move(args);
  d->allowed = std::move(allowed);
  all_.push_back(std::move(d));
  return Builder(all_.back().get());
}

DiagnosticEngine DiagnosticEngine::take() {
  DiagnosticEngine empty;
  empty.limit_ = limit_, empty.warnings_ = warnings_, empty.allowances_ = allowances_;
  return std::exchange(*this, std::move(empty));
}

std::vector<const Diagnostic*> DiagnosticEngine::sorted() const {
  std::vector<const Diagnostic*> out;
  for (const auto& d : all_) out.push_back(d.get());
  auto key = [](const Diagnostic* d) { return std::tuple(d->range.file.index, d->range.begin, d->kind->code); };
  std::stable_sort(out.begin(), out.end(), [&](const auto* a, const auto* b) { return key(a) < key(b); });
  return out;
}

const Diagnostic* DiagnosticEngine::firstError() const {
  for (const Diagnostic* found : sorted())
    if (found->kind->severity == Severity::Error) return found;
  return nullptr;
}

} // namespace planc
