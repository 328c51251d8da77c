// Declares the commands, each defined in the file of its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

namespace planc::driver {

extern const Command kCheckCommand;
extern const Command kTestCommand;
extern const Command kDiffCommand;
extern const Command kEstimateCommand;
extern const Command kExportCommand;
extern const Command kSchemaCommand;
extern const Command kReportCommand;
extern const Command kSearchCommand;
extern const Command kCompareCommand;
extern const Command kCompileCommand;
extern const Command kConfigCommand;
extern const Command kCalibrateCommand;
extern const Command kFmtCommand;
extern const Command kHelpCommand;
extern const Command kImportCommand;
extern const Command kInitCommand;
extern const Command kLibCommand;
extern const Command kNewCommand;
extern const Command kExplainCommand;
extern const Command kSensitivityCommand;
extern const Command kShowCommand;
extern const Command kSnapshotCommand;
extern const Command kSweepCommand;
extern const Command kVersionCommand;

} // namespace planc::driver
