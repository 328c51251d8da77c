// Cached state movement and gradients, for programs that share layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <list>
#include <optional>
#include <vector>

namespace planc::passes {

/// Caches the results of place-states and size-gradients for the layers of one group of plans (`Lowerings`), for the
/// last few meshes and `states`. The results depend only on these and on which parameters are tied to parameters of
/// other layers. Equal results are one object, so that later caches recognise them by address.
class KnownStates {
public:
  /// Cached results of one class of layers.
  struct Class {
    Shared<std::vector<ir::ParamState>> params; ///< after tying
    std::optional<Shared<std::vector<ir::StateCollective>>> moved;
    std::optional<Shared<Indexed<ir::Node>>> sized; ///< backward list, with the gradients as they are stored
  };

  /// Sets the parameters of all classes from the cache. Returns false if nothing is cached for this mesh and these
  /// rules.
  bool place(ir::ProgramHead& program);
  /// Adds the parameters of a placed program to the cache, before they are tied.
  void add(const ir::ProgramHead& program);
  /// Returns the entry of a class with its current parameters, cached or new. Returns null for schedules with several
  /// routes, where states also move on other ways.
  Class* of(const ir::ProgramHead& program, ir::LayerClassId layerClass);

private:
  static constexpr size_t kMost = 8; ///< meshes with rules, and ties of one class
  struct Placed {
    ir::Mesh mesh;
    std::vector<ir::StateRule> rules;
    std::vector<Shared<std::vector<ir::ParamState>>> params; ///< by class
    std::vector<std::list<Class>> tied;                      ///< by class, latest first
  };
  std::list<Placed> placed_; ///< latest request first
};

} // namespace planc::passes
