// The operators of PyTorch that planc has an equation for. Positions of operands are those of native_functions.yaml.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/KinetoOperators.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace planc::calibrate {

namespace {

using E = Extent;

constexpr std::array<std::pair<std::string_view, ir::DType>, 20> kTorchTypes{{{"c10::BFloat16", ir::DType::bf16},
                                                                              {"c10::Half", ir::DType::fp16},
                                                                              {"float", ir::DType::fp32},
                                                                              {"double", ir::DType::fp64},
                                                                              {"c10::Float8_e4m3fn", ir::DType::fp8},
                                                                              {"c10::Float8_e5m2", ir::DType::fp8},
                                                                              {"c10::Float8_e4m3fnuz", ir::DType::fp8},
                                                                              {"BFloat16", ir::DType::bf16},
                                                                              {"Half", ir::DType::fp16},
                                                                              {"Float", ir::DType::fp32},
                                                                              {"Double", ir::DType::fp64},
                                                                              {"Float8_e4m3fn", ir::DType::fp8},
                                                                              {"Float8_e5m2", ir::DType::fp8},
                                                                              {"Byte", ir::DType::int8},
                                                                              {"Char", ir::DType::int8},
                                                                              {"Int", ir::DType::int32},
                                                                              {"Long", ir::DType::int64},
                                                                              {"bfloat16", ir::DType::bf16},
                                                                              {"float16", ir::DType::fp16},
                                                                              {"float32", ir::DType::fp32}}};

std::optional<ir::DType> parseType(std::string_view name) {
  for (const auto& [word, type] : kTorchTypes)
    if (word == name) return type;
  return std::nullopt;
}

/// Operands by position, and whether all that were asked for were there.
class Operands {
  const std::vector<TraceOperand>& all_;
  static const TraceOperand& none() {
    static const TraceOperand nothing;
    return nothing;
  }

public:
  explicit Operands(const TraceOp& op) : all_(op.operands) {}
  const TraceOperand& operator[](size_t i) const { return i < all_.size() ? all_[i] : none(); }
  /// The extents of a tensor of so many dimensions, or nothing.
  const std::vector<double>* shape(size_t i, size_t rank) const {
    const TraceOperand& o = (*this)[i];
    return o.extents.size() == rank && o.elements > 0 ? &o.extents : nullptr;
  }
  std::optional<ir::DType> type(size_t i) const { return parseType((*this)[i].type.view()); }
};

struct KernelRow;
using Build = bool (*)(const KernelRow& row, const Operands& operands, Sample& sample);

/// `first` is the position of the operand that the builder begins with, `causal` that of a flag.
struct KernelRow {
  std::string_view torch, name;
  Kind kind;
  bool backward;
  Build build;
  size_t first = 0, causal = 0;
};

/// x: m x k, then w: k x n.
bool product(const KernelRow& row, const Operands& operands, Sample& sample) {
  const auto *x = operands.shape(row.first, 2), *w = operands.shape(row.first + 1, 2);
  if (!x || !w || (*x)[1] != (*w)[0]) return false;
  sample[E::M] = (*x)[0];
  sample[E::K] = (*x)[1];
  sample[E::N] = (*w)[1];
  return true;
}

bool batchedProduct(const KernelRow& row, const Operands& operands, Sample& sample) {
  const auto *x = operands.shape(row.first, 3), *w = operands.shape(row.first + 1, 3);
  if (!x || !w || (*x)[2] != (*w)[1] || (*x)[0] != (*w)[0]) return false;
  sample[E::Batch] = (*x)[0];
  sample[E::M] = (*x)[1];
  sample[E::K] = (*x)[2];
  sample[E::N] = (*w)[2];
  return true;
}

/// Tokens of all experts x k, then experts x k x n. Tokens per expert are the mean: the split is in the memory of the
/// GPU.
bool groupedProduct(const KernelRow& row, const Operands& operands, Sample& sample) {
  const auto *x = operands.shape(row.first, 2), *w = operands.shape(row.first + 1, 3);
  if (!x || !w || (*x)[1] != (*w)[1]) return false;
  sample[E::Batch] = (*w)[0];
  sample[E::M] = (*x)[0] / (*w)[0];
  sample[E::K] = (*x)[1];
  sample[E::N] = (*w)[2];
  return true;
}

bool attention(const KernelRow& row, const Operands& operands, Sample& sample, size_t heads, size_t seq) {
  const auto *q = operands.shape(row.first, 4), *k = operands.shape(row.first + 1, 4);
  const std::string& causal = operands[row.causal].value;
  if (!q || !k || (causal != "True" && causal != "False")) return false; // the mask halves the work: no guess
  sample[E::Batch] = (*q)[0];
  sample[E::Heads] = (*q)[heads];
  sample[E::Seq] = (*q)[seq];
  sample[E::KvSeq] = (*k)[seq];
  sample[E::HeadDim] = (*q)[3];
  sample[E::Causal] = causal == "True" ? 1 : 0;
  return true;
}

/// [batch, heads, seq, head]: PyTorch's own.
bool attentionHeadsFirst(const KernelRow& row, const Operands& operands, Sample& sample) {
  return attention(row, operands, sample, 1, 2);
}

/// [batch, seq, heads, head]: the flash-attn package.
bool attentionSeqFirst(const KernelRow& row, const Operands& operands, Sample& sample) {
  return attention(row, operands, sample, 2, 1);
}

/// Bytes of one operand.
bool bytes(const KernelRow& row, const Operands& operands, Sample& sample) {
  sample[E::Bytes] = operands[row.first].elements * ir::width(sample.dtype);
  return operands[row.first].elements > 0;
}

/// Two tensors of one shape. A row vector beside a matrix is a bias.
bool sum(const KernelRow&, const Operands& operands, Sample& sample) {
  const TraceOperand &a = operands[0], &b = operands[1];
  if (a.elements == 0 || b.elements == 0) return false;
  const bool isBias = b.extents.size() == 1 && a.extents.size() > 1 && a.extents.back() == b.extents[0];
  if (!isBias && a.extents != b.extents) return false;
  if (isBias) sample.name = Symbol("bias");
  sample[E::Bytes] = a.elements * ir::width(sample.dtype);
  return true;
}

/// A table, then indices: rows of the table.
bool lookup(const KernelRow&, const Operands& operands, Sample& sample) {
  const auto* table = operands.shape(0, 2);
  if (!table || operands[1].elements == 0) return false;
  sample[E::Bytes] = operands[1].elements * (*table)[1] * ir::width(sample.dtype);
  return true;
}

bool update(const KernelRow& row, const Operands& operands, Sample& sample) {
  sample[E::Params] = operands[row.first].elements;
  return sample[E::Params] > 0;
}

constexpr bool kForward = false, kBackward = true;

// Gradients of products are products: each is a sample of its own.
const std::array<KernelRow, 35> kRows{{
    {"aten::mm", "linear", Kind::Gemm, kForward, product},
    {"aten::addmm", "linear", Kind::Gemm, kForward, product, 1},
    {"aten::_scaled_mm", "linear", Kind::Gemm, kForward, product},
    {"aten::bmm", "matmul", Kind::Gemm, kForward, batchedProduct},
    {"aten::baddbmm", "matmul", Kind::Gemm, kForward, batchedProduct, 1},
    {"aten::_grouped_mm", "grouped_linear", Kind::GroupedGemm, kForward, groupedProduct},
    {"aten::_scaled_dot_product_flash_attention", "attention", Kind::Attention, kForward, attentionHeadsFirst, 0, 4},
    {"aten::_scaled_dot_product_flash_attention_backward", "attention", Kind::Attention, kBackward, attentionHeadsFirst,
     1, 11},
    {"aten::_scaled_dot_product_cudnn_attention", "attention", Kind::Attention, kForward, attentionHeadsFirst, 0, 6},
    {"aten::_scaled_dot_product_cudnn_attention_backward", "attention", Kind::Attention, kBackward, attentionHeadsFirst,
     1, 14},
    {"aten::_scaled_dot_product_efficient_attention", "attention", Kind::Attention, kForward, attentionHeadsFirst, 0,
     6},
    {"aten::_scaled_dot_product_efficient_attention_backward", "attention", Kind::Attention, kBackward,
     attentionHeadsFirst, 1, 11},
    {"flash_attn::_flash_attn_forward", "attention", Kind::Attention, kForward, attentionSeqFirst, 0, 5},
    {"flash_attn::_flash_attn_backward", "attention", Kind::Attention, kBackward, attentionSeqFirst, 1, 11},
    {"aten::native_layer_norm", "layer_norm", Kind::Memory, kForward, bytes},
    {"aten::native_layer_norm_backward", "layer_norm", Kind::Memory, kBackward, bytes, 1},
    {"aten::rms_norm", "rms_norm", Kind::Memory, kForward, bytes},
    {"aten::_fused_rms_norm", "rms_norm", Kind::Memory, kForward, bytes},
    {"aten::_fused_rms_norm_backward", "rms_norm", Kind::Memory, kBackward, bytes, 1},
    {"aten::gelu", "gelu", Kind::Memory, kForward, bytes},
    {"aten::gelu_backward", "gelu", Kind::Memory, kBackward, bytes},
    {"aten::silu", "silu", Kind::Memory, kForward, bytes},
    {"aten::silu_backward", "silu", Kind::Memory, kBackward, bytes},
    {"aten::relu", "relu", Kind::Memory, kForward, bytes},
    {"aten::threshold_backward", "relu", Kind::Memory, kBackward, bytes},
    {"aten::native_dropout", "dropout", Kind::Memory, kForward, bytes},
    {"aten::native_dropout_backward", "dropout", Kind::Memory, kBackward, bytes},
    {"aten::_softmax", "softmax", Kind::Memory, kForward, bytes},
    {"aten::_softmax_backward_data", "softmax", Kind::Memory, kBackward, bytes},
    {"aten::cross_entropy_loss", "cross_entropy", Kind::Memory, kForward, bytes},
    {"aten::_log_softmax_backward_data", "cross_entropy", Kind::Memory, kBackward, bytes},
    {"aten::add", "add", Kind::Memory, kForward, sum},
    {"aten::embedding", "lookup", Kind::Lookup, kForward, lookup},
    {"aten::_fused_adamw_", "adam", Kind::Optimizer, kForward, update},
    {"aten::_fused_adam_", "adam", Kind::Optimizer, kForward, update},
}};

const KernelRow* rowOf(Symbol name) {
  static const std::map<Symbol, const KernelRow*> byName = [] {
    std::map<Symbol, const KernelRow*> all;
    for (const KernelRow& row : kRows) all.emplace(Symbol(row.torch), &row);
    return all;
  }();
  const auto it = byName.find(name);
  return it == byName.end() ? nullptr : it->second;
}

struct CollectiveRow {
  std::string_view torch, name;
};
constexpr std::array<CollectiveRow, 16> kCollectives{{{"allreduce", "all_reduce"},
                                                      {"all_reduce", "all_reduce"},
                                                      {"allreduce_coalesced", "all_reduce"},
                                                      {"allgather", "all_gather"},
                                                      {"all_gather", "all_gather"},
                                                      {"_allgather_base", "all_gather"},
                                                      {"allgather_into_tensor_coalesced", "all_gather"},
                                                      {"reduce_scatter", "reduce_scatter"},
                                                      {"_reduce_scatter_base", "reduce_scatter"},
                                                      {"reduce_scatter_tensor_coalesced", "reduce_scatter"},
                                                      {"all_to_all", "all_to_all"},
                                                      {"all_to_allv", "all_to_all"},
                                                      {"alltoall", "all_to_all"},
                                                      {"alltoall_base", "all_to_all"},
                                                      {"send", "send_recv"},
                                                      {"recv", "send_recv"}}};

/// Nodes of a group whose ranks are numbered node by node.
size_t nodesOf(const TraceMessage& message, size_t perNode) {
  const auto group = static_cast<size_t>(message.group);
  if (message.ranks.size() >= group) {
    std::set<size_t> nodes;
    for (const int rank : message.ranks) nodes.insert(static_cast<size_t>(std::max(rank, 0)) / perNode);
    return nodes.size();
  }
  // A list that was cut: its beginning shows the stride.
  const int stride = message.ranks.size() > 1 ? std::max(1, message.ranks[1] - message.ranks[0]) : 1;
  return std::clamp<size_t>((group * static_cast<size_t>(stride) + perNode - 1) / perNode, 1, group);
}

} // namespace

bool isKnownOperator(Symbol name) {
  return rowOf(name) != nullptr;
}

std::optional<TraceMeaning> meaningOf(const TraceOp& op) {
  const KernelRow* row = rowOf(op.name);
  if (!row) return std::nullopt;
  const Operands operands(op);
  TraceMeaning out;
  out.sample.kind = row->kind;
  out.sample.name = Symbol(row->name);
  out.backward = row->backward;
  const std::optional<ir::DType> type = operands.type(row->first);
  // Lists of tensors have no type; optimizers of mixed precision update fp32.
  if (!type && row->kind != Kind::Optimizer) return std::nullopt;
  out.sample.dtype = type.value_or(ir::DType::fp32);
  if (!row->build(*row, operands, out.sample)) return std::nullopt;
  fillDefaults(out.sample);
  return out;
}

std::optional<Sample> meaningOf(const TraceMessage& message, size_t perNode) {
  const auto row = std::find_if(kCollectives.begin(), kCollectives.end(),
                                [&](const CollectiveRow& r) { return r.torch == message.collective; });
  const std::optional<ir::DType> type = parseType(message.dtype);
  const double elements = std::max(message.in, message.out);
  if (row == kCollectives.end() || !type || elements <= 0 || message.group < 2) return std::nullopt;
  Sample out;
  out.kind = Kind::Collective;
  out.name = Symbol(row->name);
  out.dtype = *type;
  const bool pair = row->name == "send_recv";
  const size_t nodes = nodesOf(message, std::max<size_t>(perNode, 1));
  out[E::Bytes] = elements * ir::width(*type);
  out[E::Ranks] = pair ? 2 : message.group;
  out[E::Nodes] = static_cast<double>(pair ? std::min<size_t>(nodes, 2) : nodes);
  return out;
}

} // namespace planc::calibrate
