// Elaborates clusters: a device and the levels around it, inner to outer.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/elaborate/Machines.h"
#include "frontend/elaborate/RecordTables.h"
#include "frontend/elaborate/Topologies.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(ClusterIncomplete, 518, "cluster `{cluster}` has no {what}")
PLANC_ERROR(LevelCount, 519, "level `{level}` has {count} units of the level below; it takes at least one")
PLANC_ERROR(LevelTwice, 520, "cluster `{cluster}` has two levels `{level}`")
PLANC_ERROR(LevelIncomplete, 521, "level `{level}` has no `link`")
PLANC_ERROR(LevelWithoutBelow, 727, "level `{level}` is the innermost: there are no wires below it to share")
PLANC_ERROR(MoreCards, 926, "level `{level}` has {cards} network cards for {devices} devices that share them")
PLANC_ERROR(ClusterTooLarge, 522, "cluster `{cluster}` has more than {limit} devices")

namespace {

/// `cards` are shared by the devices of one unit of the level below: there are no more of them than of these.
void checkCards(Context& context, const ir::ClusterLevel& level, int64_t devices) {
  if (!level.cards || level.cards->value <= static_cast<double>(devices)) return;
  context
      .report(MoreCards, level.cards->range,
              {{"level", level.name.str()}, {"cards", static_cast<int64_t>(level.cards->value)}, {"devices", devices}})
      .help("leave `cards` out and let `bandwidth` be that of all cards of a device: it counts per device");
}

} // namespace

/// Binds the parameters, then what holds without the levels: conditions come first, so that they explain what breaks.
OpenCluster& Machines::open(const BoundDecl& decl, SourceRange use) {
  auto [at, fresh] = clusters_.try_emplace(&decl);
  OpenCluster& result = at->second;
  if (!fresh) {
    ev_.context.failures += !result.ok;
    return result;
  }
  DeclInfo& info = *decl.decl;
  const auto& cluster = info.as<syntax::ClusterDecl>();
  result.facts =
      std::make_unique<FactTree>(ev_, FactOwner{fmt::format("cluster `{}`", info.name.view()), info.nameRange});
  Scope& scope = result.scopes.emplace_back(info.module);
  const bool entered = ev_.context.enter(info, use);
  result.ok = entered && ev_.bind(decl, scope, use);
  for (const syntax::ClusterItem& item : cluster.items)
    if (const auto* let = std::get_if<syntax::LetDecl>(&item))
      scope.names.add(let->name.text, ev_.let(*let, scope), let->name.range);
  for (const syntax::ClusterItem& item : cluster.items)
    if (const auto* require = std::get_if<syntax::Require>(&item)) result.ok &= ev_.require(*require, scope);
  for (const syntax::ClusterItem& item : cluster.items) {
    if (const auto* fact = std::get_if<syntax::Fact>(&item)) result.facts->addFact(*fact, scope, 0, fact->override_);
    if (const auto* section = std::get_if<syntax::Section>(&item))
      result.facts->addSection(*section, scope, 0, section->override_);
    if (const auto* level = std::get_if<syntax::LevelItem>(&item)) {
      for (const OpenCluster::Level& earlier : result.levels)
        if (earlier.syntax->name.text == level->name.text) {
          ev_.context
              .report(LevelTwice, level->name.range, {{"cluster", info.name.str()}, {"level", level->name.text.str()}})
              .label(earlier.syntax->name.range, "first declared here");
          result.ok = false;
        }
      OpenCluster::Level made{
          level, std::make_unique<FactTree>(
                     ev_, FactOwner{fmt::format("level `{}`", level->name.text.view()), level->name.range})};
      made.facts->add(level->section, scope, 0);
      result.levels.push_back(std::move(made));
    }
  }
  applyEdits(decl, result);
  if (entered) ev_.context.leave();
  return result;
}

/// Edits of a cluster: its own facts, and those of its levels.
void Machines::applyEdits(const BoundDecl& decl, OpenCluster& cluster) {
  const auto edits = edits_.find(&decl);
  if (edits == edits_.end()) return;
  const uint64_t failures = ev_.context.failures;
  const auto levelOf = [&](Symbol name) {
    return std::find_if(cluster.levels.begin(), cluster.levels.end(),
                        [&](const OpenCluster::Level& l) { return l.syntax->name.text == name; });
  };
  std::vector<EditBelow> own;
  for (const EditBelow& e : edits->second) {
    const auto level = levelOf(e.name().text);
    if (level != cluster.levels.end() && !e.last()) {
      frontend::applyEdits(ev_.context, *level->facts, level->facts->root(), {{e.edit, e.at + 1}}, *this);
    } else if (cluster.facts->root().find(e.name().text) || (e.last() && level == cluster.levels.end())) {
      own.push_back(e); // a name that no fact has is reported when the facts are read
    } else {
      std::vector<std::string> names;
      for (const FactNode& fact : cluster.facts->root().children) names.push_back(fact.name.str());
      for (const OpenCluster::Level& l : cluster.levels) names.push_back(l.syntax->name.text.str());
      for (const ParamInfo& p : ev_.params(*decl.decl))
        if (levelOf(p.name()) == cluster.levels.end()) names.push_back(p.name().str());
      reportNothingToSet(ev_.context, e.name(), cluster.facts->owner().text, names);
    }
  }
  frontend::applyEdits(ev_.context, *cluster.facts, cluster.facts->root(), own, *this);
  cluster.ok &= ev_.context.failures == failures;
}

bool Machines::level(const OpenCluster::Level& level, Scope& scope, ir::Cluster& cluster) {
  const syntax::LevelItem& s = *level.syntax;
  ir::ClusterLevel made;
  made.name = s.name.text;
  made.range = s.range;
  const auto count = ev_.integer(*s.count, scope, fmt::format("the count of level `{}`", s.name.text.view()));
  if (count && *count < 1)
    ev_.context.report(LevelCount, s.count->range, {{"level", s.name.text.str()}, {"count", *count}});
  made.count = count.value_or(0);
  FactReader(ev_, *level.facts).read(levelFacts(), made);
  if (FactNode* port = level.facts->root().find("own_port"); port && cluster.levels.empty()) {
    ev_.context.report(LevelWithoutBelow, port->range, {{"level", s.name.text.str()}})
        .help("leave `own_port` out here: it belongs to the level outside of this one");
    return false;
  }
  FactNode* link = level.facts->root().find("link");
  if (!link || link->section()) {
    ev_.context.report(LevelIncomplete, s.name.range, {{"level", s.name.text.str()}})
        .help("name the fabric that connects its units: `link = fabrics.nvlink4`");
    return false;
  }
  if (const BoundDecl* fabric = expect(level.facts->value(*link), DeclKind::Fabric, "`link`"))
    if (auto read = this->fabric(*fabric, link->range)) made.fabric = *read;
  bool good = count && *count >= 1;
  if (good) good = checkDims(ev_.context, made.topology, *count, made.name, s.count->range);
  cluster.levels.push_back(std::move(made));
  return good;
}

std::optional<ir::Cluster> Machines::cluster(const BoundDecl& decl, SourceRange use) {
  const uint64_t failures = ev_.context.failures;
  OpenCluster& opened = open(decl, use);
  if (!opened.ok) return std::nullopt;
  DeclInfo& info = *decl.decl;
  ir::Cluster cluster;
  cluster.name = info.name;
  cluster.range = info.nameRange;
  if (!ev_.context.enter(info, use)) return std::nullopt;
  FactReader(ev_, *opened.facts).read(clusterFacts(), cluster);
  if (FactNode* node = opened.facts->root().find("device"); node && !node->section())
    if (const BoundDecl* device = expect(opened.facts->value(*node), DeclKind::Device, "`device`"))
      if (auto read = this->device(*device, node->range)) cluster.device = *read;
  if (!opened.facts->root().find("device"))
    ev_.context.report(ClusterIncomplete, info.nameRange, {{"cluster", info.name.str()}, {"what", "device"}})
        .help("write `device = devices.…`");
  if (opened.levels.empty())
    ev_.context.report(ClusterIncomplete, info.nameRange, {{"cluster", info.name.str()}, {"what", "level"}})
        .help("write `level node * 8 { link = …; bandwidth = …; latency = …; topology = switch }`");
  bool known = true;
  int64_t devices = 1;
  for (const OpenCluster::Level& l : opened.levels) {
    known &= level(l, opened.scopes.front(), cluster);
    if (known) checkCards(ev_.context, cluster.levels.back(), devices); // devices of the levels inside of it
    if (known &&
        (__builtin_mul_overflow(devices, cluster.levels.back().count, &devices) || devices > limits::kDevices)) {
      ev_.context.report(ClusterTooLarge, l.syntax->count->range,
                         {{"cluster", info.name.str()}, {"limit", limits::kDevices}});
      known = false;
    }
  }
  ev_.context.leave();
  if (!known || ev_.context.failures != failures) return std::nullopt;
  return cluster;
}

} // namespace planc::frontend
