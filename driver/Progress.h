// What planc is doing right now, so that a crash can name it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc::driver {

/// Names the work of a scope; nested scopes name the inner one.
class Step {
  const char* outer_;

public:
  explicit Step(const char* name);
  ~Step();
  Step(const Step&) = delete;
  static const char* current();
};

/// Turns crashes (terminate, signals) into an internal error with exit code 3.
void installCrashHandlers();

} // namespace planc::driver
