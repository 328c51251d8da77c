// The oracle: executes a lowered program (level sharded) on simulated devices with small real tensors.
// Every device holds only what its layouts say; reading anything else throws. See oracle_test.cpp for what is compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace planc::oracle {

/// A full-sized tensor; what a device does not hold is NaN.
struct Tensor {
  std::vector<int64_t> extents;
  std::vector<double> data;
};
/// One tensor per device.
using Sharded = std::vector<Tensor>;

struct Outcome {
  Tensor loss;                             ///< the model's loss, gathered
  double objective = 0;                    ///< its product with the gradient that backward begins with
  std::map<std::string, Tensor> gradients; ///< of every trainable parameter of every instance, reduced and gathered
};

/// Moves one element of one parameter, to compare a gradient with a slope.
struct Perturbation {
  std::string parameter;
  size_t element = 0;
  double delta = 0;
};

/// Runs forward and backward. Parameters and inputs are drawn from `seed` by name, so that two programs of one model
/// see the same numbers.
Outcome execute(const ir::ShardedProgram& program, unsigned seed, const Perturbation& perturbation = {});

/// What backward does again and reads, against forward.
struct Replayed {
  double worst = 0;  ///< largest relative difference
  int operators = 0; ///< done again, all instances together
};

/// Runs forward, then of every instance what its backward list does again and reads, with nothing but what forward
/// keeps. Nodes run in an order drawn from `order` that heeds what they wait for. Throws where something is missing.
Replayed replay(const ir::ShardedProgram& program, unsigned seed, unsigned order);

/// The largest difference relative to the largest magnitude of each tensor; infinity where the two do not hold the same
/// names. `worst` names it.
double difference(const Outcome& a, const Outcome& b, std::string* worst = nullptr);

} // namespace planc::oracle
