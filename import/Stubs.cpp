// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"
namespace planc::foreign {
bool readMegatron(Reading&) {
  return false;
}
bool readTorchtitan(Reading&) {
  return false;
}
bool readDeepspeed(Reading&) {
  return false;
}
bool readCalculon(Reading&) {
  return false;
}
bool readSimumax(Reading&) {
  return false;
}
bool readMadmax(Reading&) {
  return false;
}
} // namespace planc::foreign
