// Programs put together by hand, for the tests of every room: operators over named dimensions, layouts on a mesh,
// collectives, stages. An operator between two layouts takes about five lines:
//
//   Build b({{"tp", 4}, {"dp", 2}});
//   b.layer("mlp");
//   const auto x = b.input("x", "batch=8@dp seq=16 hidden=32");
//   const auto up = b.op("up", OpKind::Gemm, {x, b.param("w", "hidden ffn=128@tp")}, "batch@dp seq ffn@tp");
//   b.reshard(up, "batch@dp seq ffn");
//
// A text lists dimensions: with `=16` its extent, where it is named for the first time, and with `@cp*tp` its axes,
// major first.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::test {

/// Axes inner to outer; levels as (name, devices in one unit), the cluster's last. Without levels there is one.
ir::Mesh mesh(const std::vector<std::pair<std::string, int64_t>>& axes,
              const std::vector<std::pair<std::string, int64_t>>& levels = {});
/// The axes that names of axes and groups stand for.
ir::AxisList axes(const ir::Mesh& mesh, const std::vector<std::string>& names);

/// `decoder[0:4].attn`, `*.norm`.
ir::Selector selector(const std::string& text);
/// `selector { dim -> targets }`.
ir::PlacementRule rule(const std::string& selector, const std::string& dim, const std::vector<std::string>& targets);

struct Build {
  ir::Plan plan;
  ir::Program program; ///< level comm; of level sharded all but the nodes

  explicit Build(const std::vector<std::pair<std::string, int64_t>>& axes,
                 const std::vector<std::pair<std::string, int64_t>>& levels = {});
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  // ---- level model ----

  /// A top-level layer, a repeat of `repeated` instances if that is not 0, and the one class of its instances. What is
  /// added next goes there.
  ir::LayerClassId layer(const std::string& name, int64_t repeated = 0);
  /// The dimension of that name, which must have been named with an extent.
  ir::DimId dim(const std::string& name) const;
  ir::ValueId input(const std::string& name, const std::string& dims);
  /// With a state in the class: stored as it is used.
  ir::ValueId param(const std::string& name, const std::string& dims);
  /// An operator of the layer, the value that it makes, and its node in forward, behind those that make what it reads.
  /// It iterates over the dimensions of its operands, then of its result; `inside` places those that the result lacks,
  /// over whose axes it is a pending sum. A contraction does 2 FLOPs a step, other operators 4 an element.
  ir::ValueId op(const std::string& name, ir::OpKind kind, const std::vector<ir::ValueId>& operands,
                 const std::string& result, const std::string& inside = "");
  ir::OpId makerOf(ir::ValueId value) const { return program.model->values[value].producer; }
  ir::Op& opOf(ir::ValueId value) { return program.model.edit().ops[makerOf(value)]; }

  // ---- level sharded ----

  ir::Layout layout(const std::string& dims, ir::AxisMask partial = 0);
  /// Brings a value into another layout for the next operator that reads it.
  ir::NodeIndex reshard(ir::ValueId value, const std::string& to);
  /// The program with the nodes of this level.
  ir::ShardedProgram sharded() const;
  ir::LayerClass& body() { return program.classes[last_]; }
  Indexed<ir::ShardedNode>& nodes() { return nodes_.at(last_.index); }
  ir::ShardedNode& node(size_t index) { return nodes().at(index); }

  // ---- level comm, level task ----

  /// From level sharded: what operators do on a device is not known yet, and a reshard is an all-reduce of no group.
  void lower();
  ir::Node& lowered(size_t index) { return body().forward.edit().at(index); }
  ir::AxisMask axis(const std::string& name) const;
  /// A node of no class yet.
  ir::Node compute(ir::OpId op, ir::Role role = ir::Role::Forward, ir::Phase phase = ir::Phase::Forward) const;
  ir::Node collective(ir::OpId op, ir::CollectiveKind kind, ir::CollectiveClass cls, ir::AxisMask axes, double bytes,
                      ir::Phase phase = ir::Phase::Forward) const;
  ir::StateCollective state(ir::CollectiveKind kind, ir::CollectiveClass cls, ir::Phase phase, ir::AxisMask axes,
                            double bytes) const;
  /// One virtual stage per entry of `pieces`: the instances of each class, by class id. The stages follow each other
  /// round the devices.
  void stages(int64_t stages, int64_t chunks, const std::vector<std::vector<int64_t>>& pieces);

private:
  struct Placed {
    std::vector<ir::DimId> dims;
    std::vector<ir::AxisList> axes;
  };
  Placed read(const std::string& text);
  ir::ValueId value(const std::string& name, ir::ValueKind kind, const std::vector<ir::DimId>& dims);
  ir::NodeList ready(ir::ValueId value) const;

  ir::LayerClassId last_;
  std::vector<Indexed<ir::ShardedNode>> nodes_;             ///< by class: forward at level sharded
  std::vector<std::pair<ir::ValueId, ir::NodeIndex>> made_; ///< in the last class, by the node that makes it ready
};

} // namespace planc::test
