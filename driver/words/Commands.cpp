// The table of commands. A new command needs its own file and a row here.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Commands.h"

namespace planc::driver {

const std::vector<const Command*>& commands() {
  static const std::vector<const Command*> table = {
      &kNewCommand,         &kCheckCommand, &kTestCommand,     &kEstimateCommand,  &kDiffCommand,    &kSearchCommand,
      &kSensitivityCommand, &kSweepCommand, &kCompileCommand,  &kCalibrateCommand, &kCompareCommand, &kFmtCommand,
      &kExplainCommand,     &kShowCommand,  &kSnapshotCommand, &kInitCommand,      &kImportCommand,  &kExportCommand,
      &kReportCommand,      &kLibCommand,   &kConfigCommand,   &kSchemaCommand,    &kVersionCommand, &kHelpCommand,
  };
  return table;
}

const std::vector<Option>& commonOptions() {
  static const std::vector<Option> table = {
      {"--diagnostics", "", {"human", "short", "json"}, "format of errors and warnings on stderr; json: one per line"},
      {"--deny",
       "CODE",
       {},
       "treat this warning as an error, as PLAN0640; repeat it for others; `warnings`: all of them",
       kEach},
      {"--allow", "CODE", {}, "do not report this warning, even with `--deny warnings`", kEach},
      {"--color", "", {"auto", "always", "never"}, "auto: on a terminal, unless NO_COLOR is set"},
      {"--verify",
       "",
       {},
       "verify the result of every pass, as PLANC_VERIFY in the environment does; a failure is a bug in planc"},
      {"--help", "", {}, "print this help"},
  };
  return table;
}

} // namespace planc::driver
