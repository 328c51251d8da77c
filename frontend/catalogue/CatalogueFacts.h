// The facts of a catalogued record, including inherited ones, and the names by which plans refer to parts of a
// declaration.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/catalogue/CatalogueNames.h"

namespace planc::frontend {

/// The facts of a device, fabric, stack or cluster; empty for other declarations. In file order, inherited facts first.
std::vector<ExportFact> factsOf(CatalogueNames& names, const Declared& of);
/// The layers of a model or block (`decoder.attn`), or the levels of a cluster and its base.
std::vector<std::string> partsOf(const CatalogueNames& names, const Declared& of);

} // namespace planc::frontend
