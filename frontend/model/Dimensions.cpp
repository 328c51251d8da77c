// Named dimensions: what a name in a tensor type stands for, and whether a value has the shape that a declaration says.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/ModelBuilder.h"
#include "frontend/model/Shapes.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::DimRef;

PLANC_ERROR(UnknownExtent, 405, "dimension `{dim}` has no extent here")
PLANC_ERROR(ExtentNotPositive, 406, "dimension `{dim}` has the extent {extent}; it takes at least 1")
PLANC_ERROR(TwoExtents, 430, "`{dim}` is {value} as a parameter and {extent} as a dimension of an argument")
PLANC_ERROR(DimensionTwice, 422, "`{dim}` stands twice in this shape")
PLANC_ERROR(RestInDeclaration, 431, "`..` stands for dimensions of a value; here all of them are declared")
PLANC_ERROR(ArgumentShape, 402, "`{name}` of `{callee}` is {expected}; this value is {actual}")
PLANC_ERROR(DimensionMismatch, 401, "`{dim}` is {first} in one argument and {second} in another")
PLANC_ERROR(AnnotationMismatch, 403, "the value is {actual}, declared is {expected}")
PLANC_ERROR(ElementType, 420, "{what} needs elements of {expected}; this value has {actual}")

std::string ModelBuilder::shape(const std::vector<ir::DimId>& dims) const {
  std::string text = "[";
  for (ir::DimId d : dims)
    text += (text.size() > 1 ? ", " : "") + fmt::format("{} {}", model_->dims[d].name.view(), model_->dims[d].extent);
  return text + "]";
}

ir::DimId ModelBuilder::dim(Symbol name, int64_t extent) {
  auto& known = dimsByName_[name];
  for (ir::DimId d : known)
    if (model_->dims[d].extent == extent && model_->dims[d].kind == ir::DimKind::Basic) return d;
  known.push_back(model_->dims.add({name, extent, ir::DimKind::Basic, {}, 1}));
  return known.back();
}

ir::DimId ModelBuilder::specialDim(const ir::Dim& d) {
  auto& known = dimsByName_[d.name];
  for (ir::DimId id : known)
    if (model_->dims[id] == d) return id;
  known.push_back(model_->dims.add(d));
  return known.back();
}

// docs/language.md, section 6: the value of that name in scope, then the workload's facts. A dimension that an
// argument brought counts as a value.
ModelBuilder::Resolved ModelBuilder::resolve(Scope& scope, Symbol name, SourceRange use, bool input) {
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
  if (brought && value && brought->valid() && model_->dims[*brought].extent != value->integer) {
    context_.report(TwoExtents, use,
                    {{"dim", name.str()}, {"value", value->integer}, {"extent", model_->dims[*brought].extent}});
    failed_ = true;
    return {true, {}};
  }
  if (brought) return {true, *brought};
  std::optional<int64_t> extent;
  if (value) {
    extent = value->integer;
  } else if (auto decl = scope.module->names.find(name);
             decl != scope.module->names.end() && decl->second->kind == DeclKind::Let) {
    const Value v = ev_.valueOf(*decl->second, use);
    if (v.invalid()) return {true, {}};
    if (v.isInt()) extent = v.integer;
  }
  if (!extent) extent = extents_.find(name, input);
  if (!extent && std::find(extents_.failed.begin(), extents_.failed.end(), name) != extents_.failed.end())
    return {true, {}};
  if (!extent) return {};
  if (*extent >= 1) return {true, dim(name, *extent)};
  context_.report(ExtentNotPositive, use, {{"dim", name.str()}, {"extent", *extent}});
  failed_ = true;
  return {true, {}};
}

ModelBuilder::Resolved ModelBuilder::resolveOrReport(Scope& scope, const syntax::Name& name, bool input) {
  const Resolved r = resolve(scope, name.text, name.range, input);
  if (r.found) return r;
  failed_ = true;
  if (input && extents_.lacks && extents_.lacks(name)) return {};
  auto report = context_.report(UnknownExtent, name.range, {{"dim", name.text.str()}});
  std::vector<std::string> candidates;
  for (Scope* s = &scope; s; s = s->parent) {
    for (const NameTable::Entry& e : s->names.entries())
      if (e.value.isInt() || e.value.invalid()) candidates.push_back(e.name.str());
    for (const auto& [n, id] : s->dims) candidates.push_back(n.str());
  }
  for (const auto& [n, extent] : extents_.bound) candidates.push_back(n.str());
  report.help(didYouMean(
      name.text.view(), candidates,
      fmt::format("make it a parameter (`{0}: int`), a `let`, or a fact of the workload (`train {{ {0} = … }}`)",
                  name.text.view())));
  return {};
}

std::optional<Value> ModelBuilder::extent(Scope& scope, Symbol name) {
  for (Scope* s = &scope; s; s = s->parent)
    for (const auto& [n, id] : s->dims)
      if (n == name) return id.valid() ? Value::ofInt(model_->dims[id].extent, {}) : Value{};
  for (const auto& [n, extent] : extents_.bound)
    if (n == name) return Value::ofInt(*extents_.find(name, false), {});
  return std::nullopt;
}

std::optional<std::vector<ir::DimId>> ModelBuilder::declaredDims(const syntax::Type& type, Scope& scope, bool input) {
  std::vector<ir::DimId> dims;
  bool good = true;
  for (const DimRef& ref : type.dims) {
    if (ref.rest) {
      context_.report(RestInDeclaration, ref.range);
      good = false;
      continue;
    }
    ir::DimId id;
    if (ref.value) { // [choices = experts]: a name of its own for an extent
      const auto extent = ev_.integer(*ref.value, scope, fmt::format("dimension `{}`", ref.name.text.view()));
      if (extent && *extent < 1)
        context_.report(ExtentNotPositive, ref.range, {{"dim", ref.name.text.str()}, {"extent", *extent}});
      if (extent && *extent >= 1) id = dim(ref.name.text, *extent);
    } else {
      id = resolveOrReport(scope, ref.name, input).id;
    }
    auto sameName = [&](ir::DimId d) { return d.valid() && model_->dims[d].name == model_->dims[id].name; };
    if (id.valid() && std::any_of(dims.begin(), dims.end(), sameName)) {
      context_.report(DimensionTwice, ref.range, {{"dim", ref.name.text.str()}})
          .help(fmt::format("give one of them a name of its own: `[{0}, out_{0} = {0}]`", ref.name.text.view()));
      good = false;
    }
    good &= id.valid();
    dims.push_back(id);
  }
  if (!good) {
    failed_ = true;
    return std::nullopt;
  }
  return dims;
}

std::optional<ir::DType> ModelBuilder::declaredDType(const syntax::Type& type, Scope& scope) {
  if (!type.dtype) return std::nullopt;
  if (auto known = ir::parseDType(type.dtype->text.view())) return known;
  if (auto v = ev_.find(type.dtype->text, scope, type.dtype->range)) { // a parameter that holds one
    if (v->kind == ValueKind::DType) return v->dtype;
    if (v->invalid()) return std::nullopt;
  }
  ev_.reportUnknownDType(*type.dtype);
  failed_ = true;
  return std::nullopt;
}

/// An operator that reads ids must not be given activations, nor the other way round.
bool ModelBuilder::checkDType(const syntax::Type& type, Scope& scope, ir::ValueId value, SourceRange use,
                              std::string_view what) {
  const auto expected = declaredDType(type, scope);
  if (!expected) return true;
  const auto actual = model_->values[value].dtype;
  const bool same = actual ? ir::isFloat(*actual) == ir::isFloat(*expected) : ir::isFloat(*expected);
  if (same) return true;
  context_
      .report(ElementType, use,
              {{"what", what},
               {"expected", ir::name(*expected)},
               {"actual", actual ? ir::name(*actual) : "activations' type"}})
      .label(model_->values[value].range, "it is made here");
  return false;
}

bool ModelBuilder::bindSignature(const syntax::Parameter& p, const Value& argument, SourceRange use, Scope& scope) {
  const syntax::Type& type = *p.type;
  auto bringIn = [&](Symbol name, ir::DimId id) {
    for (auto& [n, known] : scope.dims) {
      if (n != name) continue;
      if (known == id || !id.valid() || !known.valid()) return true;
      if (model_->dims[known].extent == model_->dims[id].extent) {
        if (model_->dims[id].name == name) known = id; // the one that is called so
        return true;
      }
      context_
          .report(DimensionMismatch, use,
                  {{"dim", name.str()}, {"first", model_->dims[known].extent}, {"second", model_->dims[id].extent}})
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
  const std::vector<ir::DimId> dims = model_->values[argument.tensor->id].dims;
  if (!fits(type, dims.size())) {
    const std::string callee = context_.frames.empty() ? "" : context_.frames.back().decl->name.str();
    context_
        .report(ArgumentShape, use,
                {{"name", p.name.text.str()}, {"callee", callee}, {"expected", written(type)}, {"actual", shape(dims)}})
        .label(p.range, "declared here");
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i].rest) continue;
    const size_t at = placeOf(type, i, dims.size());
    good &= bringIn(type.dims[i].name.text, dims[at]);
    if (const NameTable::Entry* e = scope.names.find(type.dims[i].name.text);
        e && e->value.isInt() && e->value.integer != model_->dims[dims[at]].extent) {
      context_
          .report(TwoExtents, use,
                  {{"dim", e->name.str()}, {"value", e->value.integer}, {"extent", model_->dims[dims[at]].extent}})
          .label(e->range, "declared here");
      good = false;
    }
  }
  return checkDType(type, scope, argument.tensor->id, use, fmt::format("`{}`", p.name.text.view())) && good;
}

/// Is this dimension what the name says, directly or as the name that a signature gave it?
bool ModelBuilder::agrees(const DimRef& ref, ir::DimId actual, Scope& scope) {
  if (model_->dims[actual].name == ref.name.text) {
    if (ref.value) return true;
    for (Scope* s = &scope; s; s = s->parent)
      if (const NameTable::Entry* e = s->names.find(ref.name.text); e && e->value.isInt())
        return e->value.integer == model_->dims[actual].extent;
    return true;
  }
  for (Scope* s = &scope; s; s = s->parent)
    for (const auto& [n, id] : s->dims)
      if (n == ref.name.text) return id == actual || !id.valid();
  return false;
}

bool ModelBuilder::checkAnnotation(const syntax::Type& type, ir::ValueId value, SourceRange at, Scope& scope) {
  const std::vector<ir::DimId> dims = model_->values[value].dims;
  bool good = fits(type, dims.size());
  for (size_t i = 0; good && i < type.dims.size(); ++i)
    if (!type.dims[i].rest) good = agrees(type.dims[i], dims[placeOf(type, i, dims.size())], scope);
  if (!good) {
    context_.report(AnnotationMismatch, type.range, {{"actual", shape(dims)}, {"expected", written(type)}})
        .label(at, shape(dims));
    return false;
  }
  if (type.dtype && !model_->values[value].dtype) model_->values[value].dtype = declaredDType(type, scope);
  return true;
}

} // namespace planc::frontend
