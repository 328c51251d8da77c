// Reads and formats plan text through the frontend.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"

#include "frontend/format/Format.h"
#include "frontend/format/PlanText.h"
#include "frontend/parse/Parse.h"
#include "support/files/DiskFiles.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::api {

std::optional<std::string> readText(const std::string& path, std::string& error) {
  return diskFiles().plan(path, error);
}

bool isPlanText(const std::string& text) {
  SourceManager sources;
  DiagnosticEngine found;
  return formatText(sources, sources.add("text", text), found).has_value();
}

std::optional<std::string> formatText(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics) {
  return format::formatFile(sources, file, diagnostics);
}

std::optional<std::string> planText(const Compilation& plan, const ir::PlanEdit& edit, const std::string& name,
                                    DiagnosticEngine& diagnostics) {
  const ir::Plan& base = plan.plan();
  const auto refuse = [&](std::string what, std::string why, std::string help) {
    format::reportNotWritable(diagnostics, base.range, std::move(what), std::move(why), std::move(help));
    return std::nullopt;
  };
  if (plan.changed())
    return refuse(fmt::format("a change of a change of `{}`", base.name.view()), "the first one has no text",
                  "edit the plan as it was bound, with one edit that has both changes");
  if (name == base.name.view())
    return refuse(fmt::format("two plans named `{}`", name), "the file has a plan of that name",
                  "give it another name");
  const auto raw = format::planText(edit, base, name, plan.asked().named, plan.sources(), diagnostics);
  if (!raw) return std::nullopt;
  SourceManager sources;
  DiagnosticEngine found;
  auto text = format::formatFile(sources, sources.add("edited.plan", *raw), found);
  if (text) return text;
  const std::string why = found.empty() ? "it does not read" : found.sorted()[0]->message;
  return refuse(fmt::format("the change under the name `{}`", name), why,
                "a name has letters, digits and `_` and is not a keyword");
}

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

WrittenCall callOf(const syntax::Expr& expr, const SourceManager& sources) {
  const bool call = expr.kind == syntax::ExprKind::Call;
  WrittenCall out{syntax::str(call ? *expr.kids.front() : expr), {}, expr.range};
  for (const syntax::Arg& arg : expr.args)
    out.arguments.emplace_back(arg.name ? std::string(arg.name->text.str()) : "", sources.text(arg.value->range));
  return out;
}

/// Whether a statement says how the plan trains, and is no claim about it.
bool matters(const syntax::PlanItem& item) {
  return !std::holds_alternative<syntax::AssertStmt>(item.item) &&
         !std::holds_alternative<syntax::MeasuredStmt>(item.item) &&
         !std::holds_alternative<syntax::SearchBlock>(item.item) &&
         !std::holds_alternative<syntax::AllowStmt>(item.item);
}

} // namespace

std::optional<PlanSource> planSource(const SourceManager& sources, const ir::Plan& plan) {
  DiagnosticEngine unused;
  const auto file = parse::parseFile(sources, plan.range.file, unused);
  if (!file) return std::nullopt;
  PlanSource out;
  const syntax::PlanDecl* found = nullptr;
  for (const syntax::Decl& decl : file->decls) {
    if (const auto* model = std::get_if<syntax::ModelDecl>(&decl.item); model && model->value)
      out.models.emplace(model->name.text.str(), callOf(*model->value, sources));
    if (const auto* one = std::get_if<syntax::PlanDecl>(&decl.item); one && one->name.text.str() == plan.name.str())
      found = one, out.range = decl.range;
  }
  if (!found) return std::nullopt;
  for (const syntax::PlanItem& item : found->items)
    if (matters(item)) out.statements.push_back(oneLineOf(sources.text(item.range)));
  if (found->extends) {
    out.extends = callOf(*found->extends, sources);
    for (const syntax::Arg& arg : found->extends->args) out.arguments.push_back(callOf(*arg.value, sources));
  }
  return out;
}

} // namespace planc::api
