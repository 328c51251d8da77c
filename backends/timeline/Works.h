// The table of what spans do: operators, collectives, transfers and rows of the report, each described once.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/CostModel.h"
#include "backends/cost/result/Rows.h"
#include "backends/cost/simulate/Simulation.h"
#include "backends/timeline/Timeline.h"

#include <map>
#include <tuple>

namespace planc::timeline {

/// Seconds of one work in an account.
struct WorkShare {
  uint32_t work = kNone;
  SpanKind kind = SpanKind::Waits;
  double seconds = 0;
  bool slowed = false; ///< seconds that computing loses to communication
};

/// Describes works the first time that they are requested. The functions return indices into `works`.
class WorkTable {
public:
  WorkTable(const cost::Simulation& sim, const cost::CostModel& model);

  uint32_t node(ir::LayerClassId id, bool backward, ir::NodeIndex node);
  uint32_t state(ir::LayerClassId id, size_t state);
  /// The report's row of an operator.
  uint32_t row(ir::LayerClassId id, bool backward, ir::NodeIndex node);
  /// A value that leaves virtual stage `from`, or its gradient (`back`).
  uint32_t transfer(int64_t from, size_t boundary, bool back, bool receives);
  /// The sum of a parameter that several stages hold.
  uint32_t sum(size_t group);
  uint32_t named(const std::string& name);

  /// Returns the seconds of an account: of states each, of operators and their collectives by row. Exposed seconds are
  /// of the kind `exposedAs`.
  std::vector<WorkShare> sharesOf(const cost::Account& account, SpanKind exposedAs);
  /// Returns the seconds of the values that a transfer moves. `stage`: the virtual stage that it holds.
  std::vector<WorkShare> sharesOf(cost::Cause transfer, int64_t stage);

  std::vector<Work> works;

private:
  struct OfRow {
    double computing = 0, slowed = 0, exposed = 0, launches = 0;
  };
  ir::LayerRef layerOf(ir::LayerClassId id, const ir::Node& node);
  void describeCollective(Work& work, const ir::Node& node);
  void addRule(Work& work, const ir::LayerClass& layerClass, ir::OpId op) const;
  void price(Work& work, const ir::Node& node);
  template <class Key, class Make> uint32_t once(std::map<Key, uint32_t>& known, Key key, Make make);

  const cost::Simulation& sim_;
  const ir::Program& program_;
  const cost::CostModel& model_;
  ir::LayerTree tree_;
  std::vector<cost::ClassLayers> layers_;
  std::map<std::tuple<ir::LayerClassId, bool, ir::NodeIndex>, uint32_t> nodes_;
  std::map<std::pair<ir::LayerClassId, size_t>, uint32_t> states_;
  std::map<ir::LayerRef, uint32_t> rows_;
  std::map<std::tuple<int64_t, size_t, bool, bool>, uint32_t> transfers_;
  std::map<size_t, uint32_t> sums_;
  std::map<std::string, uint32_t> named_;
};

} // namespace planc::timeline
