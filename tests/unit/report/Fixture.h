// The estimate of the verdict tests with the plan and program around it that a report shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/estimate/Estimate.h"
#include "tests/unit/support/Build.h"
#include "tests/unit/verdict/Fixture.h"

namespace planc::test {

/// 64 devices: tp = 8 inside a node, dp = 2 and pp = 4 across; parameters are copies over dp.
struct ReportFixture : PlanFixture {
  ir::Program program;
  verdict::Results results;

  ReportFixture() : PlanFixture("plan small {\n}\n") {
    plan.modelText = "gpt.small";
    plan.clusterText = "dgx.superpod(nodes = 8)";
    plan.softwareText = "megatron.megatron_2022";
    plan.cluster = std::make_shared<const ir::Cluster>();
    edit(plan.cluster).device.name = "a100";
    for (const char* level : {"node", "nodes"}) {
      ir::ClusterLevel l;
      l.name = level;
      l.count = 8;
      edit(plan.cluster).levels.push_back(l);
    }
    plan.stack = std::make_shared<const ir::Stack>();
    edit(plan.stack).name = "megatron_2022";
    plan.workload.phases = {{"train", true, true, {{"seq", 2048}}}};
    plan.workload.globalBatch = 32;
    plan.workload.microBatch = 1;
    plan.workload.optimizer = ir::Optimizer{"adam", 2, true, {}};
    plan.mesh = mesh({{"tp", 8}, {"dp", 2}, {"pp", 4}}, {{"node", 8}, {"nodes", 64}});
    plan.pipeline.emplace();
    plan.pipeline->axes = {"pp"};
    plan.pipeline->schedule = "one_f_one_b";
    plan.recompute.push_back({{ir::Selector()}});

    program.plan = &plan;
    program.mesh = plan.mesh;
    program.model = *plan.model;
    program.microBatches = 16;
    program.stages = 4;
    ir::LayerClass layerClass;
    ir::ParamState param;
    param.elements = 1e9;
    param.partial = ir::maskOf(*plan.mesh.findAxis("dp"));
    layerClass.params.edit().push_back(param);
    ir::LayerClassId id = program.classes.add(layerClass);
    for (int64_t stage = 0; stage < 4; ++stage) {
      ir::VirtualStage vs;
      vs.index = stage;
      ir::StageKind kind;
      kind.classes = {{id, 8}};
      vs.kind = program.stageKinds.add(std::move(kind));
      vs.devices = {stage};
      program.virtualStages.push_back(vs);
    }
  }

  report::PlanReport report() const { return {"plans/small.plan", &sources, &plan, &program, &estimate, &results}; }
};

} // namespace planc::test
