// `allow` statements of files and plans, which suppress warnings.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"
#include "support/Diagnostics.h"

#include <map>

namespace planc::frontend {

/// Creates one allowance per statement, even if plans that inherit it are elaborated several times.
class AllowedWarnings {
public:
  explicit AllowedWarnings(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}

  /// The allowance of a statement. Returns null after a report: the code is unknown or an error's code, or the reason
  /// is missing.
  std::shared_ptr<Allowance> of(const syntax::AllowStmt& statement);
  /// Warns of statements of `file` that matched no warning although the plans got far enough to report warnings of that
  /// kind.
  void reportIdle(FileId file);

private:
  DiagnosticEngine& diagnostics_;
  std::map<std::pair<FileId, uint32_t>, std::shared_ptr<Allowance>> known_; ///< by place of the statement
};

} // namespace planc::frontend
