// How a text that stands in another place names what files declare.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/derived/Derived.h"
#include "frontend/eval/Literals.h"
#include "frontend/modules/Module.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

namespace {

namespace fs = std::filesystem;

/// `a100_2` of `clusters/a100-2.plan`.
std::string wordOf(const std::string& path) {
  std::string word = fs::path(path).stem().string();
  for (char& c : word)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front()))) word.insert(0, "_");
  return word;
}

} // namespace

DerivedNames::DerivedNames(const Context& context, const Module& main, const DerivedHome& home)
    : context_(context), main_(main), home_(home) {
  if (!home.copied) {
    for (const Import& import : main.imports) taken_.insert(import.name.str()); // that values may name
    return;
  }
  for (const Import& import : main.imports) {
    taken_.insert(import.name.str());
    if (import.module) aliases_.emplace(moduleText(import.module->path), import.name.str());
  }
  for (const DeclInfo& d : main.decls) taken_.insert(d.name.str());
}

/// `"../clusters.plan"`
std::string DerivedNames::fileText(const std::string& path) const {
  const fs::path file = fs::absolute(path).lexically_normal();
  fs::path way = file.lexically_relative(fs::absolute(home_.path).lexically_normal().parent_path());
  if (way.empty()) way = file;
  std::string text = "\"";
  for (const char c : way.string()) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text + "\"";
}

/// `std.clusters.hgx` of `std/clusters/hgx.plan`, or a file.
std::string DerivedNames::moduleText(const std::string& path) const {
  if (!path.starts_with("std/")) return fileText(path);
  std::string module = path.substr(0, path.rfind('.'));
  std::replace(module.begin(), module.end(), '/', '.');
  return module;
}

std::string DerivedNames::aliasOf(const std::string& module, const std::string& path) {
  const auto known = aliases_.find(module);
  if (known != aliases_.end()) return known->second;
  for (const Import& import : main_.imports) // the name that its reader knows, kept for this
    if (import.module && moduleText(import.module->path) == module) {
      imports_ += importLine(import) + "\n";
      return aliases_.emplace(module, import.name.str()).first->second;
    }
  const std::string word = wordOf(path);
  std::string alias = word;
  if (taken_.contains(alias)) alias = wordOf(fs::path(path).parent_path().string()) + "_" + word; // `clusters_h100`
  for (int i = 2; !taken_.insert(alias).second; ++i) alias = fmt::format("{}_{}", word, i);
  const bool plain = module.ends_with("." + alias);
  imports_ += plain ? fmt::format("import {}\n", module) : fmt::format("import {} as {}\n", module, alias);
  aliases_.emplace(module, alias);
  return alias;
}

std::optional<std::string> DerivedNames::of(const DeclInfo& decl) {
  if (decl.module == &main_ && home_.copied) return decl.name.str();
  if (!decl.exported) {
    unnamed_ = fmt::format("`{}` does not export `{}`", decl.module->path, decl.name.view());
    return std::nullopt;
  }
  return fmt::format("{}.{}", aliasOf(moduleText(decl.module->path), decl.module->path), decl.name.view());
}

std::optional<std::string> DerivedNames::at(SourceRange declared, Symbol name) {
  if (!declared.valid()) return std::nullopt;
  if (declared.file == main_.file && home_.copied) return name.str();
  const std::string_view line = context_.sources.line(declared.file, context_.sources.begin(declared).line);
  const std::string& path = context_.sources.path(declared.file);
  if (!line.starts_with("export ")) {
    unnamed_ = fmt::format("`{}` does not export `{}`", path, name.view());
    return std::nullopt;
  }
  return fmt::format("{}.{}", aliasOf(moduleText(path), path), name.view());
}

std::optional<std::string> DerivedNames::of(const Value& value) {
  if (value.kind == ValueKind::Decl) return of(*value.decl);
  std::string text = literalText(value);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::optional<std::string> DerivedNames::of(const BoundDecl& decl) {
  const auto name = of(*decl.decl);
  if (!name || decl.args.empty()) return name;
  std::string text;
  for (const BoundArg& arg : decl.args) {
    const auto value = of(arg.value);
    if (!value) return std::nullopt;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", arg.name.view(), *value);
  }
  return fmt::format("{}({})", *name, text);
}

std::string DerivedNames::importLine(const Import& import) const {
  std::string module = import.text;
  if (import.module && !import.module->library) module = fileText(import.module->path);
  const bool plain = module.ends_with("." + import.name.str());
  return plain ? fmt::format("import {}", module) : fmt::format("import {} as {}", module, import.name.view());
}

/// A name that the plan does not have is one of its file or of an import.
bool DerivedNames::takeName(Symbol name, const Module& module) {
  if (home_.copied && &module == &main_) return true;
  if (module.names.contains(name)) return false;
  const auto found = module.importNames.find(name);
  if (found == module.importNames.end()) return true;
  const Import& import = *found->second;
  const std::string key = import.module ? moduleText(import.module->path) : import.text;
  const auto known = aliases_.find(key);
  if (known != aliases_.end()) return known->second == name.str();
  if (&module != &main_ && !taken_.insert(name.str()).second) return false;
  imports_ += importLine(import) + "\n";
  aliases_.emplace(key, name.str());
  return true;
}

bool DerivedNames::take(const Expr& e, const Module& module) {
  std::vector<const Expr*> left{&e};
  while (!left.empty()) {
    const Expr& at = *left.back();
    left.pop_back();
    if (at.kind == ExprKind::Name && !takeName(at.name.text, module)) return false;
    for (const Expr* kid : at.kids)
      if (kid) left.push_back(kid);
    for (const syntax::Arg& arg : at.args) left.push_back(arg.value);
    for (const syntax::Fact& fact : at.facts) left.push_back(fact.value);
  }
  return true;
}

} // namespace planc::frontend
