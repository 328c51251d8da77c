// The file of a plan as far as the plan needs it, with arguments of plans of its chain said anew.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/derived/Derived.h"
#include "frontend/modules/Module.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

namespace {

/// Bytes of the file and what stands in their place.
struct Patch {
  uint32_t begin = 0, end = 0;
  std::string text;
};

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// A statement with the comments above it and the end of its line, where nothing else stands there.
Patch without(std::string_view text, SourceRange range) {
  size_t begin = range.begin, end = range.end;
  const auto lineOf = [&](size_t at) { return at == 0 ? 0 : text.rfind('\n', at - 1) + 1; };
  const size_t line = lineOf(begin);
  if (!blank(text.substr(line, begin - line))) return {range.begin, range.end, ""};
  begin = line;
  while (begin > 0) {
    const size_t above = lineOf(begin - 1);
    const std::string_view what = text.substr(above, begin - above);
    const size_t first = what.find_first_not_of(" \t");
    if (first == std::string_view::npos || !what.substr(first).starts_with("//")) break;
    begin = above;
  }
  const size_t next = text.find('\n', end);
  const std::string_view rest = text.substr(end, next == std::string_view::npos ? next : next - end);
  const size_t word = rest.find_first_not_of(" \t");
  if (word == std::string_view::npos || rest.substr(word).starts_with("//"))
    end = next == std::string_view::npos ? text.size() : next + 1;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""};
}

class Copying {
public:
  Copying(Elaboration& elab, const Module& main, const MergedPlan& merged, const DerivedNames& names)
      : elab_(elab), main_(main), merged_(merged), names_(names), text_(elab.context.sources.text(main.file)) {}

  bool argument(const DeclInfo& heir, const Edit& edit) {
    const Expr* call = heir.module == &main_ ? heir.as<syntax::PlanDecl>().extends : nullptr;
    const ChainLink* base = nullptr;
    for (size_t i = 1; i < merged_.chain.size(); ++i)
      if (&merged_.chain[i].decl == &heir) base = &merged_.chain[i - 1];
    if (!call || !base) return false;
    const std::string value = edit.valueText(elab_.context);
    const std::string said = fmt::format("{} = {}", edit.path[0].text.view(), value);
    if (call->kind != ExprKind::Call) {
      patches_.push_back({call->range.end, call->range.end, "(" + said + ")"});
      return true;
    }
    const auto params = elab_.ev.params(base->decl);
    for (size_t i = 0; i < call->args.size(); ++i) {
      const syntax::Arg& arg = call->args[i];
      const Symbol name = arg.name ? arg.name->text : i < params.size() ? params[i].name() : Symbol();
      if (name != edit.path[0].text) continue;
      patches_.push_back({arg.value->range.begin, arg.value->range.end, value});
      return true;
    }
    const uint32_t close = call->range.end - 1;
    patches_.push_back({close, close, (call->args.empty() ? "" : ", ") + said});
    return true;
  }

  /// The last plan of the chain under another name, with more statements. False if a parameter has no default.
  bool change(const DerivedBody& body) {
    const auto& plan = merged_.decl.as<syntax::PlanDecl>();
    for (const Edit* edit : body.own) {
      const syntax::Parameter* of = nullptr;
      for (const syntax::Parameter& p : *plan.params)
        if (p.name.text == edit->path[0].text) of = &p;
      if (!of || !of->defaultValue) return false;
      patches_.push_back({of->defaultValue->range.begin, of->defaultValue->range.end, edit->valueText(elab_.context)});
    }
    for (const syntax::Decl& decl : main_.tree->decls) {
      if (std::get_if<syntax::PlanDecl>(&decl.item) != &plan) continue;
      patches_.push_back({decl.range.begin, decl.range.begin, "/// " + body.sentence + "\n"});
      patches_.push_back({decl.range.end - 1, decl.range.end - 1, "\n" + body.statements});
    }
    patches_.push_back({plan.name.range.begin, plan.name.range.end, body.name});
    return true;
  }

  std::string run() {
    for (const syntax::Decl& decl : main_.tree->decls) {
      const auto* plan = std::get_if<syntax::PlanDecl>(&decl.item);
      if (std::holds_alternative<syntax::CompareDecl>(decl.item) || (plan && !inChain(*plan)))
        patches_.push_back(without(text_, decl.range));
      else if (plan)
        for (const syntax::PlanItem& item : plan->items)
          if (std::holds_alternative<syntax::SearchBlock>(item.item)) patches_.push_back(without(text_, item.range));
    }
    for (const Import& import : main_.imports) // those of the library are found from everywhere
      if (import.module && !import.module->library)
        patches_.push_back({import.range.begin, import.range.end, names_.importLine(import)});
    const size_t place = behindImports();
    const bool first = place == 0;
    patches_.push_back({static_cast<uint32_t>(place), static_cast<uint32_t>(place),
                        (first ? "" : "\n") + names_.imports() + (first ? "\n" : "")});
    std::stable_sort(patches_.begin(), patches_.end(),
                     [](const Patch& a, const Patch& b) { return a.begin > b.begin; });
    std::string out(text_);
    for (const Patch& patch : patches_) out.replace(patch.begin, patch.end - patch.begin, patch.text);
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (const size_t mark = out.find(kByteOrderMark); mark != std::string::npos) out.erase(mark, kByteOrderMark.size());
    return out;
  }

private:
  /// The end of the line of the last import; 0 without one.
  size_t behindImports() const {
    size_t place = 0;
    for (const Import& import : main_.imports) place = std::max<size_t>(place, import.range.end);
    return place == 0 ? 0 : std::min(text_.find('\n', place), text_.size());
  }
  bool inChain(const syntax::PlanDecl& plan) const {
    return std::any_of(merged_.chain.begin(), merged_.chain.end(),
                       [&](const ChainLink& link) { return &link.decl.as<syntax::PlanDecl>() == &plan; });
  }

  Elaboration& elab_;
  const Module& main_;
  const MergedPlan& merged_;
  const DerivedNames& names_;
  std::string_view text_;
  std::vector<Patch> patches_;
};

} // namespace

std::optional<std::string> derivedCopy(Elaboration& elab, const Module& main, const MergedPlan& merged,
                                       const DerivedArguments& arguments, const DerivedNames& names,
                                       const DerivedBody* body) {
  Copying copying(elab, main, merged, names);
  for (size_t i = arguments.size(); i-- > 0;) // the last is put in place first
    if (!copying.argument(*arguments[i].first, *arguments[i].second)) return std::nullopt;
  if (body && !copying.change(*body)) return std::nullopt;
  return copying.run();
}

} // namespace planc::frontend
