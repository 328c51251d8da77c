// insert-casts: adds a cast before a contraction that computes in a narrower type than its operand has
// (docs/language.md, section 9, precision). Parameters are cast once per step, not per micro-batch; that work is part
// of the optimizer's bytes.
// SPDX-License-Identifier: Apache-2.0
#include "ir/print/Labels.h"
#include "passes/Steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace planc::passes {
using namespace ir;

namespace {

bool needsCast(const ProgramHead& program, const Op& user, ValueId value) {
  const Value& v = program.model->values[value];
  if (v.kind == ValueKind::Param) return false;
  const DType t = program.dtypeOf(value);
  return isFloat(t) && width(t) > width(program.computeType(user));
}

/// The new ids of the model's operators after casts are inserted, layer by layer.
struct Renumbering {
  Store<Op> ops;
};

/// Casts by value and type, of one layer.
using Casts = std::map<std::pair<ValueId, DType>, ValueId>;

/// Returns the value in the type in which its user computes. Contractions of a layer that need the same type share a
/// cast.
ValueId castOf(ProgramHead& program, Renumbering& out, Casts& casts, const Op& user, const Operand& operand) {
  const DType type = program.computeType(user);
  if (auto it = casts.find({operand.value, type}); it != casts.end()) return it->second;
  Model& model = program.model.edit();
  const Value source = std::as_const(model).values[operand.value];
  const bool another =
      std::any_of(casts.begin(), casts.end(), [&](const auto& c) { return c.first.first == operand.value; });
  Value result = source;
  result.name = Symbol(source.name.str() + (another ? fmt::format(".cast_{}", name(type)) : ".cast"));
  result.kind = ValueKind::Result;
  result.path = user.path;
  result.dtype = type;
  result.precision = user.precision;
  result.layer = user.layer;
  const ValueId value = model.values.add(result);
  model.values[value].storage = value;
  Op cast;
  cast.path = user.path;
  cast.name = labels::kCast;
  cast.kind = OpKind::Cast;
  cast.precision = user.precision;
  cast.operands = {{operand.value, source.dims}};
  cast.result = value;
  cast.dims = cast.resultDims = source.dims;
  cast.composites = user.composites;
  cast.layer = user.layer;
  cast.region = user.region;
  cast.range = user.range;
  model.values[value].producer = out.ops.add(std::move(cast));
  return casts[{operand.value, type}] = value;
}

} // namespace

bool insertCasts(ProgramHead& program, DiagnosticEngine&) {
  bool any = false;
  for (const Op& op : program.model->ops)
    if (isContraction(op.kind))
      for (const Operand& o : op.operands) any |= needsCast(program, op, o.value);
  if (!any) return true;

  Model& model = program.model.edit();
  Renumbering out;
  for (Layer& layer : model.layers) {
    Casts casts;
    const OpId first(out.ops.size());
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      Op op = std::as_const(model).ops[OpId(i)];
      if (isContraction(op.kind))
        for (Operand& o : op.operands)
          if (needsCast(program, op, o.value)) o.value = castOf(program, out, casts, op, o);
      const ValueId result = op.result;
      model.values[result].producer = out.ops.add(std::move(op));
    }
    layer.first = first;
    layer.end = OpId(out.ops.size());
  }
  model.ops = std::move(out.ops);
  return true;
}

} // namespace planc::passes
