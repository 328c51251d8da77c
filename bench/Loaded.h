// Loads a plan file for benchmarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/Frontend.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace planc::bench {

/// A session that has loaded and checked a file, and one of its plans. Throws std::runtime_error after errors.
struct Loaded {
  frontend::Session session;
  std::vector<std::unique_ptr<ir::Plan>> plans;

  Loaded(const char* path, const std::string& choice) {
    std::string error;
    if (!session.load(path, error)) throw std::runtime_error(error);
    session.check();
    plans = session.plans(frontend::PlanChoice{choice});
    if (plans.empty() || session.diagnostics().hasErrors()) throw std::runtime_error(std::string("errors in ") + path);
  }
};

} // namespace planc::bench
