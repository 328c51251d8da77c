// The step that each thread is in.
// SPDX-License-Identifier: Apache-2.0
#include "support/Step.h"

#include <exception>

namespace planc {

namespace {

thread_local const char* currentStep = "start";
thread_local const char* failedStep = nullptr; // the innermost step that an exception left

} // namespace

Step::Step(const char* name) : outer_(currentStep) {
  currentStep = name;
  failedStep = nullptr;
}

Step::~Step() {
  if (std::uncaught_exceptions() > 0 && !failedStep) failedStep = currentStep;
  currentStep = outer_;
}

const char* Step::current() {
  return failedStep ? failedStep : currentStep;
}

void Step::failedIn(const char* name) {
  failedStep = name;
}

} // namespace planc
