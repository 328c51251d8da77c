// The entry point: runs the command line, and turns uncaught exceptions into an internal error with exit code 3.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Command.h"
#include "driver/words/Progress.h"

#include <cstdio>
#include <exception>
#include <new>

namespace {

int internalError(const char* what) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "planc: internal error while %s: %s\n"
               "this is a bug in planc; please report it with the plan that shows it\n",
               planc::Step::current(), what);
  return planc::driver::kInternal;
}

} // namespace

int main(int argc, char** argv) {
  planc::driver::installCrashHandlers();
  try {
    return planc::driver::runCommandLine(argc, argv);
  } catch (const std::bad_alloc&) {
    return internalError("out of memory");
  } catch (const std::exception& e) {
    return internalError(e.what());
  } catch (...) {
    return internalError("unknown exception");
  }
}
