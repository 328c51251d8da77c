// The door of the room: models from their declarations, and models, blocks and operators checked by themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"
#include "frontend/model/Extents.h"
#include "ir/model/Model.h"

#include <memory>

namespace planc::frontend {

/// The model with its arguments: blocks inlined, repeats folded, dimensions resolved. Errors are reported and
/// construction goes on, to find others; null after any. `use` is where it was asked for.
std::shared_ptr<ir::Model> buildModel(Evaluator& ev, Extents& extents, const BoundDecl& decl, SourceRange use);

/// Check a generic declaration: parameters without defaults are unknown.
void checkModel(Evaluator& ev, Extents& extents, DeclInfo& decl);
void checkBlock(Evaluator& ev, Extents& extents, DeclInfo& decl);
void checkOperator(Evaluator& ev, Extents& extents, DeclInfo& decl);

} // namespace planc::frontend
