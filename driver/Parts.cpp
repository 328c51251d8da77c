// Facts of library records, by way of a plan that uses them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Parts.h"

#include "driver/Pipeline.h"
#include "support/Embedded.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/core.h>

namespace planc::driver {
namespace {

/// A piece of the name that drivers give a part (letters and digits, lower case), its record, and a cluster that is
/// usual for it: module, and an expression of it. Its links are what samples of collectives are held against.
struct Alias {
  std::string_view piece, device, module, cluster;
};
constexpr std::array<Alias, 13> kAliases{{
    {"v100sxm216gb", "v100_sxm2_16gb", "dgx_v100", "dgx1(nodes = 2)"},
    {"v100sxm232gb", "v100_sxm2_32gb", "dgx_v100", "dgx1(nodes = 2)"},
    {"a100sxm440gb", "a100_sxm4_40gb", "aws", "p4d(instances = 2)"},
    {"a100sxm480gb", "a100_sxm4_80gb", "dgx_a100", "superpod(nodes = 2)"},
    {"h10080gbhbm3", "h100_sxm5_80gb", "hgx", "hgx_h100(nodes = 2)"},
    {"h100sxm580gb", "h100_sxm5_80gb", "hgx", "hgx_h100(nodes = 2)"},
    {"h200", "h200_sxm_141gb", "hgx", "hgx_h200(nodes = 2)"},
    {"h800", "h800_sxm5_80gb", "hgx", "hgx_h800(nodes = 2)"},
    {"gh200120gb", "gh200_96gb", "vista", "vista(nodes = 2)"},
    {"gh20096gb", "gh200_96gb", "vista", "vista(nodes = 2)"},
    {"b200", "b200_sxm_180gb", "hgx", "hgx_b200(nodes = 2)"},
    {"gb200", "gb200_186gb", "nvl72", "gb200_nvl72(racks = 2)"},
    {"mi300x", "mi300x_192gb", "azure", "nd_mi300x_v5(instances = 2)"},
}};

std::string simple(std::string_view name) {
  std::string out;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

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

std::string generic(std::string_view device, std::string_view inter) {
  return fmt::format("generic.cluster(gpu = devices.{}, per_node = 1, nodes = 2, intra = fabrics.nvlink4, "
                     "intra_bandwidth = 1GB/s, inter = fabrics.{}, nic = 1GB/s)",
                     device, inter);
}

constexpr std::string_view kAnyDevice = "h100_sxm5_80gb", kAnyFabric = "ndr";

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

std::optional<calibrate::Part> findPart(const std::string& name) {
  const std::string wanted = simple(name);
  const Alias* alias = nullptr;
  for (const Alias& a : kAliases) {
    const bool fits = a.device == name || (wanted.find(a.piece) != std::string::npos);
    if (fits && (!alias || a.device == name || (alias->device != name && a.piece.size() > alias->piece.size())))
      alias = &a;
  }
  std::string device = has(knownParts(), name) ? name : alias ? std::string(alias->device) : "";
  if (device.empty() || !has(knownParts(), device)) return std::nullopt;
  calibrate::Part part;
  part.name = device;
  if (alias && alias->device == device && !alias->cluster.empty()) {
    const std::string imports = fmt::format("import std.clusters.{}\n", alias->module);
    if (const auto plan = probe(imports, fmt::format("{}.{}", alias->module, alias->cluster))) {
      const auto& levels = plan->cluster->levels;
      part.device = plan->cluster->device;
      if (levels.size() > 1) part.link = levels.front().rate();
      part.card = levels.back().rate();
      return part;
    }
  }
  const auto plan = probe("", generic(device, kAnyFabric));
  if (!plan) return std::nullopt;
  part.device = plan->cluster->device;
  return part;
}

std::optional<ir::Stack> findStack(const std::string& name) {
  if (!has(knownStacks(), name)) return std::nullopt;
  const std::string imports = fmt::format("import std.stacks.{}\n", name.substr(0, name.find('.')));
  const auto plan = probe(imports, generic(kAnyDevice, kAnyFabric), fmt::format("  software = {}", name));
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
  const auto plan = probe("", generic(kAnyDevice, name));
  return plan ? std::optional(plan->cluster->levels.back().fabric) : std::nullopt;
}

} // namespace planc::driver
