// Writes imports, and the names that they give to declarations.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/ImportedName.h"

#include "api/Texts.h"
#include "driver/files/Files.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {

namespace {

namespace fs = std::filesystem;

/// Returns the last part of `std.models.llama` or, if `parts` is 2, the last two parts joined by `_`.
std::string lastParts(std::string_view dotted, int parts) {
  size_t at = dotted.size();
  for (int i = 0; i < parts && at != std::string_view::npos && at > 0; ++i) at = dotted.rfind('.', at - 1);
  std::string out(at == std::string_view::npos ? dotted : dotted.substr(at + 1));
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

bool isReserved(const std::string& word) {
  return !api::isPlanText(fmt::format("let {} = 1\n", word));
}

/// Returns an identifier for a file: `mine` for `plans/mine.plan`, `if_file` for `if.plan`.
std::string stemOf(const std::string& path) {
  std::string out = fs::path(path).stem().string();
  for (char& c : out)
    if (!isWordChar(c)) c = '_';
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) return "_" + out;
  return isReserved(out) ? out + "_file" : out;
}

/// Returns a text as a string literal of plan text.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

} // namespace

std::string ImportLines::importOf(const NamedExport& name) const {
  if (!name.file.empty()) {
    const fs::path folder = fs::path(wholePath(place_)).parent_path();
    const fs::path path = fs::path(wholePath(name.file)).lexically_relative(folder);
    return quoted(path.generic_string());
  }
  const std::string& module = name.decl.module;
  const std::string folder = module.substr(0, module.rfind('.'));
  const bool byFolder = name.decl.kind == "plan" || name.decl.kind == "let";
  if (!byFolder || folder.find('.') == std::string::npos) return module;
  // Recipes are named by their folder, `recipes.megatron`, if a single file of it exports the name.
  const auto exportsIt = [&](const api::Export& one) {
    return one.name == name.decl.name && one.module.substr(0, one.module.rfind('.')) == folder;
  };
  return std::count_if(exports_.begin(), exports_.end(), exportsIt) == 1 ? folder : module;
}

std::string ImportLines::add(const NamedExport& name) {
  const std::string what = importOf(name);
  auto at = std::find_if(lines_.begin(), lines_.end(), [&](const ImportLine& line) { return line.what == what; });
  if (at == lines_.end()) {
    const bool file = !name.file.empty();
    std::string as = file ? stemOf(name.file) : lastParts(what, 1);
    bool renamed = file;
    if (brings(as)) as = file ? as + "_file" : lastParts(what, 2), renamed = true;
    for (int i = 2; brings(as); ++i) as = fmt::format("{}_{}", lastParts(what, 2), i);
    at = lines_.insert(lines_.end(), {what, std::move(as), renamed});
  }
  return at->as + "." + name.decl.name;
}

bool ImportLines::brings(const std::string& name) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const ImportLine& line) { return line.as == name; });
}

std::string ImportLines::text() const {
  std::vector<std::string> texts;
  for (const ImportLine& line : lines_)
    texts.push_back(line.renamed ? fmt::format("import {} as {}\n", line.what, line.as)
                                 : fmt::format("import {}\n", line.what));
  std::sort(texts.begin(), texts.end());
  std::string out;
  for (const std::string& text : texts) out += text;
  return out;
}

} // namespace planc::driver
