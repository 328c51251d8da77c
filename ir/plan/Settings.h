// What a plan says, statement by statement, and what of it can be set by path: one row each. `--set`, lists of
// searches, changes of elaborated plans and the texts that say them all go by these rows.
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
  bool readable = false; ///< expressions of conditions and policies read below it
  bool ofWords = false;  ///< what it says is words and paths of the model, and no numbers
  bool ofPlan = false;   ///< it changes neither model, cluster nor stack, unless the plan's text computes with it
  bool addable = false;  ///< all of it can be set in a plan that does not say it
};
/// In the order of Statement.
std::span<const StatementRow> statements();
/// By the first step of a path; null: there is no such statement.
const StatementRow* statementNamed(std::string_view name);
std::string_view name(Statement statement);
inline bool is(Symbol word, Statement statement) {
  return word.view() == name(statement);
}

/// What the value of a path is. It says how the value is read, how it changes an elaborated plan, and how it is
/// written.
enum class SettingKind : uint8_t {
  Text,        ///< anything that is settled when the text of a plan is read
  Axis,        ///< the size of an axis
  Batch,       ///< what one replica runs at once
  GlobalBatch, ///< what all replicas run in a step
  Number,      ///< a number of the row's type, which lies in its field
  Record,      ///< a fact of the cluster or the stack, with a row in the table of its record
  Schedule,
  Stages,
  Recompute,
  Placement, ///< `decoder.seq ->`
  State      ///< `states.optimizer ->`
};

/// A number of the workload, which has a default, and where it is stated.
struct WorkloadField {
  double Workload::*value;
  SourceRange Workload::*range;
};
/// Where a number lies in a plan.
using SettingField = std::variant<std::monostate, WorkloadField, OptNumber Run::*, OptNumber Overlap::*>;

struct SettingRow {
  std::string_view path; ///< `train.micro_batch`, `mesh.*`; of a record its first step, `cluster`
  SettingKind kind = SettingKind::Text;
  FactType type = {}; ///< of a row with a field
  SettingField field = {};
  std::string_view needed = {}; ///< of a workload that must say it: what it is, and how it is written
};
std::span<const SettingRow> settings();
/// The row of a path, `train.micro_batch`, `decoder.seq ->`; null: it is nothing of the table, and settled as text.
/// `finetune` has all that `train` has.
const SettingRow* settingAt(std::string_view path);
/// The rows below a statement, `run`; those of `finetune` with those of `train` in front.
std::vector<const SettingRow*> settingsIn(std::string_view statement);
/// The last steps of their paths.
std::vector<std::string> settingNames(std::string_view statement);
/// The last step of a row's path.
std::string_view nameOf(const SettingRow& row);
/// Whether it is how much is run at once, or in a step.
bool isBatch(std::string_view path);
/// The number of a row in a plan; nothing: the row is none, or the plan does not say it.
OptNumber numberOf(const SettingRow& row, const Plan& plan);
/// Puts a number there. False: the row is none, or the plan has no such section.
bool putNumber(const SettingRow& row, Plan& plan, Number number);

/// Values as plans write them: `even(embed = 1)`, `[4, 4]`, `balanced`; `interleaved_1f1b(chunks = 2)`.
std::string cutText(const Stages& cut);
std::string scheduleAsWritten(Symbol schedule, const std::vector<ScheduleArgument>& arguments);

} // namespace planc::ir
