// One module of a catalogue: its declarations, the comments above them, and texts brought to one form.
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

/// `device`, `let` (also of a function), …
std::string_view wordOf(syntax::DeclKind kind);

/// A text on one line: comments left out, each run of blanks one blank, none inside of brackets.
std::string oneLine(std::string_view text);
/// The tokens of a text with one blank between two, without comments and without commas before closing brackets: equal
/// for texts that differ in layout only.
std::string tokensOf(std::string_view text);

class CatalogueModule {
public:
  struct Place {
    std::string name, path;
    std::optional<std::string_view> trees; ///< of the embedded library
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
  /// The folder of the module: `std.models`. A declaration may move between files of one.
  std::string folder() const;

  /// Reads the declarations; once.
  void read(const SourceManager& sources, DiagnosticEngine& diagnostics);
  const std::vector<syntax::Outline>& outlines() const { return outlines_; }
  const syntax::Decl& decl(size_t index);
  /// A declaration of the module; nothing if there is none of that name.
  std::optional<size_t> find(Symbol name);
  /// The `import` that brings a name; null if none does.
  const syntax::ImportDecl* import(Symbol name);

  /// The lines of the comment above a declaration, without their slashes, joined with line breaks. A `//` comment above
  /// several declarations without a blank line between them belongs to all of them.
  std::string docOf(size_t index);
  uint32_t lineOf(uint32_t offset) const { return sources_->begin({file_, offset, offset}).line; }

private:
  struct Comment {
    std::string text;
    bool shared = false; ///< `//`
  };
  const std::optional<Comment>& commentAbove(size_t index);
  std::optional<Comment> ownComment(size_t index);
  std::string_view lineBefore(size_t& begin) const;

  Place place_;
  FileId file_;
  std::string_view text_;
  const SourceManager* sources_ = nullptr; ///< once it was read
  std::unique_ptr<syntax::File> tree_;
  std::unique_ptr<syntax::Archive> archive_;
  std::vector<syntax::Outline> outlines_;
  std::optional<std::unordered_map<Symbol, size_t>> names_;                      ///< once one was asked for
  std::optional<std::unordered_map<Symbol, const syntax::ImportDecl*>> imports_; ///< once one was asked for
  std::unordered_map<size_t, std::optional<Comment>> comments_;                  ///< those that were asked for
};

} // namespace planc::frontend
