// Pairs the exports of two versions and reports how each one changed.
// SPDX-License-Identifier: Apache-2.0
#include "api/ExportChanges.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::api {

namespace {

constexpr std::array<std::string_view, 24> kNames{"removed",
                                                  "renamed",
                                                  "moved",
                                                  "kind",
                                                  "parameter removed",
                                                  "parameter renamed",
                                                  "parameter added",
                                                  "parameter type",
                                                  "parameter default",
                                                  "parameter condition",
                                                  "parameter order",
                                                  "result",
                                                  "member",
                                                  "part",
                                                  "deprecated",
                                                  "base",
                                                  "fact",
                                                  "value",
                                                  "body",
                                                  "module gone",
                                                  "unreadable",
                                                  "estimate",
                                                  "plan gone",
                                                  "plan broken"};
static_assert(kNames.size() == static_cast<size_t>(ChangeKind::PlanBroken) + 1);

std::string wholeName(const Export& of) {
  return of.module + "." + of.name;
}

std::string_view folderOf(const Export& of) {
  return std::string_view(of.module).substr(0, std::min(of.module.rfind('.'), of.module.size()));
}

/// Pairs each export of the older version with its counterpart in the newer version; null if it is gone.
class Pairing {
public:
  Pairing(const std::vector<Export>& before, const std::vector<Export>& after)
      : before_(before), after_(after), partner_(before.size()), taken_(after.size()) {
    const auto text = [](const Export& e) { return fmt::format("{} {}", e.kind, e.body); };
    pair([](const Export& e) { return fmt::format("{} {}", e.module, e.name); });
    pair([](const Export& e) { return fmt::format("{} {}", folderOf(e), e.name); });
    pair([&](const Export& e) { return fmt::format("{} {}", e.module, text(e)); });
    pair([&](const Export& e) { return fmt::format("{} {}", folderOf(e), text(e)); });
    pair([&](const Export& e) { return fmt::format("{} {}", e.name, text(e)); });
  }
  const Export* of(size_t index) const { return partner_[index]; }

private:
  /// Pairs unpaired exports that have the same key, in their order.
  template <class Key> void pair(Key key) {
    std::map<std::string, std::deque<size_t>> free;
    for (size_t j = 0; j < after_.size(); ++j)
      if (!taken_[j]) free[key(after_[j])].push_back(j);
    for (size_t i = 0; i < before_.size(); ++i) {
      if (partner_[i]) continue;
      const auto found = free.find(key(before_[i]));
      if (found == free.end() || found->second.empty()) continue;
      const size_t j = found->second.front();
      found->second.pop_front();
      partner_[i] = &after_[j], taken_[j] = true;
    }
  }

  const std::vector<Export>&before_, &after_;
  std::vector<const Export*> partner_;
  std::vector<bool> taken_;
};

class Comparing {
public:
  explicit Comparing(const std::vector<Export>& after) {
    for (const Export& one : after) exported_.insert({one.kind, one.name});
  }

  void gone(const Export& a) {
    add(ChangeKind::Removed, true, a, nullptr, fmt::format("{} `{}` is not exported any more", a.kind, a.name),
        a.signature, "");
  }

  void both(const Export& a, const Export& b) {
    const size_t rows = rows_.size();
    compare(a, b);
    const bool told = rows_.size() > rows || a.body == b.body || a.inherited;
    if (!told && hasBody(a.kind))
      add(ChangeKind::Body, false, a, &b, fmt::format("the text of {} `{}` has changed", a.kind, a.name), "", "");
  }

  std::vector<ExportChange> take() { return std::move(rows_); }

private:
  /// Whether the body of a declaration matters. Values of constants and facts of records are compared instead.
  static bool hasBody(std::string_view kind) {
    constexpr std::array<std::string_view, 6> kWithBody{"model", "block", "op", "plan", "policy", "compare"};
    return std::find(kWithBody.begin(), kWithBody.end(), kind) != kWithBody.end();
  }
  void compare(const Export& a, const Export& b) {
    if (a.name != b.name)
      add(ChangeKind::Renamed, true, a, &b, fmt::format("{} `{}` is now called `{}`", a.kind, a.name, b.name), a.name,
          b.name);
    if (a.module != b.module) // plans that import the file, and not its folder, lose the declaration
      add(ChangeKind::Moved, true, a, &b, fmt::format("`{}` is in {}", a.name, b.module), a.module, b.module);
    if (a.kind != b.kind)
      return add(ChangeKind::Kind, true, a, &b, fmt::format("`{}` is a {} instead of a {}", a.name, b.kind, a.kind),
                 std::string(a.kind), std::string(b.kind));
    parameters(a, b);
    if (!a.result.meaning.empty() && a.result.meaning != b.result.meaning)
      add(ChangeKind::Result, true, a, &b, fmt::format("`{}` returns another type", a.name), a.result.text,
          b.result.text);
    lost(ChangeKind::Member, a.members, b.members, "member", a, b);
    lost(ChangeKind::Part, a.parts, b.parts, a.kind == "cluster" ? "level" : "layer", a, b);
    if (!b.deprecated.empty() && a.deprecated.empty())
      add(ChangeKind::Deprecated, false, a, &b, fmt::format("`{}` is deprecated: {}", a.name, b.deprecated), "",
          b.deprecated);
    if (bare(a.extends) != bare(b.extends) && a.kind != "plan")
      add(ChangeKind::Base, false, a, &b, fmt::format("`{}` extends another record", a.name), a.extends, b.extends);
    facts(a, b);
    if (a.kind == "let" && a.value.meaning != b.value.meaning)
      add(ChangeKind::Value, false, a, &b, fmt::format("`{}` has another value", a.name), a.value.text, b.value.text);
  }

  void add(ChangeKind kind, bool breaking, const Export& a, const Export* b, std::string text, std::string before,
           std::string after) {
    rows_.push_back({kind, breaking, wholeName(a), std::move(text), std::move(before), std::move(after), a.place(),
                     b ? b->place() : std::string()});
  }

  static const ExportParameter* find(const Export& in, const std::string& name) {
    const auto found = std::find_if(in.parameters.begin(), in.parameters.end(),
                                    [&](const ExportParameter& p) { return p.name == name; });
    return found == in.parameters.end() ? nullptr : &*found;
  }

  /// Returns the name with its arguments, without the import prefix.
  static std::string_view bare(std::string_view name) {
    const size_t call = std::min(name.find('('), name.size()), dot = name.rfind('.', call);
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
  }

  /// Returns the new parameter at the position of a removed one if only their names differ; else null.
  static const ExportParameter* renamed(const Export& a, size_t index, const Export& b) {
    if (index >= b.parameters.size() || find(a, b.parameters[index].name)) return nullptr;
    const ExportParameter &p = a.parameters[index], &q = b.parameters[index];
    return p.type.meaning == q.type.meaning && p.value.meaning == q.value.meaning ? &q : nullptr;
  }

  void parameters(const Export& a, const Export& b) {
    std::set<std::string> named; // new names of renamed parameters
    for (size_t i = 0; i < a.parameters.size(); ++i) {
      const ExportParameter& p = a.parameters[i];
      if (const ExportParameter* q = find(b, p.name)) {
        parameter(a, p, b, *q);
      } else if (const ExportParameter* other = renamed(a, i, b)) {
        named.insert(other->name);
        add(ChangeKind::ParameterRenamed, true, a, &b,
            fmt::format("parameter `{}` of `{}` is now called `{}`", p.name, a.name, other->name), p.str(),
            other->str());
      } else {
        add(ChangeKind::ParameterRemoved, true, a, &b,
            fmt::format("`{}` has no parameter `{}` any more", a.name, p.name), p.str(), "");
      }
    }
    for (const ExportParameter& q : b.parameters)
      if (q.required() && !named.contains(q.name) && !find(a, q.name))
        add(ChangeKind::ParameterAdded, true, a, &b,
            fmt::format("`{}` needs a new parameter `{}`, which has no default", a.name, q.name), "", q.str());
    order(a, b, named);
  }

  /// Returns whether a type accepts fewer values than before. An enum that is not exported is compared by its members:
  /// new members do not make it narrower.
  static bool narrower(const frontend::WrittenText& was, const frontend::WrittenText& is) {
    if (is.text.empty() || was.meaning == is.meaning) return false;
    constexpr std::string_view kEnum = "enum ";
    if (!was.meaning.starts_with(kEnum) || !is.meaning.starts_with(kEnum)) return true;
    const std::string words = is.meaning + " ";
    for (size_t at = kEnum.size() - 1; at < was.meaning.size();) {
      const size_t end = std::min(was.meaning.find(' ', at + 1), was.meaning.size());
      if (words.find(was.meaning.substr(at, end - at) + " ") == std::string::npos) return true;
      at = end;
    }
    return false;
  }

  void parameter(const Export& a, const ExportParameter& p, const Export& b, const ExportParameter& q) {
    const auto row = [&](ChangeKind kind, std::string text) {
      add(kind, true, a, &b, std::move(text), p.str(), q.str());
    };
    if (narrower(p.type, q.type))
      row(ChangeKind::ParameterType, fmt::format("parameter `{}` of `{}` has another type", p.name, a.name));
    if (!p.required() && q.required())
      row(ChangeKind::ParameterDefault, fmt::format("parameter `{}` of `{}` has no default any more", p.name, a.name));
    else if (!p.required() && p.value.meaning != q.value.meaning)
      row(ChangeKind::ParameterDefault, fmt::format("parameter `{}` of `{}` has another default", p.name, a.name));
    if (!q.where.text.empty() && p.where.meaning != q.where.meaning)
      row(ChangeKind::ParameterCondition, fmt::format("parameter `{}` of `{}` has another condition", p.name, a.name));
  }

  /// Arguments may be given by position, so the parameters before any new one must be the old ones in the old order.
  void order(const Export& a, const Export& b, const std::set<std::string>& named) {
    std::vector<std::string> was, is;
    for (size_t i = 0; i < a.parameters.size(); ++i)
      if (find(b, a.parameters[i].name)) was.push_back(a.parameters[i].name);
    for (const ExportParameter& q : b.parameters)
      if (!named.contains(q.name) && (find(a, q.name) || !q.required())) is.push_back(q.name);
    for (size_t i = 0; i < was.size(); ++i)
      if (was[i] != is[i])
        return add(ChangeKind::ParameterOrder, true, a, &b,
                   fmt::format("an unnamed argument of `{}` that was passed to `{}` is now passed to `{}`", a.name,
                               was[i], is[i]),
                   fmt::format("{}", fmt::join(was, ", ")), fmt::format("{}", fmt::join(is, ", ")));
  }

  void lost(ChangeKind kind, const std::vector<std::string>& was, const std::vector<std::string>& is,
            std::string_view what, const Export& a, const Export& b) {
    for (const std::string& one : was)
      if (std::find(is.begin(), is.end(), one) == is.end())
        add(kind, true, a, &b, fmt::format("{} `{}` has no {} `{}` any more", a.kind, a.name, what, one), one, "");
  }

  /// Returns whether a fact is inherited from an exported record. Its change is then reported there only.
  bool toldElsewhere(const Export& of, const ExportFact& fact) const {
    return !fact.from.empty() && exported_.contains({of.kind, fact.from});
  }

  void facts(const Export& a, const Export& b) {
    const auto in = [](const std::vector<ExportFact>& list, const std::string& path) {
      const auto found = std::find_if(list.begin(), list.end(), [&](const ExportFact& f) { return f.path == path; });
      return found == list.end() ? nullptr : &*found;
    };
    for (const ExportFact& f : a.facts) {
      const ExportFact* g = in(b.facts, f.path);
      if (g && (f.value.meaning == g->value.meaning || (toldElsewhere(a, f) && toldElsewhere(b, *g)))) continue;
      if (!g && toldElsewhere(a, f)) continue;
      fact(a, b, f.path, f.value.text, g ? g->value.text : "");
    }
    for (const ExportFact& g : b.facts)
      if (!in(a.facts, g.path) && !toldElsewhere(b, g)) fact(a, b, g.path, "", g.value.text);
  }
  void fact(const Export& a, const Export& b, const std::string& path, const std::string& was, const std::string& is) {
    add(ChangeKind::Fact, false, a, &b,
        fmt::format("fact `{}` of `{}` {}", path, a.name,
                    was.empty()  ? "is new"
                    : is.empty() ? "is gone"
                    : was == is  ? "has changed: a name in it refers to something else"
                                 : "has changed"),
        was, is);
  }

  std::vector<ExportChange> rows_;
  std::set<std::pair<std::string_view, std::string>> exported_;
};

} // namespace

std::string_view name(ChangeKind kind) {
  return kNames[static_cast<size_t>(kind)];
}

std::vector<ExportChange> exportChanges(const std::vector<Export>& before, const std::vector<Export>& after) {
  const Pairing pairs(before, after);
  Comparing comparing(after);
  for (size_t i = 0; i < before.size(); ++i)
    if (const Export* b = pairs.of(i))
      comparing.both(before[i], *b);
    else
      comparing.gone(before[i]);
  return comparing.take();
}

} // namespace planc::api
