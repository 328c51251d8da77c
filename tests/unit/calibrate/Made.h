// Made-up samples of a made-up part, with noise and wild points that are the same in every run.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/Calibrate.h"
#include "ir/facts/DeviceFacts.h"

#include <random>

namespace planc::test {

using calibrate::Extent;
using calibrate::Kind;

/// 100 TFLOP/s, 1 TB/s, links of 100 GB/s inside a node and 10 GB/s between nodes.
inline calibrate::Part madePart() {
  calibrate::Part part;
  part.name = "made";
  part.device.set(ir::DeviceFact::Peak, ir::DType::bf16, {100e12, {}, ""});
  part.device.set(ir::DeviceFact::Bandwidth, {1e12, {}, ""});
  part.link = 100e9;
  part.card = 10e9;
  return part;
}

/// A file in which every sample has a line.
class Made {
public:
  SourceManager sources;
  DiagnosticEngine diagnostics;
  calibrate::Samples samples;
  calibrate::Part part = madePart();

  Made() { file_ = sources.add("made.csv", std::string(4096, '\n')); }

  uint32_t series(std::string label, std::vector<std::string> axes = {}) {
    samples.series.push_back({std::move(label), "", file_, std::move(axes)});
    return static_cast<uint32_t>(samples.series.size() - 1);
  }
  calibrate::Sample& add(uint32_t series, Kind kind, std::string_view name,
                         std::vector<std::pair<Extent, double>> extents, double forward, double backward = 0) {
    calibrate::Sample s;
    s.kind = kind;
    s.name = Symbol(name);
    s.series = series;
    for (const auto& [e, v] : extents) s[e] = v;
    calibrate::fillDefaults(s);
    s.forward = forward;
    s.backward = backward;
    const auto line = static_cast<uint32_t>(samples.samples.size());
    s.range = {file_, line, line};
    samples.samples.push_back(std::move(s));
    return samples.samples.back();
  }
  /// 5 % of noise; every tenth value is wild, two to four times too slow.
  double noisy(double seconds) {
    const double noise = 1 + 0.05 * normal_(random_);
    return seconds * noise * (++count_ % 10 == 0 ? 2 + 2 * uniform_(random_) : 1);
  }
  calibrate::Calibration run() { return calibrate::calibrate(samples, "", part, sources, diagnostics); }
  /// Codes of what was found, sorted and once each.
  std::vector<std::string> codes() const {
    std::set<std::string> found;
    for (const Diagnostic* d : diagnostics.sorted()) found.insert(d->kind->id());
    return {found.begin(), found.end()};
  }

private:
  FileId file_;
  std::mt19937 random_{1};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  size_t count_ = 0;
};

inline const calibrate::Quality& quality(const calibrate::Calibration& c, std::string_view subject,
                                         calibrate::Direction d = calibrate::Direction::Forward) {
  for (const calibrate::Quality& q : c.qualities)
    if (q.subject == subject && q.direction == d) return q;
  throw std::out_of_range(std::string(subject));
}
inline const calibrate::Fact& fact(const calibrate::Calibration& c, std::string_view path) {
  for (const calibrate::Section& s : c.sections)
    for (const calibrate::Fact& f : s.facts)
      if (f.of.path() == path) return f;
  throw std::out_of_range(std::string(path));
}

} // namespace planc::test
