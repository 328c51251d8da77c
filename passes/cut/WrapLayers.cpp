// wrap-layers: if the body of a repeat holds several layers, wraps each of them as a repeat of one (docs/language.md,
// section 11). Buckets of states and checkpoints follow the wrapped layers.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"
#include "passes/Steps.h"
#include "passes/lower/Lowering.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace planc::passes {
using namespace ir;

namespace {

/// A call of a block, or a repeat, in a body: operators [first, end).
struct BodyPart {
  Symbol name;
  uint32_t first = 0, end = 0;
  bool repeat = false;
};

class Wrapper {
public:
  explicit Wrapper(const Model& model) : model_(model) {}

  /// Returns the calls to wrap, each with the region of its body.
  std::vector<std::pair<RegionId, BodyPart>> find() const {
    std::vector<std::pair<RegionId, BodyPart>> found;
    for (uint32_t r = 0; r < model_.regions.size(); ++r)
      for (const BodyPart& part : layersOf(RegionId(r))) found.emplace_back(RegionId(r), part);
    return found;
  }

private:
  const Op& op(uint32_t i) const { return model_.ops[OpId(i)]; }

  /// The last readers of results in a body.
  struct Readers {
    std::vector<uint32_t> last;       ///< by operator of the body: of its result; 0: none
    std::vector<uint32_t> lastBefore; ///< of its result and of those before it
    Readers(const Wrapper& wrapper, uint32_t first, uint32_t end) : last(end - first) {
      for (uint32_t i = first; i < end; ++i)
        for (const Operand& o : wrapper.op(i).operands)
          if (const uint32_t made = wrapper.producer(o.value); made >= first && made < i) last[made - first] = i;
      for (const uint32_t reader : last)
        lastBefore.push_back(lastBefore.empty() ? reader : std::max(lastBefore.back(), reader));
    }
  };

  bool isInside(RegionId region, RegionId outer) const {
    while (region.valid() && region != outer) region = model_.regions[region].parent;
    return region == outer;
  }

  /// Returns whether one of the operators multiplies with a parameter.
  bool multiplies(uint32_t i) const { return multipliesWithParameter(model_, op(i)); }
  bool multiplies(uint32_t first, uint32_t end) const {
    for (uint32_t i = first; i < end; ++i)
      if (multiplies(i)) return true;
    return false;
  }

  /// Returns the calls and repeats in the body, in order.
  std::vector<BodyPart> partsOf(RegionId body, uint32_t first, uint32_t end) const {
    const size_t depth = model_.regions[body].path.size();
    std::vector<BodyPart> parts;
    for (uint32_t i = first; i < end; ++i) {
      const Op& o = op(i);
      if (o.path.size() <= depth || (o.path.size() == depth + 1 && o.region == body)) continue;
      if (parts.empty() || parts.back().name != o.path[depth] || parts.back().end != i)
        parts.push_back({o.path[depth], i, i, false});
      parts.back().end = i + 1;
      parts.back().repeat |= o.path.size() == depth + 1; // only carries of a repeat have its path
    }
    return parts;
  }

  /// Returns the calls that are layers if the body has more than one. A body of one layer is wrapped as a whole.
  std::vector<BodyPart> layersOf(RegionId body) const {
    uint32_t first = 0, end = 0;
    for (uint32_t i = 0; i < model_.ops.size(); ++i)
      if (isInside(op(i).region, body)) first = end ? first : i, end = i + 1;
    std::vector<BodyPart> calls;
    std::vector<bool> rest(end - first, true);
    const Readers readers(*this, first, end);
    size_t layers = 0;
    for (const BodyPart& part : partsOf(body, first, end)) {
      if (!multiplies(part.first, part.end) || !(part.repeat || handsOn(part, first, readers))) continue;
      std::fill(rest.begin() + (part.first - first), rest.begin() + (part.end - first), false);
      ++layers;
      if (!part.repeat) calls.push_back(part);
    }
    for (uint32_t i = first; i < end; ++i)
      if (rest[i - first] && multiplies(i)) {
        ++layers;
        break;
      }
    return layers > 1 ? calls : std::vector<BodyPart>();
  }

  /// Returns whether everything that the body computes before the call reaches the later operators only through the
  /// call, and the call returns a value with the shape of one that it takes. A part of a layer has a sum around it, or
  /// another shape.
  bool handsOn(const BodyPart& call, uint32_t first, const Readers& readers) const {
    if (call.first > first && readers.lastBefore[call.first - 1 - first] >= call.end) return false;
    const auto takes = [&](const std::vector<DimId>& dims) {
      for (uint32_t i = call.first; i < call.end; ++i)
        for (const Operand& o : op(i).operands)
          if (const uint32_t made = producer(o.value); made < call.first && model_.values[o.value].dims == dims)
            return true;
      return false;
    };
    for (uint32_t made = call.first; made < call.end; ++made)
      if (readers.last[made - first] >= call.end && !takes(model_.values[op(made).result].dims)) return false;
    return true;
  }

  /// Returns the operator that produces a value; for parameters and inputs an index past all operators.
  uint32_t producer(ValueId value) const {
    const Value& v = model_.values[value];
    return v.kind == ValueKind::Result ? v.producer.index : static_cast<uint32_t>(model_.ops.size());
  }

  const Model& model_;
};

/// Makes a call a repeat of one: its operators, their results, and the parameters and repeats inside.
void wrap(Model& model, RegionId body, const BodyPart& call) {
  Region made;
  made.path = model.regions[body].path;
  made.path.push_back(call.name);
  made.parent = body;
  made.range = model.ops[OpId(call.first)].range;
  const std::vector<Symbol> path = made.path;
  const RegionId region = model.regions.add(std::move(made));
  const LayerId layer = model.ops[OpId(call.first)].layer;
  for (uint32_t i = call.first; i < call.end; ++i) {
    Op& op = model.ops[OpId(i)];
    for (RegionId r = op.region; r.valid() && r != body && r != region; r = model.regions[r].parent)
      if (model.regions[r].parent == body) model.regions[r].parent = region;
    for (RegionId* own : {&op.region, &model.values[op.result].region})
      if (*own == body) *own = region;
  }
  for (const ValueId p : model.params) {
    Value& param = model.values[p];
    if (param.layer == layer && param.region == body && param.path.size() > path.size() &&
        std::equal(path.begin(), path.end(), param.path.begin()))
      param.region = region;
  }
}

} // namespace

bool multipliesWithParameter(const Model& model, const Op& op) {
  return isContraction(op.kind) &&
         llvm::any_of(op.operands, [&](const Operand& o) { return model.values[o.value].kind == ValueKind::Param; });
}

bool wrapLayers(ProgramHead& program, DiagnosticEngine&) {
  const auto calls = Wrapper(program.model).find();
  if (calls.empty()) return true;
  Model model = *program.model;
  for (const auto& [body, call] : calls) wrap(model, body, call);
  program.model = std::move(model);
  if (const auto problems = verify(program.model); !problems.empty())
    throw InternalError("pass wrap-layers left the model broken: " + problems.front());
  return true;
}

} // namespace planc::passes
