// Reads the optimizer of a plan: a record of its states per parameter and of its update.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/Workload.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(OptimizerForm, 672, "an optimizer is a record with `states`; {problem}")

namespace {

constexpr int64_t kMostStates = 64;
constexpr std::string_view kDevice = "device";

/// A number in an optimizer's record.
struct CountRow {
  std::string_view name;
  int ir::Optimizer::*field;
};
constexpr CountRow kCounts[] = {
    {"states", &ir::Optimizer::states},
    {"row_states", &ir::Optimizer::rowStates},
    {"factored", &ir::Optimizer::factored},
    {"orthogonalise", &ir::Optimizer::orthogonalise},
};

Symbol nameOf(const Value& v, const syntax::Expr& written) {
  if (!v.record->declared.empty()) return v.record->declared;
  const bool named = written.kind == syntax::ExprKind::Member || written.kind == syntax::ExprKind::Name;
  return named ? written.name.text : Symbol();
}

/// `states = ["m", "v"]`: the names of the states, which also give their number. Returns the error, or an empty text.
std::string setStates(const Field& f, ir::Optimizer& made) {
  for (const Value& v : f.value.list->items) {
    if (v.kind != ValueKind::String || v.string->empty()) return fmt::format("a state is named by {}", show(v));
    const Symbol name(*v.string);
    if (std::ranges::find(made.stateNames, name) != made.stateNames.end())
      return fmt::format("two of its states are called {}", show(v));
    made.stateNames.push_back(name);
  }
  if (made.stateNames.size() > kMostStates) return fmt::format("`states` has {} names", made.stateNames.size());
  made.states = static_cast<int>(made.stateNames.size());
  return {};
}

/// `runs = "host"`, `runs = "device"`. Returns false for any other value.
bool setPlace(const Value& v, ir::Optimizer& made) {
  if (v.kind != ValueKind::String || (*v.string != ir::kHost && *v.string != kDevice)) return false;
  made.onHost = *v.string == ir::kHost;
  return true;
}

/// Sets one field. Returns the error, or an empty text.
std::string setField(const Field& f, ir::Optimizer& made) {
  if (f.name == Symbol("states") && f.value.kind == ValueKind::List) return setStates(f, made);
  for (const CountRow& row : kCounts) {
    if (row.name != f.name.view()) continue;
    if (!f.value.isInt() || f.value.integer < 0 || f.value.integer > kMostStates)
      return fmt::format("`{}` is {}", f.name.view(), show(f.value));
    made.*(row.field) = static_cast<int>(f.value.integer);
    return {};
  }
  if (f.name == Symbol("master") && f.value.isBool()) {
    made.master = f.value.truth;
  } else if (f.name == Symbol("repeated") && f.value.isBool()) {
    made.repeated = f.value.truth;
  } else if (f.name == Symbol("state_bytes") && f.value.kind == ValueKind::Number && f.value.unit == units::bytes &&
             f.value.number > 0) {
    made.stateBytes = f.value.number;
  } else if (f.name != Symbol("runs") || !setPlace(f.value, made)) {
    const bool known = f.name == Symbol("master") || f.name == Symbol("state_bytes") || f.name == Symbol("others") ||
                       f.name == Symbol("runs") || f.name == Symbol("repeated");
    return fmt::format("`{}` is {}", f.name.view(), known ? show(f.value) : "no part of it");
  }
  return {};
}

/// The missing states in the record of an optimizer and in its `others`, as one error; empty if none is missing.
std::string missingStates(const Value& v) {
  const Field* others = v.record->find("others");
  const bool lacks = !v.record->find("states");
  const bool othersLack = others && others->value.kind == ValueKind::Record && !others->value.record->find("states");
  if (lacks && othersLack) return "this one and its `others` have no `states`";
  if (lacks) return "this one has no `states`";
  return othersLack ? "its `others` have no `states`" : "";
}

/// Reads the record of an optimizer. Returns the error, or an empty text. `others` may not have `others`.
std::string readRecord(const Value& v, ir::Optimizer& made) {
  if (v.kind != ValueKind::Record) return "this is " + describe(v);
  if (std::string missing = missingStates(v); !missing.empty()) return missing;
  for (const Field& f : v.record->fields) {
    if (f.name == Symbol("others") && f.value.kind == ValueKind::Record) {
      if (f.value.record->find("others")) return "its `others` have `others` of their own";
      auto others = std::make_shared<ir::Optimizer>();
      others->name = f.value.record->declared.empty() ? Symbol("others") : f.value.record->declared;
      others->range = f.range;
      if (auto problem = readRecord(f.value, *others); !problem.empty()) return problem;
      made.others = std::move(others);
    } else if (auto problem = setField(f, made); !problem.empty()) {
      return problem;
    }
  }
  if (made.onHost && made.orthogonalise > 0)
    return "this one has `orthogonalise` and runs on the host, whose rate of products no device knows";
  if (made.repeated && made.orthogonalise == 0)
    return "this one is `repeated`: every device computes the products of `orthogonalise`, but it has none";
  return {};
}

/// The reason why an optimizer cannot update all parameters, or tables; empty if it can.
std::string problemOf(const ir::Optimizer& made, bool ofTables) {
  if (!ofTables && made.rowStates > 0)
    return "this one has `row_states`, which only tables have: write it as `table_optimizer`";
  if (ofTables && made.onHost) return "this one runs on the host, but the rows of a table are updated on their devices";
  return {};
}

} // namespace

std::optional<ir::Optimizer> optimizerOf(const Value& value) {
  ir::Optimizer made;
  if (!readRecord(value, made).empty()) return std::nullopt;
  made.name = value.record->declared;
  return made;
}

std::optional<ir::Optimizer> optimizer(Elaboration& elab, FactTree& facts, FactNode& node, bool ofTables) {
  std::string problem = "this one has no name; write `let ours = {…}` and name it";
  if (!node.section()) {
    const Value v = facts.value(node);
    if (v.invalid()) {
      elab.ok = false;
      return std::nullopt;
    }
    if (v.kind == ValueKind::None && !ofTables) return std::nullopt;
    ir::Optimizer made;
    made.range = node.value->range;
    problem = readRecord(v, made);
    if (problem.empty()) problem = problemOf(made, ofTables);
    if (problem.empty()) {
      made.name = nameOf(v, *node.value);
      return made;
    }
  }
  elab.context.report(OptimizerForm, node.range, {{"problem", std::move(problem)}})
      .help("name one of the library: `import std.optimizers`, `optimizer = optimizers.adam`");
  elab.ok = false;
  return std::nullopt;
}

} // namespace planc::frontend
