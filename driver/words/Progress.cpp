// Prints a last message when the program crashes.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Progress.h"

#include "driver/words/Console.h"

#include <csignal>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace planc::driver {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true; // the sanitizer's own report says more
#else
constexpr bool kSanitized = false;
#endif

constexpr size_t kStackBytes = 64 << 10;

/// Prints the error and exits. It uses only functions that a signal handler may call.
[[noreturn]] void die(const char* what) {
  auto say = [](const char* text) {
    ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
    (void)ignored;
  };
  say("planc: internal error: ");
  say(what);
  say(" while ");
  say(Step::current());
  say("\nthis is a bug in planc; please report it with the plan that shows it\n");
  ::_exit(kInternal);
}

void onSignal(int signal) {
  die(signal == SIGSEGV ? "invalid memory access or stack overflow" : "fatal signal");
}

} // namespace

CrashStack::CrashStack() : stack_(std::make_unique<char[]>(kStackBytes)) {
  stack_t alternative{};
  alternative.ss_sp = stack_.get();
  alternative.ss_size = kStackBytes;
  if (!kSanitized) ::sigaltstack(&alternative, nullptr);
}

CrashStack::~CrashStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (!kSanitized) ::sigaltstack(&none, nullptr);
}

void installCrashHandlers() {
  std::set_terminate([] { die("unexpected end"); });
  if (kSanitized) return;
  static const CrashStack stack; // for the main thread
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

} // namespace planc::driver
