// The registry of diagnostic kinds, the engine that collects reports, and the suggestions.
// SPDX-License-Identifier: Apache-2.0
#include "support/Diagnostics.h"

#include <algorithm>
#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <optional>
#include <tuple>

namespace planc {
namespace {

// Function-local: kinds register from static objects of every file, in any order.
std::map<int, const DiagnosticKind*>& registry() {
  static std::map<int, const DiagnosticKind*> kinds;
  return kinds;
}
std::vector<int>& duplicateCodes() {
  static std::vector<int> codes;
  return codes;
}

/// Replaces each `{name}` by the argument of that name; a name without an argument stays as written. `{{` and `}}` are
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

/// Two neighbouring letters changed places: the commonest slip, which the edit distance counts as two.
bool swapsNeighbours(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  size_t at = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  return at + 1 < a.size() && a[at] == b[at + 1] && a[at + 1] == b[at] && a.substr(at + 2) == b.substr(at + 2);
}

} // namespace

DiagnosticKind::DiagnosticKind(int c, Severity s, std::string_view n, std::string_view m)
    : code(c), severity(s), name(n), message(m) {
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
  if (!text.empty()) d_->help.push_back(std::move(text)); // didYouMean may have nothing to say
  return *this;
}
DiagnosticEngine::Builder& DiagnosticEngine::Builder::note(std::string text) {
  if (!text.empty()) d_->notes.push_back(std::move(text));
  return *this;
}

DiagnosticEngine::Builder DiagnosticEngine::report(const DiagnosticKind& kind, SourceRange range,
                                                   std::vector<DiagnosticArg> args) {
  dropped_ = Diagnostic();
  bool error = kind.severity == Severity::Error;
  bool fresh = seen_.emplace(kind.code, range.file.index, range.begin, range.end).second;
  // Without a place there is nothing that says two reports are the same one.
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
  all_.push_back(std::move(d));
  return Builder(all_.back().get());
}

std::vector<const Diagnostic*> DiagnosticEngine::sorted() const {
  std::vector<const Diagnostic*> out;
  for (const auto& d : all_) out.push_back(d.get());
  auto key = [](const Diagnostic* d) { return std::tuple(d->range.file.index, d->range.begin, d->kind->code); };
  std::stable_sort(out.begin(), out.end(), [&](const auto* a, const auto* b) { return key(a) < key(b); });
  return out;
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const llvm::StringRef wanted(name.data(), name.size());
  const std::string lower = wanted.lower(); // edit_distance_insensitive is not in LLVM 14
  // A third of the letters may differ; a single letter only in its case.
  unsigned allowed = name.size() < 2 ? 0 : std::max<unsigned>(1, static_cast<unsigned>(name.size() + 1) / 3);
  using Rank = std::tuple<unsigned, unsigned, std::string>; // ignoring case, with case, text: no tie depends on order
  std::optional<Rank> best;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate == name) continue;
    unsigned loose = swapsNeighbours(name, candidate) && allowed > 0
                         ? 1
                         : llvm::StringRef(lower).edit_distance(llvm::StringRef(candidate).lower(),
                                                                /*AllowReplacements=*/true, allowed);
    if (loose > allowed || loose >= candidate.size()) continue;
    Rank rank(loose, wanted.edit_distance(candidate), candidate);
    if (!best || rank < *best) best = rank;
  }
  if (best) return std::get<std::string>(*best);
  // An unfinished name: the shortest candidate that continues it.
  std::string longer;
  for (const std::string& candidate : candidates)
    if (name.size() >= 3 && candidate.starts_with(name) && candidate != name &&
        (longer.empty() || std::pair(candidate.size(), candidate) < std::pair(longer.size(), longer)))
      longer = candidate;
  return longer;
}

std::string didYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  std::string found = nearest(name, candidates);
  return found.empty() ? found : fmt::format("did you mean `{}`?", found);
}

} // namespace planc
