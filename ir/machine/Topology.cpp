// Look-up of a topology's arguments.
// SPDX-License-Identifier: Apache-2.0
#include "ir/machine/Topology.h"

#include "ir/vocabulary/Topologies.h"

namespace planc::ir {

double Topology::number(Symbol parameter) const {
  for (const auto& [name, value] : numbers)
    if (name == parameter) return value;
  const Word* word = topologyWords().find(kind.view());
  return word ? word->standard(parameter.view()) : 1;
}

} // namespace planc::ir
