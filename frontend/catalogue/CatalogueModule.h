// One module of a catalogue: its declarations, the comments above them, and normalized texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Archive.h"
#include "frontend/syntax/Tree.h"
#include "support/Diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace planc::frontend {

/// The keyword of a kind: `device`, `let` (also for functions), …
std::string_view wordOf(syntax::DeclKind kind);

/// A text on one line: without comments, with single blanks, and without blanks inside of brackets.
std::string oneLine(std::string_view text);
/// The tokens of a text separated by single blanks, without comments and without commas before closing brackets. Equal
/// for texts that differ only in layout.
std::string tokensOf(std::string_view text);

class CatalogueModule {
public:
  struct Place {
    std::string name, path;
    std::optional<std::string_view> trees; ///< archived trees; only for the embedded library
    bool exported = true;
  };
  CatalogueModule(Place place, FileId file, std::string_view text)
      : place_(std::move(place)), file_(file), text_(text) {}

  const std::string& name() const { return place_.name; }
  const std::string& path() const { return place_.path; }
  bool exported() const { return place_.exported; }
  bool library() const { return place_.trees.has_value(); }
  std::string_view text() const { return text_; }
  std::string_view text(SourceRange range) const { return text_.substr(range.begin, range.end - range.begin); }
  /// The folder of the module: `std.models`. Moving a declaration between files of a folder is not a change.
  std::string folder() const;

  /// Reads the declarations on the first call.
  void read(const SourceManager& sources, DiagnosticEngine& diagnostics);
  const std::vector<syntax::Outline>& outlines() const { return outlines_; }
  const syntax::Decl& decl(size_t index);
  /// The index of a declaration of the module; nullopt if none has that name.
  std::optional<size_t> find(Symbol name);
  /// The `import` that introduces a name; null if none does.
  const syntax::ImportDecl* import(Symbol name);

  /// The comment above a declaration, without slashes, its lines joined with line breaks. A `//` comment above several
  /// declarations without blank lines between them belongs to all of them.
  std::string docOf(size_t index);
  uint32_t lineOf(uint32_t offset) const { return sources_->begin({file_, offset, offset}).line; }

private:
  struct Comment {
    std::string text;
    bool shared = false; ///< a `//` comment, which may belong to a group
  };
  const std::optional<Comment>& commentAbove(size_t index);
  std::optional<Comment> ownComment(size_t index);
  std::string_view lineBefore(size_t& begin) const;

  Place place_;
  FileId file_;
  std::string_view text_;
  const SourceManager* sources_ = nullptr; ///< set by `read`
  std::unique_ptr<syntax::File> tree_;
  std::unique_ptr<syntax::Archive> archive_;
  std::vector<syntax::Outline> outlines_;
  std::optional<std::unordered_map<Symbol, size_t>> names_;                      ///< filled on first use
  std::optional<std::unordered_map<Symbol, const syntax::ImportDecl*>> imports_; ///< filled on first use
  std::unordered_map<size_t, std::optional<Comment>> comments_;                  ///< computed so far
};

} // namespace planc::frontend
