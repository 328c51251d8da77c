// What states that are stored somewhere move, and which gradients they leave, for programs that share layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <list>
#include <optional>
#include <vector>

namespace planc::passes {

/// What place-states and size-gradients have made of the layers of one group of plans (`Lowerings`), for the last few
/// meshes and `states`: it depends on nothing else but which parameters are tied to those of other layers, and how.
/// What is equal is one object, by which others know it again.
class KnownStates {
public:
  /// Of one class of layers.
  struct Class {
    Shared<std::vector<ir::ParamState>> params; ///< tied
    std::optional<Shared<std::vector<ir::StateCollective>>> moved;
    std::optional<Shared<Indexed<ir::Node>>> sized; ///< backward, with the gradients as they are stored
  };

  /// Gives the classes the parameters that were placed for this mesh and these rules before; false: none were.
  bool place(ir::ProgramHead& program);
  /// Keeps those that have been placed now, before they are tied.
  void add(const ir::ProgramHead& program);
  /// Of a class with the parameters as they are: known, or to be made. Null of schedules with several routes, where
  /// states move on other ways, too.
  Class* of(const ir::ProgramHead& program, ir::LayerClassId layerClass);

private:
  static constexpr size_t kMost = 8; ///< meshes with rules; idem ties of one class
  struct Placed {
    ir::Mesh mesh;
    std::vector<ir::StateRule> rules;
    std::vector<Shared<std::vector<ir::ParamState>>> params; ///< by class
    std::vector<std::list<Class>> tied;                      ///< by class, the last one made first
  };
  std::list<Placed> placed_; ///< the last one asked for first
};

} // namespace planc::passes
