// Constructors of values.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/values/Value.h"

namespace planc::frontend {

Value Value::ofBool(bool b, SourceRange r) {
  Value v;
  v.kind = ValueKind::Bool;
  v.truth = b;
  v.range = r;
  return v;
}

Value Value::ofInt(int64_t i, SourceRange r) {
  Value v;
  v.kind = ValueKind::Int;
  v.integer = i;
  v.range = r;
  return v;
}

Value Value::ofNumber(double n, Unit u, SourceRange r) {
  Value v;
  v.kind = ValueKind::Number;
  v.number = n;
  v.unit = u;
  v.range = r;
  return v;
}

const Field* RecordValue::find(Symbol name) const {
  for (const Field& f : fields)
    if (f.name == name) return &f;
  return nullptr;
}

} // namespace planc::frontend
