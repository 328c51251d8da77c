// The facts of a record of a catalogue with what it inherits, and the names by which plans reach into a declaration.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/catalogue/CatalogueNames.h"

namespace planc::frontend {

/// Of a device, fabric, stack or cluster; of other declarations none. In the order of the file, inherited ones first.
std::vector<ExportFact> factsOf(CatalogueNames& names, const Declared& of);
/// Layers of a model or block, `decoder.attn`; levels of a cluster, its base's too.
std::vector<std::string> partsOf(const CatalogueNames& names, const Declared& of);

} // namespace planc::frontend
