// Diagnostics for missing facts and doubtful prices: one report per record, with the readers and the place for the
// fact.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/facts/Facts.h"

#include "ir/facts/DeviceFacts.h"
#include "support/Quantity.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace planc::cost {

PLANC_ERROR(DeviceFactMissing, 802, "device `{name}` lacks {facts}, which this plan needs")
PLANC_ERROR(FabricFactMissing, 803, "fabric `{name}` lacks {facts}, which this plan needs")
PLANC_ERROR(StackFactMissing, 804, "stack `{name}` lacks {facts}, which this plan needs")
PLANC_ERROR(LevelFactMissing, 805, "level `{name}` lacks {facts}, which this plan needs")
PLANC_WARNING(NominalBandwidth, 806,
              "{op} on level `{level}` is priced from its nominal bandwidth: fabric `{fabric}` has no samples of it",
              Reached::Priced)
PLANC_WARNING(OutsideSamples, 807, "`{fact}` of {owner} is used at {size}, outside of its samples: {least} to {most}",
              Reached::Priced)

namespace {

const DiagnosticKind& kindOf(ir::RecordKind kind) {
  switch (kind) {
  case ir::RecordKind::Device:
    return DeviceFactMissing;
  case ir::RecordKind::Fabric:
    return FabricFactMissing;
  case ir::RecordKind::Stack:
    return StackFactMissing;
  case ir::RecordKind::Level:
  case ir::RecordKind::Cluster: // equations read no facts of clusters
    break;
  }
  return LevelFactMissing;
}

constexpr size_t kMaxLabels = 4; // source positions shown per report; the notes name every reader

} // namespace

std::string_view noun(ir::RecordKind kind) {
  switch (kind) {
  case ir::RecordKind::Device:
    return "device";
  case ir::RecordKind::Fabric:
    return "fabric";
  case ir::RecordKind::Stack:
    return "stack";
  case ir::RecordKind::Cluster:
    return "cluster";
  case ir::RecordKind::Level:
    break;
  }
  return "level";
}

double Evidence::beyond() const {
  if (size <= 0 || high <= 0) return 0;
  return size > high ? std::log(size / high) : size < low ? std::log(low / size) : 0;
}

double Evidence::away() const {
  return beyond() + std::fabs(std::log(scale));
}

std::string Requester::text() const {
  if (!node) return "every estimate";
  const ir::Model& model = program->model;
  const std::string layer = node->op.valid() ? model.pathOf(node->op) : std::string();
  if (const ir::Collective* c = node->asCollective()) {
    std::string text = fmt::format("the {}", ir::name(c->kind));
    if (c->axes) text += fmt::format(" over `{}`", program->mesh.str(c->axes));
    return layer.empty() ? text : text + fmt::format(" in `{}`", layer);
  }
  const ir::Role role = node->isCompute() ? node->compute().role : ir::Role::Forward; // a copy belongs to the operator
  if (layer.empty()) return fmt::format("the {}", ir::name(role));
  return fmt::format("`{}` of `{}` ({})", model.ops[node->op].name.view(), layer, ir::name(role));
}

SourceRange Requester::range() const {
  if (!node) return {};
  if (const ir::Collective* c = node->asCollective(); c && c->because.valid()) return c->because;
  return node->op.valid() ? program->model->ops[node->op].range : SourceRange();
}

const ir::Number* Facts::find(ir::DeviceFact fact, const Requester& requester, ir::FactKey key) {
  const ir::Number* found = device.number(fact, key);
  if (!found) missing(owner(device), {fact, key}, requester);
  return found;
}

const ir::Number* Facts::find(ir::StackFact fact, const Requester& requester, ir::FactKey key) {
  const ir::Number* found = stack.number(fact, key);
  if (!found) missing(owner(stack), {fact, key}, requester);
  return found;
}

void Facts::missing(const Owner& owner, const ir::FactRef& fact, const Requester& requester) {
  auto record = std::find_if(missing_.begin(), missing_.end(), [&](const Missing& m) {
    return m.owner.kind == owner.kind && m.owner.name == owner.name && m.owner.range == owner.range;
  });
  if (record == missing_.end()) record = missing_.insert(missing_.end(), {owner, {}});
  for (const Entry& e : record->entries)
    if (e.fact == fact) return;
  record->entries.push_back({fact, fact.path(), requester.text(), requester.range()});
}

void Facts::nominal(const ir::ClusterLevel& level, ir::CollectiveKind kind, const Requester& requester) {
  const bool known = std::any_of(warnings_.begin(), warnings_.end(),
                                 [&](const Warning& w) { return w.level == &level && w.kind == kind; });
  if (!known) warnings_.push_back({&level, kind, requester.text(), requester.range()});
}

void Facts::outside(const Evidence& item, double share, std::string requester, SourceRange at) {
  outside_.push_back({item, share, std::move(requester), at});
}

bool Facts::report(DiagnosticEngine& diagnostics) {
  for (const Missing& m : missing_) {
    std::vector<std::string> paths;
    for (const Entry& e : m.entries) paths.push_back(e.path);
    auto report = diagnostics.report(kindOf(m.owner.kind), m.owner.range,
                                     {{"name", m.owner.name.str()}, {"facts", quotedSeries(paths)}});
    std::set<std::pair<uint32_t, uint32_t>> drawn;
    for (const Entry& e : m.entries) {
      if (drawn.size() < kMaxLabels && e.range.valid() && drawn.insert({e.range.file.index, e.range.begin}).second)
        report.label(e.range, fmt::format("this needs `{}`", e.path));
      report.note(fmt::format("`{}` is needed by {}", e.path, e.requester));
    }
    const bool rates = std::any_of(m.entries.begin(), m.entries.end(),
                                   [](const Entry& e) { return e.fact.id == ir::FactId(ir::DeviceFact::Peak); });
    const auto given = device.keys(ir::DeviceFact::Peak);
    if (rates && !given.empty()) {
      std::vector<std::string> types;
      for (const ir::FactKey& type : given) types.emplace_back(type.text());
      report.help(fmt::format("it has rates of {}: write `precision` with these", quotedSeries(types)));
    }
    report.help(fmt::format("add {} to {} `{}`, each with its source", quotedSeries(paths), noun(m.owner.kind),
                            m.owner.name.view()));
  }
  for (const Warning& w : warnings_)
    diagnostics
        .report(NominalBandwidth, w.level->range,
                {{"op", ir::name(w.kind)}, {"level", w.level->name.str()}, {"fabric", w.level->fabric.name.str()}})
        .label(w.level->fabric.range, "this fabric")
        .note("needed by " + w.requester)
        .help("measure it: `planc calibrate` writes the samples of a fabric, or give the fabric `nic_efficiency`, "
              "`start`, `hop` and `g`");
  const auto ofDenseKernels = [](const ir::FactRef& fact) {
    return fact.id == ir::FactId(ir::DeviceFact::AttentionForward) ||
           fact.id == ir::FactId(ir::DeviceFact::AttentionHead) ||
           fact.id == ir::FactId(ir::DeviceFact::AttentionBackward);
  };
  for (const Outside& o : outside_)
    diagnostics
        .report(OutsideSamples, o.item.range,
                {{"fact", o.item.fact.path()},
                 {"owner", fmt::format("{} `{}`", noun(o.item.owner.kind), o.item.owner.name.view())},
                 {"size", formatQuantity(o.item.size, o.item.unit)},
                 {"least", formatQuantity(o.item.low, o.item.unit)},
                 {"most", formatQuantity(o.item.high, o.item.unit)}})
        .label(o.range, "for this")
        .note(fmt::format(
            "{:.0f} % of the step depends on it; the value of the nearest sample is used, and the interval is wider",
            100 * o.share))
        .help(ofDenseKernels(o.item.fact)
                  ? "it was measured with dense attention; a stack can state the rate of another kernel, one that "
                    "gathers rows or has wider heads: `rates { OPERATOR { forward = … } }`"
                  : "");
  const bool complete = missing_.empty();
  missing_.clear();
  return complete;
}

} // namespace planc::cost
