// Finds library imports that provide a name that is not in scope. Uses only the names of the library's exports, so that
// no file is parsed.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Loader.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace planc::frontend {
namespace {

/// Whether `name` contains `part` as a component between `_`: `h100` in `hgx_h100`.
bool hasPart(std::string_view name, std::string_view part) {
  for (size_t at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
    const size_t end = at + part.size();
    if ((at == 0 || name[at - 1] == '_') && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

} // namespace

const std::vector<std::string>& Loader::libraryFolders() {
  static const std::vector<std::string> kFolders{"std.ops",     "std.blocks",   "std.models", "std.devices",
                                                 "std.fabrics", "std.clusters", "std.stacks", "std.optimizers"};
  return kFolders;
}

const std::vector<Loader::LibraryExport>& Loader::libraryExports() {
  if (!libraryExports_.empty()) return libraryExports_;
  for (const std::string& folder : libraryFolders())
    for (const std::string& module : libraryModules(folder)) {
      const std::string_view text = *library_.library(libraryPath(module));
      for (const syntax::Name& name : libraryNames(libraryPath(module), text, FileId())) {
        const bool call = name.range.end < text.size() && text[name.range.end] == '(';
        libraryExports_.push_back({folder, module, name.text.view(), call});
      }
    }
  return libraryExports_;
}

std::vector<std::string> Loader::offers(const Module& asking, Symbol wanted, std::string_view behind) {
  const std::string_view name = wanted.view();
  const bool member = behind.starts_with('.'), call = behind.starts_with('(');
  std::set<std::pair<int, std::string>> found; // sorted, likeliest first
  for (const Import& i : asking.imports)       // `import std.optimizers as o`
    if (member && i.name != wanted && (i.text == name || i.text.ends_with(fmt::format(".{}", name))))
      found.emplace(-2, fmt::format("`{}` is imported as `{}` here", i.text, i.name.view()));
  if (!found.empty()) return {found.begin()->second};
  for (const std::string& folder : libraryFolders()) // `optimizers.adam`: the import of the whole folder
    if (member && folder.ends_with(fmt::format(".{}", name)))
      found.emplace(-2, fmt::format("`import {}` brings `{}`", folder, name));
  for (const LibraryExport& e : libraryExports()) {
    const std::string last = e.module.substr(e.module.rfind('.') + 1);
    if (member) { // `te.te`
      if (last == name) found.emplace(0, fmt::format("`import {}` brings `{}`", e.module, name));
      continue;
    }
    const bool exact = e.name == name;
    if (!exact && (name.size() < 3 || !hasPart(e.name, name) || call != e.takesArguments)) continue;
    auto import = std::find_if(asking.imports.begin(), asking.imports.end(),
                               [&](const Import& i) { return i.text == e.module || i.text == e.folder; });
    const bool imported = import != asking.imports.end();
    found.emplace((exact ? 0 : 2) + !imported,
                  imported ? fmt::format("`{}` exports it: write `{}.{}`", import->text, import->name.view(), e.name)
                           : fmt::format("`import {}` brings `{}.{}`", e.module, last, e.name));
  }
  constexpr size_t kMost = 3;
  std::vector<std::string> out;
  for (const auto& [rank, text] : found)
    if (out.size() < kMost && (rank / 2 == found.begin()->first / 2)) out.push_back(text);
  return out;
}

} // namespace planc::frontend
