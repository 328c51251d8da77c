// The step that is running now, for crash reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc {

/// Names the work of a scope. In nested scopes, the innermost name counts.
class Step {
  const char* outer_;

public:
  explicit Step(const char* name);
  ~Step();
  Step(const Step&) = delete;
  /// The innermost running step of this thread, or the step that the last exception left.
  static const char* current();
  /// Records, for this thread, the step in which another thread failed.
  static void failedIn(const char* name);
};

} // namespace planc
