// What states that are stored somewhere move, and which gradients they leave, for programs that share layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"

#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace planc::passes {

/// What place-states and size-gradients have made of the layers of one group of plans (`Lowerings`), for the last few
/// meshes and `states`. There it depends on nothing else than which parameters other layers hold, too, and on which
/// stages those run.
class KnownStates {
public:
  /// Of one class of layers.
  struct Class {
    std::optional<std::vector<ir::StateCollective>> moved;
    std::optional<Shared<Indexed<ir::Node>>> sized; ///< backward, with the gradients as they are stored
  };

  /// Finds or begins what is known of the program's mesh and states; of a schedule with several routes nothing is.
  void begin(const ir::Program& program);
  /// Known, or to be made; null if there is no place for it. With the parameters as they are now: tied.
  Class* of(const ir::Program& program, ir::LayerClassId layerClass);

private:
  static constexpr size_t kMost = 8; ///< meshes and states; idem of ties of one class
  /// What a stage with several layers of one storage changes about a parameter.
  struct Tie {
    bool owner = true;
    ir::AxisMask partial = 0;
    bool operator==(const Tie&) const = default;
  };
  struct Placed {
    ir::Mesh mesh;
    std::vector<ir::StateRule> states;
    std::vector<std::list<std::pair<std::vector<Tie>, Class>>> classes;
  };
  std::list<Placed> placed_; ///< the last one asked for first
  bool none_ = true;
};

} // namespace planc::passes
