// Makes unique names of values, and the text of layouts, dimensions and numbers.
// SPDX-License-Identifier: Apache-2.0
#include "ir/print/Names.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::ir {

ValueNames::ValueNames(const Model& model) : model_(model) {
  std::map<std::string, int> seen;
  for (const Value& v : model.values) {
    std::string path = join(v.path);
    // A value created by the compiler (a cast) has the path of the operator that needs it, and a name of its own.
    if (v.path.empty() || v.path.back() != v.name) path += fmt::format("{}{}", path.empty() ? "" : ".", v.name.view());
    int n = ++seen[path];
    paths_.push_back(n == 1 ? path : fmt::format("{}~{}", path, n));
  }
}

std::string ValueNames::of(ValueId value, LayerId scope) const {
  if (!value.valid() || value.index >= paths_.size()) return "%?";
  const char* sigil = model_.values[value].kind == ValueKind::Param ? "@" : "%";
  std::string_view path = paths_[value.index];
  if (scope.valid()) {
    std::string prefix = join(model_.layers[scope].path()) + ".";
    if (path.substr(0, prefix.size()) == prefix) path.remove_prefix(prefix.size());
  }
  return fmt::format("{}{}", sigil, path);
}

std::string dimsText(const Model& model, const std::vector<DimId>& dims) {
  std::string text;
  for (DimId d : dims) text += fmt::format("{}{}", text.empty() ? "" : ", ", model.dims[d].name.view());
  return fmt::format("[{}]", text);
}

std::string layoutText(const Mesh& mesh, const Model& model, const std::vector<DimId>& dims, const Layout& layout) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    text += fmt::format("{}{}", i ? ", " : "", model.dims[dims[i]].name.view());
    if (i >= layout.shard.size()) continue;
    int64_t due = 1;
    char separator = '@';
    for (const Digit& d : layout.shard[i]) {
      const Axis& axis = mesh.axes[d.axis];
      text += fmt::format("{}{}", separator, axis.name.view());
      const int64_t offset = d.offset(mesh);
      if (offset != due) text += fmt::format(":{}", offset);
      due = offset * axis.size;
      separator = '*';
    }
  }
  std::string partial;
  for (AxisId a : mesh.list(layout.partial))
    partial += fmt::format("{}{}", partial.empty() ? "" : "*", mesh.axes[a].name.view());
  return partial.empty() ? fmt::format("[{}]", text) : fmt::format("[{}] partial({})", text, partial);
}

std::string numberText(double x) {
  return std::abs(x) < 1e15 && x == std::floor(x) ? fmt::format("{:.0f}", x) : fmt::format("{:.6g}", x);
}

} // namespace planc::ir
