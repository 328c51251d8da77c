// Topologies: how the units of a cluster level are wired, as rows of a table that a caller may extend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Layout.h"
#include "support/Symbol.h"

#include <memory>
#include <string_view>
#include <vector>

namespace planc::ir {

/// What a level says about its wiring: `fat_tree(oversubscription = 2)`, `torus(dims = [16, 16])`.
struct Topology {
  Symbol kind{"switch"};
  std::vector<std::pair<Symbol, double>> numbers; ///< by parameter, those that were written
  std::vector<int64_t> dims;                      ///< inner to outer; empty where the kind takes none
  /// The parameter as written, else the fallback of its row.
  double number(Symbol parameter) const;
};

/// How a group lies along one dimension of a level.
struct TopologySpan {
  int64_t extent = 1;  ///< units along the dimension
  int64_t members = 1; ///< of the group among them
  double gap = 1;      ///< units per member: as many groups share the links between neighbours
  bool wraps = false;  ///< the group reaches round, so that the ring closes
};

/// A group of ranks at one level.
struct TopologyGroup {
  CollectiveKind collective = CollectiveKind::AllReduce;
  double ranks = 1; ///< of the whole group
  double nodes = 1; ///< domains among them: what a tree counts
  double units = 1; ///< units of the level that the group spans
  double each = 1;  ///< ranks of the group in one of them
  double count = 1; ///< units that the level has
  std::vector<TopologySpan> spans;
};

/// What a collective finds at a level.
struct TopologyFactors {
  double bandwidth = 1; ///< share of a device's nominal bandwidth that carries the bytes on its wire
  double steps = 1;     ///< hops one after the other, each with the level's latency
};

struct TopologyParameter {
  std::string_view name;
  double least = 0, most = 0; ///< range of a number
  double fallback = 0;
};

/// A row of the table of topologies.
struct TopologyKind {
  std::string_view name;
  std::string_view doc;    ///< one line: bandwidth and steps by collective
  std::string_view source; ///< of the formula
  std::vector<TopologyParameter> numbers;
  bool takesDims = false;    ///< `dims = […]`, which multiply to the count of the level
  bool anyAlgorithm = false; ///< any two units are connected alike: rings and trees over ranks in any order run on it
  TopologyFactors (*factors)(const Topology& topology, const TopologyGroup& group) = nullptr;
};

/// All rows: those of planc, then those that a caller added, in order.
const std::vector<std::unique_ptr<const TopologyKind>>& topologies();
const TopologyKind* findTopology(Symbol name);

/// Adds a row for as long as it lives: a tool that embeds planc, or a test, brings a wiring of its own.
class AddedTopology {
public:
  explicit AddedTopology(TopologyKind kind);
  ~AddedTopology();
  AddedTopology(const AddedTopology&) = delete;
  AddedTopology& operator=(const AddedTopology&) = delete;

private:
  const TopologyKind* row_;
};

/// How the group over `axes` lies along the dimensions of a level (one dimension where the topology has no `dims`).
std::vector<TopologySpan> spansOf(const Mesh& mesh, AxisMask axes, size_t level, const Topology& topology);
/// Factors of the level's row; one step at full bandwidth where the group does not spread.
TopologyFactors factorsOf(const Topology& topology, const TopologyGroup& group);

} // namespace planc::ir
