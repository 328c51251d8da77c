// What is being done right now, so that a crash can name it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc {

/// Names the work of a scope; nested scopes name the inner one.
class Step {
  const char* outer_;

public:
  explicit Step(const char* name);
  ~Step();
  Step(const Step&) = delete;
  /// The innermost step of the thread, or the one that an exception left.
  static const char* current();
  /// The step in which another thread failed, for this one, which says so.
  static void failedIn(const char* name);
};

} // namespace planc
