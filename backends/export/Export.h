// A step in the formats of other tools: one row per format.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/timeline/Timeline.h"
#include "ir/program/Task.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planc::exports {

/// A plan to export. All members outlive the call.
struct ExportInput {
  const timeline::Timeline* line = nullptr; ///< null for formats without times
  const ir::Schedule* schedule = nullptr;
  const SourceManager* sources = nullptr; ///< for the places of causes
  std::string title;                      ///< name of the plan
  std::vector<int64_t> ranks;             ///< devices that are written; each has the line of its stage
};

/// Receives the text piece by piece.
using Sink = llvm::function_ref<void(std::string_view)>;

struct Format {
  std::string_view name, summary;
  bool needsTimes = true; ///< needs `ExportInput::line`, so the plan has to be priced
  bool oneRank = false;   ///< writes one device
  /// Returns what is left out of a long step, as a phrase; empty if nothing is. Null: a configuration of another
  /// system, which the driver makes of the plan's text (import/backwards/Backwards.h).
  std::string (*write)(const ExportInput& input, Sink sink) = nullptr;
};

/// The formats, in the order of the help.
std::span<const Format> formats();
/// Returns the format with a name; null if there is none.
const Format* findFormat(std::string_view name);

// The formats, each in the file of its name.
std::string writePerfetto(const ExportInput& input, Sink sink);
std::string writeKineto(const ExportInput& input, Sink sink);
std::string writeDot(const ExportInput& input, Sink sink);

} // namespace planc::exports
