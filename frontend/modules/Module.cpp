// Small questions about declarations and modules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Module.h"

#include <array>

namespace planc::frontend {

std::string_view describe(DeclKind k) {
  static constexpr std::array<std::string_view, 11> kNames{"constant", "function", "enum",  "operator", "block", "model",
                                                           "device",   "fabric",   "stack", "cluster",  "plan"};
  return kNames[static_cast<size_t>(k)];
}

std::vector<std::string> Module::visibleNames() const {
  std::vector<std::string> all;
  for (const DeclInfo& d : decls) all.push_back(d.name.str());
  for (const Import& i : imports) all.push_back(i.name.str());
  return all;
}

} // namespace planc::frontend
