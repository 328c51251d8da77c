// Walks the paths of edits through sections of facts and the records that they name.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Edits.h"

#include "frontend/machine/Machines.h"
#include "support/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NothingToSet, 930, "{owner} has no `{name}` to set")
PLANC_ERROR(SetInsideValue, 931, "`{fact}` is {what}: there is no `{name}` in it to set")

std::string Edit::text() const {
  if (place) return place->str() + " ->";
  std::string out;
  for (const syntax::Name& name : path) out += (out.empty() ? "" : ".") + name.text.str();
  return out;
}

Edit editOf(const syntax::VaryItem& line, const syntax::Expr& value) {
  Edit made;
  for (const syntax::SelectorStep& step : line.path.steps) made.path.push_back(step.name);
  if (line.placement) made.place = line.path;
  made.value = &value;
  made.range = SourceRange::cover(line.path.range, value.range);
  if (value.range.file != line.path.range.file) made.range = line.path.range;
  return made;
}

Edit Edit::again() const {
  Edit made;
  made.path = path;
  made.place = place;
  made.value = value;
  made.range = range;
  return made;
}

syntax::Fact Edit::fact() const {
  syntax::Fact made;
  made.name = path.back();
  made.value = value;
  made.range = range;
  return made;
}

void reportNothingToSet(Context& context, const syntax::Name& name, std::string_view owner,
                        const std::vector<std::string>& known) {
  auto report = context.report(NothingToSet, name.range, {{"owner", owner}, {"name", name.text.str()}});
  const auto below = std::find_if(known.begin(), known.end(), [&](const std::string& path) {
    return path.ends_with(fmt::format(".{}", name.text.view()));
  });
  if (below != known.end())
    report.help(fmt::format("did you mean `{}`?", *below))
        .fix({fmt::format("write `{}`", *below), {{name.range, *below, name.text.str()}}});
  else
    report.meant(name.text.view(), known, "what can be set there is ");
}

void setArgument(Evaluator& evaluator, BoundDecl& decl, const ParamInfo& param, Edit& edit) {
  const std::string what = fmt::format("parameter `{}` of `{}`", param.name().view(), decl.decl->name.view());
  const Value v = evaluator.evaluateAs(*edit.value, *edit.scope, *param.type, what);
  edit.applied = true;
  if (v.invalid()) return;
  const auto known =
      std::find_if(decl.args.begin(), decl.args.end(), [&](const BoundArg& a) { return a.name == param.name(); });
  edit.after = show(v);
  if (const Value* before = evaluator.argumentOf(decl, param.name(), edit.range))
    edit.before = show(*before);
  else if (param.syntax->defaultValue)
    edit.before = evaluator.context.text(param.syntax->defaultValue->range);
  edit.differs = edit.before != edit.after;
  if (isLiteral(*edit.value)) edit.after = evaluator.context.text(edit.value->range);
  const BoundArg arg{param.name(), v, edit.range};
  if (known == decl.args.end())
    decl.args.push_back(arg);
  else
    *known = arg;
}

namespace {

/// Whether a value is a record whose facts, or a model whose parameters, can be set.
bool hasFacts(const Value& v) {
  if (v.kind != ValueKind::Decl) return false;
  switch (v.decl->decl->kind) {
  case DeclKind::Model:
  case DeclKind::Device:
  case DeclKind::Fabric:
  case DeclKind::Stack:
  case DeclKind::Cluster:
    return true;
  default:
    return false;
  }
}

void putFact(FactTree& tree, FactNode& section, const EditBelow& e) {
  Edit& edit = *e.edit;
  if (FactNode* known = section.find(e.name().text)) {
    edit.before = tree.shown(*known);
    edit.was = *known;
  }
  edit.tree = &tree;
  edit.node = &tree.put(section, edit.fact(), *edit.scope);
  edit.applied = true;
}

/// Edits whose paths go on below a fact.
void applyBelow(Context& context, FactTree& tree, FactNode& section, Symbol name, const std::vector<EditBelow>& below,
                Machines& machines) {
  FactNode* node = section.find(name);
  if (!node) {
    node = &section.children.emplace_back();
    node->name = name;
    node->nameRange = below.front().edit->path[below.front().at - 1].range;
    node->range = below.front().edit->range;
  }
  if (node->section()) return applyEdits(context, tree, *node, below, machines);
  const Value v = tree.value(*node);
  if (v.invalid()) return; // reported
  if (!hasFacts(v)) {
    for (const EditBelow& e : below)
      context
          .report(SetInsideValue, e.name().range,
                  {{"fact", name.str()}, {"what", describe(v)}, {"name", e.name().text.str()}})
          .label(node->value->range, "it stands here")
          .help("set all of it");
    return;
  }
  node->cached = machines.edited(v, below);
  node->evaluated = node->told = node->edited = true;
}

} // namespace

void applyEdits(Context& context, FactTree& tree, FactNode& section, const std::vector<EditBelow>& edits,
                Machines& machines) {
  std::vector<Symbol> names;
  for (const EditBelow& e : edits)
    if (std::find(names.begin(), names.end(), e.name().text) == names.end()) names.push_back(e.name().text);
  for (Symbol name : names) {
    std::vector<EditBelow> below;
    for (const EditBelow& e : edits) {
      if (e.name().text != name) continue;
      if (e.last())
        putFact(tree, section, e);
      else
        below.push_back({e.edit, e.at + 1});
    }
    if (!below.empty()) applyBelow(context, tree, section, name, below, machines);
  }
}

} // namespace planc::frontend
