// `allow` statements of files and plans, as what keeps warnings from being told.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"
#include "support/Diagnostics.h"

#include <map>

namespace planc::frontend {

/// Each statement is one allowance, however often plans that inherit it are elaborated.
class AllowedWarnings {
public:
  explicit AllowedWarnings(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}

  /// Null after a report: a code that is none, or an error's; no reason.
  std::shared_ptr<Allowance> of(const syntax::AllowStmt& statement);
  /// Warns of statements of `file` that no warning met, of kinds that plans can be warned of as far as they came.
  void reportIdle(FileId file);

private:
  DiagnosticEngine& diagnostics_;
  std::map<std::pair<FileId, uint32_t>, std::shared_ptr<Allowance>> known_; ///< by place
};

} // namespace planc::frontend
