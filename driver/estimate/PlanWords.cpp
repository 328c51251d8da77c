// Reads the declaration of a plan and of its model again, for their words.
// SPDX-License-Identifier: Apache-2.0
#include "driver/estimate/PlanWords.h"

#include "frontend/parse/Parse.h"

#include <algorithm>

namespace planc::driver {
namespace {

/// The text on one line.
std::string oneLineOf(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != ' ' && text[at] != '\n') {
      out += text[at];
      continue;
    }
    const size_t next = std::min(text.find_first_not_of(" \n", at), text.size());
    const bool statement = text.substr(at, next - at).find('\n') != std::string_view::npos && !out.empty() &&
                           next < text.size() && std::string_view("{,([").find(out.back()) == std::string_view::npos &&
                           std::string_view("})]").find(text[next]) == std::string_view::npos;
    out += statement ? "; " : " ";
    at = next - 1;
  }
  return out;
}

foreign::WrittenCall callOf(const syntax::Expr& expr, const SourceManager& sources) {
  const bool call = expr.kind == syntax::ExprKind::Call;
  foreign::WrittenCall out{syntax::str(call ? *expr.kids.front() : expr), {}, expr.range};
  for (const syntax::Arg& arg : expr.args)
    out.arguments.emplace_back(arg.name ? std::string(arg.name->text.str()) : "", sources.text(arg.value->range));
  return out;
}

/// The declaration of a name; null if the file has none.
template <class Kind> const Kind* declared(const syntax::File& file, std::string_view name) {
  for (const syntax::Decl& one : file.decls)
    if (const Kind* decl = std::get_if<Kind>(&one.item); decl && decl->name.text.str() == name) return decl;
  return nullptr;
}

/// Whether a statement says how the plan trains, and is no claim about it.
bool matters(const syntax::PlanItem& item) {
  return !std::holds_alternative<syntax::AssertStmt>(item.item) &&
         !std::holds_alternative<syntax::MeasuredStmt>(item.item) &&
         !std::holds_alternative<syntax::SearchBlock>(item.item) &&
         !std::holds_alternative<syntax::AllowStmt>(item.item);
}

} // namespace

foreign::PlanWords wordsOf(const api::Compilation& compilation, const SourceManager& sources) {
  const ir::Plan& plan = compilation.plan();
  foreign::PlanWords out;
  out.name = plan.title;
  out.recipe.range = out.model.range = plan.range;
  out.devices = compilation.program()->mesh.devices();
  out.globalBatch = plan.workload.globalBatch;
  out.microBatch = plan.workload.microBatch;
  for (const ir::WorkloadPhase& phase : plan.workload.phases)
    if (!phase.extents.empty()) out.seq = phase.extents.front().second;
  out.compute = ir::name(plan.precision.compute);
  out.grads = ir::name(plan.precision.grads);
  DiagnosticEngine unused;
  const auto file = parse::parseFile(sources, plan.range.file, unused);
  const auto* decl = file ? declared<syntax::PlanDecl>(*file, plan.name.str()) : nullptr;
  if (!decl) return out;
  for (const syntax::PlanItem& item : decl->items)
    if (matters(item)) out.statements.push_back(oneLineOf(sources.text(item.range)));
  if (!decl->extends) return out;
  out.recipe = callOf(*decl->extends, sources);
  const auto& arguments = decl->extends->args;
  const auto model = std::find_if(arguments.begin(), arguments.end(),
                                  [](const syntax::Arg& arg) { return !arg.name || arg.name->text.str() == "m"; });
  if (model == arguments.end()) return out;
  out.model = callOf(*model->value, sources);
  out.modelName = out.model.path;
  if (const auto* named = declared<syntax::ModelDecl>(*file, out.modelName); named && named->value)
    out.model = callOf(*named->value, sources);
  return out;
}

} // namespace planc::driver
