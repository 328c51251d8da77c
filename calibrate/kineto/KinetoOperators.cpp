// Reads shapes of PyTorch operators that planc has an equation for. vocabulary/kineto.json maps the operators to
// equations.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoOperators.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace planc::calibrate {

using E = Extent;

const KinetoWords& kinetoVocabulary() {
  static const KinetoWords known = kinetoWords(vocabularyText("kineto.json"));
  return known;
}

/// The operands of an operator by position. A missing operand is empty.
class Operands {
  const std::vector<TraceOperand>& all_;
  static const TraceOperand& none() {
    static const TraceOperand nothing;
    return nothing;
  }

public:
  explicit Operands(const TraceOp& op) : all_(op.operands) {}
  const TraceOperand& operator[](size_t i) const { return i < all_.size() ? all_[i] : none(); }
  /// Returns the extents of a tensor with `rank` dimensions; null otherwise.
  const std::vector<double>* shape(size_t i, size_t rank) const {
    const TraceOperand& o = (*this)[i];
    return o.extents.size() == rank && o.elements > 0 ? &o.extents : nullptr;
  }
  std::optional<ir::DType> type(size_t i) const { return typeOf(kinetoVocabulary().types, (*this)[i].type.view()); }
};

namespace {

/// Operands: x of m x k, then w of k x n.
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

/// Operands: the tokens of all experts x k, then experts x k x n. Uses the mean of tokens per expert, because the split
/// is only known on the GPU.
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
  if (!q || !k || (causal != "True" && causal != "False")) return false; // the mask halves the work
  sample[E::Batch] = (*q)[0];
  sample[E::Heads] = (*q)[heads];
  sample[E::Seq] = (*q)[seq];
  sample[E::KvSeq] = (*k)[seq];
  sample[E::HeadDim] = (*q)[3];
  sample[E::Causal] = causal == "True" ? 1 : 0;
  return true;
}

/// Layout [batch, heads, seq, head] of PyTorch's own operators.
bool attentionHeadsFirst(const KernelRow& row, const Operands& operands, Sample& sample) {
  return attention(row, operands, sample, 1, 2);
}

/// Layout [batch, seq, heads, head] of the flash-attn package.
bool attentionSeqFirst(const KernelRow& row, const Operands& operands, Sample& sample) {
  return attention(row, operands, sample, 2, 1);
}

/// Reads the bytes of one operand.
bool bytes(const KernelRow& row, const Operands& operands, Sample& sample) {
  sample[E::Bytes] = operands[row.first].elements * ir::width(sample.dtype);
  return operands[row.first].elements > 0;
}

/// Reads two tensors of one shape, or a matrix and a row vector, which is a bias.
bool sum(const KernelRow&, const Operands& operands, Sample& sample) {
  const TraceOperand &a = operands[0], &b = operands[1];
  if (a.elements == 0 || b.elements == 0) return false;
  const bool isBias = b.extents.size() == 1 && a.extents.size() > 1 && a.extents.back() == b.extents[0];
  if (!isBias && a.extents != b.extents) return false;
  if (isBias) sample.name = Symbol("bias");
  sample[E::Bytes] = a.elements * ir::width(sample.dtype);
  return true;
}

/// Operands: a table, then the indices of its rows.
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

/// The functions that read shapes, by their names in the vocabulary.
constexpr std::array<std::pair<std::string_view, KernelRow::Shape>, 9> kShapes{
    {{"product", product},
     {"batched_product", batchedProduct},
     {"grouped_product", groupedProduct},
     {"attention_heads_first", attentionHeadsFirst},
     {"attention_seq_first", attentionSeqFirst},
     {"bytes", bytes},
     {"sum", sum},
     {"lookup", lookup},
     {"update", update}}};

/// Returns the position of the operand that a key names; 0 if the key is missing.
size_t positionOf(const VocabularyEntry& row, const char* key) {
  if (!row.has(key)) return 0;
  const std::vector<std::string> operands = row.texts("operands");
  const auto it = std::find(operands.begin(), operands.end(), row.text(key));
  if (it == operands.end()) row.fail(fmt::format("`{}` is not an operand", row.text(key)));
  return static_cast<size_t>(it - operands.begin());
}

// A row of the vocabulary. Gradients of products are products, too, so each is a sample of its own.
KernelRow kernelRow(const VocabularyEntry& row) {
  KernelRow out{Symbol(row.text("as")), row.kind("kind"), row.truth("backward"), nullptr, 0, 0};
  for (const auto& [word, shape] : kShapes)
    if (word == row.text("shape")) out.shape = shape;
  if (!out.shape) row.fail(fmt::format("`{}` is not a shape", row.text("shape")));
  if (row.texts("operands").empty()) row.fail("it has no operands");
  out.first = positionOf(row, "first");
  out.causal = positionOf(row, "causal");
  if (out.kind == Kind::Attention && !row.has("causal")) row.fail("`causal` is missing");
  return out;
}

ChainRow chainRow(const VocabularyEntry& row) {
  ChainRow out{Symbol(row.text("as")), {}, {}};
  for (const std::string& name : row.texts("operators")) out.operators.emplace_back(name);
  if (row.has("between"))
    for (const std::string& name : row.texts("between")) out.between.emplace_back(name);
  if (out.operators.size() < 2) row.fail("a chain needs several operators");
  return out;
}

/// Returns the count of nodes of a group, whose ranks are numbered node by node.
size_t nodesOf(const TraceMessage& message, size_t perNode) {
  const auto group = static_cast<size_t>(message.group);
  if (message.ranks.size() >= group) {
    std::set<size_t> nodes;
    for (const int rank : message.ranks) nodes.insert(static_cast<size_t>(std::max(rank, 0)) / perNode);
    return nodes.size();
  }
  // The list was cut off. Its first entries show the stride of the ranks.
  const int stride = message.ranks.size() > 1 ? std::max(1, message.ranks[1] - message.ranks[0]) : 1;
  return std::clamp<size_t>((group * static_cast<size_t>(stride) + perNode - 1) / perNode, 1, group);
}

} // namespace

KinetoWords kinetoWords(std::string_view text) {
  const nlohmann::json json = parseVocabulary(text);
  const VocabularyEntry file(json, "kineto.json", {"types", "operators", "chains", "gradients", "collectives"});
  KinetoWords out;
  out.types = typeWords(file);
  const VocabularyEntry operators = file.object("operators", {"rows"}),
                        collectives = file.object("collectives", {"names"});
  const VocabularyEntry chains = file.object("chains", {"rows"}), gradients = file.object("gradients", {"accumulate"});
  for (const VocabularyEntry* group : {&operators, &collectives, &chains, &gradients}) group->text("source");
  for (const VocabularyEntry& row : chains.rows("rows", {"as", "operators", "between"}))
    out.chains.push_back(chainRow(row));
  out.accumulate = Symbol(gradients.text("accumulate"));
  for (const VocabularyEntry& row :
       operators.rows("rows", {"torch", "kind", "as", "backward", "operands", "shape", "first", "causal"}))
    if (!out.operators.emplace(Symbol(row.text("torch")), kernelRow(row)).second) row.fail("it is listed twice");
  out.collectives = collectives.words("names");
  for (const auto& [word, as] : out.collectives)
    if (!parseCollective(as)) collectives.fail(fmt::format("`{}` is not a sampled collective", as));
  return out;
}

bool isKnownOperator(Symbol name) {
  return kinetoVocabulary().operators.count(name) > 0;
}

std::optional<TraceMeaning> meaningOf(const TraceOp& op) {
  const auto found = kinetoVocabulary().operators.find(op.name);
  if (found == kinetoVocabulary().operators.end()) return std::nullopt;
  const KernelRow* row = &found->second;
  const Operands operands(op);
  TraceMeaning out;
  out.sample.kind = row->kind;
  out.sample.name = row->name;
  out.backward = row->backward;
  const std::optional<ir::DType> type = operands.type(row->first);
  // Lists of tensors have no type. Optimizers of mixed precision update fp32.
  if (!type && row->kind != Kind::Optimizer) return std::nullopt;
  out.sample.dtype = type.value_or(ir::DType::fp32);
  if (!row->shape(*row, operands, out.sample)) return std::nullopt;
  fillDefaults(out.sample);
  return out;
}

std::optional<Sample> chainSample(const ChainRow& row, const TraceOp& first) {
  const std::optional<ir::DType> type = Operands(first).type(0);
  if (!type || Operands(first)[0].elements <= 0) return std::nullopt;
  Sample out;
  out.name = row.name;
  out.dtype = *type;
  out[E::Bytes] = Operands(first)[0].elements * ir::width(*type);
  return out;
}

std::optional<Sample> updateWithoutShapes(const TraceOp& op) {
  const auto found = kinetoVocabulary().operators.find(op.name);
  if (found == kinetoVocabulary().operators.end() || found->second.kind != Kind::Optimizer || meaningOf(op))
    return std::nullopt;
  Sample out;
  out.kind = Kind::Optimizer;
  out.name = found->second.name;
  return out;
}

std::optional<Sample> meaningOf(const TraceMessage& message, size_t perNode) {
  const auto row = kinetoVocabulary().collectives.find(message.collective);
  const std::optional<ir::DType> type = typeOf(kinetoVocabulary().types, message.dtype);
  const double elements = std::max(message.in, message.out);
  if (row == kinetoVocabulary().collectives.end() || !type || elements <= 0 || message.group < 2) return std::nullopt;
  Sample out;
  out.kind = Kind::Collective;
  out.name = Symbol(row->second);
  out.dtype = *type;
  const bool pair = parseCollective(row->second) == ir::CollectiveKind::SendRecv;
  const size_t nodes = nodesOf(message, std::max<size_t>(perNode, 1));
  out[E::Bytes] = elements * ir::width(*type);
  out[E::Ranks] = pair ? 2 : message.group;
  out[E::Nodes] = static_cast<double>(nodes);
  out.ranksOnHost = static_cast<double>(message.group) / static_cast<double>(nodes);
  return out;
}

} // namespace planc::calibrate
