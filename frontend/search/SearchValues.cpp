// Evaluates the list of a `vary`: words and paths stay as written, all else becomes numbers, texts and names.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/search/SearchValues.h"

#include "frontend/eval/Literals.h"
#include "frontend/plan/SearchMistakes.h"
#include "frontend/plan/Words.h"
#include "frontend/search/ListReading.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(VaryValues, 677, "`vary` needs a list of values that can be set; this is {type}")

namespace {

class Listing {
public:
  Listing(Elaboration& elab, const VariedLine& line, Scope& scope, SearchedSpace& out, bool mayFail)
      : elab_(elab), line_(line), scope_(scope), out_(out), mayFail_(mayFail) {}

  bool list(const Expr& written) {
    const Expr* chosen = chosenWord(elab_, written, scope_);
    if (!chosen) return false;
    if (chosen->kind == ExprKind::List) {
      for (const Expr* kid : chosen->kids)
        if (!element(*kid)) return false;
      return true;
    }
    const Value v = mayFail_ ? tried(*chosen) : elab_.ev.evaluate(*chosen, scope_);
    if (v.invalid() && mayFail_) {
      values.push_back({std::string(elab_.context.text(chosen->range)), chosen, true});
      return true;
    }
    if (v.invalid()) return false;
    if (v.kind != ValueKind::List) return refuse(chosen->range, describe(v));
    for (const Value& item : v.list->items)
      if (!value(item, chosen->range)) return false;
    return true;
  }

  std::vector<VariedValue> values;

private:
  /// Evaluates without a word about mistakes.
  Value tried(const Expr& e) {
    Context& context = elab_.context;
    const uint64_t failures = context.failures;
    DiagnosticEngine before = context.diagnostics.take();
    const Value v = elab_.ev.evaluate(e, scope_);
    const DiagnosticEngine found = context.diagnostics.take();
    context.diagnostics = std::move(before);
    context.failures = failures;
    if (!v.invalid())
      for (const Diagnostic* warning : found.sorted()) reportAgain(context, *warning);
    return v;
  }

  bool refuse(SourceRange at, std::string type) {
    elab_.context.report(VaryValues, at, {{"type", std::move(type)}});
    return false;
  }

  bool add(std::string text, const Expr& expr) {
    values.push_back({std::move(text), &expr});
    return true;
  }

  Expr& make(ExprKind kind, std::string text, SourceRange range) {
    Expr& made = out_.made.emplace_back();
    made.kind = kind;
    made.range = range;
    made.text = out_.texts.emplace_back(std::move(text));
    return made;
  }
  const Expr& literal(ExprKind kind, const std::string& text, SourceRange range) {
    if (!text.starts_with('-')) return make(kind, text, range);
    Expr& number = make(kind, text.substr(1), range);
    Expr& minus = make(ExprKind::Unary, "-", range);
    minus.kids = {&number};
    return minus;
  }
  const Expr& word(const std::string& text, SourceRange range) {
    Expr& made = make(ExprKind::Name, text, range);
    made.name = {Symbol(text), range};
    return made;
  }
  /// `te.te_2606`
  const Expr& path(const std::string& text, SourceRange range) {
    const size_t dot = text.rfind('.');
    if (dot == std::string::npos) return word(text, range);
    const Expr& base = path(text.substr(0, dot), range);
    Expr& made = make(ExprKind::Member, text, range);
    made.kids = {&base};
    made.name = {Symbol(text.substr(dot + 1)), range};
    return made;
  }

  /// Candidates do not know the names that it is computed from.
  static bool isComputed(const Expr& e) {
    return e.kind == ExprKind::Binary || e.kind == ExprKind::If || (e.kind == ExprKind::Unary && e.text == "not");
  }

  bool element(const Expr& e) {
    if (isCount(line_.kind)) {
      if (e.kind == ExprKind::Int) return add(std::string(elab_.context.text(e.range)), e);
      const auto count = elab_.ev.integer(e, scope_, fmt::format("`{}`", line_.path));
      return count && add(std::to_string(*count), literal(ExprKind::Int, std::to_string(*count), e.range));
    }
    if (line_.kind == ir::SettingKind::Schedule) {
      const Expr* chosen = chosenWord(elab_, e, scope_);
      return chosen && knownSchedule(elab_, *chosen) && schedule(*chosen);
    }
    if (line_.kind == ir::SettingKind::Text && !line_.item->placement && isComputed(e)) {
      const Value v = mayFail_ ? tried(e) : elab_.ev.evaluate(e, scope_);
      if (!v.invalid()) return value(v, e.range);
      if (!mayFail_) return false;
    }
    return add(std::string(elab_.context.text(e.range)), e);
  }

  /// A value that was computed.
  bool value(const Value& v, SourceRange range) {
    switch (v.kind) {
    case ValueKind::Int:
      return add(std::to_string(v.integer), literal(ExprKind::Int, std::to_string(v.integer), range));
    case ValueKind::Number: {
      const std::string text = v.unit.plain() ? floatText(v.number) : quantityText(v.number, v.unit);
      if (text.empty()) break;
      return add(text, literal(v.unit.plain() ? ExprKind::Float : ExprKind::Quantity, text, range));
    }
    case ValueKind::Bool:
      return add(v.truth ? "true" : "false", make(v.truth ? ExprKind::True : ExprKind::False, "", range));
    case ValueKind::None:
      return add("none", make(ExprKind::None, "none", range));
    case ValueKind::String: {
      Expr& made = make(ExprKind::String, *v.string, range);
      made.string = *v.string;
      return add("\"" + *v.string + "\"", made);
    }
    case ValueKind::Enum:
      return add(v.symbol.str(), word(v.symbol.str(), range));
    case ValueKind::DType:
      return add(std::string(ir::name(v.dtype)), word(std::string(ir::name(v.dtype)), range));
    case ValueKind::Decl: { // by the name that it was written with
      const std::string text(v.range.valid() ? elab_.context.text(v.range) : std::string_view());
      const bool name = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '.';
      });
      if (name) return add(text, path(text, range));
      break;
    }
    default:
      break;
    }
    return refuse(range, "a list with " + describe(v));
  }

  /// `interleaved_1f1b(chunks = [2, 5, 10])` is three schedules.
  bool schedule(const Expr& e) {
    const bool call = e.kind == ExprKind::Call;
    const bool plain = !call || std::all_of(e.args.begin(), e.args.end(), [](const syntax::Arg& arg) {
      return !arg.name || arg.value->kind == ExprKind::Int;
    });
    if (plain) return add(std::string(elab_.context.text(e.range)), e);
    std::vector<std::vector<syntax::Arg>> calls{{}};
    for (const syntax::Arg& arg : e.args) {
      std::vector<const Expr*> counts;
      if (!argument(arg, counts)) return false;
      std::vector<std::vector<syntax::Arg>> longer;
      for (const auto& args : calls)
        for (const Expr* count : counts) {
          longer.push_back(args);
          longer.back().push_back({arg.name, count});
        }
      calls = std::move(longer);
    }
    for (auto& args : calls) {
      std::string text;
      for (const syntax::Arg& arg : args)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", arg.name->text.view(), arg.value->text);
      text = fmt::format("{}({})", elab_.context.text(e.kids[0]->range), text);
      Expr& made = make(ExprKind::Call, text, e.range);
      made.kids = {e.kids[0]};
      made.args = std::move(args);
      if (!add(text, made)) return false;
    }
    return true;
  }
  bool argument(const syntax::Arg& arg, std::vector<const Expr*>& counts) {
    const Value v = elab_.ev.evaluate(*arg.value, scope_);
    if (v.invalid()) return false;
    const std::vector<Value> items = v.kind == ValueKind::List ? v.list->items : std::vector<Value>{v};
    if (items.empty()) return refuse(arg.value->range, "an empty list as an argument of a schedule");
    for (const Value& item : items) {
      if (!item.isInt()) return refuse(arg.value->range, describe(item) + " as an argument of a schedule");
      counts.push_back(&make(ExprKind::Int, std::to_string(item.integer), arg.value->range));
    }
    return true;
  }

  Elaboration& elab_;
  const VariedLine& line_;
  Scope& scope_;
  SearchedSpace& out_;
  bool mayFail_;
};

} // namespace

std::optional<std::vector<VariedValue>> variedValues(Elaboration& elab, const VariedLine& line, Scope& scope,
                                                     SearchedSpace& out, bool mayFail) {
  Listing listing(elab, line, scope, out, mayFail);
  if (listing.list(*line.item->values)) return std::move(listing.values);
  elab.ok = false;
  return std::nullopt;
}

} // namespace planc::frontend
