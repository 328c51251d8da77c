// Resolves names in a catalogue's modules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/catalogue/CatalogueNames.h"

#include "support/Quantity.h"
#include "support/files/Digest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::frontend {

using syntax::DeclKind;
using syntax::Expr;
using syntax::ExprKind;

namespace {

/// Longer meanings are replaced by their digests, because constants that repeat each other could double the text
/// without end.
constexpr size_t kMostMeaning = 128;
/// Limit on constants that are defined by constants, which keeps the stack small. Beyond it a name stands for itself.
constexpr int kMostConstants = 200;

/// A normal form, equal for `1000GB` and `1TB`.
std::string numberMeaning(std::string_view text) {
  std::string digits(text), badUnit;
  std::erase(digits, '_');
  const auto quantity = parseQuantity(digits, badUnit);
  if (!quantity) return digits;
  std::string out = fmt::format("{:.12g}", quantity->value);
  for (const int8_t exponent : quantity->unit.exponents) out += exponent == 0 ? "." : fmt::format("{:+d}", exponent);
  return out;
}

/// The module behind the name of an import, so that `import std.fabrics as links` reads as `std.fabrics`; otherwise the
/// name.
std::string importedAs(CatalogueModule& module, Symbol name) {
  const syntax::ImportDecl* from = module.import(name);
  return from && !from->file ? from->path.str() : name.str();
}

bool isNumber(ExprKind kind) {
  return kind == ExprKind::Int || kind == ExprKind::Float || kind == ExprKind::Quantity;
}

} // namespace

CatalogueNames::CatalogueNames(std::deque<CatalogueModule>& modules, bool meanings) : meanings_(meanings) {
  if (!meanings) return; // no names are looked up
  for (CatalogueModule& module : modules) {
    byName_.emplace(module.name(), &module);
    byPath_.emplace(std::filesystem::path(module.path()).lexically_normal().generic_string(), &module);
    byFolder_.emplace(module.folder(), &module);
  }
}

std::optional<Declared> CatalogueNames::own(CatalogueModule& module, Symbol name) const {
  const auto index = module.find(name);
  return index ? std::optional(Declared{&module, *index}) : std::nullopt;
}

std::optional<Declared> CatalogueNames::imported(CatalogueModule& module, Symbol import, Symbol member) const {
  const syntax::ImportDecl* const from = module.import(import);
  if (!from) return std::nullopt;
  if (from->file) {
    namespace fs = std::filesystem;
    const fs::path path = fs::path(module.path()).parent_path() / *from->file;
    const auto found = byPath_.find(path.lexically_normal().generic_string());
    return found == byPath_.end() ? std::nullopt : own(*found->second, member);
  }
  if (const auto found = byName_.find(from->path.str()); found != byName_.end()) return own(*found->second, member);
  const auto [begin, end] = byFolder_.equal_range(from->path.str());
  for (auto at = begin; at != end; ++at)
    if (const auto found = own(*at->second, member); found && found->outline().exported) return found;
  return std::nullopt;
}

std::optional<Declared> CatalogueNames::named(CatalogueModule& module, const Expr& expr) const {
  const Expr* at = &expr;
  while (at->kind == ExprKind::Call) at = at->kids[0];
  if (at->kind == ExprKind::Name) return own(module, at->name.text);
  if (at->kind == ExprKind::Member && at->kids[0]->kind == ExprKind::Name)
    return imported(module, at->kids[0]->name.text, at->name.text);
  return std::nullopt;
}

std::optional<Declared> CatalogueNames::named(CatalogueModule& module, const syntax::DottedName& name) const {
  if (name.parts.size() == 1) return own(module, name.parts[0].text);
  return name.parts.size() == 2 ? imported(module, name.parts[0].text, name.parts[1].text) : std::nullopt;
}

std::string CatalogueNames::body(const Declared& of) {
  const SourceRange whole = of.decl().range, name = of.outline().name.range;
  std::string_view head = of.module->text({whole.file, whole.begin, name.begin});
  if (head.starts_with("export")) head.remove_prefix(std::string_view("export").size());
  return tokensOf(head) + " " + tokensOf(of.module->text({whole.file, name.end, whole.end}));
}

/// The meaning of a declaration: for a constant its value, for a function its parameters and value, for another
/// exported declaration its folder and name. The name of an unexported declaration does not matter: an enum means its
/// members, and a record only its kind, because its facts are listed with the records that name it.
std::string CatalogueNames::meaningOf(const Declared& of) {
  if (const auto* let = std::get_if<syntax::LetDecl>(&of.decl().item)) {
    if (!let->params) return written(*of.module, let->value).meaning;
    std::string out = "let";
    Hidden hidden;
    for (const syntax::Parameter& p : *let->params) hidden.insert(p.name.text);
    for (const syntax::Parameter& p : *let->params)
      out += fmt::format(" {} = {}", p.name.text.view(), written(*of.module, p.defaultValue, hidden).meaning);
    return out + " : " + written(*of.module, let->value, hidden).meaning;
  }
  if (of.outline().exported) return of.module->folder() + "." + of.outline().name.text.str();
  if (const auto* words = std::get_if<syntax::EnumDecl>(&of.decl().item)) {
    std::string out = "enum";
    for (const syntax::Name& member : words->members) out += " " + member.text.str();
    return out;
  }
  if (std::holds_alternative<syntax::RecordDecl>(of.decl().item)) return std::string(wordOf(of.outline().kind));
  return body(of);
}

std::string CatalogueNames::meaning(const Declared& of) {
  const auto [known, fresh] = known_.try_emplace({of.module, of.index}, of.outline().name.text.str());
  if (!fresh || depth_ > kMostConstants) return known->second;
  ++depth_;
  std::string out = meaningOf(of);
  --depth_;
  if (out.size() > kMostMeaning) out = digestOf(out);
  return known_[{of.module, of.index}] = std::move(out);
}

std::string CatalogueNames::meaning(CatalogueModule& module, SourceRange range, std::vector<Replaced> replaced) {
  std::sort(replaced.begin(), replaced.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::string out;
  const auto add = [&](std::string text) {
    if (!text.empty()) out += (out.empty() ? "" : " ") + text;
  };
  size_t at = range.begin;
  for (Replaced& one : replaced) {
    if (one.begin < at) continue;
    add(tokensOf(module.text().substr(at, one.begin - at)));
    add(std::move(one.text));
    at = one.end;
  }
  add(tokensOf(module.text().substr(at, std::max<size_t>(range.end, at) - at)));
  return out;
}

bool CatalogueNames::replaces(CatalogueModule& module, const Expr& expr, const Hidden& hidden,
                              std::vector<Replaced>& out) {
  const auto replace = [&](std::string text) {
    out.push_back({expr.range.begin, expr.range.end, std::move(text)});
    return true;
  };
  if (isNumber(expr.kind)) return replace(numberMeaning(expr.text));
  const bool member = expr.kind == ExprKind::Member && expr.kids[0]->kind == ExprKind::Name;
  if (expr.kind != ExprKind::Name && !member) return false;
  const Symbol first = member ? expr.kids[0]->name.text : expr.name.text;
  if (hidden.contains(first)) return true;
  if (const auto found = named(module, expr)) {
    std::string text = meaning(*found);
    return replace(text.find(' ') == std::string::npos ? std::move(text) : "( " + text + " )");
  }
  return !member || replace(importedAs(module, first) + "." + expr.name.text.str());
}

/// The left side of a chain is as deep as the chain is long, so it is walked in a loop and not by recursion.
void CatalogueNames::collect(CatalogueModule& module, const Expr& expr, const Hidden& hidden,
                             std::vector<Replaced>& out) {
  Hidden more;
  for (const Expr* at = &expr; at; at = at->kids.empty() ? nullptr : at->kids[0]) {
    if (replaces(module, *at, hidden, out)) return;
    const bool comprehension = at->kind == ExprKind::Comprehension;
    if (comprehension) more = hidden, more.insert(at->name.text);
    const Hidden& inner = comprehension ? more : hidden;
    for (size_t i = comprehension ? 0 : 1; i < at->kids.size(); ++i) collect(module, *at->kids[i], inner, out);
    for (const syntax::Arg& arg : at->args) collect(module, *arg.value, inner, out);
    for (const syntax::Fact& fact : at->facts) {
      collect(module, *fact.value, inner, out);
      if (fact.reason) out.push_back({fact.reason->range.begin, fact.reason->range.end, ""});
    }
    if (comprehension) return;
  }
}

void CatalogueNames::collect(CatalogueModule& module, const syntax::Type& type, const Hidden& hidden,
                             std::vector<Replaced>& out) {
  for (const syntax::DimRef& dim : type.dims)
    if (dim.value) collect(module, *dim.value, hidden, out);
  for (const syntax::Type& arg : type.args) collect(module, arg, hidden, out);
  if (type.tensor || type.path.parts.empty()) return;
  if (const auto found = named(module, type.path))
    out.push_back({type.path.range.begin, type.path.range.end, meaning(*found)});
  else if (type.path.parts.size() == 2)
    out.push_back({type.path.range.begin, type.path.range.end,
                   importedAs(module, type.path.parts[0].text) + "." + type.path.parts[1].text.str()});
}

WrittenText CatalogueNames::written(CatalogueModule& module, const Expr* expr, const Hidden& hidden) {
  if (!expr) return {};
  if (!meanings_) return {oneLine(module.text(expr->range)), ""};
  const bool plain = expr->kind == ExprKind::Name && hidden.contains(expr->name.text);
  if (const auto found = plain ? std::nullopt : named(module, *expr); found && expr->kind != ExprKind::Call)
    return {oneLine(module.text(expr->range)), meaning(*found)};
  std::vector<Replaced> replaced;
  collect(module, *expr, hidden, replaced);
  return {oneLine(module.text(expr->range)), meaning(module, expr->range, std::move(replaced))};
}

WrittenText CatalogueNames::written(CatalogueModule& module, const syntax::Type& type, const Hidden& hidden) {
  if (!meanings_) return {oneLine(module.text(type.range)), ""};
  std::vector<Replaced> replaced;
  collect(module, type, hidden, replaced);
  return {oneLine(module.text(type.range)), meaning(module, type.range, std::move(replaced))};
}

} // namespace planc::frontend
