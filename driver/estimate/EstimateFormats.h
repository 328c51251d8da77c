// The formats of `planc estimate`: each takes the reports of plans one by one, which may end afterwards, and at the end
// what compares them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/Inputs.h"
#include "driver/words/Command.h"
#include "report/estimate/Compare.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace planc::driver {

/// How plans compare.
struct Comparisons {
  std::optional<report::ComparisonReport> asked; ///< all plans beside each other
  std::vector<report::ComparisonReport> declared;
};

/// The report of a plan as it will be written: it may end afterwards.
struct ReportPiece {
  std::string text;
  std::string run; ///< where that is a table of its own
};

/// Writes what the plans of one run have to say.
class EstimateWriter {
public:
  virtual ~EstimateWriter() = default;
  /// On any thread.
  virtual ReportPiece piece(const report::PlanReport& report) const = 0;
  virtual void add(const ReportPiece& piece) = 0;
  virtual void finish(const Comparisons& comparisons, const Inputs& inputs) = 0;
};

struct EstimateFormat {
  std::string_view name;
  std::unique_ptr<EstimateWriter> (*writer)(Console& console, const Arguments& arguments);
  bool effects;         ///< shows what would make a plan fit and what recomputation does
  bool diagnostics;     ///< holds them, so they are collected before it ends; else they stand behind it
  bool declaredReports; ///< has the whole report of the plans of a declared comparison, too
};

/// That of `--format`.
const EstimateFormat& estimateFormat(const Arguments& arguments);

} // namespace planc::driver
