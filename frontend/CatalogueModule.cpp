// One module of a catalogue.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/CatalogueModule.h"

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

/// The length of the comment, text, word or byte that a text begins with; of blanks, all of them.
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
    if (ends && out.ends_with(',')) out.pop_back(); // the list was broken into lines
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
  if (std::exchange(done_, true)) return;
  if (place_.trees) {
    archive_ = std::make_unique<syntax::Archive>(*place_.trees, text_, file_);
    outlines_ = archive_->outlines();
  } else if ((tree_ = parse::parseFile(sources, file_, diagnostics))) {
    for (const syntax::Decl& decl : tree_->decls) outlines_.push_back(outlineOf(decl));
  }
  for (size_t i = 0; i < outlines_.size(); ++i)
    if (!outlines_[i].import && !outlines_[i].name.text.empty()) names_.emplace(outlines_[i].name.text, i);
}

const syntax::Decl& CatalogueModule::decl(size_t index) {
  return archive_ ? archive_->decl(index) : tree_->decls[index];
}

std::optional<size_t> CatalogueModule::find(Symbol name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

const syntax::ImportDecl* CatalogueModule::import(Symbol name) {
  for (size_t i = 0; i < outlines_.size(); ++i) {
    if (!outlines_[i].import) continue;
    const auto& import = std::get<syntax::ImportDecl>(decl(i).item);
    const Symbol brings = import.as     ? import.as->text
                          : import.file ? Symbol(std::filesystem::path(*import.file).stem().string())
                                        : import.path.parts.back().text;
    if (brings == name) return &import;
  }
  return nullptr;
}

uint32_t CatalogueModule::lineOf(uint32_t offset) const {
  return 1 + static_cast<uint32_t>(std::count(text_.begin(), text_.begin() + offset, '\n'));
}

/// The line that ends before the line at `begin`, trimmed; moves `begin` to it.
std::string_view CatalogueModule::lineBefore(size_t& begin) const {
  const size_t end = begin - 1, last = end == 0 ? std::string_view::npos : text_.rfind('\n', end - 1);
  begin = last == std::string_view::npos ? 0 : last + 1;
  std::string_view line = text_.substr(begin, end - begin);
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

std::optional<CatalogueModule::Comment> CatalogueModule::commentAbove(size_t index) {
  const auto beginOfLine = [&](size_t at) { return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1; };
  for (;; --index) { // up through a group of declarations
    const SourceRange range = decl(index).range;
    size_t begin = beginOfLine(range.begin);
    std::vector<std::string_view> lines;
    bool shared = false;
    while (begin > 0) {
      const size_t here = begin;
      std::string_view line = lineBefore(begin);
      if (!line.starts_with("//")) {
        begin = here;
        break;
      }
      shared = !line.starts_with("///");
      line.remove_prefix(std::min(line.find_first_not_of('/'), line.size()));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      lines.push_back(line);
    }
    if (!lines.empty()) {
      Comment out{{}, shared};
      for (size_t i = lines.size(); i-- > 0;) out.text.append(out.text.empty() ? "" : "\n").append(lines[i]);
      return out;
    }
    if (index == 0 || begin == 0 || outlines_[index - 1].import) return std::nullopt;
    if (decl(index - 1).range.end + 1 < begin) return std::nullopt; // a blank line stands between the two
  }
}

std::string CatalogueModule::docOf(size_t index) {
  size_t at = decl(index).range.begin;
  at = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
  const std::optional<Comment> found = commentAbove(index);
  if (!found) return {};
  size_t above = at;
  const bool own = at > 0 && lineBefore(above).starts_with("//");
  return own || found->shared ? found->text : std::string();
}

} // namespace planc::frontend
