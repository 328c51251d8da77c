// Every program that a test lowers is verified after each pass.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"

namespace planc::test {
namespace {

const bool kVerifying = [] {
  passes::setVerifying(true);
  return true;
}();

} // namespace
} // namespace planc::test
