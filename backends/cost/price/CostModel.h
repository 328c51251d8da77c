// The interface of cost models: the prices of single nodes. The rest of the cost backend knows no equation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Price.h"
#include "ir/Task.h"
#include "support/Diagnostics.h"

#include <memory>
#include <string_view>
#include <vector>

namespace planc::cost {

/// The prices of single nodes; named implementations are registered in a table (`analytic` is docs/cost-model.md).
class Facts;
struct Evidence;
using EvidenceList = std::vector<Evidence>;
class CostModel {
public:
  virtual ~CostModel() = default;
  /// `evidence` collects the calibrated records that a price stands on.
  virtual Priced compute(const ir::Program& program, const ir::Node& node, Derivation* why = nullptr,
                         EvidenceList* evidence = nullptr) const = 0;
  virtual double collective(const ir::Program& program, const ir::Node& node, Derivation* why = nullptr,
                            EvidenceList* evidence = nullptr) const = 0;
  /// What the algorithm of a collective spends its time on, each with its seconds, in order of appearance: the
  /// latency, a card or the links of a level. What goes on at the same time has all of its own.
  virtual std::vector<LimitPart> limits(const ir::Program& program, const ir::Node& node) const = 0;
  /// Reports the facts that were asked for and are missing (each record once) and the warnings; false if any is
  /// missing.
  virtual bool complete() = 0;
  /// Where the model looks its constants up; what else an estimate needs of them is asked for here too.
  virtual Facts& facts() const = 0;
};
/// A row of the table of cost models.
struct CostModelKind {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<CostModel> (*make)(const ir::Cluster& cluster, const ir::Stack& stack, DiagnosticEngine& diagnostics);
};
const std::vector<CostModelKind>& costModels();
/// Null if no model has that name. Cluster, stack and diagnostics must outlive it.
std::unique_ptr<CostModel> makeCostModel(std::string_view name, const ir::Cluster& cluster, const ir::Stack& stack,
                                         DiagnosticEngine& diagnostics);

/// A fused collective of states, or a transfer between stages, as a node that a CostModel prices.
ir::Node collectiveNode(const ir::StateCollective& state);
ir::Node transferNode(const ir::VirtualStage& from, const ir::Boundary& boundary);

} // namespace planc::cost
