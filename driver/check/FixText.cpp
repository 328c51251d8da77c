// Finds fixes for a text in its diagnostics, and tries them by checking the fixed text.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/FixText.h"

#include "api/PlanFile.h"
#include "driver/check/CheckPlan.h"
#include "support/text/TextFixes.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <vector>

namespace planc::driver {
namespace {

constexpr size_t kMostRounds = 32;  // rounds of fixes that become visible after other fixes
constexpr size_t kMostTrials = 100; // each trial checks the whole file

/// A diagnostic of the text.
struct Mistake {
  int code = 0;
  bool error = true;
  std::string message;
  uint32_t begin = 0, end = 0;
  std::vector<TextFix> fixes; ///< fixes whose edits are all in this text
  auto key() const { return std::tuple(begin, end, code, message); }
};

/// The findings of a check.
struct CheckedText {
  std::vector<Mistake> mistakes; ///< in the order of the text
  size_t errors = 0;             ///< in all files
  std::set<std::string> elsewhere;
};

/// A set of edits, and the mistakes that they should remove.
struct Proposal {
  std::vector<TextEdit> edits;
  std::vector<const Mistake*> mends;
  bool spare = false; ///< an alternative to another proposal, tried if that one does not hold
};

class Checker {
  const std::string& path_;
  CheckedText found_;
  std::set<std::tuple<std::string, uint32_t, uint32_t, int, std::string>> seen_; // plans may repeat errors

  void add(const Diagnostic& d, const SourceManager& sources) {
    const std::string file = d.range.valid() ? sources.path(d.range.file) : "";
    if (!seen_.emplace(file, d.range.begin, d.range.end, d.kind->code, d.message).second) return;
    found_.errors += d.isError();
    Mistake mistake{d.kind->code, d.isError(), d.message, d.range.begin, d.range.end, {}};
    for (TextFix& fix : placedFixes(d, sources)) {
      bool here = true;
      for (const TextEdit& edit : fix.edits) {
        const std::string& place = sources.path(edit.range.file);
        here &= place == path_;
        std::error_code ignored;
        if (place != path_ && std::filesystem::exists(place, ignored)) found_.elsewhere.insert(place);
      }
      if (here) mistake.fixes.push_back(std::move(fix));
    }
    if (file == path_ || !mistake.fixes.empty()) found_.mistakes.push_back(std::move(mistake));
  }
  void addAll(const DiagnosticEngine& diagnostics, const SourceManager& sources) {
    for (const Diagnostic* d : diagnostics.sorted()) add(*d, sources);
    found_.errors += diagnostics.suppressed();
  }

public:
  explicit Checker(const std::string& path) : path_(path) {}

  CheckedText run(const std::string& text) {
    api::PlanFile file;
    file.loadText(path_, text);
    const auto look = [&](api::Compilation& plan) {
      checkPlan(plan);
      addAll(plan.diagnostics(), file.sources());
    };
    file.check([&](std::unique_ptr<api::Compilation> plan) { look(*plan); });
    for (const api::Comparison& comparison : file.comparisons())
      for (const auto& plan : comparison.plans) look(*plan);
    addAll(file.diagnostics(), file.sources());
    std::stable_sort(found_.mistakes.begin(), found_.mistakes.end(),
                     [](const Mistake& a, const Mistake& b) { return a.begin < b.begin; });
    return std::move(found_);
  }
};

/// Returns the new position of a byte after the edits.
uint32_t moved(uint32_t at, const std::vector<TextEdit>& edits) {
  int64_t by = 0;
  for (const TextEdit& edit : edits)
    if (edit.range.end <= at && edit.range.begin < at)
      by += static_cast<int64_t>(edit.text.size()) - (edit.range.end - edit.range.begin);
  return static_cast<uint32_t>(at + by);
}

bool isWord(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c));
}

/// Returns whether other files can see the declaration at `at`: its first line begins with `export`.
bool exported(std::string_view text, size_t at) {
  for (size_t line = at; line != std::string_view::npos;) {
    line = line == 0 ? std::string_view::npos : text.rfind('\n', line - 1);
    const std::string_view head = text.substr(line == std::string_view::npos ? 0 : line + 1);
    if (!head.empty() && isWord(head.front())) return head.starts_with("export");
  }
  return false;
}

/// Adds fixes of misspelt declarations. If one name is unknown in several places, and each suggests the same name,
/// which occurs in the text only once, then that name is misspelt where it is declared.
void addDeclared(std::string_view text, std::vector<Proposal>& proposals) {
  std::vector<Proposal> declarations;
  std::map<std::string, std::vector<size_t>> unknown; // by the written word
  for (size_t i = 0; i < proposals.size(); ++i)
    if (const auto& edits = proposals[i].edits; edits.size() == 1 && !edits[0].was.empty())
      unknown[edits[0].was].push_back(i);
  for (const auto& [was, uses] : unknown) {
    const TextEdit first = proposals[uses[0]].edits[0];
    const bool same =
        std::all_of(uses.begin(), uses.end(), [&](size_t i) { return proposals[i].edits[0].text == first.text; });
    const bool several =
        std::any_of(uses.begin(), uses.end(), [&](size_t i) { return proposals[i].edits[0].range != first.range; });
    const auto at = same && several ? onlyPlace(text, first.text) : std::nullopt;
    if (!at || exported(text, *at)) continue;
    const auto begin = static_cast<uint32_t>(*at);
    Proposal declared;
    declared.edits.push_back({{first.range.file, begin, begin + static_cast<uint32_t>(first.text.size())}, was});
    for (const size_t i : uses) {
      declared.mends.push_back(proposals[i].mends[0]);
      proposals[i].spare = true;
    }
    declarations.push_back(std::move(declared));
  }
  proposals.insert(proposals.begin(), declarations.begin(), declarations.end());
}

/// Returns the position before the edits of a byte in the edited text.
uint32_t movedBack(uint32_t at, const std::vector<TextEdit>& edits) {
  int64_t by = 0;
  for (const TextEdit& edit : edits) { // sorted by position
    const int64_t begin = edit.range.begin + by;
    if (at < begin) break;
    if (at < begin + static_cast<int64_t>(edit.text.size())) return edit.range.begin;
    by += static_cast<int64_t>(edit.text.size()) - (edit.range.end - edit.range.begin);
  }
  return static_cast<uint32_t>(at - by);
}

/// Returns a description of an edit in one line.
std::string changeText(const TextEdit& edit, std::string_view text) {
  const auto word = [](std::string_view part) {
    const size_t begin = part.find_first_not_of(" \t\r\n"), end = part.find_last_not_of(" \t\r\n");
    std::string out(begin == std::string_view::npos ? "" : part.substr(begin, end + 1 - begin));
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  };
  const std::string was = word(text.substr(edit.range.begin, edit.range.end - edit.range.begin)), now = word(edit.text);
  if (now.empty()) return fmt::format("`{}` deleted", was);
  return was.empty() ? fmt::format("`{}` added", now) : fmt::format("`{}` -> `{}`", was, now);
}

class Fixer {
  const std::string& path_;
  bool unsafe_;
  const Warnings& told_;
  size_t trials_ = 0;

  std::vector<Proposal> proposals(const CheckedText& checked, std::string_view text) const {
    std::vector<Proposal> out;
    for (const Mistake& mistake : checked.mistakes)
      for (const TextFix& fix : mistake.fixes)
        if ((fix.safe || unsafe_) && (mistake.error || told_.contains({mistake.code, mistake.message})))
          out.push_back({fix.edits, {&mistake}});
    addDeclared(text, out);
    return out;
  }

  /// Returns the proposals that do not hold when all of `made` are applied.
  static std::vector<const Proposal*> failing(const std::vector<const Proposal*>& made, const CheckedText& before,
                                              const CheckedText& after, const std::vector<TextEdit>& edits) {
    std::set<std::tuple<uint32_t, uint32_t, int, std::string>> old, now;
    for (const Mistake& m : before.mistakes) old.emplace(moved(m.begin, edits), moved(m.end, edits), m.code, m.message);
    for (const Mistake& m : after.mistakes) now.insert(m.key());
    const auto wrongAt = [&](const TextEdit& edit) {
      const uint32_t begin = moved(edit.range.begin, edits), end = begin + static_cast<uint32_t>(edit.text.size());
      return std::any_of(after.mistakes.begin(), after.mistakes.end(), [&](const Mistake& m) {
        return m.error && m.begin < end && begin < m.end && !old.contains(m.key());
      });
    };
    std::vector<const Proposal*> out;
    for (const Proposal* proposal : made) {
      const bool still = std::any_of(proposal->mends.begin(), proposal->mends.end(), [&](const Mistake* m) {
        return now.contains(std::tuple(moved(m->begin, edits), moved(m->end, edits), m->code, m->message));
      });
      if (still || std::any_of(proposal->edits.begin(), proposal->edits.end(), wrongAt)) out.push_back(proposal);
    }
    return out;
  }

  /// A text with proposals applied, and its findings.
  struct Trial {
    std::vector<TextEdit> edits;
    std::string text;
    CheckedText checked;
    std::vector<const Proposal*> failing;
  };
  Trial tried(const std::string& text, const CheckedText& before, const std::vector<const Proposal*>& made) {
    ++trials_;
    Trial trial;
    for (const Proposal* p : made) trial.edits.insert(trial.edits.end(), p->edits.begin(), p->edits.end());
    trial.text = edited(text, trial.edits);
    trial.checked = Checker(path_).run(trial.text);
    trial.failing = failing(made, before, trial.checked, trial.edits);
    return trial;
  }

  /// Returns proposals that do not overlap; of two that overlap, the first.
  static std::vector<const Proposal*> together(const std::vector<Proposal>& proposals) {
    std::vector<const Proposal*> out;
    std::vector<TextEdit> taken;
    for (const Proposal& proposal : proposals) {
      const bool free = std::none_of(proposal.edits.begin(), proposal.edits.end(), [&](const TextEdit& edit) {
        return std::any_of(taken.begin(), taken.end(), [&](const TextEdit& other) { return overlap(edit, other); });
      });
      if (!free || proposal.spare) continue;
      taken.insert(taken.end(), proposal.edits.begin(), proposal.edits.end());
      out.push_back(&proposal);
    }
    return out;
  }

  struct Reached {
    std::string text;
    CheckedText checked;
    std::vector<MadeFix> made = {};
    std::vector<std::vector<TextEdit>> rounds = {}; ///< sorted edits of each round, in positions of the round before
    bool wentOn = false;

    void take(Trial trial, const std::vector<const Proposal*>& proposals) {
      for (const Proposal* proposal : proposals) {
        uint32_t at = proposal->edits.front().range.begin;
        for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) at = movedBack(at, *round);
        std::string what;
        for (const TextEdit& edit : proposal->edits) what += (what.empty() ? "" : ", ") + changeText(edit, text);
        made.push_back({at, std::move(what)});
      }
      std::sort(trial.edits.begin(), trial.edits.end(),
                [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
      rounds.push_back(std::move(trial.edits));
      text = std::move(trial.text), checked = std::move(trial.checked), wentOn = true;
    }
  };

  /// Applies all proposals at once, then those that become visible, and so on. Nothing if more errors remain than
  /// before.
  std::optional<Reached> eagerly(const Reached& from) {
    Reached at = from;
    at.wentOn = false;
    for (size_t round = 0; round < kMostRounds; ++round) {
      const std::vector<Proposal> all = proposals(at.checked, at.text);
      std::vector<const Proposal*> made = together(all);
      if (made.empty()) break;
      Trial trial = tried(at.text, at.checked, made);
      if (!trial.failing.empty()) {
        std::erase_if(made, [&](const Proposal* p) {
          return std::find(trial.failing.begin(), trial.failing.end(), p) != trial.failing.end();
        });
        if (made.empty()) break;
        trial = tried(at.text, at.checked, made);
        if (!trial.failing.empty()) break;
      }
      at.take(std::move(trial), made);
    }
    if (!at.wentOn || at.checked.errors > from.checked.errors) return std::nullopt;
    return at;
  }

  /// Applies proposals one by one.
  std::optional<Reached> carefully(const Reached& from) {
    Reached at = from;
    at.wentOn = false;
    for (bool more = true; more;) {
      more = false;
      const std::vector<Proposal> all = proposals(at.checked, at.text);
      for (const Proposal& proposal : all) {
        if (trials_ >= kMostTrials) break;
        Trial trial = tried(at.text, at.checked, {&proposal});
        if (!trial.failing.empty() || trial.checked.errors > at.checked.errors) continue;
        at.take(std::move(trial), {&proposal});
        more = true;
        break; // the remaining proposals have outdated positions
      }
    }
    return at.wentOn ? std::optional(std::move(at)) : std::nullopt;
  }

public:
  Fixer(const std::string& path, bool unsafe, const Warnings& told) : path_(path), unsafe_(unsafe), told_(told) {}

  FixedText run(const std::string& text, CheckedText checked) {
    Reached at{text, std::move(checked)};
    FixedText out;
    for (size_t round = 0; round < kMostRounds && trials_ < kMostTrials; ++round) {
      std::optional<Reached> next = eagerly(at);
      if (!next) next = carefully(at);
      if (!next || next->text == at.text) break;
      at = std::move(*next);
    }
    const auto change = std::mismatch(text.begin(), text.end(), at.text.begin(), at.text.end());
    out.first = static_cast<uint32_t>(change.first - text.begin());
    if (at.text != text) out.made = std::move(at.made);
    std::stable_sort(out.made.begin(), out.made.end(),
                     [](const MadeFix& a, const MadeFix& b) { return a.begin < b.begin; });
    out.elsewhere = std::move(at.checked.elsewhere);
    out.text = std::move(at.text);
    return out;
  }
};

} // namespace

FixedText fixText(const std::string& path, const std::string& text, bool unsafe, std::optional<Warnings>& told) {
  CheckedText checked = Checker(path).run(text);
  if (!told) {
    told.emplace();
    for (const Mistake& mistake : checked.mistakes)
      if (!mistake.error) told->emplace(mistake.code, mistake.message);
  }
  return Fixer(path, unsafe, *told).run(text, std::move(checked));
}

} // namespace planc::driver
