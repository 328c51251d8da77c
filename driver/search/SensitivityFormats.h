// The formats of `planc sensitivity`: text, JSON, CSV and Markdown, plan by plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"
#include "search/sensitivity/Sensitivity.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::driver {

/// What was found of one plan.
struct SensitivityReport {
  struct Reach {
    search::Target target;
    std::vector<search::Reached> by;
  };
  std::string plan = {};
  search::Sensitivity found = {};
  size_t top = 0; ///< rows of a table; 0: all
  std::vector<Reach> reaches = {};
};

class SensitivityWriter {
public:
  virtual ~SensitivityWriter() = default;
  virtual void add(const SensitivityReport& report) = 0;
  virtual void finish() {}
};

/// As `--format` says.
std::unique_ptr<SensitivityWriter> sensitivityWriter(Console& console, const Arguments& arguments);

} // namespace planc::driver
