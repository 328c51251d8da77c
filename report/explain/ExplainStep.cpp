// Explains the time of the step and its parts: the rows that add up to them, or their equation.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Stragglers.h"
#include "backends/verdict/Contributors.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"
#include "report/estimate/Lines.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::report {
namespace {

const cost::Estimate& estimateOf(const ExplainInput& input) {
  return *input.report->estimate;
}

/// Returns ` on stage 15`; empty with one stage.
std::string onStage(const cost::Estimate& e) {
  return e.stages.size() > 1 ? fmt::format(" on stage {}", verdict::criticalStage(e)) : "";
}

std::string timesText(const ExplainInput& input, const cost::LayerRow& row) {
  return fmt::format("{} x {}", plural(static_cast<double>(row.count), "instance", "instances"),
                     plural(static_cast<double>(input.schedule->program->passes()), "micro-batch", "micro-batches"));
}

/// Writes the sum of one number over the layers.
void sumOfLayers(ExplainPage& page, const ExplainInput& input, double cost::LayerRow::*number, double sum) {
  SumTable table(page, units::time);
  for (const cost::LayerRow& row : estimateOf(input).layers)
    table.add(row.layer.str(), row.*number, timesText(input, row));
  table.write(sum);
}

void intervalText(ExplainPage& page, const cost::Totals& t) {
  const cost::Confidence& c = t.confidence;
  page.gap();
  if (c.coverage > 0)
    page.line(fmt::format("{} of measured times lie between {:.3g} and {:.3g} times the prediction: {:.3g} to {:.3g} "
                          "from the stack's runs beyond the errors of their records, the rest from the records below",
                          percentText(c.coverage), c.low, c.high, c.runsLow, c.runsHigh));
  else
    page.line("no interval: the stack gives no `accuracy`");
  page.line(
      fmt::format("{} of the step depends on facts that are used outside of their samples", percentText(c.outside)));
  Table table{"rrrrl"};
  table.head({"of the width", "of the step", "error", "samples", "record"});
  const std::vector<cost::WidthPart> parts = cost::widthParts(c);
  auto width = [&](std::string_view what) {
    auto part = std::find_if(parts.begin(), parts.end(), [&](const cost::WidthPart& p) { return p.what == what; });
    return part == parts.end() ? std::string("-") : shareText(part->share);
  };
  if (c.coverage > 0) table.add({width(cost::kRunsPart), "", "", "", std::string(cost::kRunsPart)});
  for (const cost::RecordShare& term : c.terms)
    table.add({width(term.what), shareText(term.share), percentText(term.error),
               term.samples > 0 ? countText(term.samples) : "-", term.what});
  page.table(table);
}

} // namespace

void explainStep(ExplainPage& page, const ExplainInput& input) {
  const cost::Totals& t = estimateOf(input).totals;
  const std::string critical = criticalText(estimateOf(input));
  page.number(
      "step time", timeText(t.stepTime),
      t.stepTimeLow() ? fmt::format("between {} and {}", timeText(*t.stepTimeLow()), timeText(*t.stepTimeHigh())) : "");
  if (!critical.empty()) page.line("critical " + critical, 2);
  SumTable table(page, units::time);
  for (const StepPart& part : stepParts(estimateOf(input)))
    if (!part.inside) table.add(part.label, part.seconds);
  table.write(t.stepTime);
  intervalText(page, t);
}

void explainCompute(ExplainPage& page, const ExplainInput& input) {
  const double seconds = estimateOf(input).totals.compute;
  page.number("compute", timeText(seconds), "of the layers" + onStage(estimateOf(input)) + ":");
  sumOfLayers(page, input, &cost::LayerRow::onPath, seconds);
}

void explainSlowed(ExplainPage& page, const ExplainInput& input) {
  const double seconds = estimateOf(input).totals.slowed;
  page.number("slowed by communication", timeText(seconds),
              "time that computing loses during communication" + onStage(estimateOf(input)) + ":");
  page.fact("slowdown", fmt::format("{} of its speed", percentText(input.schedule->slowdown)));
  const ir::Program& program = *input.schedule->program;
  const auto& levels = program.plan->cluster->levels; // the port of the host follows them; its copies slow nothing
  for (size_t l = 0; l < levels.size(); ++l)
    if (const double share = input.schedule->besides[l]; share < 1)
      page.fact("slowdown", fmt::format("{} for `{}`, whose nodes have fewer network cards than `slowdown_cards`",
                                        percentText(share * input.schedule->slowdown), levels[l].name.view()));
  sumOfLayers(page, input, &cost::LayerRow::slowed, seconds);
}

void explainLaunches(ExplainPage& page, const ExplainInput& input) {
  const double seconds = estimateOf(input).totals.launches;
  page.number("host launches", timeText(seconds), "the device waits for the host" + onStage(estimateOf(input)) + ":");
  sumOfLayers(page, input, &cost::LayerRow::launches, seconds);
}

void explainExposed(ExplainPage& page, const ExplainInput& input) {
  const cost::Estimate& e = estimateOf(input);
  page.number("exposed communication", timeText(e.totals.exposedComm),
              "communication that the device waits for" + onStage(e) + ":");
  SumTable table(page, units::time);
  for (const CollectiveLine& line : collectiveLines(e))
    table.add(line.name(), line.onPath, fmt::format("of {}", timeText(line.seconds)));
  table.write(e.totals.exposedComm);
}

void explainCommunication(ExplainPage& page, const ExplainInput& input) {
  const cost::Estimate& e = estimateOf(input);
  page.number("communication", timeText(e.totals.comm), "of a step, hidden or not" + onStage(e) + ":");
  SumTable table(page, units::time);
  for (const CollectiveLine& line : collectiveLines(e)) {
    const cost::CollectiveRow& row = line.row();
    const bool alike = line.rows.size() == 1;
    table.add(line.name(), line.seconds,
              alike ? fmt::format("{} x {}", countText(row.count), timeText(row.seconds))
                    : fmt::format("{} in all", countText(line.count)));
  }
  table.write(e.totals.comm);
}

void explainBubble(ExplainPage& page, const ExplainInput& input) {
  const cost::Estimate& e = estimateOf(input);
  const cost::Totals& t = e.totals;
  page.number("pipeline bubble", timeText(t.bubble), "idle time of the critical stage, both ends of the step included");
  if (e.stages.size() < 2) {
    page.line("there is only one stage, so no stage waits for another", 2);
    return;
  }
  SumTable table(page, units::time);
  table.add("equal stages", t.bubbleEven,
            "idle time of the same order of passes if every stage did the mean work; at most the bubble");
  table.add("imbalance", t.bubbleImbalance, "the rest: added by differences between stages");
  table.write(t.bubble);
  page.line("critical is " + criticalText(e));
  if (t.imbalance > 0)
    page.line(fmt::format("if every stage did the mean work, {}, the step would take {} less", timeText(t.meanWork),
                          timeText(t.imbalance)));
  page.gap();
  page.table(stageTable(stageLines(e), verdict::criticalStage(e)));
}

void explainStages(ExplainPage& page, const ExplainInput& input) {
  const cost::Estimate& e = estimateOf(input);
  const ir::Program& program = *input.schedule->program;
  page.number("stages", countText(static_cast<double>(program.virtualStages.size())),
              program.chunks > 1 ? "virtual stages, several per device" : "one per device");
  if (isBalanced(*input.report->plan)) page.line("cut for the fastest step of the compared cuts that fit in memory");
  Table layers{"ll"};
  for (const CutLine& line : cutLines(program)) layers.add({"stage " + line.stages, line.layers});
  page.table(layers);
  if (e.stages.size() < 2) return;
  page.line("critical is " + criticalText(e));
  page.line(fmt::format("its work is {}, the mean of all stages is {}", timeText(e.totals.work),
                        timeText(e.totals.meanWork)));
  page.gap();
  page.table(stageTable(stageLines(e), verdict::criticalStage(e)));
}

void explainOverhead(ExplainPage& page, const ExplainInput& input) {
  const cost::Totals& t = estimateOf(input).totals;
  const ir::Stack& stack = input.facts->stack;
  const double rest = t.stepTime - t.overhead - t.straggler.value_or(0);
  const ir::Number *unattributed = stack.number(ir::StackFact::Unattributed), *each = stack.number(ir::StackFact::Step);
  const double factor = unattributed ? unattributed->value : 1, step = each ? each->value : 0;
  page.number("overhead", timeText(t.overhead), "time of runs that no part of the model explains");
  page.equation("(unattributed - 1) · others + unattributed · step",
                fmt::format("{:.4g} · {} + {:.4g} · {} = {}", factor - 1, timeText(rest), factor, timeText(step),
                            timeText(t.overhead)));
  if (unattributed) page.constant("unattributed", *unattributed);
  if (each) page.constant("step", *each);
  page.fact("others", "step time without overhead and straggler: " + timeText(rest));
}

void explainStraggler(ExplainPage& page, const ExplainInput& input) {
  const double seconds = estimateOf(input).totals.straggler.value_or(0);
  const cost::Facts& facts = *input.facts;
  const std::vector<cost::Spread> spreads = cost::spreads(facts.cluster, facts.stack, input.schedule->program->mesh);
  const double share = cost::stragglerShare(spreads);
  page.number("straggler", timeText(seconds), "waiting for the slowest, once per step");
  if (share > 0)
    page.equation("√Σ (jitter · (H(units) - 1))² · busy",
                  fmt::format("{:.4g} · {} = {}", share, timeText(seconds / share), timeText(seconds)));
  for (const cost::Spread& s : spreads) {
    page.constant(fmt::format("jitter of {}", s.of), *s.jitter);
    page.fact("units",
              fmt::format("{}: the slowest is {:.4g} times the jitter behind their mean, {:.4g} of the busy time",
                          s.units, cost::slowestOf(s.units), s.share));
  }
  if (spreads.empty())
    page.line("no `jitter` is given: not by the cluster, the stack or a level with several units", 2);
}

} // namespace planc::report
