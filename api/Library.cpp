// Facts of library records, by way of a plan that uses them.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"

#include "calibrate/PartNames.h"
#include "frontend/Frontend.h"
#include "support/Embedded.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::api {
namespace {

/// Names behind `export WORD ` in the library's files of a folder.
std::vector<std::string> exported(std::string_view folder, std::string_view word) {
  std::vector<std::string> names;
  const std::string start = fmt::format("export {} ", word);
  for (const EmbeddedFile& file : embeddedStdlib()) {
    if (!file.path.starts_with(folder)) continue;
    for (size_t at = file.text.find(start); at != std::string_view::npos; at = file.text.find(start, at + 1)) {
      if (at > 0 && file.text[at - 1] != '\n') continue;
      std::string_view rest = file.text.substr(at + start.size());
      names.emplace_back(rest.substr(0, rest.find_first_of(" ({\n")));
    }
  }
  return names;
}

/// The smallest plan on a cluster; nothing if a name in it is unknown.
std::unique_ptr<ir::Plan> probe(std::string_view imports, std::string_view cluster, std::string_view software = "") {
  frontend::Session session;
  session.loadText("probe.plan", fmt::format(R"(import std.devices
import std.fabrics
import std.models.gpt
import std.clusters.generic
{}
plan probe {{
  model   = gpt.gpt3_175b()
  cluster = {}
{}
  train {{ seq = 2048; global_batch = 16; micro_batch = 1; optimizer = none }}
}}
)",
                                             imports, cluster, software));
  auto plans = session.plans();
  if (plans.size() != 1 || session.diagnostics().hasErrors() || !plans.front()->cluster) return nullptr;
  return std::move(plans.front());
}

/// A cluster of two of these: for facts of the one, with any of the other.
std::string generic(std::string_view device, std::string_view fabric) {
  return fmt::format("generic.cluster(gpu = devices.{}, per_node = 1, nodes = 2, intra = fabrics.{}, "
                     "intra_bandwidth = 1GB/s, inter = fabrics.{}, nic = 1GB/s)",
                     device, fabric, fabric);
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::vector<std::string> knownParts() {
  return exported("std/devices/", "device");
}

std::vector<std::string> knownFabrics() {
  return exported("std/fabrics/", "fabric");
}

std::vector<std::string> knownStacks() {
  constexpr std::string_view kFolder = "std/stacks/", kWord = "export stack ";
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embeddedStdlib()) {
    if (!file.path.starts_with(kFolder)) continue;
    std::string module(file.path.substr(kFolder.size()));
    module.resize(module.size() - std::string_view(".plan").size());
    for (size_t at = file.text.find(kWord); at != std::string_view::npos; at = file.text.find(kWord, at + 1)) {
      if (at > 0 && file.text[at - 1] != '\n') continue;
      std::string_view rest = file.text.substr(at + kWord.size());
      names.push_back(module + "." + std::string(rest.substr(0, rest.find_first_of(" ({\n"))));
    }
  }
  return names;
}

std::optional<calibrate::Part> findPart(const std::string& name) {
  const calibrate::PartName* known = calibrate::findPartName(name);
  const std::string device = has(knownParts(), name) ? name : known ? known->device : "";
  if (device.empty() || !has(knownParts(), device)) return std::nullopt;
  const auto own = probe("", generic(device, knownFabrics().front()));
  if (!own) return std::nullopt;
  calibrate::Part part;
  part.name = device;
  part.device = own->cluster->device;
  if (!known || known->device != device) return part;
  // The usual cluster may be one of a sibling with less memory: its links are the same.
  const std::string module = known->cluster.substr(0, known->cluster.find('.'));
  if (const auto plan = probe(fmt::format("import std.clusters.{}\n", module), known->cluster)) {
    const auto& levels = plan->cluster->levels;
    if (levels.size() > 1) part.link = levels.front().rate();
    part.card = levels.back().rate();
  }
  return part;
}

std::optional<ir::Stack> findStack(const std::string& name) {
  if (!has(knownStacks(), name)) return std::nullopt;
  const std::string imports = fmt::format("import std.stacks.{}\n", name.substr(0, name.find('.')));
  const auto plan =
      probe(imports, generic(knownParts().front(), knownFabrics().front()), fmt::format("  software = {}", name));
  return plan ? plan->stack : std::nullopt;
}

namespace {

/// The first sentence of the comment before the declaration of a stack.
std::string summaryOf(const std::string& name) {
  const size_t dot = name.find('.');
  const std::string path = fmt::format("std/stacks/{}.plan", name.substr(0, dot)),
                    start = fmt::format("\nexport stack {} ", name.substr(dot + 1));
  for (const EmbeddedFile& file : embeddedStdlib()) {
    if (file.path != path) continue;
    const std::string_view before = file.text.substr(0, std::min(file.text.size(), file.text.find(start)));
    const size_t line = before.rfind('\n');
    const std::string_view comment = before.substr(line == std::string_view::npos ? 0 : line + 1);
    if (!comment.starts_with("/// ")) return "";
    return std::string(
        comment.substr(4, comment.find(". ") == std::string_view::npos ? comment.size() : comment.find(". ") - 3));
  }
  return "";
}

} // namespace

std::vector<std::string> stacksFor(const ir::Plan& plan) {
  std::vector<std::string> all, fitting;
  const std::string wanted = plan.cluster ? plan.cluster->device.platform : "";
  for (const std::string& name : knownStacks()) {
    const std::string summary = summaryOf(name);
    all.push_back(fmt::format("`{}`{}{}", name, summary.empty() ? "" : ": ", summary));
    const auto stack = wanted.empty() ? std::nullopt : findStack(name);
    if (stack && stack->platform == wanted) fitting.push_back(all.back());
  }
  return fitting.empty() ? all : fitting;
}

std::optional<ir::Fabric> findFabric(const std::string& name) {
  if (!has(knownFabrics(), name)) return std::nullopt;
  const auto plan = probe("", generic(knownParts().front(), name));
  return plan ? std::optional(plan->cluster->levels.back().fabric) : std::nullopt;
}

} // namespace planc::api
