// Resolves names in a catalogue's modules, and computes texts in which the names are replaced by their meanings.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/catalogue/Catalogue.h"
#include "frontend/catalogue/CatalogueModule.h"

#include <deque>
#include <map>
#include <set>

namespace planc::frontend {

/// A declaration of one of the modules.
struct Declared {
  CatalogueModule* module = nullptr;
  size_t index = 0;
  const syntax::Decl& decl() const { return module->decl(index); }
  const syntax::Outline& outline() const { return module->outlines()[index]; }
};

/// Resolves names and imports across the modules. Names of other packages stay as written.
class CatalogueNames {
public:
  /// Without `meanings`, all meanings stay empty, and no names are looked up.
  CatalogueNames(std::deque<CatalogueModule>& modules, bool meanings);

  std::optional<Declared> own(CatalogueModule& module, Symbol name) const;
  /// The declaration `member` of the module that `module` imports as `import`.
  std::optional<Declared> imported(CatalogueModule& module, Symbol import, Symbol member) const;
  /// The declaration that an expression names or calls.
  std::optional<Declared> named(CatalogueModule& module, const syntax::Expr& expr) const;
  std::optional<Declared> named(CatalogueModule& module, const syntax::DottedName& name) const;

  /// Parameters that hide declarations in an expression: these names are not looked up.
  using Hidden = std::set<Symbol>;
  WrittenText written(CatalogueModule& module, const syntax::Expr* expr, const Hidden& hidden = {});
  WrittenText written(CatalogueModule& module, const syntax::Type& type, const Hidden& hidden = {});
  /// The tokens of a declaration without `export`, comments and its own name.
  static std::string body(const Declared& of);

private:
  struct Replaced {
    size_t begin, end;
    std::string text;
  };
  std::string meaning(const Declared& of);
  std::string meaningOf(const Declared& of);
  std::string meaning(CatalogueModule& module, SourceRange range, std::vector<Replaced> replaced);
  /// Whether an expression is handled as a whole, such as a number or a name. Appends its replacement if its text
  /// changes.
  bool replaces(CatalogueModule& module, const syntax::Expr& expr, const Hidden& hidden, std::vector<Replaced>& out);
  void collect(CatalogueModule& module, const syntax::Expr& expr, const Hidden& hidden, std::vector<Replaced>& out);
  void collect(CatalogueModule& module, const syntax::Type& type, const Hidden& hidden, std::vector<Replaced>& out);

  bool meanings_;
  int depth_ = 0; ///< nesting of constants that are defined by other constants
  std::map<std::string, CatalogueModule*> byName_, byPath_;
  std::multimap<std::string, CatalogueModule*> byFolder_;
  std::map<std::pair<const CatalogueModule*, size_t>, std::string> known_; ///< meanings; its name while computed
};

} // namespace planc::frontend
