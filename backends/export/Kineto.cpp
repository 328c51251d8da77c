// One device in the words of PyTorch's profiler.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Export.h"

namespace planc::exports {

void writeKineto(const ExportInput&, Sink) {}

} // namespace planc::exports
