// One device in the words of PyTorch's profiler: kernels on streams, the operators that launch them, NCCL's names.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Budget.h"
#include "backends/export/JsonText.h"
#include "backends/export/Ranks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace planc::exports {

using timeline::kNone;
using timeline::PassDetail;
using timeline::Span;
using timeline::SpanKind;
using timeline::StageLine;
using timeline::StageSpan;
using timeline::Timeline;
using timeline::Work;

namespace {

/// Most slices of operators in a trace. Each takes four events.
constexpr size_t kMostKernels = 200'000;
/// Number of the compute stream; comm streams follow. Processes: the device, and the program that launches kernels.
constexpr int64_t kStream = 7, kDevice = 0, kHostProcess = 1;
/// The host issues a kernel for at most so long, in nanoseconds.
constexpr int64_t kLaunch = 2000;

/// A collective as NCCL and `record_param_comms` name it.
struct NcclName {
  ir::CollectiveKind kind;
  std::string_view kernel, collective;
};
constexpr std::array<NcclName, 6> kNccl{{
    {ir::CollectiveKind::AllGather, "ncclDevKernel_AllGather_RING_LL", "_allgather_base"},
    {ir::CollectiveKind::ReduceScatter, "ncclDevKernel_ReduceScatter_Sum_RING_LL", "_reduce_scatter_base"},
    {ir::CollectiveKind::AllReduce, "ncclDevKernel_AllReduce_Sum_RING_LL", "allreduce"},
    {ir::CollectiveKind::AllToAll, "ncclDevKernel_SendRecv", "all_to_allv"},
    {ir::CollectiveKind::SendRecv, "ncclDevKernel_SendRecv", "send"},
    {ir::CollectiveKind::HostCopy, "Memcpy", ""},
}};

const NcclName* ncclOf(const Work& work) {
  if (work.kind != Work::Kind::Collective) return nullptr;
  const auto found = std::ranges::find(kNccl, work.collective, &NcclName::kind);
  return found == kNccl.end() ? nullptr : &*found;
}

/// PyTorch's name of an element type in operands, and in messages.
std::pair<std::string_view, std::string_view> torchNames(ir::DType type) {
  switch (type) {
  case ir::DType::bf16:
    return {"c10::BFloat16", "BFloat16"};
  case ir::DType::fp16:
    return {"c10::Half", "Half"};
  case ir::DType::fp8:
    return {"c10::Float8_e4m3fn", "Float8_e4m3fn"};
  case ir::DType::fp64:
    return {"double", "Double"};
  default:
    return {"float", "Float"};
  }
}

/// Operands of a product, from the extents of the device's part.
struct Product {
  std::string_view name;
  std::string dims;
};
Product productOf(const ir::LocalWork& work, bool grouped) {
  const auto whole = [](double extent) { return std::max<int64_t>(1, std::llround(extent)); };
  const int64_t b = whole(work.batch), m = whole(work.m), n = whole(work.n), k = whole(work.k);
  if (grouped) return {"aten::_grouped_mm", fmt::format("[[{},{}],[{},{},{}]]", b * m, k, b, k, n)};
  if (b > 1) return {"aten::bmm", fmt::format("[[{},{},{}],[{},{},{}]]", b, m, k, b, k, n)};
  return {"aten::mm", fmt::format("[[{},{}],[{},{}]]", m, k, k, n)};
}

class KinetoTrace {
public:
  KinetoTrace(const ExportInput& input, Sink sink)
      : input_(input), line_(*input.line), program_(*input.schedule->program), shown_(input, kMostKernels),
        events_(sink) {
    for (const Work& work : line_.works) describe(work);
  }

  void write() {
    const StageLine& stage = line_.stages[static_cast<size_t>(stageOf(program_, input_.ranks.front()))];
    const int64_t begin = nanoseconds(stage.begin), end = nanoseconds(stage.end);
    event("user_annotation", jsonString("ProfilerStep#0"), kHostProcess, 0, begin, end);
    events_.end();
    for (size_t i = 0; i < stage.spans.size(); ++i) {
      const StageSpan& span = stage.spans[i];
      if (span.detail != kNone)
        unfold(span);
      else if (i >= stage.computing || span.kind == SpanKind::Computes || span.kind == SpanKind::Optimizer ||
               (span.kind == SpanKind::Holds && !isSent(span)))
        kernel(span, nanoseconds(span.begin), nanoseconds(span.end));
    }
    events_.flush();
  }
  std::string leftOut() const { return shown_.text(); }

private:
  struct WorkText {
    std::string kernel, op; ///< JSON strings: name of the kernel, name of the operator that launches it
    std::string kernelArgs, opArgs;
    std::string mark; ///< a `record_function` around an operator: its path, and its phase unless that is forward
    bool communicates = false;
  };

  void describe(const Work& work) {
    WorkText& text = works_.emplace_back();
    text.kernel = text.op = jsonString(work.name);
    text.kernelArgs = fmt::format(",\"planc\":{}", jsonString(work.name));
    if (const NcclName* nccl = ncclOf(work)) {
      text.communicates = true, text.kernel = jsonString(nccl->kernel);
      text.op = jsonString(nccl->collective.empty() ? "aten::copy_" : "record_param_comms");
      if (!nccl->collective.empty()) text.kernelArgs += text.opArgs = message(work, *nccl);
    }
    const ir::Node* node = nodeOf(work);
    if (work.kind == Work::Kind::Other) text.mark = jsonString(work.name); // the optimizer
    if (node && node->op.valid() && !node->isCollective()) {
      const std::string path = program_.model->pathOf(node->op);
      text.mark =
          jsonString(node->phase == ir::Phase::Forward ? path : fmt::format("{} {}", path, ir::name(node->phase)));
    }
    const ir::Compute* compute = node ? node->asCompute() : nullptr;
    if (!compute || !node->op.valid() || compute->work.k <= 0) return;
    const ir::Op& op = program_.model->ops[node->op];
    if (!ir::isProduct(op.kind) || ir::isAttention(op.kind)) return;
    const Product product = productOf(compute->work, op.kind == ir::OpKind::GroupedGemm);
    const std::string type = jsonString(torchNames(compute->work.dtype).first);
    text.op = jsonString(product.name);
    text.opArgs = fmt::format(",\"Input Dims\":{},\"Input type\":[{},{}]", product.dims, type, type);
  }

  const ir::Node* nodeOf(const Work& work) const {
    if (!work.layerClass.valid()) return nullptr;
    const ir::LayerClass& layerClass = program_.classes[work.layerClass];
    return &(work.inBackward ? layerClass.backward : layerClass.forward)[work.node];
  }

  /// The elements of a message on one rank, in the type of activations: the bytes are those of the report.
  std::string message(const Work& work, const NcclName& nccl) const {
    ir::DType type = program_.plan->precision.activations;
    if (type != ir::DType::fp32 && type != ir::DType::fp16) type = ir::DType::bf16;
    const double elements = work.bytes / ir::width(type), group = static_cast<double>(std::max<int64_t>(1, work.group));
    const bool gathers = nccl.kind == ir::CollectiveKind::AllGather,
               reduces = nccl.kind == ir::CollectiveKind::ReduceScatter;
    return fmt::format(
        ",\"Collective name\":{},\"dtype\":{},\"In msg nelems\":{},\"Out msg nelems\":{},\"Group size\":{},"
        "\"Process Group Name\":{},\"Process Group Ranks\":{}",
        jsonString(nccl.collective), jsonString(torchNames(type).second),
        std::llround(gathers ? elements / group : elements), std::llround(reduces ? elements / group : elements),
        work.group, jsonString(work.axis), ranksText(work));
  }

  /// The ranks of a group as PyTorch writes them: a long list is cut off.
  std::string ranksText(const Work& work) const {
    constexpr size_t kMost = 30;
    const int64_t rank = input_.ranks.front();
    const std::vector<int64_t> ranks = work.axes ? groupOf(program_, work.axes, rank) : std::vector{rank};
    const size_t shown = std::min(kMost, ranks.size());
    const std::string list =
        fmt::format("{}", fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    return jsonString(ranks.size() == shown ? "[" + list + "]" : fmt::format("[{}, ..., {}]", list, ranks.back()));
  }

  void event(std::string_view category, std::string_view name, int64_t process, int64_t thread, int64_t begin,
             int64_t end) {
    events_.begin();
    events_.raw("\"ph\":\"X\",\"cat\":\""), events_.raw(category), events_.raw("\",\"name\":"), events_.raw(name);
    events_.raw(",\"pid\":"), events_.number(process), events_.raw(",\"tid\":"), events_.number(thread);
    events_.raw(",\"ts\":"), events_.time(begin), events_.raw(",\"dur\":"), events_.time(end - begin);
  }

  /// Writes a kernel, the operator around it and its launch. Each stream has a thread of the host.
  void kernel(const Span& span, int64_t begin, int64_t end) {
    if (span.work == kNone || end <= begin) return;
    const WorkText& text = works_[span.work];
    const int64_t id = ++kernels_, stream = kStream + span.stream, thread = 1 + span.stream;
    const int64_t launched = std::min(end, begin + kLaunch);
    if (!text.mark.empty()) {
      event("user_annotation", text.mark, kHostProcess, thread, begin, launched);
      events_.end();
    }
    event("cpu_op", text.op, kHostProcess, thread, begin, launched);
    events_.raw(",\"args\":{\"External id\":"), events_.number(id), events_.raw(text.opArgs), events_.raw("}");
    events_.end();
    event("cuda_runtime", "\"cudaLaunchKernel\"", kHostProcess, thread, begin, launched);
    events_.raw(",\"args\":{\"External id\":"), events_.number(id);
    events_.raw(",\"correlation\":"), events_.number(id), events_.raw("}");
    events_.end();
    event("kernel", text.kernel, kDevice, stream, begin, end);
    events_.raw(",\"args\":{\"External id\":"), events_.number(id), events_.raw(",\"correlation\":"),
        events_.number(id);
    events_.raw(",\"device\":0,\"stream\":"), events_.number(stream), events_.raw(text.kernelArgs), events_.raw("}");
    events_.end();
  }

  /// Writes the inside of a pass. A collective that holds the compute stream is a kernel of its comm stream.
  void unfold(const StageSpan& span) {
    const PassDetail& detail = line_.details[span.detail];
    if (!shown_.inFull(span)) return;
    const double scale = detail.seconds > 0 ? span.seconds() / detail.seconds : 0;
    std::set<uint32_t> moved;
    for (size_t i = detail.computing; i < detail.spans.size(); ++i) moved.insert(detail.spans[i].work);
    for (size_t i = 0; i < detail.spans.size(); ++i) {
      const Span& inner = detail.spans[i];
      const bool runs = inner.kind == SpanKind::Computes || inner.kind == SpanKind::Communicates ||
                        (inner.kind == SpanKind::Holds && moved.count(inner.work) == 0);
      if (runs)
        kernel(inner, nanoseconds(span.begin + scale * inner.begin), nanoseconds(span.begin + scale * inner.end));
    }
  }

  /// Returns whether a transfer that holds the stage is also on its stream of transfers.
  bool isSent(const StageSpan& span) const { return span.work != kNone && line_.works[span.work].type == "send"; }

  const ExportInput& input_;
  const Timeline& line_;
  const ir::Program& program_;
  Shown shown_;
  EventText events_;
  std::vector<WorkText> works_;
  int64_t kernels_ = 0;
};

} // namespace

std::string writeKineto(const ExportInput& input, Sink sink) {
  const ir::Program& program = *input.schedule->program;
  const std::string device = jsonString(program.plan->cluster->device.name.view());
  const int64_t host = std::min<int64_t>(program.mesh.levelSizes.empty() ? 1 : program.mesh.levelSizes.front(), 64);
  std::string devices; // of the host
  for (int64_t i = 0; i < host; ++i)
    devices += fmt::format("{}{{\"id\":{},\"name\":{}}}", i == 0 ? "" : ",", i, device);
  sink(fmt::format("{{\"schemaVersion\":1,\"deviceProperties\":[{}],"
                   "\"distributedInfo\":{{\"backend\":\"nccl\",\"rank\":{},\"world_size\":{}}},\"traceEvents\":[",
                   devices, input.ranks.front(), program.mesh.devices()));
  std::string leftOut;
  {
    KinetoTrace trace(input, sink);
    trace.write();
    leftOut = trace.leftOut();
  }
  sink(fmt::format("\n],\"plan\":{}", jsonString(input.title)));
  if (!leftOut.empty()) sink(fmt::format(",\"shown\":{}", jsonString(leftOut)));
  sink("}\n");
  return leftOut;
}

} // namespace planc::exports
