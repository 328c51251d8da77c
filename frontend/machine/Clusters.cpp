// Elaborates clusters: a device and the levels around it, inner to outer.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Machines.h"
#include "frontend/machine/RecordTables.h"
#include "frontend/machine/Topologies.h"
#include "frontend/machine/VoidFacts.h"
#include "ir/facts/ClusterFacts.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(ClusterIncomplete, 518, "cluster `{cluster}` has no {facts}")
PLANC_ERROR(LevelCount, 519, "level `{level}` has {count} units of the level below; it must have at least 1")
PLANC_ERROR(LevelTwice, 520, "cluster `{cluster}` has two levels `{level}`")
PLANC_ERROR(LevelIncomplete, 521, "level `{level}` has no `link`")
PLANC_ERROR(LevelWithoutBelow, 727, "level `{level}` is the innermost, so there are no wires below it to share")
PLANC_ERROR(MoreCards, 926, "level `{level}` has {cards} network cards for {devices} devices that share them")
PLANC_ERROR(NoLevelToOverride, 533, "cluster `{cluster}` inherits no level `{level}` to override")
PLANC_ERROR(ClusterTooLarge, 522, "cluster `{cluster}` has more than {limit} devices")

namespace {

const Symbol kDevice("device");

/// Checks `cards`: the devices of one unit of the level below share them, so there cannot be more cards than devices.
void checkCards(Context& context, const ir::ClusterLevel& level, int64_t devices) {
  const ir::Number* cards = level.number(ir::LevelFact::Cards);
  if (!cards || cards->value <= static_cast<double>(devices)) return;
  context
      .report(MoreCards, cards->range,
              {{"level", level.name.str()}, {"cards", static_cast<int64_t>(cards->value)}, {"devices", devices}})
      .help("remove `cards` and give `bandwidth` as the sum of the cards of a device: it is per device");
}

} // namespace

/// Collects the clusters that a cluster extends, itself first, and binds their parameters and constants. Returns false
/// after a report.
bool Machines::openChain(const BoundDecl& decl, SourceRange use, OpenCluster& cluster) {
  const BoundDecl* at = &decl;
  std::vector<DeclInfo*> chain;
  for (bool good = true;;) {
    chain.push_back(at->decl);
    const auto& syntax = at->decl->as<syntax::ClusterDecl>();
    Scope& scope = cluster.scopes.emplace_back(at->decl->module);
    cluster.layers.push_back(at->decl);
    good &= ev_.bind(*at, scope, use);
    for (const syntax::ClusterItem& item : syntax.items)
      if (const auto* let = std::get_if<syntax::LetDecl>(&item))
        scope.names.add(let->name.text, ev_.let(*let, scope), let->name.range);
    if (!good || !syntax.extends) return good;
    use = syntax.extends->range;
    const Value base = ev_.evaluate(*syntax.extends, scope);
    if (base.invalid()) return false;
    if (base.kind != ValueKind::Decl || base.decl->decl->kind != DeclKind::Cluster) {
      reportExtendsWhat(*at->decl, use, base);
      return false;
    }
    at = base.decl;
    if (!mayExtend(chain, at->decl, use)) return false;
  }
}

OpenCluster::Level* Machines::levelOf(OpenCluster& cluster, Symbol name) {
  for (OpenCluster::Level& level : cluster.levels)
    if (level.syntax->name.text == name) return &level;
  return nullptr;
}

/// Reports an override of a level that no base has.
bool Machines::noSuchLevel(const OpenCluster& cluster, const syntax::Name& name, int layer) {
  const DeclInfo& owner = cluster.declOf(layer);
  std::vector<std::string> names;
  for (const OpenCluster::Level& level : cluster.levels)
    if (level.layer != layer) names.push_back(level.syntax->name.text.str());
  auto report =
      ev_.context.report(NoLevelToOverride, name.range, {{"cluster", owner.name.str()}, {"level", name.text.str()}});
  report.meant(name.text.view(), names, "the levels that it inherits are ");
  if (names.empty())
    report.help("a cluster inherits levels from the cluster that it extends; write a new level without `override`");
  else if (nearest(name.text.view(), names).empty())
    report.help(fmt::format("override one of those, or write `level {} * N {{ … }}` for a level around them",
                            name.text.view()));
  return false;
}

/// Adds a new level, or changes the count and adds facts of an inherited one.
bool Machines::addLevel(OpenCluster& cluster, const syntax::LevelItem& item, int layer) {
  DeclInfo& owner = cluster.declOf(layer);
  Scope& scope = cluster.scopeOf(layer);
  OpenCluster::Level* known = levelOf(cluster, item.name.text);
  if (known && known->layer == layer) {
    ev_.context.report(LevelTwice, item.name.range, {{"cluster", owner.name.str()}, {"level", item.name.text.str()}})
        .label(known->syntax->name.range, "first declared here");
    return false;
  }
  if (!known && item.override_) return noSuchLevel(cluster, item.name, layer);
  if (known && !item.override_) {
    reportNeedsOverride(ev_.context, item.name.range, item.name.text.view(), known->syntax->name.range);
    return false;
  }
  if (!known) {
    known = &cluster.levels.emplace_back();
    known->facts =
        std::make_unique<FactTree>(ev_, FactOwner{fmt::format("level `{}`", item.name.text.view()), item.name.range});
    known->facts->lasting = cluster.facts->lasting;
  } else if (item.section.items.empty() &&
             !(cluster.facts->parametric &&
               (varies(*known->syntax->count, *known->scope) || varies(*item.count, scope)))) {
    const auto before = ev_.integer(*known->syntax->count, *known->scope, "the count of a level");
    if (before && before == ev_.integer(*item.count, scope, "the count of a level"))
      reportOverrideChangesNothing(ev_.context, item.range, item.name.text.view(), known->syntax->range);
  }
  known->syntax = &item;
  known->scope = &scope;
  known->layer = layer;
  known->facts->parametric = cluster.facts->parametric;
  known->facts->add(item.section, scope, layer, item.override_);
  return true;
}

/// Adds the statements of one cluster of the chain.
void Machines::addItems(OpenCluster& cluster, int layer) {
  DeclInfo& owner = cluster.declOf(layer);
  Scope& scope = cluster.scopeOf(layer);
  cluster.facts->parametric |= !ev_.params(owner).empty();
  for (OpenCluster::Level& level : cluster.levels) level.facts->parametric = cluster.facts->parametric;
  const auto& items = owner.as<syntax::ClusterDecl>().items;
  for (const syntax::ClusterItem& item : items)
    if (const auto* require = std::get_if<syntax::Require>(&item)) cluster.ok &= ev_.require(*require, scope);
  for (const syntax::ClusterItem& item : items)
    if (const auto* level = std::get_if<syntax::LevelItem>(&item)) cluster.ok &= addLevel(cluster, *level, layer);
  for (const syntax::ClusterItem& item : items) {
    if (const auto* fact = std::get_if<syntax::Fact>(&item)) {
      OpenCluster::Level* level = fact->members.empty() ? nullptr : levelOf(cluster, fact->name.text);
      syntax::Fact rest = *fact;
      if (level) {
        rest.name = rest.members.front();
        rest.members.erase(rest.members.begin());
      }
      const FactNode* device = level ? nullptr : cluster.facts->root().find(kDevice);
      if (device && device->layer == layer && rest.name.text == kDevice && rest.members.empty())
        reportKinds(fmt::format("cluster `{}` has two devices", owner.name.view()), fact->range, device->range);
      else
        (level ? *level->facts : *cluster.facts).addFact(rest, scope, layer, fact->override_);
    } else if (const auto* section = std::get_if<syntax::Section>(&item)) {
      if (OpenCluster::Level* level = levelOf(cluster, section->name.text))
        level->facts->add(*section, scope, layer, section->override_);
      else if (section->override_ && !cluster.facts->root().find(section->name.text))
        cluster.ok &= noSuchLevel(cluster, section->name, layer);
      else
        cluster.facts->addSection(*section, scope, layer, section->override_);
    }
  }
}

/// Binds the parameters, then checks conditions before the levels, because a failed condition explains later errors.
OpenCluster& Machines::open(const BoundDecl& decl, SourceRange use) {
  auto [at, fresh] = clusters_.try_emplace(&decl);
  OpenCluster& result = at->second;
  if (!fresh) {
    ev_.context.failures += !result.ok;
    return result;
  }
  const Arena::Lasting keep(ev_.context.arena, decl.lasting);
  DeclInfo& info = *decl.decl;
  const uint64_t failures = ev_.context.failures;
  result.facts =
      std::make_unique<FactTree>(ev_, FactOwner{fmt::format("cluster `{}`", info.name.view()), info.nameRange});
  result.facts->lasting = decl.lasting;
  const bool entered = ev_.context.enter(info, use);
  result.ok = entered && openChain(decl, use, result);
  if (result.ok || result.layers.size() == 1)
    for (int layer = 0; layer < static_cast<int>(result.layers.size()); ++layer) addItems(result, layer);
  applyEdits(decl, result);
  const FactNode* device = result.facts->root().find(kDevice);
  if (device && device->section() && ev_.context.failures == failures)
    reportKinds(fmt::format("`device` of cluster `{}` is a section", info.name.view()), device->range, {});
  for (OpenCluster::Level& level : result.levels)
    if (const FactNode* own = level.facts->root().find(kDevice))
      reportKinds(fmt::format("{} has devices of its own", level.facts->owner().text), own->range,
                  device ? device->range : SourceRange{});
  if (entered) ev_.context.leave();
  result.ok &= ev_.context.failures == failures;
  return result;
}

/// Applies the edits of a cluster to its own facts and to the facts of its levels.
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
      own.push_back(e); // an unknown name is reported when the facts are read
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

/// Checks that a cluster has a device and at least one level.
void Machines::checkComplete(const OpenCluster& cluster, const DeclInfo& info) {
  std::vector<std::string> missing, helps;
  if (!cluster.facts->root().find("device")) {
    missing.emplace_back("device");
    helps.emplace_back("write `device = devices.…`");
  }
  if (cluster.levels.empty()) {
    missing.emplace_back("level");
    helps.emplace_back("write `level node * 8 { link = …; bandwidth = …; latency = …; topology = switch }`");
  }
  if (missing.empty()) return;
  auto report = ev_.context.report(ClusterIncomplete, info.nameRange,
                                   {{"cluster", info.name.str()}, {"facts", quotedSeries(missing)}});
  for (std::string& help : helps) report.help(std::move(help));
}

/// Reads the fabric that connects the units of a level. Returns false after a report.
bool Machines::link(const OpenCluster::Level& level, ir::ClusterLevel& made) {
  FactNode* link = level.facts->root().find("link");
  if (link && !link->section()) {
    if (const BoundDecl* fabric = expect(level.facts->value(*link), DeclKind::Fabric, "`link`"))
      if (auto read = this->fabric(*fabric, link->range)) made.fabric = *read;
    return true;
  }
  auto report =
      ev_.context.report(LevelIncomplete, level.syntax->name.range, {{"level", level.syntax->name.text.str()}});
  report.help("name the fabric that connects its units: `link = fabrics.nvlink4`");
  std::vector<std::string> others;
  for (const ir::LevelFact fact : {ir::LevelFact::Bandwidth, ir::LevelFact::Latency})
    if (!made.has(fact)) others.push_back(ir::FactRef(fact).path());
  if (!others.empty())
    report.help(fmt::format("the level also needs {} if the fabric has no samples", quotedSeries(others)));
  return false;
}

bool Machines::level(const OpenCluster::Level& level, ir::Cluster& cluster) {
  const syntax::LevelItem& s = *level.syntax;
  ir::ClusterLevel made;
  made.name = s.name.text;
  made.range = s.range;
  const auto count = ev_.integer(*s.count, *level.scope, fmt::format("the count of level `{}`", s.name.text.view()));
  if (count && *count < 1)
    ev_.context.report(LevelCount, s.count->range, {{"level", s.name.text.str()}, {"count", *count}});
  made.count = count.value_or(0);
  FactReader(ev_, *level.facts).read<ir::LevelFact>(made, readCustom);
  bool good = count && *count >= 1;
  if (FactNode* port = level.facts->root().find("own_port"); port && cluster.levels.empty()) {
    ev_.context.report(LevelWithoutBelow, port->range, {{"level", s.name.text.str()}})
        .help("remove `own_port` here: it belongs to the level above this one");
    good = false;
  }
  good &= link(level, made);
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
  FactReader(ev_, *opened.facts).read<ir::ClusterFact>(cluster, readCustom);
  if (FactNode* node = opened.facts->root().find("device"); node && !node->section())
    if (const BoundDecl* device = expect(opened.facts->value(*node), DeclKind::Device, "`device`"))
      if (auto read = this->device(*device, node->range)) cluster.device = *read;
  checkComplete(opened, info);
  bool known = true;
  int64_t devices = 1;
  for (const OpenCluster::Level& l : opened.levels) {
    known &= level(l, cluster);
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
  reportVoidFacts(ev_.context, cluster);
  return cluster;
}

} // namespace planc::frontend
