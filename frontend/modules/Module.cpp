// Properties of declarations and modules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Module.h"

#include <algorithm>
#include <array>

namespace planc::frontend {

std::string_view describe(DeclKind k) {
  static constexpr std::array<std::string_view, 14> kNames{"constant", "function",   "enum",   "operator", "block",
                                                           "model",    "device",     "fabric", "stack",    "cluster",
                                                           "plan",     "comparison", "test",   "policy"};
  return kNames[static_cast<size_t>(k)];
}

const syntax::Decl& DeclInfo::decl() const {
  if (!written) written = &module->archive->decl(index);
  return *written;
}

std::pair<const DeclInfo*, std::string> cycleText(std::vector<DeclInfo*> members) {
  auto first = std::min_element(members.begin(), members.end(), [](const DeclInfo* a, const DeclInfo* b) {
    return std::pair(a->nameRange.file, a->nameRange.begin) < std::pair(b->nameRange.file, b->nameRange.begin);
  });
  std::rotate(members.begin(), first, members.end());
  std::string text;
  for (const DeclInfo* d : members) text += d->name.str() + " -> ";
  return {members.front(), text + members.front()->name.str()};
}

std::vector<DeclInfo*> Module::policies() {
  std::vector<DeclInfo*> out;
  const auto add = [&](Module& module, bool own) {
    for (DeclInfo& decl : module.decls)
      if (decl.kind == DeclKind::Policy && (own || decl.exported)) out.push_back(&decl);
  };
  add(*this, true);
  for (const Import& import : imports)
    if (import.module && !import.module->library) add(*import.module, false);
  return out;
}

std::vector<std::string> Module::visibleNames() const {
  std::vector<std::string> all;
  for (const DeclInfo& d : decls) all.push_back(d.name.str());
  for (const Import& i : imports) all.push_back(i.name.str());
  return all;
}

} // namespace planc::frontend
