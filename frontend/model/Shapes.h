// Properties of tensor types as written.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"

namespace planc::frontend {

/// The shape as written: `[.., heads]`.
std::string written(const syntax::Type& type);
/// The index of `..`; the number of dimensions if there is none.
size_t restAt(const syntax::Type& type);
/// The number of named dimensions, without `..`.
inline size_t namedDims(const syntax::Type& type) {
  return type.dims.size() - (restAt(type) < type.dims.size());
}
/// Returns whether a value with `dims` dimensions can have this shape.
inline bool fits(const syntax::Type& type, size_t dims) {
  return restAt(type) < type.dims.size() ? dims >= namedDims(type) : dims == namedDims(type);
}
/// The index of a value's dimension for the i-th written one: counted from the front before `..`, from the back after
/// it.
inline size_t placeOf(const syntax::Type& type, size_t i, size_t dims) {
  return i < restAt(type) ? i : dims - (type.dims.size() - i);
}

} // namespace planc::frontend
