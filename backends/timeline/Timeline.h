// One step in time: what each stream of each stage does from when to when, and the memory of each stage.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/MemoryTimeline.h"
#include "backends/cost/price/Price.h"
#include "ir/program/Program.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planc::timeline {

inline constexpr uint32_t kNone = UINT32_MAX;
/// Spans that are shorter than this share of the step, or of their pass, are rounding.
inline constexpr double kNegligible = 1e-13;

/// What a stream does. The kinds of the compute stream are the parts of a step.
enum class SpanKind : uint8_t {
  Computes,     ///< an operator computes; `slowed` of its seconds are lost to concurrent communication
  Holds,        ///< communication holds the compute stream
  Waits,        ///< the compute stream waits for communication
  Launches,     ///< the device waits for launches of the host
  Idle,         ///< the stage waits for another stage, or its step is over
  Optimizer,    ///< the optimizer's step, or a wait for the slowest one
  Overhead,     ///< time of the step that the stack's factor and constant add
  Straggler,    ///< the step waits for its slowest device
  Communicates, ///< a comm stream communicates
};
std::string_view name(SpanKind kind);

/// The work of a span: an operator or a collective of a layer class, or a transfer between stages.
struct Work {
  enum class Kind : uint8_t { Operator, Collective, Layer, Other };
  Kind kind = Kind::Other;
  std::string name;   ///< `decoder.attn.q`, `all_gather decoder.norm1.out`
  std::string type;   ///< the operator's or collective's type: `matmul`, `all_gather`
  ir::LayerRef layer; ///< the report's row
  ir::Phase phase = ir::Phase::Forward;
  double seconds = 0, flops = 0, bytes = 0; ///< of one run
  double rate = 0;                          ///< bytes per second of a collective
  cost::Bound bound = cost::Bound::Compute;
  std::string equation; ///< with numbers; empty if it takes no time
  SourceRange because;  ///< the placement or the collective's cause
  std::string axis, level;
  ir::AxisMask axes = 0; ///< of a collective; 0: a transfer between stages
  int64_t group = 1;
  /// The node of an operator or collective of a class; an invalid class for other works.
  ir::LayerClassId layerClass{};
  bool inBackward = false; ///< the node is in the class's backward list
  ir::NodeIndex node = 0;
  ir::CollectiveKind collective = ir::CollectiveKind::Slice; ///< of a collective
};

/// Something that a stream does from `begin` to `end`, in seconds.
struct Span {
  double begin = 0, end = 0, slowed = 0;
  uint32_t work = kNone; ///< index into `Timeline::works`
  uint16_t stream = 0;   ///< index into `Timeline::streams`
  SpanKind kind = SpanKind::Idle;
  double seconds() const { return end - begin; }
};

/// A layer inside of a pass.
struct LayerSpan {
  double begin = 0, end = 0;
  ir::LayerClassId layerClass;
  int64_t number = 0;         ///< counts the layers of its class in the pass
  size_t first = 0, last = 0; ///< its spans of the compute stream: [first, last)
};

/// A span that another one waits for, as indices of spans.
struct SpanLink {
  uint32_t from = 0, to = 0;
};

/// The inside of a pass or a pair, from 0 on. All passes of equal virtual stages share one.
struct PassDetail {
  double seconds = 0;
  std::vector<Span> spans; ///< of the compute stream in order, then of comm streams
  size_t computing = 0;    ///< number of spans of the compute stream
  std::vector<LayerSpan> layers;
  std::vector<SpanLink> links; ///< a collective, and what waits for it
  bool folded = false;         ///< too many layers to unfold: a span per row of the report
};

/// A pass: its kind, virtual stage and micro-batch; -1: none.
struct PassRef {
  ir::ActionKind action = ir::ActionKind::Forward;
  int64_t virtualStage = -1, microBatch = -1;
  /// A number that no other pass of the step has.
  uint64_t key() const {
    const auto stage = static_cast<uint64_t>(virtualStage), batch = static_cast<uint64_t>(microBatch);
    return static_cast<uint64_t>(action) << 62 | stage << 32 | batch;
  }
};

/// A span of a device stage. A pass is one span of the compute stream, whose inside is a detail.
struct StageSpan : Span {
  PassRef pass;            ///< the pass that runs, or that an idle stage waits for
  PassRef paired;          ///< the other pass of a pair
  uint32_t detail = kNone; ///< index into `Timeline::details`
};

enum class MemoryKind : uint8_t { Parameters, Gradients, Optimizer, Activations, Working, Buffers };
inline constexpr size_t kMemoryKinds = 6;
std::string_view name(MemoryKind kind);

/// The bytes of a stage from a moment on.
struct MemoryPoint {
  double at = 0;
  PassRef pass; ///< the pass that runs
  EnumArray<MemoryKind, double, kMemoryKinds> bytes{};
  double sum() const;
};

/// The step of one device stage.
struct StageLine {
  double begin = 0, end = 0;
  std::vector<StageSpan> spans; ///< of the compute stream in order, then of each comm stream in order
  size_t computing = 0;         ///< number of spans of the compute stream
  std::vector<MemoryPoint> memory;
};

/// A transfer from a stage, and the pass that waits for it.
struct StageLink {
  int64_t fromStage = 0, toStage = 0;
  uint32_t from = 0, to = 0; ///< spans
};

/// A class of equal layers, for names.
struct LayerNames {
  std::string name; ///< `decoder`, `embed`
  bool repeated = false;
  std::vector<int64_t> instances; ///< of the repeat, in order; empty for other layers
};

struct Timeline {
  std::vector<Work> works;
  std::vector<PassDetail> details;
  std::vector<StageLine> stages;
  std::vector<StageLink> links;
  std::vector<std::string> streams;      ///< names; the first computes
  std::vector<std::string> streamLevels; ///< level of the links that a stream uses; empty: none, or several
  std::vector<LayerNames> layers;        ///< by class
  /// By virtual stage and class: the number of instances on earlier virtual stages. One element more than there are
  /// virtual stages.
  std::vector<std::vector<int64_t>> instancesBefore;
  double stepTime = 0;
  int64_t microBatches = 1, critical = 0;

  /// Returns the names of the layers of a pass on a virtual stage, `decoder[12]`.
  std::vector<std::string> layerNames(const PassRef& pass, const PassDetail& detail) const;
};

/// Whether a pass computes gradients.
inline bool isBackward(ir::ActionKind action) {
  return action != ir::ActionKind::Forward;
}

/// The streams of every stage that do not depend on the cluster. Streams inside of passes follow.
enum StreamNumber : uint16_t { kComputing, kSends, kTails, kGathers, kReductions, kInside };

} // namespace planc::timeline
