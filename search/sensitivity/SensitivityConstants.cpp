// Collects constants from the fact tables of device, levels, fabrics, cluster and stack, and from the plan's own facts.
// SPDX-License-Identifier: Apache-2.0
#include "search/sensitivity/SensitivityConstants.h"

#include "backends/cost/result/Confidence.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/FactTable.h"
#include "ir/facts/SampleColumns.h"
#include "ir/facts/StackFacts.h"
#include "ir/plan/Settings.h"
#include "ir/vocabulary/Topologies.h"
#include "support/Shared.h"

#include <algorithm>
#include <fmt/format.h>
#include <variant>

namespace planc::search {

namespace {

using ir::Number;
using ir::Plan;

void scaleNumber(Number& number, double factor) {
  number.value *= factor;
  for (double& y : number.table.y) y *= factor;
}

class ConstantFinder {
public:
  explicit ConstantFinder(const Plan& plan) : plan_(plan) {}

  Constants run() {
    if (plan_.cluster) ofCluster();
    if (plan_.stack)
      facts<ir::StackFact>("software.", *plan_.stack,
                           [](Plan& p) -> ir::FactsOf<ir::StackFact>& { return planc::edit(p.stack); });
    ofPlan();
    return std::move(out_);
  }

private:
  template <class Id> using Edit = std::function<ir::FactsOf<Id>&(Plan&)>;

  /// Adds a constant with all of its values. A constant whose values are all 0 is listed among the zeros.
  void add(Constant constant, const std::vector<double>& values, const ir::FactRange& range) {
    double largest = 0, smallest = 0;
    for (const double v : values) {
      largest = std::max(largest, std::abs(v));
      if (v != 0) smallest = smallest == 0 ? std::abs(v) : std::min(smallest, std::abs(v));
    }
    if (largest == 0) {
      out_.zeros.push_back(std::move(constant.path));
      return;
    }
    constant.value = values.back();
    constant.values = values.size();
    constant.least = std::max(range.least, 0.0) / smallest;
    constant.most = range.most / largest;
    out_.scaled.push_back(std::move(constant));
  }

  void addNumber(std::string path, const Number& number, const ir::FactType& type, std::string record,
                 std::function<Number&(Plan&)> at) {
    Constant made{.path = std::move(path), .unit = type.unit, .source = number.source, .record = std::move(record)};
    made.scale = [at = std::move(at)](Plan& p, double factor) { scaleNumber(at(p), factor); };
    std::vector<double> values = number.table.y;
    if (values.empty()) values.push_back(number.value);
    add(std::move(made), values, type.range);
  }

  /// Adds the facts of a record that are numbers or curves.
  template <class Id, class Record> void facts(const std::string& prefix, const Record& record, const Edit<Id>& edit) {
    for (const ir::FactRow& row : ir::factRows(ir::recordOf(Id()))) {
      if (row.type.provenance) continue;
      const Id id = static_cast<Id>(row.id.index);
      for (const ir::FactKey key : record.keys(id)) {
        const std::string path = prefix + ir::FactRef(id, key).path();
        if (row.type.form == ir::FactForm::Count) out_.counts.push_back(path);
        if (row.type.form != ir::FactForm::Number && row.type.form != ir::FactForm::Curve) continue;
        const Number& number = *record.number(id, key);
        addNumber(path, number, row.type, recordOf(record, number),
                  [edit, id, key](Plan& p) -> Number& { return *edit(p).number(id, key); });
      }
    }
  }

  template <class Record> static std::string recordOf(const Record& record, const Number& number) {
    constexpr bool kLevel = std::is_same_v<Record, ir::ClusterLevel>;
    if constexpr (std::is_same_v<Record, ir::Cluster>)
      return {};
    else if (!kLevel && !number.statistics.calibrated)
      return {};
    else
      return cost::recordText(cost::Facts::owner(record), number.statistics.record, kLevel);
  }

  void ofCluster() {
    using ir::ClusterFact, ir::DeviceFact, ir::FabricFact, ir::LevelFact;
    const ir::Cluster& cluster = *plan_.cluster;
    facts<DeviceFact>("cluster.device.", cluster.device,
                      [](Plan& p) -> ir::FactsOf<DeviceFact>& { return planc::edit(p.cluster).device; });
    for (size_t i = 0; i < cluster.levels.size(); ++i) {
      const ir::ClusterLevel& level = cluster.levels[i];
      const std::string prefix = "cluster." + level.name.str() + ".";
      facts<LevelFact>(prefix, level,
                       [i](Plan& p) -> ir::FactsOf<LevelFact>& { return planc::edit(p.cluster).levels[i]; });
      ofTopology(prefix + "topology.", i);
      facts<FabricFact>(prefix + "link.", level.fabric,
                        [i](Plan& p) -> ir::FactsOf<FabricFact>& { return planc::edit(p.cluster).levels[i].fabric; });
      for (const ir::FactRow& row : ir::fabricFacts())
        ofSamples(prefix + "link." + std::string(row.path) + ".", i, static_cast<FabricFact>(row.id.index));
    }
    facts<ClusterFact>("cluster.", cluster,
                       [](Plan& p) -> ir::FactsOf<ClusterFact>& { return planc::edit(p.cluster); });
  }

  void ofTopology(const std::string& prefix, size_t level) {
    const ir::Topology& topology = plan_.cluster->levels[level].topology;
    const ir::Word* word = ir::topologyWords().find(topology.kind.view());
    for (size_t n = 0; n < topology.numbers.size(); ++n) {
      const auto& [name, value] = topology.numbers[n];
      const ir::Parameter* parameter = word ? word->find(name.view()) : nullptr;
      if (!parameter) continue;
      Constant made{.path = prefix + name.str(), .unit = parameter->unit};
      made.scale = [level, n](Plan& p, double factor) {
        planc::edit(p.cluster).levels[level].topology.numbers[n].second *= factor;
      };
      add(std::move(made), {value}, {parameter->least, parameter->most, {}});
    }
  }

  /// Adds each column of samples, over all rows, as one constant. A table of times is one constant.
  void ofSamples(const std::string& prefix, size_t level, ir::FabricFact fact) {
    const ir::Fabric& fabric = plan_.cluster->levels[level].fabric;
    const ir::Fabric::Samples* samples = fabric.samplesOf(fact);
    if (!samples) return;
    using Row = ir::Fabric::Sample;
    const auto each = [&](std::string_view name, const Unit& unit, const ir::FactRange& range, const auto& valuesOf,
                          std::function<void(Row&, double)> scale) {
      Constant made{.path = prefix + std::string(name), .unit = unit};
      std::vector<double> values;
      for (const std::vector<Row>* rows : {&samples->rows, &samples->across})
        for (const Row& row : *rows) {
          valuesOf(row, values);
          made.record = cost::recordText(cost::Facts::owner(fabric), row.statistics.record, false);
        }
      if (std::ranges::all_of(values, [](double v) { return v == 0; })) return; // the column is not given
      made.scale = [level, fact, scale = std::move(scale)](Plan& p, double factor) {
        ir::Fabric::Samples& all = *planc::edit(p.cluster).levels[level].fabric.samplesOf(fact);
        for (Row& row : all.rows) scale(row, factor);
        for (Row& row : all.across) scale(row, factor);
      };
      add(std::move(made), values, range);
    };
    for (const ir::SampleColumn& column : ir::sampleColumns()) {
      if (!column.fitted) continue;
      const auto field = column.field;
      each(
          column.name, column.type.unit, column.type.range,
          [field](const Row& row, std::vector<double>& values) {
            if (row.time.empty()) values.push_back(row.*field);
          },
          [field](Row& row, double factor) { row.*field *= factor; });
    }
    each(
        ir::kSampledTimes, units::time, ir::ranges::kTime,
        [](const Row& row, std::vector<double>& values) {
          values.insert(values.end(), row.time.y.begin(), row.time.y.end());
        },
        [](Row& row, double factor) {
          for (double& y : row.time.y) y *= factor;
        });
  }

  void ofPlan() {
    ofOverlap();
    ofRun();
    const ir::Workload& w = plan_.workload;
    for (const ir::SettingRow* row : ir::settingsIn(w.section.view())) {
      const auto* field = std::get_if<ir::WorkloadField>(&row->field);
      if (!field || w.*field->value == ir::Workload{}.*field->value) continue; // the default scales nothing
      Constant made{.path = fmt::format("{}.{}", w.section.view(), ir::nameOf(*row))};
      made.scale = [value = field->value](Plan& p, double factor) { p.workload.*value *= factor; };
      add(std::move(made), {w.*field->value}, row->type.range);
    }
    if (w.optimizer && w.optimizer->stateBytes) {
      Constant made{.path = w.section.str() + ".optimizer.state_bytes", .unit = units::bytes};
      made.scale = [](Plan& p, double factor) { *p.workload.optimizer->stateBytes *= factor; };
      add(std::move(made), {*w.optimizer->stateBytes}, ir::ranges::kBytes);
    }
  }

  void ofOverlap() {
    const auto typeOf = [](ir::StackFact fact) -> const ir::FactType& { return ir::factRow(fact).type; };
    if (plan_.overlap.prefetch) out_.counts.push_back("overlap.prefetch");
    if (const auto& n = plan_.overlap.slowdown)
      addNumber("overlap.slowdown", *n, typeOf(ir::StackFact::Slowdown), {},
                [](Plan& p) -> Number& { return *p.overlap.slowdown; });
    if (const auto& n = plan_.overlap.bucket)
      addNumber("overlap.bucket", *n, typeOf(ir::StackFact::Bucket), {},
                [](Plan& p) -> Number& { return *p.overlap.bucket; });
    for (const auto& [cls, number] : plan_.overlap.blockingShare)
      addNumber("overlap." + std::string(ir::name(cls)), number, typeOf(ir::StackFact::Inline), {},
                [cls = cls](Plan& p) -> Number& { return p.overlap.blockingShare.at(cls); });
  }

  void ofRun() {
    if (!plan_.run) return;
    namespace ranges = ir::ranges;
    struct Row {
      std::string_view path;
      ir::OptNumber ir::Run::*number;
      Unit unit;
      ir::FactRange range;
    };
    static const std::vector<Row> rows{
        {"run.tokens", &ir::Run::tokens, units::tokens, ranges::kAmount},
        {"run.samples", &ir::Run::samples, units::samples, ranges::kAmount},
        {"run.mtbf", &ir::Run::mtbf, units::time, ranges::kLife},
        {"run.checkpoint", &ir::Run::checkpoint, units::time, ranges::kTime},
        {"run.every", &ir::Run::every, units::time, ranges::kLife},
        {"run.restart", &ir::Run::restart, units::time, ranges::kTime},
        {"run.utilisation", &ir::Run::utilisation, {}, ranges::kEfficiency},
        {"run.pue", &ir::Run::pue, {}, ranges::kSurcharge},
        {"run.carbon", &ir::Run::carbon, units::intensity, ranges::kIntensity},
    };
    for (const Row& row : rows)
      if (const ir::OptNumber& number = (*plan_.run).*row.number)
        addNumber(std::string(row.path), *number, ir::number(row.unit, row.range), {},
                  [at = row.number](Plan& p) -> Number& { return *((*p.run).*at); });
  }

  const Plan& plan_;
  Constants out_;
};

} // namespace

Constants constantsOf(const ir::Plan& plan) {
  return ConstantFinder(plan).run();
}

} // namespace planc::search
