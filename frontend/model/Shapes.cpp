// Properties of tensor types as written.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Shapes.h"

namespace planc::frontend {

std::string written(const syntax::Type& type) {
  std::string text = "[";
  for (const syntax::DimRef& d : type.dims)
    text += (text.size() > 1 ? ", " : "") + (d.rest ? std::string("..") : d.name.text.str());
  return text + "]";
}

size_t restAt(const syntax::Type& type) {
  for (size_t i = 0; i < type.dims.size(); ++i)
    if (type.dims[i].rest) return i;
  return type.dims.size();
}

} // namespace planc::frontend
