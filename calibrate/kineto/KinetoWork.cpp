// Attributes kernels to messages, chains, updates and operators, in this order.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoWork.h"

#include "calibrate/kineto/KinetoChains.h"
#include "calibrate/kineto/KinetoUpdates.h"

#include <map>

namespace planc::calibrate {

namespace {

class Attribution {
public:
  Attribution(const Trace& trace, size_t perNode) : trace_(trace), perNode_(perNode), chains_(trace) {}

  TraceWorks all() {
    for (size_t i = 0; i < trace_.kernels.size(); ++i)
      if (!message(i)) compute(i);
    for (auto& [key, work] : ofChains_) out_.works.push_back(std::move(work));
    for (const TraceUpdate& update : updatesOf(trace_)) addUpdate(update);
    for (auto& [op, work] : instances_) addInstance(op, std::move(work));
    for (auto& [name, work] : unknown_) out_.works.push_back(std::move(work));
    return std::move(out_);
  }

private:
  const TraceOp& op(int index) const { return trace_.ops[static_cast<size_t>(index)]; }

  void put(TraceWork& work, size_t kernel) const {
    work.kernels.push_back(kernel);
    work.seconds += trace_.kernels[kernel].seconds;
  }

  void unknown(Symbol name, const TraceWork& more) {
    TraceWork& work = unknown_[name];
    work.name = name;
    work.kernels.insert(work.kernels.end(), more.kernels.begin(), more.kernels.end());
    work.seconds += more.seconds;
  }

  /// Handles a kernel of NCCL. The message is described by the kernel's own event or by an operator around it.
  bool message(size_t index) {
    const TraceKernel& kernel = trace_.kernels[index];
    const TraceMessage* found = kernel.message ? &*kernel.message : nullptr;
    for (int at = kernel.op; !found && at >= 0; at = op(at).parent)
      if (op(at).message) found = &*op(at).message;
    if (!found || kernel.name.view().find("nccl") == std::string_view::npos) return false;
    TraceWork work;
    put(work, index);
    work.sample = meaningOf(*found, perNode_);
    if (!work.sample) {
      unknown(kernel.name, work);
      return true;
    }
    work.name = work.sample->name;
    out_.works.push_back(std::move(work));
    return true;
  }

  /// Attributes a kernel to the outermost operator with a row in the vocabulary, because PyTorch's composite operators
  /// call others that have rows, too.
  void compute(size_t index) {
    const TraceKernel& kernel = trace_.kernels[index];
    if (const TraceChains::Membership own = chains_.of(kernel.op); own.chain >= 0) {
      TraceWork& work = ofChains_[{own.chain, own.backward}];
      work.sample = chains_.sample(own.chain);
      work.name = work.sample->name;
      work.backward = own.backward;
      put(work, index);
      return;
    }
    int known = -1;
    for (int at = kernel.op; at >= 0; at = op(at).parent)
      if (isKnownOperator(op(at).name)) known = at;
    if (known >= 0) {
      put(instances_[known], index);
      return;
    }
    TraceWork work;
    put(work, index);
    unknown(kernel.op >= 0 ? op(kernel.op).name : kernel.name, work);
  }

  void addUpdate(const TraceUpdate& update) {
    TraceWork whole;
    for (const int index : update.ops) {
      const auto own = instances_.find(index);
      if (own == instances_.end()) continue;
      for (const size_t kernel : own->second.kernels) put(whole, kernel);
      instances_.erase(own);
    }
    whole.sample = update.sample;
    whole.name = update.sample.name;
    if (whole.seconds > 0) out_.works.push_back(std::move(whole));
  }

  void addInstance(int index, TraceWork work) {
    std::optional<TraceMeaning> meaning = meaningOf(op(index));
    if (!meaning) {
      unknown(op(index).name, work);
      return;
    }
    if (meaning->sample.kind == Kind::Optimizer) {
      meaning->sample.dtype = updated_.value_or(ir::DType::fp32);
      out_.assumedType |= !updated_;
    }
    work.sample = std::move(meaning->sample);
    work.backward = meaning->backward;
    work.name = op(index).name;
    out_.works.push_back(std::move(work));
  }

  const Trace& trace_;
  const size_t perNode_;
  const TraceChains chains_;
  const std::optional<ir::DType> updated_ = updatedType(trace_);
  std::map<std::pair<int, bool>, TraceWork> ofChains_; ///< by chain and direction
  std::map<int, TraceWork> instances_;                 ///< by operator
  std::map<Symbol, TraceWork> unknown_;
  TraceWorks out_;
};

} // namespace

TraceWorks worksOf(const Trace& trace, size_t perNode) {
  return Attribution(trace, perNode).all();
}

} // namespace planc::calibrate
