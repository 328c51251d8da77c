// Lets candidates of one search share equal models, clusters and stacks, so that results that were cached for one
// candidate are valid for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "ir/plan/Space.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace planc::frontend {

class SharedParts {
public:
  /// Replaces the model, cluster and stack of a candidate, elaborated with these values, by equal ones of earlier
  /// candidates.
  void share(ir::Plan& plan, const ir::Space& space, std::span<const uint32_t> digits, std::optional<int64_t> filled);

private:
  template <class T> using Known = std::map<std::string, std::shared_ptr<const T>>;
  Known<ir::Model> models_;
  Known<ir::Cluster> clusters_;
  Known<ir::Stack> stacks_;
};

} // namespace planc::frontend
