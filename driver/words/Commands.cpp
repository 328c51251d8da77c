// The table of commands. A new command needs its own file and a row here.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Commands.h"

namespace planc::driver {

const std::vector<const Command*>& commands() {
  static const std::vector<const Command*> table = {
      &kNewCommand,    &kCheckCommand,       &kTestCommand,   &kEstimateCommand, &kDiffCommand,
      &kSearchCommand, &kSensitivityCommand, &kSweepCommand,  &kCompileCommand,  &kCalibrateCommand,
      &kFmtCommand,    &kExplainCommand,     &kShowCommand,   &kSnapshotCommand, &kInitCommand,
      &kLibCommand,    &kConfigCommand,      &kSchemaCommand, &kVersionCommand,  &kHelpCommand,
  };
  return table;
}

const std::vector<Option>& commonOptions() {
  static const std::vector<Option> table = {
      {"--diagnostics",
       "",
       {"human", "short", "json"},
       "how errors and warnings are written to stderr; json: one per line"},
      {"--deny",
       "CODE",
       {},
       "a warning that counts as an error, as PLAN0640, and others by repeating it; `warnings`: all of them",
       kEach},
      {"--allow", "CODE", {}, "a warning that is left out, whatever `--deny warnings` says", kEach},
      {"--color", "", {"auto", "always", "never"}, "auto: on a terminal, unless NO_COLOR is set"},
      {"--verify",
       "",
       {},
       "check what every pass leaves, as with PLANC_VERIFY in the environment; what fails is a bug in planc"},
      {"--help", "", {}, "print this help"},
  };
  return table;
}

} // namespace planc::driver
