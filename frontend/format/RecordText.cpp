// Sorts facts by path into the device, the fabrics, the cluster and the stack.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/RecordText.h"

#include "ir/plan/RecordPath.h"

#include <fmt/format.h>

namespace planc::format {

namespace {

void addFact(std::string& list, const std::string& text) {
  list += (list.empty() ? "" : "; ") + text;
}

/// Facts of one cluster, grouped by record.
struct Sorted {
  std::string stack, cluster, device;
  std::map<std::string, std::string> links; ///< facts of fabrics, by level

  void add(std::string_view path, std::string_view verb, const std::string& value, const ir::Cluster* of) {
    const ir::RecordPath at = ir::recordPath(path, of);
    if (at.record == ir::RecordKind::Level)
      return addFact(cluster, fmt::format("{}{} {{ {} = {} }}", verb, at.level, at.fact, value));
    addFact(at.record == ir::RecordKind::Stack    ? stack
            : at.record == ir::RecordKind::Device ? device
            : at.record == ir::RecordKind::Fabric ? links[std::string(at.level)]
                                                  : cluster,
            fmt::format("{}{} = {}", verb, at.fact, value));
  }
};

} // namespace

void RecordText::add(std::string_view path, bool stated, const std::string& value) {
  facts_.push_back({std::string(path), value, stated});
}

std::variant<RecordText::Declared, RecordText::Unnamed> RecordText::declare(std::string_view owner,
                                                                            const ir::Cluster* cluster,
                                                                            const Bases& bases,
                                                                            const Naming& naming) const {
  Sorted sorted;
  for (const Fact& fact : facts_) sorted.add(fact.path, fact.stated ? "override " : "", fact.value, cluster);
  Declared out;
  std::optional<Unnamed> unnamed;
  /// Declares a record that extends another one; returns its name.
  const auto heir = [&](std::string_view kind, std::string_view suffix, const auto& of, const std::string& facts) {
    std::string record = fmt::format("{}_{}", owner, suffix);
    const auto base = naming(of.range, of.name, record + "_base");
    if (!base) {
      unnamed = Unnamed{kind, of.name, of.range};
      return record;
    }
    out.text += base->import + fmt::format("{} {} extends {} {{ {} }}\n\n", kind, record, base->name, facts);
    return record;
  };
  if (!sorted.device.empty())
    addFact(sorted.cluster, "override device = " + heir("device", "device", cluster->device, sorted.device));
  if (cluster)
    for (const ir::ClusterLevel& level : cluster->levels)
      if (const auto facts = sorted.links.find(level.name.str()); facts != sorted.links.end())
        addFact(sorted.cluster, fmt::format("override {} {{ link = {} }}", level.name.view(),
                                            heir("fabric", level.name.str() + "_link", level.fabric, facts->second)));
  if (unnamed) return *unnamed;
  const auto outermost = [&](std::string_view kind, const std::string& facts, const std::string& base) {
    if (facts.empty()) return std::string();
    std::string record = fmt::format("{}_{}", owner, kind);
    out.text += fmt::format("{} {} extends {} {{ {} }}\n\n", kind, record, base, facts);
    return record;
  };
  out.software = outermost("stack", sorted.stack, bases.software);
  out.cluster = outermost("cluster", sorted.cluster, bases.cluster);
  return out;
}

} // namespace planc::format
