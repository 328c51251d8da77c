// Handles crashes of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Step.h"

#include <memory>

namespace planc::driver {

/// Turns crashes (terminate, signals) into an internal error with exit code 3.
void installCrashHandlers();

/// An alternative stack for this thread's crash handler, because a stack overflow leaves no room on the ordinary one.
class CrashStack {
public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;

private:
  std::unique_ptr<char[]> stack_;
};

} // namespace planc::driver
