// Finds element types for data in transit, and warns of types without effect.
// SPDX-License-Identifier: Apache-2.0
#include "passes/lower/WireTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <set>

namespace planc::passes {
using namespace ir;

PLANC_WARNING(WireTypeIdle, 766, "`precision {{ {fact} }}` has no effect: {reason}")

const Op* routerOf(const Model& model, const Traveller& what, OpId op) {
  for (OpId id : {what.source, op})
    if (id.valid() && model.ops[id].copies) return &model.ops[id];
  return nullptr;
}

const WireTypes::Said* wireTypeOf(const ProgramHead& program, const Traveller& what, OpId op) {
  const Model& model = program.model;
  const auto& onWire = program.plan->precision.onWire;
  auto wireTypesOf = [&](const Op& router) -> const WireTypes::Said* {
    const auto types = onWire.find(router.name);
    if (types == onWire.end()) return nullptr;
    const auto& stated = what.gradient ? types->second.gradient : types->second.result;
    return stated ? &*stated : nullptr;
  };
  if (what.source.valid())
    if (const WireTypes::Said* stated = wireTypesOf(model.ops[what.source])) return stated;
  const bool routed =
      llvm::any_of(model.values[what.value].dims, [&](DimId d) { return model.dims[d].kind == DimKind::Routed; });
  const Op* router = routed ? routerOf(model, what, op) : nullptr;
  return router ? wireTypesOf(*router) : nullptr;
}

void warnOfIdleWireTypes(const Program& program, DiagnosticEngine& diagnostics) {
  std::set<const WireTypes::Said*> used;
  for (const LayerClass& layerClass : program.classes)
    for (const auto* nodes : {&layerClass.forward, &layerClass.backward})
      for (const Node& node : *nodes)
        if (const Collective* c = node.asCollective(); c && c->value.valid())
          used.insert(wireTypeOf(program, *c, node.op));
  auto check = [&](const std::optional<WireTypes::Said>& stated, const std::string& fact, const std::string& reason) {
    if (stated && !used.contains(&*stated))
      diagnostics.report(WireTypeIdle, stated->range, {{"fact", fact}, {"reason", reason}}).help("remove it");
  };
  for (const auto& [op, types] : program.plan->precision.onWire) {
    check(types.result, op.str(), fmt::format("no result of `{}` is sent to other devices", op.view()));
    check(types.gradient, op.str() + ".grad",
          fmt::format("no gradient that the backward of `{}` makes is on its way to other devices", op.view()));
  }
}

} // namespace planc::passes
