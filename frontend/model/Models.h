// The interface of this folder: builds models from their declarations, and checks declarations of models, blocks and
// operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"
#include "frontend/model/Extents.h"
#include "ir/model/Model.h"

#include <memory>

namespace planc::frontend {

/// Builds the model with its arguments: inlines blocks, folds repeats, resolves dimensions. Construction continues
/// after errors, to find others, and then returns null. `use` is the place that uses the model.
std::shared_ptr<ir::Model> buildModel(Evaluator& ev, Extents& extents, const BoundDecl& decl, SourceRange use);

/// Checks a generic declaration. Parameters without defaults are unknown.
void checkModel(Evaluator& ev, Extents& extents, DeclInfo& decl);
void checkBlock(Evaluator& ev, Extents& extents, DeclInfo& decl);
void checkOperator(Evaluator& ev, Extents& extents, DeclInfo& decl);

} // namespace planc::frontend
