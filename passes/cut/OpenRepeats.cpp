// open-repeats: splits a repeat that stage lines cut inside an instance into several layers: the instances before it,
// the parts of its body, and the instances after it. Operators keep their paths, so rules reach them as before.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"
#include "passes/Steps.h"
#include "passes/cut/CutStages.h"

#include <algorithm>
#include <set>

namespace planc::passes {
using namespace ir;

namespace {

/// Returns the instances of a layer that lines cut, ascending.
std::set<int64_t> instancesCut(const std::vector<StageLine>& lines, const Layer& layer) {
  std::set<int64_t> cut;
  for (const StageLine& line : lines)
    for (const Selector& s : line.selectors)
      if (const auto instance = instanceCut(s, layer); instance && *instance < layer.count) cut.insert(*instance);
  return cut;
}

/// Copies a model layer by layer. Values, parameters and regions of an opened repeat are made once for each piece and
/// once for each cut instance, on their first use there.
class Opener {
public:
  Opener(const Model& model, const std::vector<StageLine>& lines)
      : from_(model), values_(model.values.size()), regions_(model.regions.size()), known_(model.regions.size()) {
    for (const Layer& layer : model.layers) cuts_.push_back(instancesCut(lines, layer));
  }

  bool any() const {
    return std::any_of(cuts_.begin(), cuts_.end(), [](const auto& cut) { return !cut.empty(); });
  }

  Model run() {
    to_.name = from_.name;
    to_.dims = from_.dims;
    to_.composites = from_.composites;
    for (ValueId v : from_.inputs) to_.inputs.push_back(values_[v.index] = to_.values.add(from_.values[v]));
    for (ValueId p : from_.params)
      if (!opened(from_.values[p].region)) param(p);
    const uint32_t outside = to_.values.size();
    std::vector<LayerId> layers; // by old layer: the first of its new layers
    for (uint32_t l = 0; l < from_.layers.size(); ++l) {
      layers.emplace_back(to_.layers.size());
      if (cuts_[l].empty())
        copy(LayerId(l));
      else
        open(LayerId(l));
    }
    for (uint32_t v = 0; v < outside; ++v)
      if (LayerId& layer = to_.values[ValueId(v)].layer; layer.valid()) layer = layers[layer.index];
    if (from_.loss.valid()) to_.loss = values_[from_.loss.index];
    return std::move(to_);
  }

private:
  const Layer& layer(LayerId id) const { return from_.layers[id]; }

  RegionId top(RegionId region) const {
    while (region.valid() && from_.regions[region].parent.valid()) region = from_.regions[region].parent;
    return region;
  }
  bool opened(RegionId region) const {
    for (uint32_t l = 0; region.valid() && l < from_.layers.size(); ++l)
      if (!cuts_[l].empty() && from_.layers[LayerId(l)].region == top(region)) return true;
    return false;
  }

  // ---- items made on their first use --------------------------------------------

  RegionId region(RegionId old) {
    if (!old.valid() || known_[old.index]) return old.valid() ? regions_[old.index] : old;
    Region made = from_.regions[old];
    made.parent = region(made.parent);
    known_[old.index] = true;
    return regions_[old.index] = to_.regions.add(std::move(made));
  }

  ValueId param(ValueId old) {
    if (values_[old.index].valid()) return values_[old.index];
    Value made = from_.values[old];
    made.region = region(made.region);
    if (here_.valid()) made.layer = here_;
    const ValueId storage = made.storage;
    const ValueId id = values_[old.index] = to_.values.add(std::move(made));
    to_.params.push_back(id);
    if (storage.valid()) {
      const ValueId owner = param(storage); // itself, if nothing shares it
      to_.values[id].storage = owner;
    }
    return id;
  }

  ValueId value(ValueId old) { return from_.values[old].kind == ValueKind::Param ? param(old) : values_[old.index]; }

  // ---- layers ----------------------------------------------------------------

  /// Begins a layer; its operators follow.
  void begin(Layer made) {
    made.first = OpId(to_.ops.size());
    made.carries.clear();
    here_ = to_.layers.add(std::move(made));
  }
  void end() {
    to_.layers[here_].end = OpId(to_.ops.size());
    here_ = LayerId();
  }

  void op(OpId old) {
    Op made = from_.ops[old];
    made.layer = here_;
    made.region = region(made.region);
    for (Operand& o : made.operands) o.value = value(o.value);
    Value result = from_.values[made.result];
    result.producer = OpId(to_.ops.size());
    result.layer = here_;
    result.region = region(result.region);
    made.result = values_[made.result.index] = to_.values.add(std::move(result));
    if (from_.isLoss(from_.ops[old].result)) to_.losses.push_back(made.result);
    to_.ops.add(std::move(made));
  }

  void copy(LayerId id) {
    Layer made = layer(id);
    made.region = region(made.region);
    begin(std::move(made));
    for (uint32_t i = layer(id).first.index; i < layer(id).end.index; ++i) op(OpId(i));
    for (Carry c : layer(id).carries) {
      c.initial = value(c.initial), c.inside = value(c.inside), c.last = value(c.last);
      to_.layers[here_].carries.push_back(c);
    }
    end();
  }

  /// The values that arrive from the layer before, one per carried value of the repeat.
  using Carried = std::vector<ValueId>;

  void open(LayerId id) {
    Carried carried;
    for (const Carry& c : layer(id).carries) carried.push_back(value(c.initial));
    int64_t at = 0;
    for (const int64_t instance : cuts_[id.index]) {
      if (at < instance) piece(id, at, instance, carried);
      parts(id, instance, carried);
      at = instance + 1;
    }
    if (at < layer(id).count) piece(id, at, layer(id).count, carried);
    for (size_t c = 0; c < carried.size(); ++c) values_[layer(id).carries[c].last.index] = carried[c];
  }

  /// Begins a new piece: nothing of the repeat is made yet. Its own region becomes `own`, which is invalid for a single
  /// instance.
  void renew(LayerId id, RegionId own) {
    for (uint32_t r = 0; r < from_.regions.size(); ++r)
      if (top(RegionId(r)) == layer(id).region) known_[r] = false;
    for (ValueId p : from_.params)
      if (top(from_.values[p].region) == layer(id).region) values_[p.index] = ValueId();
    known_[layer(id).region.index] = true;
    regions_[layer(id).region.index] = own;
  }

  void piece(LayerId id, int64_t lo, int64_t hi, Carried& carried) {
    Region whole = from_.regions[layer(id).region];
    whole.count = hi - lo;
    renew(id, to_.regions.add(std::move(whole)));
    Layer made = layer(id);
    made.region = regions_[made.region.index];
    made.count = hi - lo;
    made.from = lo;
    made.of = layer(id).count;
    begin(std::move(made));
    for (uint32_t i = layer(id).first.index; i < layer(id).end.index; ++i) {
      op(OpId(i));
      for (size_t c = 0; c < carried.size(); ++c)
        if (from_.ops[OpId(i)].result == layer(id).carries[c].inside)
          to_.ops[OpId(to_.ops.size() - 1)].operands[0].value = carried[c];
    }
    for (size_t c = 0; c < carried.size(); ++c) {
      const Carry& old = layer(id).carries[c];
      to_.layers[here_].carries.push_back({old.name, carried[c], value(old.inside), value(old.last)});
      carried[c] = value(old.last);
    }
    end();
  }

  /// Opens one instance: its parts become layers, and its carried values pass from one part to the next.
  void parts(LayerId id, int64_t instance, Carried& carried) {
    renew(id, RegionId());
    for (size_t c = 0; c < carried.size(); ++c) values_[layer(id).carries[c].inside.index] = carried[c];
    for (uint32_t i = layer(id).first.index; i < layer(id).end.index;) {
      const Op& first = from_.ops[OpId(i)];
      if (isCarry(id, first)) {
        ++i;
        continue;
      }
      Layer made = partOf(id, instance, first);
      const Symbol name = made.name;
      const bool repeat = made.repeat;
      begin(std::move(made));
      for (; i < layer(id).end.index && nameIn(from_.ops[OpId(i)]) == name && !isCarry(id, from_.ops[OpId(i)]); ++i)
        op(OpId(i));
      if (repeat) addCarries();
      end();
    }
    for (size_t c = 0; c < carried.size(); ++c) {
      const OpId leaving = from_.values[layer(id).carries[c].last].producer;
      carried[c] = value(from_.ops[leaving].operands[0].value);
    }
  }

  /// Returns whether the operator is a carry of the repeat itself.
  bool isCarry(LayerId id, const Op& op) const { return op.kind == OpKind::Carry && op.region == layer(id).region; }

  static Symbol nameIn(const Op& op) { return op.path.size() > 1 ? op.path[1] : op.name; }

  /// Returns the part that begins with an operator: a nested repeat stays a repeat, all other parts are plain.
  Layer partOf(LayerId id, int64_t instance, const Op& first) {
    Layer made;
    made.name = nameIn(first);
    made.within = layer(id).name;
    made.instance = instance;
    made.of = layer(id).count;
    made.range = first.range;
    RegionId nested = first.region;
    while (nested != layer(id).region && from_.regions[nested].parent != layer(id).region)
      nested = from_.regions[nested].parent;
    if (nested == layer(id).region || from_.regions[nested].path.size() != 2) return made;
    made.repeat = true;
    made.count = from_.regions[nested].count;
    made.range = from_.regions[nested].range;
    made.region = region(nested);
    return made;
  }

  /// Adds the carries of the repeat that was just copied. Its carry operators come first and last.
  void addCarries() {
    Layer& made = to_.layers[here_];
    std::vector<const Op*> carries;
    for (uint32_t i = made.first.index; i < to_.ops.size(); ++i)
      if (const Op& o = to_.ops[OpId(i)]; o.kind == OpKind::Carry && o.region == made.region) carries.push_back(&o);
    const size_t half = carries.size() / 2;
    for (size_t c = 0; c < half; ++c)
      made.carries.push_back({to_.values[carries[c]->result].name, carries[c]->operands[0].value, carries[c]->result,
                              carries[half + c]->result});
  }

  const Model& from_;
  Model to_;
  std::vector<ValueId> values_;   ///< by old value; invalid: not made in this piece
  std::vector<RegionId> regions_; ///< by old region, if `known_`
  std::vector<bool> known_;
  std::vector<std::set<int64_t>> cuts_; ///< by old layer
  LayerId here_;                        ///< the layer in progress
};

} // namespace

bool openRepeats(ProgramHead& program, DiagnosticEngine&) {
  const Pipeline* pipeline = pipelineOf(*program.plan);
  if (!pipeline) return true;
  Opener opener(program.model, pipeline->stages);
  if (!opener.any()) return true;
  program.model = Model(opener.run());
  if (const auto problems = verify(program.model); !problems.empty())
    throw InternalError("pass open-repeats left the model broken: " + problems.front());
  return true;
}

} // namespace planc::passes
