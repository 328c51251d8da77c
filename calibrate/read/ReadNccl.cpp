// Reads the output of NVIDIA's nccl-tests and AMD's rccl-tests, which print the same format: `all_reduce_perf` and its
// siblings. A log may hold several runs, with other output of a launcher between them.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/Csv.h"
#include "calibrate/read/NcclWords.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <map>
#include <set>

namespace planc::calibrate {

PLANC_ERROR(NoRanks, 1040, "this table has no `# Rank` line before it, so the number of ranks is unknown")
PLANC_ERROR(NoCollective, 1041, "the collective of this table is not given")
PLANC_WARNING(WrongResults, 1042, "{count} values that this run computed are wrong, so its time is skipped")
PLANC_WARNING(
    OddBusFactor, 1043,
    "the bus bandwidth is {found} times the algorithm bandwidth, but {collective} of {ranks} ranks has {expected}")
PLANC_ERROR(NotMicroseconds, 1044, "{bytes} bytes in {time} us are {computed} GB/s, but `algbw` is {printed}")
PLANC_ERROR(RepeatedRank, 1045,
            "rank {rank} is listed {times} times: the log is of {times} concurrent runs, not of one with {times} ranks")

namespace {

const NcclWords& ncclVocabulary() {
  static const NcclWords known = ncclWords(vocabularyText("nccl.json"));
  return known;
}

/// Splits a line that begins at byte `begin` of the file into cells.
CsvRow cells(FileId file, std::string_view line, size_t begin) {
  CsvRow out;
  for (size_t at = 0; at < line.size();) {
    while (at < line.size() && isBlank(line[at])) ++at;
    const size_t from = at;
    while (at < line.size() && !isBlank(line[at])) ++at;
    if (at > from)
      out.push_back({line.substr(from, at - from),
                     {file, static_cast<uint32_t>(begin + from), static_cast<uint32_t>(begin + at)}});
  }
  return out;
}

/// Returns the length of a launcher's prefix: `[1,0]<stdout>:` (mpirun --tag-output), `0: ` (srun --label).
size_t launcherPrefix(std::string_view line) {
  constexpr std::string_view kTag = "<stdout>:";
  if (line.starts_with('['))
    if (const size_t at = line.find(kTag); at != std::string_view::npos) return at + kTag.size();
  size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
  return digits > 0 && line.substr(digits).starts_with(": ") ? digits + 2 : 0;
}

/// Returns the last program that a line or path names: `all_reduce` in `./build/all_reduce_perf -b 8`.
std::string_view programIn(std::string_view text) {
  std::string_view found;
  size_t last = 0;
  auto look = [&](std::string_view name) {
    const std::string whole = fmt::format("{}_perf", name);
    for (size_t at = text.find(whole); at != std::string_view::npos; at = text.find(whole, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1];
      if (before == '_' || llvm::isAlnum(before) || at + 1 < last) continue;
      found = name;
      last = at + 1;
    }
  };
  for (const NcclProgram& program : ncclVocabulary().programs) look(program.name);
  for (const std::string& name : ncclVocabulary().others) look(name);
  return found;
}

bool isTableHeader(const CsvRow& row) {
  auto has = [&](std::string_view word) {
    return std::any_of(row.begin(), row.end(), [&](const Cell& c) { return c.text == word; });
  };
  return row.size() > 4 && row[0].text == "#" && has("size") && has("time") && has("algbw") && has("busbw");
}

/// A group of ranks that communicate with each other.
struct RankGroup {
  std::map<std::string_view, int> ranks; ///< count of lines per rank
  std::set<std::string_view> hosts;
};

/// One run of one program: its ranks and its table.
struct Run {
  std::string_view program;
  std::map<std::string_view, RankGroup> groups;
  std::string device;
  std::map<std::string_view, size_t> columns; ///< first of each name: out-of-place comes before in-place
  size_t cells = 0;                           ///< count of cells of a row
  SourceRange header;
  bool usable = false;
  std::optional<uint32_t> series;
  double largest = 0; ///< bytes of the row at which the bus bandwidth is checked
  double factor = 0;
  SourceRange at;
};

class Log {
public:
  Log(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics)
      : file_(file), out_(out), diagnostics_(diagnostics) {
    const size_t slash = file.path.rfind('/');
    named_ = programIn(file.path.substr(slash == std::string::npos ? 0 : slash + 1));
  }

  void read() {
    for (size_t at = 0; at < file_.text.size();) {
      const size_t end = std::min(file_.text.find('\n', at), file_.text.size());
      const size_t skip = launcherPrefix(file_.text.substr(at, end - at));
      line(file_.text.substr(at + skip, end - at - skip), at + skip);
      at = end + 1;
    }
    finish();
    for (const auto& [name, count] : skipped_)
      out_.notes.push_back(
          fmt::format("{}: {} lines of {}_perf: no plan has this collective", file_.path, count, name));
    if (out_.samples.size() > before_)
      out_.notes.push_back(fmt::format("{}: nccl-tests: times out of place; `size` is the full tensor", file_.path));
    if (exchanges_)
      out_.notes.push_back(fmt::format("{}: sendrecv_perf: every rank sends to the next; taken as a pair{}", file_.path,
                                       acrossNodes_ ? " on two nodes, since the slowest link decides" : ""));
  }

private:
  void line(std::string_view text, size_t begin) {
    if (const std::string_view program = programIn(text); !program.empty()) {
      if (run_.cells > 0 || program != run_.program) startRun();
      run_.program = program;
    }
    const CsvRow row = cells(file_.id, text, begin);
    if (row.empty()) return;
    if (isTableHeader(row)) return startTable(row);
    if (row[0].text == "#" && row.size() > 6 && row[1].text == "Rank") return addRank(row, text);
    if (run_.cells > 0 && row[0].text.find_first_not_of("0123456789") == std::string_view::npos) addRow(row);
  }

  /// Starts a new run. Lines of ranks that follow each other without a table between them belong to one run, because
  /// each of several processes may print them.
  void startRun() {
    finish();
    const std::string_view program = run_.program;
    run_ = Run{};
    run_.program = program;
  }

  /// Parses `# Rank 0 Group 0 Pid 12 on HOST device 0 [0000:04:00] NAME`. Older versions print no group.
  void addRank(const CsvRow& row, std::string_view text) {
    if (run_.cells > 0) startRun();
    std::string_view group = "0", host;
    for (size_t i = 3; i + 1 < row.size(); ++i) {
      if (row[i].text == "Group") group = row[i + 1].text;
      if (row[i].text == "on" && host.empty()) host = row[i + 1].text;
    }
    RankGroup& own = run_.groups[group];
    ++own.ranks[row[2].text];
    own.hosts.insert(host);
    if (const size_t at = text.find(']'); at != std::string_view::npos && run_.device.empty()) {
      std::string_view name = text.substr(at + 1);
      while (!name.empty() && isBlank(name.front())) name.remove_prefix(1);
      while (!name.empty() && isBlank(name.back())) name.remove_suffix(1);
      run_.device = name;
    }
  }

  void startTable(const CsvRow& row) {
    if (run_.cells > 0) startRun();
    run_.columns.clear();
    for (size_t i = 1; i < row.size(); ++i) run_.columns.emplace(row[i].text, i - 1);
    run_.cells = row.size() - 1;
    run_.header = {file_.id, row.front().range.begin, row.back().range.end};
    if (run_.program.empty()) run_.program = named_;
    run_.usable = canBeUsed();
  }

  bool canBeUsed() {
    if (run_.program.empty()) {
      diagnostics_.report(NoCollective, run_.header)
          .help("name the file after the program (`all_reduce_perf.txt`), or put `# all_reduce_perf` before the table");
      return false;
    }
    if (!program()) return true; // the collective is not modelled; its rows are only counted
    for (const auto& [name, group] : run_.groups)
      for (const auto& [rank, times] : group.ranks)
        if (times > 1) {
          diagnostics_.report(RepeatedRank, run_.header, {{"rank", rank}, {"times", times}})
              .help("build nccl-tests with `MPI=1`, so that the processes find each other");
          return false;
        }
    if (!run_.groups.empty()) return true;
    diagnostics_.report(NoRanks, run_.header)
        .help("keep the lines that follow `# Using devices`: `#  Rank  0 Group  0 Pid  12 on HOST device  0 "
              "[0000:04:00] NAME`");
    return false;
  }

  const NcclProgram* program() const {
    for (const NcclProgram& p : ncclVocabulary().programs)
      if (p.name == run_.program) return &p;
    return nullptr;
  }

  void addRow(const CsvRow& row) {
    if (!run_.usable) return;
    const NcclProgram* p = program();
    if (!p) {
      ++skipped_[run_.program];
      return;
    }
    const SourceRange range{file_.id, row.front().range.begin, row.back().range.end};
    if (!fitsHeader(row, run_.cells, range, diagnostics_)) return;
    if (row[0].text == "0") return; // a message of 0 bytes
    const auto size = positiveNumber(row[run_.columns["size"]], "size", diagnostics_);
    const auto time = positiveNumber(row[run_.columns["time"]], "time", diagnostics_);
    if (!size || !time || isWrong(row, range) || !timeFits(row, range, *size, *time)) return;
    Sample sample;
    sample.kind = Kind::Collective;
    sample.name = Symbol(ir::name(p->collective));
    sample.range = range;
    sample.forward = *time * 1e-6;
    if (const auto type = run_.columns.find("type"); type != run_.columns.end())
      sample.dtype = typeOf(ncclVocabulary().types, row[type->second].text).value_or(sample.dtype);
    const RankGroup& group = run_.groups.begin()->second; // the groups of a run are alike, and run at the same time
    const size_t ranks = group.ranks.size(), nodes = group.hosts.size();
    const bool pair = p->collective == ir::CollectiveKind::SendRecv;
    sample[Extent::Bytes] = *size;
    sample[Extent::Ranks] = static_cast<double>(pair ? 2 : ranks);
    sample[Extent::Nodes] = static_cast<double>(nodes);
    sample.ranksOnHost = static_cast<double>(ranks) / static_cast<double>(nodes);
    exchanges_ |= pair;
    acrossNodes_ |= pair && nodes > 1;
    noteFactor(row, range, *size);
    add(std::move(sample), *p);
  }

  /// Reports wrong results. Old versions print the largest error (`1e-07`), new ones count wrong values, and `N/A`
  /// means unchecked.
  bool isWrong(const CsvRow& row, SourceRange range) {
    const auto column = run_.columns.find("#wrong");
    if (column == run_.columns.end()) return false;
    const auto count = parseNumber(row[column->second].text);
    if (!count || *count == 0) return false;
    diagnostics_.report(WrongResults, range, {{"count", row[column->second].text}})
        .help("a link or a GPU is faulty: do not calibrate with this machine before it is repaired");
    return true;
  }

  /// Checks that the time is in microseconds: time and bandwidth come from one measurement, so they must agree.
  bool timeFits(const CsvRow& row, SourceRange range, double bytes, double time) {
    const auto printed = parseNumber(row[run_.columns["algbw"]].text);
    const double computed = bytes / time * 1e-3;
    if (!printed || *printed < 1 || std::abs(computed - *printed) <= 0.02 * *printed + 0.01) return true;
    diagnostics_
        .report(NotMicroseconds, range,
                {{"bytes", fmt::format("{:.10g}", bytes)},
                 {"time", fmt::format("{:.6g}", time)},
                 {"computed", fmt::format("{:.4g}", computed)},
                 {"printed", fmt::format("{:.4g}", *printed)}})
        .help("nccl-tests prints bytes, microseconds and GB/s: restore its columns");
    return false;
  }

  void noteFactor(const CsvRow& row, SourceRange range, double bytes) {
    const auto algorithm = parseNumber(row[run_.columns["algbw"]].text),
               bus = parseNumber(row[run_.columns["busbw"]].text);
    if (!algorithm || !bus || *algorithm < 1 || bytes < run_.largest) return;
    run_.largest = bytes;
    run_.factor = *bus / *algorithm;
    run_.at = range;
  }

  void add(Sample&& sample, const NcclProgram& p) {
    if (!run_.series) {
      run_.series = static_cast<uint32_t>(out_.series.size());
      out_.series.push_back({std::string(ir::name(p.collective)), run_.device, file_.id, {"bytes", "ranks", "nodes"}});
    }
    sample.series = *run_.series;
    sample.at = {sample[Extent::Bytes], sample[Extent::Ranks], sample[Extent::Nodes]};
    out_.samples.push_back(std::move(sample));
  }

  /// Ends a run. Its bus bandwidth must match the collective and the count of ranks.
  void finish() {
    const NcclProgram* p = program();
    if (!p || run_.factor == 0) return;
    const size_t ranks = run_.groups.begin()->second.ranks.size();
    const double expected = p->bus.at([&](std::string_view) { return static_cast<double>(ranks); });
    if (std::abs(run_.factor - expected) <= 0.03 * std::max(expected, 0.1)) return;
    diagnostics_
        .report(OddBusFactor, run_.at,
                {{"found", fmt::format("{:.3g}", run_.factor)},
                 {"collective", ir::name(p->collective)},
                 {"ranks", ranks},
                 {"expected", fmt::format("{:.3g}", expected)}})
        .help("check that this program printed the table, and that every rank has its `# Rank` line");
  }

  const SampleFile& file_;
  Samples& out_;
  DiagnosticEngine& diagnostics_;
  const size_t before_ = out_.samples.size();
  std::string_view named_; ///< the program in the file's name
  Run run_;
  std::map<std::string_view, int> skipped_;
  bool exchanges_ = false, acrossNodes_ = false;
};

} // namespace

/// Recognises the header of a result table.
bool isNcclTests(const SampleFile& file) {
  for (size_t at = 0; at < file.text.size();) {
    const size_t end = std::min(file.text.find('\n', at), file.text.size());
    const std::string_view line = file.text.substr(at, end - at);
    if (isTableHeader(cells(file.id, line.substr(launcherPrefix(line)), at))) return true;
    at = end + 1;
  }
  return false;
}

void readNcclTests(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics) {
  Log(file, out, diagnostics).read();
}

} // namespace planc::calibrate
