// What the embedded library declares: listed, and found by name as records.
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
  double firstMonth() const; ///< of its release, counted from the year 0; 0: not given
  /// A fact that is a text; empty if it is not given.
  std::string_view text(ir::StackFact fact) const;
};

class Library {
public:
  /// Exported declarations in the order of the library's files; with `kind` (`device`, `fabric`, `cluster`, `stack`,
  /// `model`, …) only those.
  static std::vector<Declaration> list(std::string_view kind = {});
  /// The names of one kind as a plan writes them under the import of their folder: `h100_sxm5_80gb`; stacks and
  /// clusters behind their module: `megatron.megatron_2022`.
  static std::vector<std::string> names(std::string_view kind);

  /// A record by such a name, of a cluster with its arguments: `hgx.hgx_h100(nodes = 2)`. Nothing if there is none.
  static std::optional<ir::Device> device(const std::string& name);
  static std::optional<ir::Fabric> fabric(const std::string& name);
  static std::optional<ir::Stack> stack(const std::string& name);
  static std::optional<ir::Cluster> cluster(const std::string& name);

  /// A record that the text of a module exports, as `planc calibrate` writes it. Null if the text has no such record.
  static std::optional<ir::Device> deviceIn(const std::string& text, const std::string& name);
  static std::optional<ir::Stack> stackIn(const std::string& text, const std::string& name);
  /// All optimizers of `std.optimizers`, in the order of the file.
  static std::vector<ir::Optimizer> optimizers();

  /// The device that drivers call so (`NVIDIA A100-SXM4-80GB`), or that has this name itself; empty if there is none.
  static std::string deviceOf(const std::string& name);
  /// The library's name of the part that a device is, by what drivers call it; its own name if the library has none.
  static std::string partOf(const ir::Device& device);
  /// Whether a device is the part of this name: it is called so, or drivers call both the same.
  static bool isPart(const ir::Device& device, const std::string& name);
  /// The usual cluster of a device, two of its units; nothing where the device names none.
  static std::optional<ir::Cluster> usualCluster(const ir::Device& device);
  /// The part that a sample file names (`NVIDIAA100-SXM4-80GB`, as torch and NVML do), or a device by its own name;
  /// nothing if the library has none.
  static std::optional<calibrate::Part> part(const std::string& name);

  /// Every stack, in the order of the library's files; read once.
  static const std::vector<LibraryStack>& stacks();
  /// The stacks that had runs of the plan's kind, by architecture and experts, the latest first: a line each.
  static std::vector<std::string> stacksThatRan(const ir::Plan& plan);
  /// The stacks whose numbers come from devices of the platform of the plan's own, a line each with what they are; all
  /// of them where that is not known or none is. Those that had runs of the plan's kind stand alone if there are any.
  static std::vector<std::string> stacksFor(const ir::Plan& plan);
};

} // namespace planc::api
