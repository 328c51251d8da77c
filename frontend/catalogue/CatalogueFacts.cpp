// Collects the facts of a catalogued record, and the parts of a declaration.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/catalogue/CatalogueFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace planc::frontend {

using syntax::Expr;
using syntax::ExprKind;

namespace {

/// Limit for records that extend each other in a cycle, which checking reports.
constexpr int kMostBases = 32;
/// Limit for unexported records that name each other repeatedly. Real records have fewer facts.
constexpr size_t kMostFacts = 10'000;

std::string below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// The length of the number in `3.35e3GB/s`.
size_t numberLength(std::string_view text) {
  size_t n = 0;
  const auto digits = [&] {
    while (n < text.size() && (isDigit(text[n]) || text[n] == '_' || text[n] == '.')) ++n;
  };
  digits();
  if (n == text.size() || (text[n] != 'e' && text[n] != 'E')) return n;
  const size_t sign = n + 1 < text.size() && (text[n + 1] == '+' || text[n + 1] == '-') ? 1 : 0;
  if (n + 1 + sign == text.size() || !isDigit(text[n + 1 + sign])) return n;
  n += 1 + sign;
  digits();
  return n;
}

/// The record that a record extends.
std::optional<Declared> baseOf(const CatalogueNames& names, const Declared& of) {
  const syntax::Decl& decl = of.decl();
  if (const auto* record = std::get_if<syntax::RecordDecl>(&decl.item))
    return record->extends ? names.named(*of.module, *record->extends) : std::nullopt;
  if (const auto* cluster = std::get_if<syntax::ClusterDecl>(&decl.item))
    return cluster->extends ? names.named(*of.module, *cluster->extends) : std::nullopt;
  return std::nullopt;
}

class FactList {
public:
  explicit FactList(CatalogueNames& names) : names_(names) {}

  /// `from`: empty for the record itself.
  void add(const Declared& of, const std::string& path, const std::string& from, int depth) {
    if (depth > kMostBases || facts_.size() > kMostFacts) return;
    if (const auto base = baseOf(names_, of))
      add(*base, path, from.empty() ? base->outline().name.text.str() : from, depth + 1);
    Where where{of.module, from, {}, depth};
    if (const auto* params = syntax::paramsOf(of.decl()))
      for (const syntax::Parameter& p : *params) where.hidden.insert(p.name.text);
    if (const auto* record = std::get_if<syntax::RecordDecl>(&of.decl().item)) {
      for (const syntax::SectionItem& item : record->section.items) addItem(item, where, path);
    } else if (const auto* cluster = std::get_if<syntax::ClusterDecl>(&of.decl().item)) {
      for (const syntax::ClusterItem& item : cluster->items) addItem(item, where, path);
    }
  }
  std::vector<ExportFact> take() { return std::move(facts_); }

private:
  struct Where {
    CatalogueModule* module;
    std::string from;
    CatalogueNames::Hidden hidden;
    int depth;
  };

  template <class Item> void addItem(const Item& item, const Where& where, const std::string& path) {
    std::visit([&](const auto& one) { addOne(one, where, path); }, item);
  }
  void addOne(const syntax::Require&, const Where&, const std::string&) {}
  void addOne(const syntax::LetDecl&, const Where&, const std::string&) {}
  void addOne(const syntax::LevelItem& level, const Where& where, const std::string& path) {
    const std::string name = below(path, level.name.text.view());
    if (level.count) put(name, *level.count, "", where);
    for (const syntax::SectionItem& item : level.section.items) addItem(item, where, name);
  }
  void addOne(const syntax::Section& section, const Where& where, const std::string& path) {
    std::string name = below(path, section.name.text.view());
    if (!section.at.empty()) {
      name = below(path, "at ");
      for (const syntax::Selector& at : section.at) name += (&at == &section.at.front() ? "" : ", ") + at.str();
    }
    for (const syntax::SectionItem& item : section.items) addItem(item, where, name);
  }
  void addOne(const syntax::Fact& fact, const Where& where, const std::string& path) { addFact(fact, where, path, ""); }

  void addFact(const syntax::Fact& fact, const Where& where, const std::string& path, const std::string& source) {
    std::string name = below(path, fact.name.text.view());
    if (fact.args) {
      name += "(";
      for (const syntax::Arg& arg : *fact.args)
        name += (&arg == &fact.args->front() ? "" : ", ") + (arg.name ? arg.name->text.str() + " = " : std::string()) +
                oneLine(where.module->text(arg.value->range));
      name += ")";
    }
    for (const syntax::Name& member : fact.members) name = below(name, member.text.view());
    const std::string& said = fact.reason ? fact.reason->text : source;
    if (fact.value->kind == ExprKind::Record) {
      for (const syntax::Fact& inner : fact.value->facts) addFact(inner, where, name, said);
      return;
    }
    put(name, *fact.value, said, where);
    if (const auto record = hiddenRecord(*fact.value, where))
      add(*record, name, record->outline().name.text.str(), where.depth + 1);
  }

  /// An unexported record has no entry of its own. Its facts are listed with the records that name it.
  std::optional<Declared> hiddenRecord(const Expr& value, const Where& where) const {
    const auto named = names_.named(*where.module, value);
    const bool hidden = named && !named->outline().exported;
    return hidden && std::holds_alternative<syntax::RecordDecl>(named->decl().item) ? named : std::nullopt;
  }

  void put(const std::string& path, const Expr& value, const std::string& source, const Where& where) {
    ExportFact fact;
    fact.path = path;
    fact.value = names_.written(*where.module, &value, where.hidden);
    if (hiddenRecord(value, where)) fact.value.meaning = "record";
    if (value.kind == ExprKind::Quantity || value.kind == ExprKind::Int || value.kind == ExprKind::Float) {
      const size_t digits = numberLength(value.text);
      fact.number = value.text.substr(0, digits);
      fact.unit = value.text.substr(digits);
    }
    fact.source = source;
    fact.from = where.from;
    const auto [at, fresh] = places_.emplace(path, facts_.size());
    if (fresh)
      facts_.push_back(std::move(fact));
    else
      facts_[at->second] = std::move(fact);
  }

  CatalogueNames& names_;
  std::vector<ExportFact> facts_;
  std::unordered_map<std::string, size_t> places_; ///< by path
};

void addParts(const syntax::Body* body, std::string path, std::vector<std::string>& out) { // a copy: `out` may move
  if (!body) return;
  for (const syntax::BodyItem& item : body->items) {
    if (const auto* layer = std::get_if<syntax::LayerItem>(&item.item)) {
      out.push_back(below(path, layer->name.text.view()));
    } else if (const auto* repeat = std::get_if<syntax::RepeatItem>(&item.item)) {
      out.push_back(below(path, repeat->name.text.view()));
      addParts(repeat->body, out.back(), out);
    } else if (const auto* either = std::get_if<syntax::IfItem>(&item.item)) {
      addParts(either->then, path, out);
      addParts(either->otherwise, path, out);
    }
  }
}

} // namespace

std::vector<ExportFact> factsOf(CatalogueNames& names, const Declared& of) {
  FactList list(names);
  list.add(of, "", "", 0);
  return list.take();
}

std::vector<std::string> partsOf(const CatalogueNames& names, const Declared& of) {
  std::vector<std::string> out;
  if (const auto* model = std::get_if<syntax::ModelDecl>(&of.decl().item)) addParts(model->body, "", out);
  if (const auto* block = std::get_if<syntax::BlockDecl>(&of.decl().item)) addParts(block->body, "", out);
  std::optional<Declared> at = of;
  for (int depth = 0; at && depth < kMostBases; at = baseOf(names, *at), ++depth)
    if (const auto* cluster = std::get_if<syntax::ClusterDecl>(&at->decl().item))
      for (const syntax::ClusterItem& item : cluster->items)
        if (const auto* level = std::get_if<syntax::LevelItem>(&item)) out.push_back(level->name.text.str());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

} // namespace planc::frontend
