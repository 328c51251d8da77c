// The tables of a plan's statements, and of the paths that can be set. `--set`, lists of searches, changes of
// elaborated plans, and plan text for changes all use these rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactTable.h"
#include "ir/plan/Plan.h"

#include <variant>

namespace planc::ir {

enum class Statement : uint8_t {
  Model,
  Cluster,
  Software,
  Train,
  Precision,
  Infer,
  Finetune,
  Run,
  Mesh,
  Place,
  States,
  Pipeline,
  Recompute,
  Keep,
  Overlap,
  Search
};

enum class StatementForm : uint8_t {
  Named,   ///< `cluster = …`: a declaration, with parameters and facts of its own
  Section, ///< `train { … }`: facts
  Block    ///< `pipeline pp { … }`, `recompute decoder`
};

struct StatementRow {
  Statement statement;
  std::string_view name;
  StatementForm form;
  bool readable = false; ///< conditions and policies may read the paths below it
  bool ofWords = false;  ///< its values are words and paths of the model, and not numbers
  bool ofPlan = false;   ///< it changes neither model, cluster nor stack, unless the plan's text computes with it
  bool addable = false;  ///< its facts can be set even in a plan without the statement
};
/// All statements, in the order of `Statement`.
std::span<const StatementRow> statements();
/// Returns the statement that the first step of a path names; null if there is none.
const StatementRow* statementNamed(std::string_view name);
std::string_view name(Statement statement);
inline bool is(Symbol word, Statement statement) {
  return word.view() == name(statement);
}

/// The kind of value at a path. It decides how the value is read, how it changes an elaborated plan, and how it is
/// written.
enum class SettingKind : uint8_t {
  Text,        ///< anything that is settled when the text of a plan is read
  Axis,        ///< the size of an axis
  Batch,       ///< samples that one replica runs at once
  GlobalBatch, ///< samples that all replicas run in a step
  Number,      ///< a number of the row's type, stored in the row's field
  Record,      ///< a fact of the cluster or the stack, with a row in the table of its record
  Schedule,
  Stages,
  Recompute,
  Placement, ///< `decoder.seq ->`
  State      ///< `states.optimizer ->`
};

/// A number of the workload that has a default, and the range where the plan states it.
struct WorkloadField {
  double Workload::*value;
  SourceRange Workload::*range;
};
/// The member of a plan that stores a number.
using SettingField = std::variant<std::monostate, WorkloadField, OptNumber Run::*, OptNumber Overlap::*>;

struct SettingRow {
  std::string_view path; ///< `train.micro_batch`, `mesh.*`; for a record only its first step, `cluster`
  SettingKind kind = SettingKind::Text;
  FactType type = {}; ///< type of the number, if the row has one
  SettingField field = {};
  std::string_view needed = {}; ///< meaning and syntax of a fact that its workload requires; else empty
};
std::span<const SettingRow> settings();
/// Returns the row of a path, `train.micro_batch`, `decoder.seq ->`. Null if the table has no row for the path; its
/// value is then settled when the text is read. `finetune` has all rows of `train`.
const SettingRow* settingAt(std::string_view path);
/// Returns the rows below a statement such as `run`. For `finetune`, the rows of `train` come first.
std::vector<const SettingRow*> settingsIn(std::string_view statement);
/// Returns the last steps of the paths of these rows.
std::vector<std::string> settingNames(std::string_view statement);
/// The last step of a row's path.
std::string_view nameOf(const SettingRow& row);
/// Returns whether a path is a batch: the samples that are run at once, or in a step.
bool isBatch(std::string_view path);
/// Returns the number of a row in a plan. Returns nullopt if the row has no number, or the plan does not state it.
OptNumber numberOf(const SettingRow& row, const Plan& plan);
/// Sets the number of a row in a plan. Returns false if the row has no number, or the plan has no such section.
bool putNumber(const SettingRow& row, Plan& plan, Number number);

/// Values as plans write them: `even(embed = 1)`, `[4, 4]`, `balanced`; `interleaved_1f1b(chunks = 2)`.
std::string cutText(const Stages& cut);
std::string scheduleAsWritten(Symbol schedule, const std::vector<ScheduleArgument>& arguments);

} // namespace planc::ir
