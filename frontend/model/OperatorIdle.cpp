// Reports statements of an operator that would be read for nothing: those given twice, and those about gradients that
// integers do not have.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Facts.h"
#include "frontend/model/OpContext.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(IdleFact, 465, "`{name}` of operator `{op}` has no effect: {reason}")

namespace {

/// A name that a statement lists, such as `x` of `save x, w`, or a fact.
struct GivenName {
  std::string_view word; ///< of the statement; empty for a fact
  const syntax::Name* name = nullptr;
  std::string_view member = {}; ///< of a fact: `bytes` of `kept.bytes`

  bool operator==(const GivenName& o) const {
    return word == o.word && member == o.member && name->text == o.name->text;
  }
  std::string str() const {
    return fmt::format("{}{}{}{}{}", word, word.empty() ? "" : " ", name->text.view(), member.empty() ? "" : ".",
                       member);
  }
};

/// Appends the names that one statement lists.
struct GivenNames {
  std::vector<GivenName>& out;

  void list(std::string_view word, const std::vector<syntax::Name>& names) const {
    for (const syntax::Name& n : names) out.push_back({word, &n});
  }
  void fact(std::string_view word, const syntax::Fact& f) const {
    if (f.members.size() <= 1) out.push_back({word, &f.name, f.members.empty() ? "" : f.members[0].text.view()});
  }

  void operator()(const syntax::SaveItem& i) const { list("save", i.names); }
  void operator()(const syntax::ReduceItem& i) const { list("reduce", i.dims); }
  void operator()(const syntax::BackwardItem& i) const { list("backward", i.names); }
  void operator()(const syntax::AlongItem& i) const { list("along", i.dims); }
  void operator()(const syntax::ContestItem& i) const { list("contest", i.dims); }
  void operator()(const syntax::DetachItem& i) const { list("detach", i.names); }
  void operator()(const syntax::Fact& f) const { fact("", f); }
  void operator()(const auto&) const {}
};

void reportRepeated(ModelState& state, const std::vector<GivenName>& names) {
  for (size_t i = 1; i < names.size(); ++i) {
    const auto first = std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]);
    if (first == names.begin() + static_cast<ptrdiff_t>(i)) continue;
    reportGivenTwice(state.context, names[i].name->range, names[i].str(), first->name->range);
    state.failed = true;
  }
}

/// Whether a type declares elements that have no gradient: integers or booleans.
bool ofIntegers(const syntax::Type& type) {
  const auto dtype = type.dtype ? ir::parseDType(type.dtype->text.view()) : std::nullopt;
  return dtype && !ir::isFloat(*dtype);
}

const syntax::Parameter* integerOperand(const OpContext& op, Symbol name) {
  for (const syntax::Parameter& p : op.syntax.params)
    if (p.name.text == name && p.type && p.type->tensor && ofIntegers(*p.type)) return &p;
  return nullptr;
}

} // namespace

DiagnosticEngine::Builder reportIdleFact(ModelState& state, const OpContext& op, SourceRange at, std::string_view name,
                                         std::string_view reason) {
  state.failed = true;
  return state.context.report(IdleFact, at, {{"name", name}, {"op", op.decl.name.str()}, {"reason", reason}});
}

void checkGivenTwice(ModelState& state, const OpContext& op) {
  std::vector<GivenName> names;
  for (const syntax::OpItem& item : op.syntax.items) {
    std::visit(GivenNames{names}, item);
    const auto* backward = std::get_if<syntax::BackwardItem>(&item);
    const auto* reduce = std::get_if<syntax::ReduceItem>(&item);
    const std::optional<syntax::Section>* section = backward ? &backward->facts : reduce ? &reduce->facts : nullptr;
    if (!section || !*section) continue;
    std::vector<GivenName> inside;
    for (const syntax::SectionItem& i : (*section)->items)
      if (const auto* f = std::get_if<syntax::Fact>(&i)) GivenNames{inside}.fact("", *f);
    reportRepeated(state, inside);
  }
  reportRepeated(state, names);
}

void checkGradients(ModelState& state, const OpContext& op) {
  const bool ends = ofIntegers(op.syntax.result);
  std::vector<GivenName> names;
  for (const syntax::OpItem& item : op.syntax.items) {
    std::visit(GivenNames{names}, item);
    const auto* all = std::get_if<syntax::BackwardItem>(&item);
    if (ends && all && all->names.empty())
      reportIdleFact(state, op, all->range, "backward", "its result has integers, which have no gradient")
          .help("remove it");
  }
  for (const GivenName& n : names) {
    if (n.word != "save" && n.word != "backward" && n.word != "detach") continue;
    if (ends) {
      reportIdleFact(state, op, n.name->range, n.str(), "its result has integers, so it has no backward pass")
          .label(op.syntax.result.range, "integers have no gradient")
          .help("remove it");
    } else if (const syntax::Parameter* p = n.word == "save" ? nullptr : integerOperand(op, n.name->text)) {
      reportIdleFact(state, op, n.name->range, n.str(), fmt::format("`{}` has integers", n.name->text.view()))
          .label(p->range, "integers have no gradient")
          .help("remove it");
    }
  }
}

} // namespace planc::frontend
