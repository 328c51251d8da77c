// The statements of a plan that extends another one by values that were set.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/derived/Derived.h"
#include "frontend/format/RecordText.h"
#include "frontend/format/RuleText.h"
#include "frontend/modules/Module.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/statements/Mesh.h"
#include "ir/plan/PlanEdit.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

namespace {

using ir::Statement;

class Deriving {
public:
  Deriving(Elaboration& elab, const BoundDecl& decl, SourceRange use, const std::vector<Edit>& edits,
           const DerivedHome& home)
      : elab_(elab), decl_(decl), use_(use), edits_(edits), home_(home), main_(*decl.decl->module),
        names_(elab.context, main_, home) {}

  std::optional<std::string> run() {
    auto text = write();
    if (!text && home_.why && !names_.unnamed().empty()) *home_.why = names_.unnamed();
    return text;
  }

private:
  std::optional<std::string> write() {
    now_ = folded(edits_);
    if (!now_) return std::nullopt;
    std::vector<Edit> outer;
    for (const Edit& e : edits_)
      if (parameterOf(e) || isNamed(e)) outer.push_back(e);
    base_ = folded(outer);
    if (!base_) return std::nullopt;
    machine(elab_, *now_); // what records say is known once they are computed
    for (AppliedEdit& e : now_->edits.all)
      if (!statement(e)) return std::nullopt;
    if (!named() || !block(Statement::Pipeline, pipeline_) || !block(Statement::Overlap, overlap_)) return std::nullopt;
    if (!mesh_.empty()) line(Mesh, fmt::format("override mesh {{ {} }}", mesh_));
    if (now_->search && !(home_.copied && now_->search->scope->module == &main_)) line(Rest, "override search { }");
    return file();
  }

  // ---- the plan with and without what is set

  std::unique_ptr<MergedPlan> folded(const std::vector<Edit>& edits) {
    return merge(elab_, decl_, use_, {edits, decl_.decl->name});
  }

  /// The plan of the chain that an edit gives an argument; null: it is no parameter.
  const DeclInfo* parameterOf(const Edit& e) const {
    if (e.path.size() != 1 || e.place) return nullptr;
    for (size_t i = now_->chain.size(); i-- > 0;)
      for (const ParamInfo& p : elab_.ev.params(now_->chain[i].decl))
        if (p.name() == e.path[0].text) return &now_->chain[i].decl;
    return nullptr;
  }
  /// All of what the plan names.
  static bool isNamed(const Edit& e) {
    const ir::StatementRow* row = e.path.size() == 1 && !e.place ? ir::statementNamed(e.text()) : nullptr;
    return row && row->form == ir::StatementForm::Named;
  }

  // ---- texts

  /// The parts of a plan, in the order in which they are written.
  enum Part { Named, Facts, Mesh, Rules, Pipeline, Recomputed, Rest, kParts };
  void line(Part part, const std::string& text) { lines_[part] += "  " + text + "\n"; }
  static void item(std::string& list, const std::string& text) { list += (list.empty() ? "" : "; ") + text; }

  std::string valueText(const Edit& e) const { return e.valueText(elab_.context); }
  /// The value as it stands, with the imports that it needs.
  bool take(const AppliedEdit& e) { return names_.take(*e.value, e.scope ? *e.scope->module : main_); }

  // ---- one value

  bool statement(AppliedEdit& e) {
    if (const DeclInfo* of = parameterOf(e)) return parameter(e, *of);
    const Symbol first = e.path[0].text;
    if (e.place) return rule(e);
    const ir::SettingRow* row = ir::settingAt(e.text());
    if (row && row->kind == ir::SettingKind::Recompute) return recompute();
    if (row && row->kind == ir::SettingKind::Axis) return axis(e);
    if (now_->lets.root().find(first)) return constant(e);
    if (!now_->facts.root().find(first)) {
      (ir::is(first, Statement::Overlap) ? overlap_ : pipeline_).push_back(&e);
      return take(e);
    }
    return fact(e);
  }

  bool parameter(AppliedEdit& e, const DeclInfo& of) {
    if (&of == decl_.decl) return set_.insert(e.path[0].text.str()), own_.push_back(&e), true; // of the extended plan
    for (size_t i = 1; i < now_->chain.size(); ++i) {
      if (&now_->chain[i - 1].decl != &of) continue;
      if (isDefault(elab_, now_->chain[i], now_->chain[i - 1], e, valueText(e))) return true;
      set_.insert(e.path[0].text.str()), arguments_.emplace_back(&now_->chain[i].decl, &e);
    }
    return take(e);
  }

  template <class Rule> bool ruleLine(const Rule& rule, const std::vector<Rule>& before) {
    if (const auto text = format::ruleChange(rule, ir::replacedBy(rule, before))) line(Rules, *text);
    return true;
  }
  bool rule(const Edit& e) {
    return ir::settingAt(e.text())->kind == ir::SettingKind::State
               ? ruleLine(now_->edits.states[states_++], base_->states.rules)
               : ruleLine(now_->edits.placements[placements_++], base_->placements.rules);
  }

  bool recompute() {
    const auto texts = [](const MergedPlan& merged) {
      std::vector<std::string> out;
      for (const RecomputeDraft& d : merged.recompute)
        if (!d.rule.selectors.empty()) out.push_back(d.rule.str());
      return out;
    };
    std::vector<std::string> now = texts(*now_);
    if (now == texts(*base_)) return true;
    for (const ChainLink& link : base_->chain)
      for (const syntax::PlanItem& item : link.decl.as<syntax::PlanDecl>().items)
        if (std::holds_alternative<syntax::RecomputeStmt>(item.item)) replaced_.push_back(item.range);
    for (const std::string& text : format::recomputeLines(std::move(now), !base_->recompute.empty()))
      line(Recomputed, text);
    return true;
  }

  /// An axis keeps its place.
  bool axis(const Edit& e) {
    AxisDraft* before = base_->mesh.find(e.path[1].text);
    if (!before) return false;
    const std::string value = valueText(e);
    if (elab_.context.text(before->syntax->value->range) == value || isSize(*before, value)) return true;
    replaced_.push_back(before->syntax->value->range);
    const syntax::AxisItem& was = *before->syntax;
    std::string text = fmt::format("{} = {}", was.name.text.view(), value);
    if (was.where != syntax::AxisItem::Where::Anywhere)
      text += fmt::format(" {} {}", was.where == syntax::AxisItem::Where::Within ? "within" : "across",
                          was.level.text.view());
    item(mesh_, text);
    return true;
  }

  /// An axis that has this size, or takes what is left: then there is no other that it may have.
  bool isSize(AxisDraft& axis, const std::string& value) {
    if (takesRest(elab_.ev, axis)) return true;
    const auto size = axisSize(elab_.ev, base_->mesh, axis);
    return size && std::to_string(*size) == value;
  }

  bool constant(AppliedEdit& e) {
    if (e.path.size() > 1) return false; // a part of a constant
    if (e.changes()) line(Facts, fmt::format("override let {} = {}", e.path[0].text.view(), valueText(e)));
    return take(e);
  }

  bool fact(AppliedEdit& e) {
    if (isNamed(e)) {
      if (e.changes()) line(Named, fmt::format("{}{} = {}", verb(e), e.text(), valueText(e)));
      return take(e);
    }
    FactNode* at = &base_->facts.root();
    for (size_t i = 0; i + 1 < e.path.size() && at; ++i) {
      at = at->find(e.path[i].text);
      if (at && !at->section()) return i == 0 && below(e, *at); // it names a record, whose facts these are
    }
    if (e.changes()) {
      line(Facts, fmt::format("{}{} = {}", verb(e), e.text(), valueText(e)));
      if (e.was.range.valid()) replaced_.push_back(e.was.range);
    }
    return take(e);
  }
  static std::string_view verb(const AppliedEdit& e) { return e.before.empty() ? "" : "override "; }

  // ---- what the plan names, with arguments or facts of its own

  bool below(AppliedEdit& e, FactNode& of) {
    const Value value = base_->facts.value(of);
    if (value.kind != ValueKind::Decl) return false;
    auto [known, first] = named_.try_emplace(of.name.str(), *value.decl);
    known->second.lasting = false; // as long as this
    const auto params = elab_.ev.params(*value.decl->decl);
    const bool isArgument = e.path.size() == 2 && std::any_of(params.begin(), params.end(), [&](const ParamInfo& p) {
                              return p.name() == e.path[1].text;
                            });
    if (isArgument) {
      const Value argument = elab_.ev.evaluateAs(*e.value, *e.scope, *typeOf(params, e.path[1].text), "an argument");
      if (e.changes()) setArgument(known->second, e.path[1].text, argument), argued_.insert(known->first);
      return !argument.invalid();
    }
    const ir::SettingRow* row = ir::settingAt(e.text());
    if (!row || row->kind != ir::SettingKind::Record) return false;
    if (e.wholeAt != 0) { // the value that holds it, once for all that is set in it
      const bool good = !e.whole.empty();
      if (good && e.changes() && whole_.insert(e.factText()).second) records_.add(e.factText(), true, e.whole);
      return good;
    }
    if (e.changes()) records_.add(e.text(), !e.before.empty(), valueText(e));
    return take(e);
  }
  static const TypeInfo* typeOf(std::span<const ParamInfo> params, Symbol name) {
    return std::find_if(params.begin(), params.end(), [&](const ParamInfo& p) { return p.name() == name; })->type;
  }
  static void setArgument(BoundDecl& decl, Symbol name, const Value& value) {
    for (BoundArg& arg : decl.args)
      if (arg.name == name) {
        arg.value = value;
        return;
      }
    decl.args.push_back({name, value, {}});
  }

  /// `override cluster = hgx.hgx_h100(nodes = 8)`, or of a record that is declared for it.
  bool named() {
    format::RecordText::Bases bases;
    std::string arguments;
    std::shared_ptr<const ir::Cluster> cluster;
    for (const auto& [fact, decl] : named_) {
      const auto text = names_.of(decl);
      if (!text) return false;
      const Statement statement = ir::statementNamed(fact)->statement;
      (statement == Statement::Cluster    ? bases.cluster
       : statement == Statement::Software ? bases.software
                                          : arguments) = *text;
      if (statement != Statement::Cluster) continue;
      auto made = elab_.machines.cluster(decl, use_);
      if (!made) return false;
      cluster = std::make_shared<const ir::Cluster>(std::move(*made));
    }
    const auto naming = [&](SourceRange declared, Symbol name,
                            const std::string&) -> std::optional<format::RecordName> {
      const auto text = names_.at(declared, name);
      return text ? std::optional(format::RecordName{"", *text}) : std::nullopt;
    };
    const auto made = records_.declare(home_.name, cluster.get(), bases, naming);
    if (!std::holds_alternative<format::RecordText::Declared>(made)) return false;
    const auto& done = std::get<format::RecordText::Declared>(made);
    declarations_ = done.text;
    const auto say = [&](Statement statement, const std::string& record, const std::string& base) {
      const std::string fact(ir::name(statement));
      if (!record.empty() || argued_.contains(fact))
        line(Named, fmt::format("override {} = {}", fact, record.empty() ? base : record));
    };
    say(Statement::Model, "", arguments);
    say(Statement::Cluster, done.cluster, bases.cluster);
    say(Statement::Software, done.software, bases.software);
    return true;
  }

  // ---- blocks that are overridden as a whole

  /// A fact of a block, or one of its lines.
  std::string blockItem(SourceRange range, Symbol fact, const std::vector<const AppliedEdit*>& edits) const {
    for (const Edit* e : edits)
      if (e->path.size() == 2 && e->path[1].text == fact) return fmt::format("{} = {}", fact.view(), valueText(*e));
    return std::string(elab_.context.text(range));
  }

  bool block(Statement statement, const std::vector<const AppliedEdit*>& edits) {
    if (edits.empty()) return true;
    const bool isPipeline = statement == Statement::Pipeline;
    std::string head(ir::name(statement)), items, before;
    const size_t inside = head.size() + 1;
    std::vector<Symbol> said;
    const auto add = [&](SourceRange range, Symbol fact) {
      item(items, blockItem(range, fact, edits));
      item(before, std::string(elab_.context.text(range)));
      said.push_back(fact);
    };
    const bool known = isPipeline ? base_->pipeline.has_value() : base_->overlap.has_value();
    if (isPipeline && known) {
      const syntax::PipelineBlock& pipeline = *base_->pipeline->syntax;
      for (size_t i = 0; i < pipeline.axes.size(); ++i) head += (i ? ", " : " ") + pipeline.axes[i].str();
      for (const auto& it : pipeline.items)
        if (const auto* f = std::get_if<syntax::Fact>(&it))
          add(f->range, f->name.text);
        else
          add(std::get<syntax::StageItem>(it).range, Symbol());
    } else if (known) {
      for (const auto& it : base_->overlap->syntax->items)
        if (const auto* f = std::get_if<syntax::Fact>(&it))
          add(f->range, f->members.empty() ? f->name.text : Symbol());
        else
          return false;
    }
    for (const Edit* e : edits)
      if (std::find(said.begin(), said.end(), e->path[1].text) == said.end())
        item(items, fmt::format("{} = {}", e->text().substr(inside), valueText(*e)));
    if (items != before) line(Pipeline, fmt::format("{}{} {{ {} }}", known ? "override " : "", head, items));
    return true;
  }

  // ---- the file

  /// The plan with its arguments, as the text names it.
  std::optional<std::string> extended() {
    const auto found = std::find_if(now_->edits.decls.begin(), now_->edits.decls.end(),
                                    [&](const BoundDecl& d) { return d.decl == decl_.decl; });
    return names_.of(found == now_->edits.decls.end() ? decl_ : *found);
  }

  std::optional<std::string> inPlace() {
    DerivedBody body{home_.name, home_.sentence, {}, own_};
    for (const std::string& part : lines_) body.statements += part;
    *home_.assumed = stillAssumed(elab_, *now_, replaced_, set_);
    const auto copy = derivedCopy(elab_, main_, *now_, arguments_, names_, &body);
    return copy ? std::optional(*copy + "\n" + declarations_) : std::nullopt;
  }

  std::optional<std::string> file() {
    if (!home_.copied && !arguments_.empty()) return std::nullopt;
    if (home_.inPlace()) return inPlace();
    const auto base = extended();
    if (!base) return std::nullopt;
    std::string text;
    if (home_.copied) {
      const auto copy = derivedCopy(elab_, main_, *now_, arguments_, names_, nullptr);
      if (!copy) return std::nullopt;
      text = *copy + "\n";
    } else {
      text = names_.imports() + "\n";
    }
    text += declarations_;
    if (!home_.sentence.empty()) text += fmt::format("/// {}\n", home_.sentence);
    text += fmt::format("plan {} extends {} {{\n", home_.name, *base);
    for (const std::string& part : lines_) text += part;
    return text + "}\n";
  }

  Elaboration& elab_;
  const BoundDecl& decl_;
  SourceRange use_;
  const std::vector<Edit>& edits_;
  const DerivedHome& home_;
  const Module& main_;
  DerivedNames names_;
  std::unique_ptr<MergedPlan> now_;  ///< with all that is set
  std::unique_ptr<MergedPlan> base_; ///< what is extended: with parameters, and what facts name
  size_t states_ = 0, placements_ = 0;
  std::string lines_[kParts], mesh_, declarations_;
  std::vector<const AppliedEdit*> pipeline_, overlap_;
  std::vector<const Edit*> own_;      ///< parameters of the plan itself
  std::vector<SourceRange> replaced_; ///< what does not hold any more
  std::set<std::string> set_;         ///< parameters that were given values
  DerivedArguments arguments_;
  std::map<std::string, BoundDecl> named_; ///< by fact
  std::set<std::string> argued_;           ///< of these those that are given other arguments
  std::set<std::string> whole_;            ///< facts that are written as a whole
  format::RecordText records_;
};

} // namespace

std::optional<std::string> derivedPlan(Evaluator& evaluator, Machines& machines, const BoundDecl& decl, SourceRange use,
                                       const std::vector<Edit>& edits, const DerivedHome& home) {
  ir::Plan plan;
  Elaboration elab{evaluator, evaluator.context, machines, plan};
  return Deriving(elab, decl, use, edits, home).run();
}

} // namespace planc::frontend
