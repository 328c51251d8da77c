// Walks the paths of edits through sections of facts and the records that they name.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Edits.h"

#include "frontend/eval/Literals.h"
#include "frontend/machine/Machines.h"
#include "ir/plan/PlanEdit.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace planc::frontend {

PLANC_ERROR(SetInsideValue, 931, "`{fact}` is {what}: it has no `{name}` to set")

namespace {

std::string dotted(std::span<const syntax::Name> path) {
  std::string out;
  for (const syntax::Name& name : path) out += (out.empty() ? "" : ".") + name.text.str();
  return out;
}

} // namespace

std::string Edit::text() const {
  return place ? place->str() + " ->" : dotted(path);
}

std::string Edit::valueText(const Context& context) const {
  return shown.empty() ? std::string(context.text(value->range)) : shown;
}

bool AppliedEdit::changes() {
  return before.empty() || (node ? tree->differ(was, *node) : differs);
}

std::string AppliedEdit::factText() const {
  return wholeAt == 0 ? text() : dotted(std::span(path).first(wholeAt));
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

syntax::Fact Edit::fact() const {
  syntax::Fact made;
  made.name = path.back();
  made.value = value;
  made.range = range;
  return made;
}

void reportNothingToSet(Context& context, const syntax::Name& name, std::string_view owner,
                        const std::vector<std::string>& known) {
  auto report = context.report(ir::nothingToSet(), name.range, {{"owner", owner}, {"name", name.text.str()}});
  const auto below = std::find_if(known.begin(), known.end(), [&](const std::string& path) {
    return path.ends_with(fmt::format(".{}", name.text.view()));
  });
  if (below != known.end())
    report.help(fmt::format("did you mean `{}`?", *below))
        .fix({fmt::format("write `{}`", *below), {{name.range, *below, name.text.str()}}});
  else
    report.meant(name.text.view(), known, "facts that can be set there are ");
}

void setArgument(Evaluator& evaluator, BoundDecl& decl, const ParamInfo& param, AppliedEdit& edit) {
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

/// The curve that a fact is, by itself or beside its statistics: `{rate = curve(…), samples = 5}`. Null: it is none.
const CurveValue* curveOf(FactTree& tree, FactNode& fact) {
  if (!fact.section()) {
    const Value v = tree.isWord(fact) ? Value{} : tree.value(fact);
    return v.kind == ValueKind::Curve ? v.curve : nullptr;
  }
  for (FactNode& child : fact.children)
    if (const CurveValue* found = child.section() ? nullptr : curveOf(tree, child)) return found;
  return nullptr;
}

/// Returns the value that a set value stands for: for a curve, a number becomes the value of all of its points.
Value inPlaceOf(Context& context, const CurveValue& before, const Value& given) {
  if (!given.numeric() || given.unit != before.yUnit) return given;
  CurveValue flat = before;
  std::fill(flat.y.begin(), flat.y.end(), given.asDouble());
  Value made;
  made.kind = ValueKind::Curve;
  made.curve = context.arena.make(std::move(flat));
  made.range = given.range;
  return made;
}

void putFact(FactTree& tree, FactNode& section, const EditBelow& e) {
  AppliedEdit& edit = *e.edit;
  const CurveValue* curve = nullptr;
  if (FactNode* known = section.find(e.name().text)) {
    edit.before = tree.shown(*known);
    edit.was = *known;
    curve = curveOf(tree, *known);
  }
  edit.tree = &tree;
  edit.node = &tree.put(section, edit.fact(), *edit.scope);
  edit.node->curve = curve;
  if (curve && isLiteral(*edit.value)) {
    Evaluator& ev = tree.evaluator();
    edit.whole = literalText(inPlaceOf(ev.context, *curve, ev.evaluate(*edit.value, *edit.scope)));
    edit.wholeAt = edit.path.size();
  }
  edit.applied = true;
}

void reportInside(Context& context, const FactNode& node, const EditBelow& e, std::string_view what,
                  std::string_view instead) {
  context
      .report(SetInsideValue, e.name().range,
              {{"fact", node.name.str()}, {"what", what}, {"name", e.name().text.str()}})
      .label(node.value->range, "its value")
      .help(std::string(instead));
}

/// Tells edits inside of one value how plans write it.
void keepWhole(const std::string& text, const std::vector<EditBelow>& below) {
  for (const EditBelow& e : below) e.edit->whole = text, e.edit->wholeAt = e.at;
}

/// A word with its arguments, each computed: a name means nothing elsewhere. Empty if an argument cannot be written.
std::string wordText(Evaluator& ev, const syntax::Expr& call, Scope& scope) {
  std::string text;
  for (const syntax::Arg& arg : call.args) {
    const std::string value = literalText(ev.evaluate(*arg.value, scope));
    if (value.empty()) return {};
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", arg.name ? arg.name->text.str() + " = " : "", value);
  }
  return fmt::format("{}({})", ev.context.text(call.kids[0]->range), text);
}

/// Arguments of a word: `fat_tree(oversubscription = 1)` with another number. What the word does not take is reported
/// by who reads it. Names in a value would be looked up in the record, so there are none.
void setArguments(FactTree& tree, FactNode& node, const std::vector<EditBelow>& below) {
  Context& context = tree.evaluator().context;
  syntax::Expr call = *node.value;
  if (call.kind != syntax::ExprKind::Call) {
    call = {};
    call.kind = syntax::ExprKind::Call;
    call.range = node.value->range;
    call.kids = {node.value};
  }
  for (const EditBelow& e : below) {
    AppliedEdit& edit = *e.edit;
    if (!e.last() || (!isLiteral(*edit.value) && edit.value->kind != syntax::ExprKind::List)) {
      reportInside(context, node, e, "a word with arguments", "set an argument to a number, or set the whole fact");
      continue;
    }
    const auto known = std::find_if(call.args.begin(), call.args.end(), [&](const syntax::Arg& arg) {
      return arg.name && arg.name->text == e.name().text;
    });
    if (known == call.args.end()) {
      call.args.push_back({e.name(), edit.value});
    } else {
      edit.before = context.text(known->value->range);
      known->value = edit.value;
    }
    edit.applied = true;
  }
  keepWhole(wordText(tree.evaluator(), call, *node.scope), below);
  node.value = context.arena.make(std::move(call));
  node.edited = true;
}

/// A field of every record in a list that has it: `all_gather.b` of all samples.
void setFields(Context& context, FactTree& tree, FactNode& node, const ListValue& list,
               const std::vector<EditBelow>& below) {
  ListValue made = list;
  for (const EditBelow& e : below) {
    AppliedEdit& edit = *e.edit;
    if (!e.last()) {
      reportInside(context, node, e, "a list of records", "name a field of these records");
      continue;
    }
    const Value given = tree.evaluator().evaluate(*edit.value, *edit.scope);
    std::vector<std::string> names;
    for (Value& item : made.items) {
      RecordValue record = *item.record;
      for (Field& field : record.fields) {
        names.push_back(field.name.str());
        if (field.name != e.name().text) continue;
        edit.before = show(field.value);
        field.value = field.value.kind == ValueKind::Curve ? inPlaceOf(context, *field.value.curve, given) : given;
        edit.applied = true;
      }
      item.record = context.arena.make(std::move(record));
    }
    if (!edit.applied) reportNothingToSet(context, e.name(), fmt::format("a record of `{}`", node.name.view()), names);
  }
  node.cached.list = context.arena.make(std::move(made));
  node.told = node.edited = true;
  keepWhole(literalText(node.cached), below);
}

bool isListOfRecords(const Value& v) {
  return v.kind == ValueKind::List && !v.list->items.empty() &&
         std::all_of(v.list->items.begin(), v.list->items.end(),
                     [](const Value& item) { return item.kind == ValueKind::Record; });
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
  if (tree.isWord(*node)) return setArguments(tree, *node, below);
  const Value v = tree.value(*node);
  if (v.invalid()) return; // reported
  if (!hasFacts(v)) {
    if (isListOfRecords(v)) return setFields(context, tree, *node, *v.list, below);
    for (const EditBelow& e : below) reportInside(context, *node, e, describe(v), "set the whole fact");
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
