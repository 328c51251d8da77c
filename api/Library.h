// The declarations of the embedded library: lists them, and returns records by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "frontend/catalogue/Catalogue.h"
#include "ir/facts/StackFacts.h"
#include "ir/plan/Plan.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::api {

using Declaration = frontend::LibraryDeclaration;

struct LibraryStack {
  std::string name; ///< `te.te_2602`
  std::string summary;
  ir::Stack stack;
  std::string_view framework() const { return text(ir::StackFact::Framework); }
  std::string_view released() const { return text(ir::StackFact::Released); }
  std::string_view dispatcher() const { return text(ir::StackFact::Dispatcher); }
  double firstMonth() const; ///< month of the release, counted from the year 0; 0 if it is not given
  /// A fact that holds text; empty if it is not given.
  std::string_view text(ir::StackFact fact) const;
};

class Library {
public:
  /// Returns exported declarations in the order of the library's files. If `kind` is given (`device`, `fabric`,
  /// `cluster`, `stack`, `model`, …), only declarations of that kind.
  static std::vector<Declaration> list(std::string_view kind = {});
  /// Returns the names of one kind as a plan writes them after it imports their folder: `h100_sxm5_80gb`. Names of
  /// stacks and clusters include the module: `megatron.megatron_2022`.
  static std::vector<std::string> names(std::string_view kind);

  /// These functions return the record with a name that `names` lists, or nullopt if no record has the name. A
  /// cluster's name may carry arguments: `hgx.hgx_h100(nodes = 2)`.
  static std::optional<ir::Device> device(const std::string& name);
  static std::optional<ir::Fabric> fabric(const std::string& name);
  static std::optional<ir::Stack> stack(const std::string& name);
  static std::optional<ir::Cluster> cluster(const std::string& name);

  /// These functions return a record that the text of a module (as `planc calibrate` writes it) exports. They return
  /// nullopt if the module exports no record of that name.
  static std::optional<ir::Device> deviceIn(const std::string& text, const std::string& name);
  static std::optional<ir::Stack> stackIn(const std::string& text, const std::string& name);
  /// All optimizers of `std.optimizers`, in the order of the file.
  static std::vector<ir::Optimizer> optimizers();

  /// Returns the device by its driver name (`NVIDIA A100-SXM4-80GB`) or its library name; empty if there is none.
  static std::string deviceOf(const std::string& name);
  /// Returns the name of the library's device with the same driver name; `device`'s own name if the library has none.
  static std::string partOf(const ir::Device& device);
  /// Returns whether `name` is the device's own name, or the name of a library device with the same driver name.
  static bool isPart(const ir::Device& device, const std::string& name);
  /// Returns the usual cluster of a device with two units (2 for each parameter of the cluster), or nullopt if the
  /// device names no cluster.
  static std::optional<ir::Cluster> usualCluster(const ir::Device& device);
  /// Returns the hardware (device and links) that a sample file names, by driver name (`NVIDIAA100-SXM4-80GB`, as torch
  /// and NVML write it) or library name. Returns nullopt if the library has no such device.
  static std::optional<calibrate::Part> part(const std::string& name);

  /// All stacks, in the order of the library's files. They are read once.
  static const std::vector<LibraryStack>& stacks();
  /// Returns one line per stack that has runs on the plan's device architecture. If the plan's model has experts, only
  /// runs of models with experts count. The latest release comes first.
  static std::vector<std::string> stacksThatRan(const ir::Plan& plan);
  /// Returns one line per suggested stack, with a summary: the stacks that have runs of the plan's kind; else the
  /// stacks measured on the platform of the plan's devices; else all stacks.
  static std::vector<std::string> stacksFor(const ir::Plan& plan);
};

} // namespace planc::api
