// The table of readers.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/Readers.h"

#include "ir/facts/Ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::calibrate {

PLANC_ERROR(SenselessGroup, 826, "`{collective}` of {ranks} rank{s} on {nodes} node{t}: {why}")

namespace {

/// Returns what is wrong with the group of a collective; empty if it is valid.
std::string_view problemOf(const Sample& s) {
  const double ranks = s[Extent::Ranks], nodes = s[Extent::Nodes];
  const double ofRun = s.ranksOnHost > 0 ? s.ranksOnHost * nodes : ranks; // a pair is taken from a larger run
  if (ranks < 2 || ofRun < 2) return "a group needs at least two ranks";
  if (ranks != std::floor(ranks) || nodes != std::floor(nodes)) return "ranks and nodes must be whole numbers";
  if (!ir::ranges::kSome.holds(ranks)) return "a row of samples has at most 1e9 ranks";
  if (parseCollective(s.name.view()) == ir::CollectiveKind::SendRecv && ranks != 2)
    return "a transfer is between two ranks";
  return nodes > ofRun ? "each node of a group has at least one rank" : "";
}

/// Reports each impossible group once and drops its samples, from sample `first` on.
void checkGroups(Samples& samples, size_t first, DiagnosticEngine& diagnostics) {
  std::map<std::tuple<Symbol, double, double>, std::vector<const Sample*>> senseless;
  for (size_t i = first; i < samples.samples.size(); ++i) {
    const Sample& s = samples.samples[i];
    if (s.kind == Kind::Collective && !problemOf(s).empty())
      senseless[{s.name, s[Extent::Ranks], s[Extent::Nodes]}].push_back(&s);
  }
  for (const auto& [group, all] : senseless) {
    const auto& [name, ranks, nodes] = group;
    auto report = diagnostics.report(SenselessGroup, all.front()->range,
                                     {{"collective", name.view()},
                                      {"ranks", fmt::format("{:.10g}", ranks)},
                                      {"s", ranks == 1 ? "" : "s"},
                                      {"nodes", fmt::format("{:.10g}", nodes)},
                                      {"t", nodes == 1 ? "" : "s"},
                                      {"why", problemOf(*all.front())}});
    if (all.size() > 1) report.note(fmt::format("{} samples have this group", all.size()));
    report.help("count the ranks of the group and the hosts that they run on; remove runs of one rank");
  }
  const auto begin = samples.samples.begin() + static_cast<std::ptrdiff_t>(first);
  const auto bad = [](const Sample& s) { return s.kind == Kind::Collective && !problemOf(s).empty(); };
  samples.samples.erase(std::remove_if(begin, samples.samples.end(), bad), samples.samples.end());
}

} // namespace

std::span<const Reader> readers() {
  static constexpr std::array<Reader, 5> kTable{{
      {"kineto", "traces of PyTorch's profiler, with shapes", isKinetoTrace, readKinetoTrace},
      {"planc-csv", "the schema of docs/calibrate.md", isPlancCsv, readPlancCsv},
      {"nccl-tests", "output of all_reduce_perf and its siblings", isNcclTests, readNcclTests},
      {"regressor-models", "lists of models that other tools fitted: no samples", isModelList, skipModelList},
      {"regressor-tables", "PART_function_fp16.csv of estimate-train-time", isRegressorTable, readRegressorTable},
  }};
  return kTable;
}

bool readSamples(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics) {
  for (const Reader& reader : readers())
    if (reader.recognises(file)) {
      const size_t first = out.samples.size();
      reader.read(file, out, diagnostics);
      checkGroups(out, first, diagnostics);
      return true;
    }
  return false;
}

} // namespace planc::calibrate
