// Resolves the names in tensor types, and checks declared shapes.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Dimensions.h"

#include "frontend/model/Shapes.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::DimRef;

PLANC_ERROR(UnknownExtent, 405, "dimension `{dim}` has no extent here")
PLANC_ERROR(ExtentNotPositive, 406, "dimension `{dim}` has the extent {extent}; it must be at least 1")
PLANC_ERROR(TwoExtents, 430, "`{dim}` is {value} as a parameter, but {extent} as a dimension of an argument")
PLANC_ERROR(DimensionTwice, 422, "`{dim}` is listed twice in this shape")
PLANC_ERROR(RestInDeclaration, 431, "`..` is not allowed here: name all dimensions of an input or parameter")
PLANC_ERROR(ArgumentShape, 402, "`{name}` of `{callee}` is {expected}; this value is {actual}")
PLANC_ERROR(DimensionMismatch, 401, "`{dim}` is {first} in one argument and {second} in another")
PLANC_ERROR(AnnotationMismatch, 403, "the value has the shape {actual}, but {expected} is declared")
PLANC_ERROR(ElementType, 420, "{what} needs elements of {expected}, but this value has {actual}")

std::string shape(const ir::Model& model, const std::vector<ir::DimId>& dims) {
  std::string text = "[";
  for (ir::DimId d : dims)
    text += (text.size() > 1 ? ", " : "") + fmt::format("{} {}", model.dims[d].name.view(), model.dims[d].extent);
  return text + "]";
}

ir::DimId basicDim(ModelState& state, Symbol name, int64_t extent) {
  auto& known = state.dimsByName[name];
  for (ir::DimId d : known)
    if (state.model->dims[d].extent == extent && state.model->dims[d].kind == ir::DimKind::Basic) return d;
  known.push_back(state.model->dims.add({name, extent, ir::DimKind::Basic, {}, 1}));
  return known.back();
}

ir::DimId specialDim(ModelState& state, const ir::Dim& d) {
  auto& known = state.dimsByName[d.name];
  for (ir::DimId id : known)
    if (state.model->dims[id] == d) return id;
  known.push_back(state.model->dims.add(d));
  return known.back();
}

// docs/language.md, section 6: the value of that name in scope, then the workload's facts. A dimension that comes with
// an argument counts as a value.
Resolved resolve(ModelState& state, Scope& scope, Symbol name, SourceRange use, bool input) {
  const Value* value = nullptr;
  const ir::DimId* brought = nullptr;
  for (Scope* s = &scope; s && (!value || !brought); s = s->parent) {
    if (!value)
      if (const NameTable::Entry* e = s->names.find(name); e && (e->value.isInt() || e->value.invalid()))
        value = &e->value;
    for (const auto& [n, id] : s->dims)
      if (!brought && n == name) brought = &id;
  }
  if (value && value->invalid()) return {true, {}};
  if (brought && value && brought->valid() && state.model->dims[*brought].extent != value->integer) {
    state.context.report(
        TwoExtents, use,
        {{"dim", name.str()}, {"value", value->integer}, {"extent", state.model->dims[*brought].extent}});
    state.failed = true;
    return {true, {}};
  }
  if (brought) return {true, *brought};
  std::optional<int64_t> extent;
  if (value) {
    extent = value->integer;
  } else if (auto decl = scope.module->names.find(name);
             decl != scope.module->names.end() && decl->second->kind == DeclKind::Let) {
    const Value v = state.ev.valueOf(*decl->second, use);
    if (v.invalid()) return {true, {}};
    if (v.isInt()) extent = v.integer;
  }
  if (!extent) extent = state.extents.find(name, input);
  if (!extent &&
      std::find(state.extents.failed.begin(), state.extents.failed.end(), name) != state.extents.failed.end())
    return {true, {}};
  if (!extent) return {};
  if (*extent >= 1) return {true, basicDim(state, name, *extent)};
  state.context.report(ExtentNotPositive, use, {{"dim", name.str()}, {"extent", *extent}});
  state.failed = true;
  return {true, {}};
}

Resolved resolveOrReport(ModelState& state, Scope& scope, const syntax::Name& name, bool input) {
  const Resolved r = resolve(state, scope, name.text, name.range, input);
  if (r.found) return r;
  state.failed = true;
  if (input && state.extents.lacks && state.extents.lacks(name)) return {};
  auto report = state.context.report(UnknownExtent, name.range, {{"dim", name.text.str()}});
  std::vector<std::string> candidates;
  for (Scope* s = &scope; s; s = s->parent) {
    for (const NameTable::Entry& e : s->names.entries())
      if (e.value.isInt() || e.value.invalid()) candidates.push_back(e.name.str());
    for (const auto& [n, id] : s->dims) candidates.push_back(n.str());
  }
  for (const auto& [n, extent] : state.extents.bound) candidates.push_back(n.str());
  report.meantElse(
      name.text.view(), candidates,
      fmt::format(
          "make it a parameter (`{0}: int`), a `let`, or a fact of the workload (`train {{ {0} = … }}`), or, if an "
          "argument has it among the dimensions that `..` covers, name it in that argument's shape",
          name.text.view()));
  return {};
}

std::optional<std::vector<ir::DimId>> declaredDims(ModelState& state, const syntax::Type& type, Scope& scope,
                                                   bool input) {
  std::vector<ir::DimId> dims;
  bool good = true;
  for (const DimRef& ref : type.dims) {
    if (ref.rest) {
      state.context.report(RestInDeclaration, ref.range);
      good = false;
      continue;
    }
    ir::DimId id;
    if (ref.value) { // [choices = experts]: a new name for an extent
      const auto extent = state.ev.integer(*ref.value, scope, fmt::format("dimension `{}`", ref.name.text.view()));
      if (extent && *extent < 1)
        state.context.report(ExtentNotPositive, ref.range, {{"dim", ref.name.text.str()}, {"extent", *extent}});
      if (extent && *extent >= 1) id = basicDim(state, ref.name.text, *extent);
    } else {
      id = resolveOrReport(state, scope, ref.name, input).id;
    }
    auto sameName = [&](ir::DimId d) { return d.valid() && state.model->dims[d].name == state.model->dims[id].name; };
    if (id.valid() && std::any_of(dims.begin(), dims.end(), sameName)) {
      state.context.report(DimensionTwice, ref.range, {{"dim", ref.name.text.str()}})
          .help(fmt::format("give one of them another name: `[{0}, out_{0} = {0}]`", ref.name.text.view()));
      good = false;
    }
    good &= id.valid();
    dims.push_back(id);
  }
  if (!good) {
    state.failed = true;
    return std::nullopt;
  }
  return dims;
}

std::optional<ir::DType> declaredDType(ModelState& state, const syntax::Type& type, Scope& scope) {
  if (!type.dtype) return std::nullopt;
  if (auto known = ir::parseDType(type.dtype->text.view())) return known;
  if (auto v = state.ev.find(type.dtype->text, scope, type.dtype->range)) { // a parameter that holds an element type
    if (v->kind == ValueKind::DType) return v->dtype;
    if (v->invalid()) return std::nullopt;
  }
  state.ev.reportUnknownDType(*type.dtype);
  state.failed = true;
  return std::nullopt;
}

bool checkDType(ModelState& state, const syntax::Type& type, Scope& scope, ir::ValueId value, SourceRange use,
                std::string_view what) {
  const auto expected = declaredDType(state, type, scope);
  if (!expected) return true;
  const auto actual = state.model->values[value].dtype;
  const bool same = actual ? ir::isFloat(*actual) == ir::isFloat(*expected) : ir::isFloat(*expected);
  if (same) return true;
  state.context
      .report(ElementType, use,
              {{"what", what},
               {"expected", ir::name(*expected)},
               {"actual", actual ? ir::name(*actual) : "activations' type"}})
      .label(state.model->values[value].range, "it is computed here");
  return false;
}

bool bindSignature(ModelState& state, const syntax::Parameter& p, const Value& argument, SourceRange use,
                   Scope& scope) {
  const syntax::Type& type = *p.type;
  auto bringIn = [&](Symbol name, ir::DimId id) {
    for (auto& [n, known] : scope.dims) {
      if (n != name) continue;
      if (known == id || !id.valid() || !known.valid()) return true;
      if (state.model->dims[known].extent == state.model->dims[id].extent) {
        if (state.model->dims[id].name == name) known = id; // the dimension of that name
        return true;
      }
      state.context
          .report(DimensionMismatch, use,
                  {{"dim", name.str()},
                   {"first", state.model->dims[known].extent},
                   {"second", state.model->dims[id].extent}})
          .label(p.range, "declared here");
      return false;
    }
    scope.dims.emplace_back(name, id);
    return true;
  };
  if (argument.kind != ValueKind::Tensor) {
    for (const DimRef& ref : type.dims)
      if (!ref.rest) bringIn(ref.name.text, {});
    return true;
  }
  const std::vector<ir::DimId> dims = state.model->values[argument.tensor->id].dims;
  if (!fits(type, dims.size())) {
    const std::string callee = state.context.frames.empty() ? "" : state.context.frames.back().decl->name.str();
    state.context
        .report(ArgumentShape, use,
                {{"name", p.name.text.str()},
                 {"callee", callee},
                 {"expected", written(type)},
                 {"actual", shape(*state.model, dims)}})
        .label(p.range, "declared here");
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i].rest) continue;
    const size_t at = placeOf(type, i, dims.size());
    good &= bringIn(type.dims[i].name.text, dims[at]);
    if (const NameTable::Entry* e = scope.names.find(type.dims[i].name.text);
        e && e->value.isInt() && e->value.integer != state.model->dims[dims[at]].extent) {
      state.context
          .report(TwoExtents, use,
                  {{"dim", e->name.str()}, {"value", e->value.integer}, {"extent", state.model->dims[dims[at]].extent}})
          .label(e->range, "declared here");
      good = false;
    }
  }
  return checkDType(state, type, scope, argument.tensor->id, use, fmt::format("`{}`", p.name.text.view())) && good;
}

namespace {

/// Returns whether a name refers to a dimension, directly or as its name in a signature.
bool agrees(const ir::Model& model, const DimRef& ref, ir::DimId actual, Scope& scope) {
  if (model.dims[actual].name == ref.name.text) {
    if (ref.value) return true;
    for (Scope* s = &scope; s; s = s->parent)
      if (const NameTable::Entry* e = s->names.find(ref.name.text); e && e->value.isInt())
        return e->value.integer == model.dims[actual].extent;
    return true;
  }
  for (Scope* s = &scope; s; s = s->parent)
    for (const auto& [n, id] : s->dims)
      if (n == ref.name.text) return id == actual || !id.valid();
  return false;
}

} // namespace

bool checkAnnotation(ModelState& state, const syntax::Type& type, ir::ValueId value, SourceRange at, Scope& scope) {
  const std::vector<ir::DimId> dims = state.model->values[value].dims;
  bool good = fits(type, dims.size());
  for (size_t i = 0; good && i < type.dims.size(); ++i)
    if (!type.dims[i].rest) good = agrees(*state.model, type.dims[i], dims[placeOf(type, i, dims.size())], scope);
  if (!good) {
    state.context
        .report(AnnotationMismatch, type.range, {{"actual", shape(*state.model, dims)}, {"expected", written(type)}})
        .label(at, shape(*state.model, dims));
    return false;
  }
  if (type.dtype && !state.model->values[value].dtype)
    state.model->values[value].dtype = declaredDType(state, type, scope);
  return true;
}

std::optional<Value> extentOf(ModelState& state, Scope& scope, Symbol name) {
  for (Scope* s = &scope; s; s = s->parent)
    for (const auto& [n, id] : s->dims)
      if (n == name) return id.valid() ? Value::ofInt(state.model->dims[id].extent, {}) : Value{};
  for (const auto& [n, extent] : state.extents.bound)
    if (n == name) return Value::ofInt(*state.extents.find(name, false), {});
  return std::nullopt;
}

} // namespace planc::frontend
