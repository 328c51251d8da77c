// Elaborates devices, fabrics and stacks along `extends`, and evaluates paths into them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Machines.h"

#include "frontend/machine/RecordTables.h"
#include "frontend/machine/VoidFacts.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/FactPath.h"
#include "ir/facts/StackFacts.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(ExtendsWhat, 514, "`{name}` cannot extend {base}")
PLANC_ERROR(ExtendsCycle, 515, "`{name}` extends itself: {cycle}")
PLANC_ERROR(ExtendsTooLong, 526, "a chain of `extends` has more than {limit} links")
PLANC_ERROR(WrongRecord, 516, "{what} takes {expected}; this is {actual}")
PLANC_ERROR(KindsOfDevices, 549, "{what}: all devices of a plan must be of one kind")
PLANC_ERROR(AccuracyIncomplete, 536, "the `accuracy` of stack `{stack}` has no {what}")
PLANC_WARNING(SamplesWithoutRate, 531,
              "fabric `{fabric}` has samples without `sampled_at`, so the `bandwidth` of a level has no effect on them")

void Machines::reportKinds(std::string_view what, SourceRange at, SourceRange first) {
  auto report = ev_.context.report(KindsOfDevices, at, {{"what", what}});
  if (first.valid()) report.label(first, "the devices are declared here");
  report
      .help("if all devices work in step, write a plan for a cluster of each kind, `compare` the two, and use the "
            "longer step: the faster devices wait for the slower ones")
      .help("if each kind processes its own samples, give each plan the part of `global_batch` that makes both steps "
            "equally long");
}

const BoundDecl* Machines::expect(const Value& v, DeclKind kind, std::string_view what) {
  if (v.invalid()) return nullptr;
  if (v.kind == ValueKind::Decl && v.decl->decl->kind == kind) return v.decl;
  if (v.kind == ValueKind::List && (kind == DeclKind::Device || kind == DeclKind::Cluster)) {
    reportKinds(fmt::format("{} is a list", what), v.range, {});
    return nullptr;
  }
  auto report =
      ev_.context.report(WrongRecord, v.range,
                         {{"what", what}, {"expected", fmt::format("a {}", describe(kind))}, {"actual", describe(v)}});
  if (v.kind != ValueKind::Module) return nullptr;
  std::vector<std::string> names; // `te` for the stack `te.te`
  for (const std::string& name : ev_.context.loader.exportNames(*v.import))
    if (const DeclInfo* d = ev_.context.loader.findExported(*v.import, Symbol(name)); d && d->kind == kind)
      names.push_back(fmt::format("{}.{}", v.import->name.view(), name));
  constexpr size_t kMost = 6;
  const size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  if (!names.empty())
    report.help(fmt::format("it exports {}{}", quotedList(names), more ? fmt::format(" and {} more", more) : ""));
  else
    report.note(fmt::format("it exports no {}", describe(kind)));
  return nullptr;
}

void Machines::reportExtendsWhat(const DeclInfo& heir, SourceRange at, const Value& base) {
  ev_.context.report(ExtendsWhat, at, {{"name", heir.name.str()}, {"base", describe(base)}})
      .help(fmt::format("a {0} extends a {0}", describe(heir.kind)));
}

/// Returns whether a chain, itself first, can be extended by `base`. Reports a cycle, and a chain that is too long.
bool Machines::mayExtend(const std::vector<DeclInfo*>& chain, DeclInfo* base, SourceRange at) {
  if (auto known = std::find(chain.begin(), chain.end(), base); known != chain.end()) {
    const auto [first, cycle] = cycleText({known, chain.end()});
    ev_.context.report(ExtendsCycle, first->nameRange, {{"name", first->name.str()}, {"cycle", cycle}});
    return false;
  }
  if (chain.size() < limits::kExtends) return true;
  ev_.context.report(ExtendsTooLong, at, {{"limit", limits::kExtends}});
  return false;
}

/// Collects the declaration and its bases, root first. Returns false after a report.
bool Machines::chain(const BoundDecl& decl, SourceRange, std::vector<DeclInfo*>& result) {
  DeclInfo* at = decl.decl;
  result.push_back(at);
  while (at->as<syntax::RecordDecl>().extends) {
    const syntax::DottedName& path = *at->as<syntax::RecordDecl>().extends;
    Scope scope(at->module);
    std::optional<Value> base = ev_.find(path.parts[0].text, scope, path.parts[0].range);
    if (!base) ev_.reportUnknown(path.parts[0], scope);
    for (size_t i = 1; base && i < path.parts.size(); ++i) {
      syntax::Expr member;
      member.kind = syntax::ExprKind::Member;
      member.name = path.parts[i];
      member.range = path.range;
      base = ev_.member(member, *base);
    }
    if (!base || base->invalid()) return false;
    if (base->kind != ValueKind::Decl || base->decl->decl->kind != at->kind) {
      reportExtendsWhat(*at, path.range, *base);
      return false;
    }
    if (!mayExtend(result, base->decl->decl, path.range)) return false;
    result.push_back(at = base->decl->decl);
  }
  std::reverse(result.begin(), result.end());
  return true;
}

namespace {

/// If a layer changes whose runs were measured, marks the evidence of the layers before it as not inherited.
void lapseEvidence(FactTree& facts, const DeclInfo& layer) {
  if (layer.kind != DeclKind::Stack) return;
  const std::span<const ir::FactRow> rows = ir::factRows(ir::RecordKind::Stack);
  const auto changes = [&](const syntax::SectionItem& item) {
    const auto* fact = std::get_if<syntax::Fact>(&item);
    return fact && fact->override_ && std::ranges::any_of(rows, [&](const ir::FactRow& row) {
             return row.type.runsBasis && row.path == fact->name.text.view();
           });
  };
  if (std::ranges::none_of(layer.as<syntax::RecordDecl>().section.items, changes)) return;
  facts.lapse([&](std::string_view path) {
    return std::ranges::any_of(rows, [&](const ir::FactRow& row) {
      return row.type.evidence && ir::fitsPath(row.path, path, ir::PathEnd::Whole);
    });
  });
}

} // namespace

MergedRecord& Machines::merged(const BoundDecl& decl, SourceRange use) {
  auto [at, fresh] = records_.try_emplace(&decl);
  MergedRecord& record = at->second;
  if (!fresh) {
    ev_.context.failures += !record.ok;
    return record;
  }
  const Arena::Lasting keep(ev_.context.arena, decl.lasting);
  const uint64_t failures = ev_.context.failures;
  record.facts = std::make_unique<FactTree>(ev_, FactOwner{ownerText(*decl.decl), decl.decl->nameRange});
  record.facts->lasting = decl.lasting;
  std::vector<DeclInfo*> layers;
  if (!chain(decl, use, layers)) {
    ++ev_.context.failures;
    record.ok = false;
    return record;
  }
  int layer = 0;
  for (DeclInfo* d : layers) {
    Scope& scope = record.scopes.emplace_back(d->module);
    record.ok &= d == decl.decl ? ev_.bind(decl, scope, use) : ev_.bind(BoundDecl{d, {}}, scope, use);
    record.facts->parametric |= !ev_.params(*d).empty();
    lapseEvidence(*record.facts, *d);
    record.facts->add(d->as<syntax::RecordDecl>().section, scope, layer++);
  }
  if (const auto edits = edits_.find(&decl); edits != edits_.end() && record.ok)
    frontend::applyEdits(ev_.context, *record.facts, record.facts->root(), edits->second, *this);
  record.ok &= ev_.context.failures == failures;
  return record;
}

void Machines::forgetPassing() {
  std::erase_if(records_, [](const auto& entry) { return !entry.second.facts->lasting; });
  std::erase_if(clusters_, [](const auto& entry) { return !entry.second.facts->lasting; });
  edits_.clear(); // edits belong to a single plan
}

Value Machines::edited(const Value& v, const std::vector<EditBelow>& edits) {
  BoundDecl made = *v.decl;
  std::vector<EditBelow> facts;
  if (const auto earlier = edits_.find(v.decl); earlier != edits_.end()) facts = earlier->second;
  const uint64_t failures = ev_.context.failures;
  const std::span<const ParamInfo> params = ev_.params(*made.decl);
  std::vector<std::string> names;
  for (const ParamInfo& p : params) names.push_back(p.name().str());
  for (const EditBelow& e : edits) {
    const auto param = std::find_if(params.begin(), params.end(),
                                    [&](const ParamInfo& p) { return e.last() && p.name() == e.name().text; });
    if (param != params.end())
      setArgument(ev_, made, *param, *e.edit);
    else if (made.decl->kind == DeclKind::Model)
      reportNothingToSet(ev_.context, e.name(), ownerText(*made.decl), names);
    else
      facts.push_back(e);
  }
  if (ev_.context.failures != failures) return {};
  Value out = v;
  out.decl = ev_.context.arena.make(std::move(made));
  if (!facts.empty()) edits_.emplace(out.decl, std::move(facts));
  return out;
}

namespace {

template <class T, class Id> std::optional<T> readRecord(Evaluator& ev, MergedRecord& record, const DeclInfo& decl) {
  const uint64_t failures = ev.context.failures;
  T result;
  result.name = decl.name;
  result.range = decl.nameRange;
  FactReader(ev, *record.facts).read<Id>(result, readCustom);
  if (!record.ok || ev.context.failures != failures) return std::nullopt;
  return result;
}

} // namespace

std::optional<ir::Device> Machines::device(const BoundDecl& decl, SourceRange use) {
  return readRecord<ir::Device, ir::DeviceFact>(ev_, merged(decl, use), *decl.decl);
}
std::optional<ir::Fabric> Machines::fabric(const BoundDecl& decl, SourceRange use) {
  auto made = readRecord<ir::Fabric, ir::FabricFact>(ev_, merged(decl, use), *decl.decl);
  if (made) reportVoidFacts(ev_.context, *made);
  if (made && made->sampled() && !made->has(ir::FabricFact::SampledAt) && rateless_.insert(decl.decl).second)
    ev_.context.report(SamplesWithoutRate, decl.decl->nameRange, {{"fabric", decl.decl->name.str()}})
        .help("add the rate of one device, in one direction, of the machine that was measured: `sampled_at = 450GB/s : "
              "\"…\"`");
  return made;
}
std::optional<ir::Stack> Machines::stack(const BoundDecl& decl, SourceRange use) {
  std::optional<ir::Stack> made = readRecord<ir::Stack, ir::StackFact>(ev_, merged(decl, use), *decl.decl);
  const std::optional<ir::Accuracy> accuracy = made ? made->accuracy() : std::nullopt;
  const bool low = made && made->has(ir::StackFact::AccuracyLow), high = made && made->has(ir::StackFact::AccuracyHigh);
  const bool said = accuracy || (made && !made->keys(ir::StackFact::AccuracySeen).empty());
  if (said && !(low && high)) // an empty interval would claim certainty
    ev_.context
        .report(AccuracyIncomplete, accuracy ? accuracy->range : decl.decl->nameRange,
                {{"stack", decl.decl->name.str()},
                 {"what", low    ? "`high`"
                          : high ? "`low`"
                                 : "`low` and no `high`"}})
        .help("state the interval of nine of ten measured times relative to predicted times, `low = 0.9; high = 1.1`, "
              "or extend a stack that has it");
  return made;
}

void Machines::check(DeclInfo& decl) {
  const BoundDecl* bound = ev_.valueOf(decl, decl.nameRange).decl;
  switch (decl.kind) {
  case DeclKind::Device:
    device(*bound, decl.nameRange);
    break;
  case DeclKind::Fabric:
    fabric(*bound, decl.nameRange);
    break;
  case DeclKind::Stack:
    stack(*bound, decl.nameRange);
    break;
  default:
    cluster(*bound, decl.nameRange);
    break;
  }
}

} // namespace planc::frontend
