// Prints names, selectors and expressions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/Tree.h"

namespace planc::syntax {
namespace {

/// Appends `parts` with `separator` between them.
template <class Parts, class Print>
void join(std::string& out, const Parts& parts, std::string_view separator, Print print) {
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    first = false;
    print(part);
  }
}

void print(std::string& out, const Expr& expr);

void printArg(std::string& out, const Arg& arg) {
  if (arg.name) out.append(arg.name->text.view()).append(" = ");
  print(out, *arg.value);
}

void printQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  out += '"';
}

void printFact(std::string& out, const Fact& fact) {
  out += fact.name.text.view();
  if (fact.args) {
    out += '(';
    join(out, *fact.args, ", ", [&](const Arg& arg) { printArg(out, arg); });
    out += ')';
  }
  for (const Name& member : fact.members) out.append(".").append(member.text.view());
  out += " = ";
  print(out, *fact.value);
}

/// Prints an operand, in parentheses unless it needs none in any context.
void printOperand(std::string& out, const Expr& expr) {
  bool compound = expr.kind == ExprKind::Binary || expr.kind == ExprKind::Unary || expr.kind == ExprKind::If;
  if (compound) out += '(';
  print(out, expr);
  if (compound) out += ')';
}

/// Prints a chain such as `a + b + c`. Its left side is as deep as the chain is long, so it is walked with a list.
void printBinary(std::string& out, const Expr& expr) {
  std::vector<const Expr*> chain;
  const Expr* first = &expr;
  for (; first->kind == ExprKind::Binary && first->text == expr.text; first = first->kids[0]) chain.push_back(first);
  printOperand(out, *first);
  for (size_t i = chain.size(); i-- > 0;) {
    out.append(" ").append(chain[i]->text).append(" ");
    printOperand(out, *chain[i]->kids[1]);
  }
}

void printPostfix(std::string& out, const Expr& expr) {
  printOperand(out, *expr.kids[0]);
  if (expr.kind == ExprKind::Member) {
    out.append(".").append(expr.name.text.view());
  } else if (expr.kind == ExprKind::Call) {
    out += '(';
    join(out, expr.args, ", ", [&](const Arg& arg) { printArg(out, arg); });
    out += ')';
  } else {
    out += '[';
    for (size_t i = 1; i < expr.kids.size(); ++i) {
      if (i > 1) out += ':';
      print(out, *expr.kids[i]);
    }
    out += ']';
  }
}

void print(std::string& out, const Expr& expr) {
  auto kid = [&](size_t i) { print(out, *expr.kids[i]); };
  switch (expr.kind) {
  case ExprKind::Int:
  case ExprKind::Float:
  case ExprKind::Quantity:
    out += expr.text;
    return;
  case ExprKind::String:
    return printQuoted(out, expr.string);
  case ExprKind::True:
    out += "true";
    return;
  case ExprKind::False:
    out += "false";
    return;
  case ExprKind::None:
    out += "none";
    return;
  case ExprKind::Name:
    out += expr.name.text.view();
    return;
  case ExprKind::Unary:
    out += expr.text;
    if (expr.text == "not") out += ' ';
    return printOperand(out, *expr.kids[0]);
  case ExprKind::Binary:
    return printBinary(out, expr);
  case ExprKind::If:
    out += "if ";
    kid(0);
    out += " then ";
    kid(1);
    out += " else ";
    return kid(2);
  case ExprKind::Call:
  case ExprKind::Member:
  case ExprKind::Index:
    return printPostfix(out, expr);
  case ExprKind::List:
    out += '[';
    join(out, expr.kids, ", ", [&](const Expr* element) { print(out, *element); });
    out += ']';
    return;
  case ExprKind::Comprehension:
    out += '[';
    kid(0);
    out.append(" for ").append(expr.name.text.view()).append(" in ");
    kid(1);
    out += ']';
    return;
  case ExprKind::Record:
    out += '{';
    join(out, expr.facts, ", ", [&](const Fact& fact) { printFact(out, fact); });
    out += '}';
    return;
  }
}

} // namespace

std::string DottedName::str() const {
  std::string out;
  join(out, parts, ".", [&](const Name& name) { out += name.text.view(); });
  return out;
}

std::string str(const Expr& expr) {
  std::string out;
  print(out, expr);
  return out;
}

std::string Selector::str() const {
  std::string out;
  join(out, steps, ".", [&](const SelectorStep& step) {
    out += step.star ? "*" : step.name.text.view();
    if (!step.hasIndex) return;
    out += '[';
    print(out, *step.begin);
    for (const Expr* bound : {step.end, step.step})
      if (bound) {
        out += ':';
        print(out, *bound);
      }
    out += ']';
  });
  return out;
}

} // namespace planc::syntax
