// The model under construction, which all steps of its elaboration are given.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"
#include "frontend/model/Extents.h"
#include "ir/Model.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace planc::frontend {

struct ModelState {
  ModelState(Evaluator& evaluator, Extents& given)
      : ev(evaluator), context(evaluator.context), extents(given), model(std::make_shared<ir::Model>()) {}

  Evaluator& ev;
  Context& context;
  Extents& extents;
  std::shared_ptr<ir::Model> model;
  std::unordered_map<Symbol, std::vector<ir::DimId>> dimsByName;
  bool failed = false; ///< after a mistake: the model is void, and is made to its end to find others

  Value fail() {
    failed = true;
    return {};
  }
  bool ok(bool good) {
    failed |= !good;
    return good;
  }
};

} // namespace planc::frontend
