// Reads the roles that an operator declares for itself, its dimensions and its operands (docs/language.md, section 7).
// The compiler needs them and derives none from names.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/OpContext.h"
#include "ir/layout/Routed.h"
#include "support/text/Spelling.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(NotLinear, 448, "operator `{op}` cannot be linear: {reason}")
PLANC_ERROR(MissingRole, 449, "attention operator `{op}` does not state its {roles}")
PLANC_ERROR(NoHead, 580, "`head_size` of operator `{op}` is {value}: {problem}")
PLANC_ERROR(AttentionOfNothing, 581, "attention operator `{op}` has 0 FLOPs")
PLANC_ERROR(RoleForm, 450, "`{role}` takes {expected}")
PLANC_ERROR(UnnamedOperand, 451, "operator `{op}` multiplies two operands; `{name}` is a third")
PLANC_ERROR(RoleOfOtherKind, 452, "`{role}` has no effect on `kind = {kind}`")
PLANC_ERROR(BiasDimension, 453, "bias `{name}` of operator `{op}` has dimension `{dim}`, which the result lacks")

namespace {

bool any(ir::OpKind) {
  return true;
}
bool attends(ir::OpKind kind) {
  return kind == ir::OpKind::Attention;
}

/// Finds a dimension of the signature as an example for a missing role; returns an empty name if none fits.
using Example = Symbol (*)(const OpContext& op);

/// One role: the value that it takes, the kinds that may have it, and an example if an attention must have it.
struct RoleRow {
  std::string_view name;
  std::string_view takes;
  bool (*fits)(ir::OpKind);
  std::string_view written = {}; ///< text for an attention; `{}` stands for the example
  Example example = nullptr;
};

const syntax::Type* operandType(const OpContext& op, size_t index) {
  for (const syntax::Parameter& p : op.syntax.params)
    if (p.type && p.type->tensor && index-- == 0) return &*p.type;
  return nullptr;
}

bool names(const syntax::Type* type, Symbol dim) {
  return type && llvm::any_of(type->dims, [&](const syntax::DimRef& d) { return !d.rest && d.name.text == dim; });
}

/// The first dimension that one type names and the other does not.
Symbol onlyIn(const syntax::Type* type, const syntax::Type* other) {
  if (type && other)
    for (const syntax::DimRef& d : type->dims)
      if (!d.rest && !names(other, d.name.text)) return d.name.text;
  return {};
}

Symbol likelyQueries(const OpContext& op) {
  return onlyIn(operandType(op, 0), operandType(op, 1));
}
Symbol likelyKeys(const OpContext& op) {
  return onlyIn(operandType(op, 1), operandType(op, 0));
}
/// The last dimension of both queries and keys, because a kernel multiplies rows.
Symbol likelyInside(const OpContext& op) {
  const syntax::Type *first = operandType(op, 0), *second = operandType(op, 1);
  if (!first || first->dims.empty() || first->dims.back().rest) return {};
  const Symbol last = first->dims.back().name.text;
  return names(second, last) ? last : Symbol();
}

constexpr RoleRow kRoles[] = {
    {"linear", "`true` or `false`", any},
    {"queries", "a dimension", attends, "queries = {}", likelyQueries},
    {"keys", "a dimension", attends, "keys = {}", likelyKeys},
    {"inside", "a dimension or a list of them", any, "inside = {}", likelyInside},
    {"head_size", "a formula", attends, "head_size = extent({})", likelyInside},
    {"bias", "an operand: `bias = b`", ir::isContraction},
    {"share", "a fraction", ir::isAttention},
    {"last_share", "a fraction", ir::isAttention},
    {"counted_share", "a fraction", ir::isAttention},
};

/// The description of a role, with an example that uses a dimension of the operator.
std::string takesText(const OpContext& op, const RoleRow& row) {
  if (!row.example) return std::string(row.takes);
  const Symbol example = row.example(op);
  return fmt::format("{}: `{}`", row.takes,
                     fmt::format(fmt::runtime(row.written), example.empty() ? "…" : example.view()));
}

/// The kinds that have a role, for an operator of another kind.
std::string kindsText(const RoleRow& row) {
  if (row.fits == attends) return "`queries`, `keys` and `head_size` are roles of `kind = attention`";
  if (row.fits == ir::isContraction) return "`bias` is a role of the products `gemm` and `grouped_gemm`";
  return "only `scores`, `context` and `attention` have a mask: state the `flops` that remain";
}

/// The reason why an operator is not linear, and its place.
struct Obstacle {
  std::string reason;
  SourceRange range;
};

std::optional<Obstacle> obstacle(const OpContext& op) {
  for (const syntax::OpItem& item : op.syntax.items) {
    if (const auto* save = std::get_if<syntax::SaveItem>(&item))
      return Obstacle{fmt::format("it saves `{}`", save->names.front().text.view()), save->names.front().range};
    if (const auto* reduce = std::get_if<syntax::ReduceItem>(&item))
      return Obstacle{fmt::format("it keeps statistics over `{}`", reduce->dims.front().text.view()),
                      reduce->dims.front().range};
  }
  const ir::OpKind kind = op.op.kind;
  if (ir::isContraction(kind) || kind == ir::OpKind::Scores || kind == ir::OpKind::Context || attends(kind))
    return Obstacle{fmt::format("`kind = {}` multiplies its operands", ir::name(kind)),
                    factOf(op, "kind")->value->range};
  return std::nullopt;
}

void checkLinear(ModelState& state, OpContext& op, const syntax::Fact& f) {
  op.op.linear = true;
  const std::optional<Obstacle> found = obstacle(op);
  if (!found) return;
  state.failed = true;
  state.context.report(NotLinear, found->range, {{"op", op.decl.name.str()}, {"reason", found->reason}})
      .label(f.range, "it allows partial sums to pass")
      .help("a linear operator maps a sum to the sum of its results, and its gradient needs none of its operands: "
            "remove `linear`, or the fact that contradicts it");
}

/// Reads `queries` and `keys` (one dimension) and `inside` (one or a list). Returns false if it is written otherwise.
bool dimRole(ModelState& state, OpContext& op, const syntax::Fact& f) {
  std::vector<syntax::Name> names;
  const bool list = f.value->kind == ExprKind::List && f.name.text.view() == "inside";
  for (const Expr* e : list ? f.value->kids : std::vector<const Expr*>{f.value}) {
    if (e->kind != ExprKind::Name) return false;
    names.push_back(e->name);
  }
  std::vector<ir::DimId> dims;
  dimList(state, op, names, dims, false);
  if (f.name.text.view() == "inside")
    op.op.inside = std::move(dims);
  else if (!dims.empty())
    (f.name.text.view() == "keys" ? op.op.keys : op.op.queries) = dims.front();
  return true;
}

/// Reads the operand that is added to the result in the epilogue. It may have only dimensions of the result.
void biasOperand(ModelState& state, OpContext& op, const syntax::Name& name) {
  op.op.bias = operandNamed(state, op, name);
  if (op.op.bias < 0) return; // reported, or left out by this use
  const OperandInfo& o = op.operands[static_cast<size_t>(op.op.bias)];
  for (ir::DimId d : o.dims) {
    if (llvm::is_contained(op.op.resultDims, d)) continue;
    state.context
        .report(BiasDimension, name.range,
                {{"name", name.text.str()}, {"op", op.decl.name.str()}, {"dim", state.model->dims[d].name.str()}})
        .label(o.range, shape(*state.model, o.value))
        .label(op.call, "the result is " + shape(*state.model, op.op.resultDims));
    state.failed = true;
    return;
  }
}

/// Checks that an attention gives all facts that its equation and its placement need. Reports all missing facts at
/// once.
void checkAttention(ModelState& state, OpContext& op) {
  std::vector<std::string> missing, helps;
  if (!op.flopsGiven && !factOf(op, "flops")) {
    missing.emplace_back("flops");
    helps.emplace_back("`flops` takes the useful FLOPs of an unmasked pass: `flops = 4 * …`");
  }
  for (const RoleRow& row : kRoles) {
    if (!row.example || factOf(op, row.name)) continue;
    missing.emplace_back(row.name);
    helps.push_back(fmt::format("`{}` takes {}", row.name, takesText(op, row)));
  }
  if (missing.empty()) return;
  auto report = state.context.report(MissingRole, op.decl.nameRange,
                                     {{"op", op.decl.name.str()}, {"roles", quotedSeries(missing)}});
  for (std::string& help : helps) report.help(std::move(help));
  std::vector<std::string> dims;
  for (const FormalDim& f : op.formals) dims.push_back(f.name.str());
  report.note(dims.empty() ? "its signature names no dimensions: write their names instead of `..`"
                           : "its dimensions are " + quotedList(dims));
  report.note("curves of attention depend on the length of the keys and the size of a head, and the dimensions in "
              "`inside` cannot be split");
  state.failed = true;
}

/// The error in the number of elements of a head; empty if it is valid. Several heads in the dimension that the kernel
/// contracts must fill it exactly. The size may also be a mean of different widths; then the dimension holds less than
/// two heads.
std::string headProblem(const ModelState& state, const OpContext& op, double elements) {
  if (elements < 1 || elements != std::floor(elements)) return "a head has a whole number of elements, at least 1";
  double inside = 1, widest = 1;
  for (ir::DimId d : op.op.inside) inside *= ir::sizeOf(*state.model, d);
  for (ir::DimId d : op.op.dims)
    if (d != op.op.queries && d != op.op.keys) widest = std::max(widest, ir::sizeOf(*state.model, d));
  if (elements > std::max(inside, widest))
    return fmt::format("no dimension but the queries and the keys has more than {} elements", std::max(inside, widest));
  const double heads = inside / elements;
  if (op.op.inside.size() == 1 && heads >= 2 && heads != std::floor(heads))
    return fmt::format("the {} elements that it contracts inside are {:.4g} such heads", inside, heads);
  return {};
}

/// Reports impossible numbers of an attention. Checks only uses, whose extents are known.
void checkAmounts(ModelState& state, OpContext& op) {
  if (state.failed || !op.known) return;
  const auto extent = [&](ir::DimId d) { return ir::sizeOf(*state.model, d); };
  const auto value = [&](const ir::Poly& p) { return p.evaluate(extent, [](int) { return 2.0; }); };
  const syntax::Fact &flops = *factOf(op, "flops"), &head = *factOf(op, "head_size");
  if (value(op.op.flops) == 0) {
    state.context.report(AttentionOfNothing, flops.value->range, {{"op", op.decl.name.str()}})
        .help("two products of queries, keys and values: `4 · queries · keys · heads · head size` of each sample");
    state.failed = true;
  }
  const double elements = value(op.op.headSize);
  const std::string problem = headProblem(state, op, elements);
  if (problem.empty()) return;
  state.context
      .report(NoHead, head.value->range,
              {{"op", op.decl.name.str()}, {"value", fmt::format("{:.6g}", elements)}, {"problem", problem}})
      .label(op.call, "in this use")
      .help("state the elements of one head, as in `head_size = extent(head)`: curves of attention depend on it");
  state.failed = true;
}

} // namespace

const syntax::Fact* factOf(const OpContext& op, std::string_view name) {
  for (const syntax::OpItem& item : op.syntax.items)
    if (const auto* f = std::get_if<syntax::Fact>(&item); f && f->name.text.view() == name && f->members.empty())
      return f;
  return nullptr;
}

std::vector<std::string> roleNames() {
  std::vector<std::string> names;
  for (const RoleRow& row : kRoles) names.emplace_back(row.name);
  return names;
}

bool role(ModelState& state, OpContext& op, const syntax::Fact& f) {
  const auto* row = llvm::find_if(kRoles, [&](const RoleRow& r) { return r.name == f.name.text.view(); });
  if (row == std::end(kRoles)) return false;
  if (!row->fits(op.op.kind)) {
    state.context.report(RoleOfOtherKind, f.name.range, {{"role", row->name}, {"kind", ir::name(op.op.kind)}})
        .help(kindsText(*row));
    state.failed = true;
    return true;
  }
  if (row->fits == ir::isAttention) return true; // a share, which masks reads
  bool good = true;
  if (row->name == "head_size") {
    if (auto p = poly(state, op, *f.value, op.scope, units::none, "`head_size`")) op.op.headSize = std::move(*p);
  } else if (row->name == "linear") {
    const Value v = state.ev.evaluate(*f.value, op.scope);
    good = v.isBool() || v.invalid();
    if (v.isBool() && v.truth) checkLinear(state, op, f);
  } else if (row->name == "bias") {
    good = f.value->kind == ExprKind::Name;
    if (good) biasOperand(state, op, f.value->name);
  } else {
    good = dimRole(state, op, f);
  }
  if (good) return true;
  state.context.report(RoleForm, f.value->range, {{"role", row->name}, {"expected", takesText(op, *row)}});
  state.failed = true;
  return true;
}

void checkRoles(ModelState& state, OpContext& op) {
  const ir::OpKind kind = op.op.kind;
  if (attends(kind)) checkAttention(state, op), checkAmounts(state, op);
  if (!ir::isContraction(kind)) return;
  const syntax::Fact* bias = factOf(op, "bias");
  int tensors = 0;
  for (const syntax::Parameter& p : op.syntax.params) {
    if (!p.type || !p.type->tensor || ++tensors <= 2) continue;
    if (bias && bias->value->kind == ExprKind::Name && bias->value->name.text == p.name.text) continue;
    state.context.report(UnnamedOperand, p.name.range, {{"op", op.decl.name.str()}, {"name", p.name.text.str()}})
        .help(fmt::format("an operand that is added to the result is its bias: `bias = {}`", p.name.text.view()));
    state.failed = true;
  }
}

} // namespace planc::frontend
