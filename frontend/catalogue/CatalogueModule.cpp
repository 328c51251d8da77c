// One module of a catalogue.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/catalogue/CatalogueModule.h"

#include "frontend/parse/Parse.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace planc::frontend {

using syntax::DeclKind;

std::string_view wordOf(DeclKind kind) {
  static constexpr std::array<std::string_view, 14> kWords{"let",   "let",     "enum",   "op",    "block",
                                                           "model", "device",  "fabric", "stack", "cluster",
                                                           "plan",  "compare", "test",   "policy"};
  return kWords[static_cast<size_t>(kind)];
}

namespace {

bool isWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (static_cast<unsigned char>(c) & 0x80);
}

/// The length of the comment, string, word or byte at the start of a text, or of the run of blanks there.
size_t pieceLength(std::string_view text) {
  size_t n = 1;
  if (std::isspace(static_cast<unsigned char>(text[0]))) {
    while (n < text.size() && std::isspace(static_cast<unsigned char>(text[n]))) ++n;
  } else if (text.starts_with("//")) {
    n = std::min(text.find('\n'), text.size());
  } else if (text.starts_with("/*")) {
    const size_t end = text.find("*/", 2);
    n = end == std::string_view::npos ? text.size() : end + 2;
  } else if (text[0] == '"') {
    while (n < text.size() && text[n] != '"') n += text[n] == '\\' ? 2 : 1;
    n = std::min(n + 1, text.size());
  } else if (isWordByte(text[0])) {
    while (n < text.size() && isWordByte(text[n])) ++n;
  }
  return n;
}

template <class Use> void eachPiece(std::string_view text, Use use) {
  while (!text.empty()) {
    const size_t n = pieceLength(text);
    use(text.substr(0, n));
    text.remove_prefix(n);
  }
}

bool isBlank(std::string_view piece) {
  return std::isspace(static_cast<unsigned char>(piece[0])) || piece.starts_with("//") || piece.starts_with("/*");
}

bool closes(std::string_view piece) {
  return piece == ")" || piece == "]" || piece == "}";
}

} // namespace

std::string oneLine(std::string_view text) {
  std::string out;
  bool blank = false;
  eachPiece(text, [&](std::string_view piece) {
    if (isBlank(piece)) return void(blank = true);
    const bool ends = piece == ")" || piece == "]";
    if (ends && out.ends_with(',')) out.pop_back(); // a list that was broken into lines
    if (blank && !ends && !out.empty() && out.back() != '(' && out.back() != '[') out += ' ';
    blank = false;
    out += piece;
  });
  return out;
}

std::string tokensOf(std::string_view text) {
  std::string out;
  bool comma = false;
  eachPiece(text, [&](std::string_view piece) {
    if (isBlank(piece)) return;
    if (comma && !closes(piece)) out += " ,";
    comma = piece == ",";
    if (comma) return;
    if (!out.empty()) out += ' ';
    out += piece;
  });
  return out;
}

std::string CatalogueModule::folder() const {
  return place_.name.substr(0, std::min(place_.name.rfind('.'), place_.name.size()));
}

void CatalogueModule::read(const SourceManager& sources, DiagnosticEngine& diagnostics) {
  if (std::exchange(sources_, &sources)) return;
  if (place_.trees) {
    archive_ = std::make_unique<syntax::Archive>(*place_.trees, text_, file_);
    outlines_ = archive_->outlines();
  } else if ((tree_ = parse::parseFile(sources, file_, diagnostics))) {
    for (const syntax::Decl& decl : tree_->decls) outlines_.push_back(outlineOf(decl));
  }
}

const syntax::Decl& CatalogueModule::decl(size_t index) {
  return archive_ ? archive_->decl(index) : tree_->decls[index];
}

std::optional<size_t> CatalogueModule::find(Symbol name) {
  if (!names_) {
    names_.emplace();
    for (size_t i = 0; i < outlines_.size(); ++i)
      if (!outlines_[i].import && !outlines_[i].name.text.empty()) names_->emplace(outlines_[i].name.text, i);
  }
  const auto found = names_->find(name);
  return found == names_->end() ? std::nullopt : std::optional(found->second);
}

const syntax::ImportDecl* CatalogueModule::import(Symbol name) {
  if (!imports_) {
    imports_.emplace();
    for (size_t i = 0; i < outlines_.size(); ++i) {
      if (!outlines_[i].import) continue;
      const auto& import = std::get<syntax::ImportDecl>(decl(i).item);
      const Symbol brings = import.as     ? import.as->text
                            : import.file ? Symbol(std::filesystem::path(*import.file).stem().string())
                                          : import.path.parts.back().text;
      imports_->emplace(brings, &import);
    }
  }
  const auto found = imports_->find(name);
  return found == imports_->end() ? nullptr : found->second;
}

/// The line before the line at `begin`, trimmed; moves `begin` to its start.
std::string_view CatalogueModule::lineBefore(size_t& begin) const {
  const size_t end = begin - 1, last = end == 0 ? std::string_view::npos : text_.rfind('\n', end - 1);
  begin = last == std::string_view::npos ? 0 : last + 1;
  std::string_view line = text_.substr(begin, end - begin);
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

/// The comment lines directly above a declaration.
std::optional<CatalogueModule::Comment> CatalogueModule::ownComment(size_t index) {
  const uint32_t at = decl(index).range.begin;
  size_t begin = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
  std::vector<std::string_view> lines;
  bool shared = false;
  while (begin > 0) {
    std::string_view line = lineBefore(begin);
    if (!line.starts_with("//")) break;
    shared = !line.starts_with("///");
    line.remove_prefix(std::min(line.find_first_not_of('/'), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    lines.push_back(line);
  }
  if (lines.empty()) return std::nullopt;
  Comment out{{}, shared};
  for (size_t i = lines.size(); i-- > 0;) out.text.append(i + 1 == lines.size() ? "" : "\n").append(lines[i]);
  return out;
}

/// The comment of a declaration, or of its group. A group ends at a comment, a blank line or an import.
const std::optional<CatalogueModule::Comment>& CatalogueModule::commentAbove(size_t index) {
  size_t at = index;
  std::optional<Comment> found;
  for (;; --at) {
    if (const auto known = comments_.find(at); known != comments_.end()) {
      found = known->second;
      break;
    }
    if ((found = ownComment(at)) || at == 0 || outlines_[at - 1].import) break;
    const uint32_t begin = decl(at).range.begin;
    const size_t line = begin == 0 ? 0 : text_.rfind('\n', begin - 1) + 1;
    if (decl(at - 1).range.end + 1 < line) break; // a blank line separates the two
  }
  for (size_t i = at; i < index; ++i) comments_.emplace(i, found);
  return comments_.emplace(index, std::move(found)).first->second;
}

std::string CatalogueModule::docOf(size_t index) {
  const std::optional<Comment>& found = commentAbove(index);
  return found && (found->shared || ownComment(index)) ? found->text : std::string();
}

} // namespace planc::frontend
