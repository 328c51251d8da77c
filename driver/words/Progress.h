// The last words of a crash.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Step.h"

#include <memory>

namespace planc::driver {

/// Turns crashes (terminate, signals) into an internal error with exit code 3.
void installCrashHandlers();

/// A stack for the crash handler of this thread: a stack overflow leaves no room on the ordinary one.
class CrashStack {
public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;

private:
  std::unique_ptr<char[]> stack_;
};

} // namespace planc::driver
