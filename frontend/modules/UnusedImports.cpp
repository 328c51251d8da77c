// Finds unused imports: an import that checking did not use is searched in the text, because the text also has
// expressions that no check evaluates.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/UnusedImports.h"

#include "frontend/parse/Parse.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <unordered_set>

namespace planc::frontend {

PLANC_WARNING(UnusedImport, 1176, "`{name}` is imported, but not used")

namespace {

/// The words of a file that may name an import, without members and without the imports themselves.
std::unordered_set<Symbol> namesIn(const Module& module, const SourceManager& sources) {
  DiagnosticEngine unheard; // the file is already parsed
  const auto tokens = parse::tokenize(sources, module.file, unheard);
  std::unordered_set<Symbol> names;
  if (!tokens) return names;
  std::vector<SourceRange> imports;
  for (const syntax::Decl& decl : module.tree->decls)
    if (std::holds_alternative<syntax::ImportDecl>(decl.item)) imports.push_back(decl.range);
  using Token = parse::RawToken;
  for (size_t i = 0; i < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    if (token.kind != Token::Kind::Word || (i > 0 && (*tokens)[i - 1].role == Token::Role::Dot)) continue;
    const auto holds = [&](const SourceRange& r) { return token.range.begin >= r.begin && token.range.end <= r.end; };
    if (llvm::none_of(imports, holds))
      names.insert(Symbol(sources.text(module.file).substr(token.range.begin, token.range.end - token.range.begin)));
  }
  return names;
}

/// The declaration of an import. Its range covers the whole statement, while the import's range may cover only its
/// path.
const syntax::Decl* declOf(const Module& module, const Import& import) {
  for (const syntax::Decl& decl : module.tree->decls)
    if (std::holds_alternative<syntax::ImportDecl>(decl.item) && decl.range.begin <= import.range.begin &&
        import.range.end <= decl.range.end)
      return &decl;
  return nullptr;
}

/// Deletes the line. If the line has other text, such as a comment, deletes only the import, and the fix is not safe.
TextFix deletion(const SourceManager& sources, SourceRange range) {
  const std::string_view text = sources.text(range.file);
  const auto blank = [&](uint32_t at) { return text[at] == ' ' || text[at] == '\t' || text[at] == '\r'; };
  uint32_t begin = range.begin, end = range.end;
  while (begin > 0 && blank(begin - 1)) --begin;
  while (end < text.size() && blank(end)) ++end;
  const bool alone = (begin == 0 || text[begin - 1] == '\n') && (end == text.size() || text[end] == '\n');
  if (!alone) return {"delete the import", {{range, ""}}, false};
  if (end < text.size()) ++end;
  return {"delete the line", {{{range.file, begin, end}, ""}}, true};
}

} // namespace

void reportUnusedImports(const Module& module, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  if (!module.tree || module.tree->broken || !diagnostics.wantsWarnings()) return;
  // An import is also used for the policies that its file exports, which no text names.
  const auto demands = [](const DeclInfo& decl) { return decl.kind == DeclKind::Policy && decl.exported; };
  const auto idle = [&](const Import& i) {
    return !i.used && (i.module || i.collection) && !(i.module && llvm::any_of(i.module->decls, demands));
  };
  if (llvm::none_of(module.imports, idle)) return;
  const std::unordered_set<Symbol> names = namesIn(module, sources);
  for (const Import& import : module.imports) {
    const syntax::Decl* const decl = declOf(module, import);
    if (!idle(import) || names.contains(import.name) || !decl) continue;
    diagnostics.report(UnusedImport, import.range, {{"name", import.name.str()}})
        .help("delete the line")
        .fix(deletion(sources, decl->range));
  }
}

} // namespace planc::frontend
