// Evaluates the text of `deprecated "…"` and the names in it.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Deprecated.h"

#include "support/text/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace planc::frontend {

PLANC_WARNING(DeprecatedUse, 140, "{kind} `{name}` is deprecated")
PLANC_ERROR(DeprecatedUnexported, 141, "`deprecated` has no effect on `{name}`, which is not exported")
PLANC_ERROR(DeprecatedWithoutText, 142, "`deprecated` needs a text that tells what to use instead of `{name}`")

namespace {

/// The words of a text that may name a declaration: after `use`, or at the beginning of a text in backquotes.
std::vector<std::string_view> namesIn(std::string_view text) {
  constexpr std::string_view kUse = "use ", kCapital = "Use ";
  std::vector<std::string_view> names;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    for (end = begin; end < text.size() && isWordChar(text[end]);) ++end;
    const std::string_view before = text.substr(0, begin), behind = text.substr(end);
    const bool use = (before.ends_with(kUse) || before.ends_with(kCapital)) &&
                     (begin == kUse.size() || !isWordChar(before[begin - kUse.size() - 1]));
    const bool member = behind.size() > 1 && behind[0] == '.' && isWordChar(behind[1]); // a member of another module
    if (end > begin && !member && (use || before.ends_with('`'))) names.push_back(text.substr(begin, end - begin));
  }
  return names;
}

/// The replacements that a declaration's mark names. A replacement that is itself deprecated is replaced by its own
/// replacements.
std::vector<const DeclInfo*> successors(const DeclInfo& decl) {
  std::vector<const DeclInfo*> found, open{&decl};
  std::vector<const DeclInfo*> seen;
  while (!open.empty()) {
    const DeclInfo* const at = open.back();
    open.pop_back();
    seen.push_back(at);
    for (const std::string_view name : namesIn(at->decl().deprecated->text)) {
      const auto other = at->module->names.find(Symbol(name));
      if (other == at->module->names.end() || !other->second->exported) continue;
      std::vector<const DeclInfo*>& to = other->second->deprecated ? open : found;
      if (!llvm::is_contained(seen, other->second) && !llvm::is_contained(to, other->second))
        to.push_back(other->second);
    }
  }
  return found;
}

} // namespace

void checkDeprecation(const syntax::Decl& decl, const syntax::Outline& outline, DiagnosticEngine& diagnostics) {
  const syntax::Reason& mark = *decl.deprecated;
  const std::string name = outline.name.text.str();
  if (llvm::StringRef(mark.text).trim().empty())
    diagnostics.report(DeprecatedWithoutText, mark.range, {{"name", name}})
        .help("state what to use instead, as in `deprecated \"use pod2\"`");
  if (decl.exported) return;
  diagnostics.report(DeprecatedUnexported, mark.range, {{"name", name}})
      .label(outline.name.range, "declared here without `export`")
      .help("write `export` before the declaration, or remove `deprecated`: uses in its own file get no warning");
}

void reportDeprecatedUse(const DeclInfo& decl, SourceRange use, DiagnosticEngine& diagnostics) {
  if (!decl.deprecated || !diagnostics.wantsWarnings()) return;
  auto report = diagnostics.report(DeprecatedUse, use, {{"kind", describe(decl.kind)}, {"name", decl.name.str()}});
  report.label(decl.nameRange, fmt::format("deprecated: {}", decl.decl().deprecated->text));
  const std::vector<const DeclInfo*> others = successors(decl);
  for (const DeclInfo* other : others)
    report.help(fmt::format("write `{}`", other->name.view()))
        .fix({fmt::format("write `{}`", other->name.view()),
              {{use, other->name.str(), decl.name.str()}},
              others.size() == 1 && other->kind == decl.kind});
  if (others.empty())
    report.help(fmt::format(
        "use the replacement that its declaration names, or allow the warning with a reason: `allow {} : \"…\"`",
        DeprecatedUse.id()));
}

void reportDeprecatedPolicies(const Module& module, DiagnosticEngine& diagnostics) {
  for (const Import& import : module.imports)
    if (import.module && !import.module->library)
      for (const DeclInfo& decl : import.module->decls)
        if (decl.kind == DeclKind::Policy && decl.exported) reportDeprecatedUse(decl, import.range, diagnostics);
}

} // namespace planc::frontend
