// What names of a catalogue's modules stand for, and texts in which that takes the place of the names.
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

/// Follows names and imports from module to module. Names of other packages stay as they are written.
class CatalogueNames {
public:
  /// Without `meanings` texts have none, which spares looking names up.
  CatalogueNames(std::deque<CatalogueModule>& modules, bool meanings);

  std::optional<Declared> own(CatalogueModule& module, Symbol name) const;
  /// `member` of what `module` imports as `import`.
  std::optional<Declared> imported(CatalogueModule& module, Symbol import, Symbol member) const;
  /// What an expression names, or calls.
  std::optional<Declared> named(CatalogueModule& module, const syntax::Expr& expr) const;
  std::optional<Declared> named(CatalogueModule& module, const syntax::DottedName& name) const;

  /// Parameters that names in an expression may stand for: these are not looked up.
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
  /// Is an expression looked at as a whole: a number, a name?
  bool replaces(CatalogueModule& module, const syntax::Expr& expr, const Hidden& hidden, std::vector<Replaced>& out);
  void collect(CatalogueModule& module, const syntax::Expr& expr, const Hidden& hidden, std::vector<Replaced>& out);
  void collect(CatalogueModule& module, const syntax::Type& type, const Hidden& hidden, std::vector<Replaced>& out);

  bool meanings_;
  int depth_ = 0; ///< of constants that are defined by constants
  std::map<std::string, CatalogueModule*> byName_, byPath_;
  std::multimap<std::string, CatalogueModule*> byFolder_;
  std::map<std::pair<const CatalogueModule*, size_t>, std::string> known_; ///< also of those that are being read
};

} // namespace planc::frontend
