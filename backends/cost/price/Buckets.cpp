// Runs of equal layers in a stage, and the messages that neighbours share (docs/cost-model.md, sections 2.4 and 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Buckets.h"

#include "ir/program/CollectiveNodes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::cost {

namespace {

using Bytes = std::function<double(const ir::StateCollective&)>;

/// Adjacent equal layers.
struct EqualLayers {
  ir::RegionId layer;
  int64_t count = 1;
  double bytes = 0;
};

/// The layers of equal instances: `once`, repeated `times` times.
struct LayerRun {
  std::vector<EqualLayers> once;
  int64_t times = 1;
  double length() const {
    double n = 0;
    for (const EqualLayers& s : once) n += static_cast<double>(s.count);
    return n;
  }
  double bytes() const {
    double sum = 0;
    for (const EqualLayers& s : once) sum += s.bytes * static_cast<double>(s.count);
    return sum;
  }
};

/// Returns the layers in the order in which their parameters are first used. A class without states is one layer.
std::vector<EqualLayers> layers(const ir::LayerClass& layerClass, const Bytes& bytes) {
  std::vector<EqualLayers> all;
  for (const ir::StateCollective& s : layerClass.states) {
    auto same = std::find_if(all.begin(), all.end(), [&](const EqualLayers& l) { return l.layer == s.region; });
    if (same == all.end()) same = all.insert(all.end(), EqualLayers{s.region, s.times, 0});
    same->bytes += bytes(s);
  }
  if (all.empty()) all.emplace_back();
  return all;
}

std::vector<LayerRun> runsOf(const ir::Program& program, const ir::StageKind& stage, const Bytes& bytes) {
  std::vector<LayerRun> runs;
  for (const auto& [id, count] : stage.classes)
    if (count > 0 && !program.classes[id].boundaryReshard) runs.push_back({layers(program.classes[id], bytes), count});
  return runs;
}

/// Cumulative bytes by position in a chain of layers. The function is linear between the boundaries of equal layers.
class Profile {
public:
  explicit Profile(const std::vector<LayerRun>& runs) : runs_(runs) {
    double bytes = 0;
    for (const LayerRun& run : runs_) {
      begins_.push_back(length_), bytes_.push_back(bytes);
      length_ += run.length() * static_cast<double>(run.times);
      bytes += run.bytes() * static_cast<double>(run.times);
    }
  }

  /// Returns the bytes of all layers before a position.
  double before(double position) const {
    const auto behind = std::upper_bound(begins_.begin(), begins_.end(), position);
    if (behind == begins_.begin()) return 0;
    const size_t at = static_cast<size_t>(behind - begins_.begin()) - 1;
    const LayerRun& run = runs_[at];
    const double once = run.length(), inside = position - begins_[at], rounds = std::floor(inside / once);
    double sum = bytes_[at] + rounds * run.bytes(), rest = inside - rounds * once;
    for (const EqualLayers& s : run.once) {
      const double taken = std::min(rest, static_cast<double>(s.count));
      sum += taken * s.bytes;
      rest -= taken;
    }
    return sum;
  }

  /// Returns the most bytes of any window. A window has its maximum where it begins or ends with a run of equal layers.
  /// The first two and the last two of repeated instances are enough.
  double most(int64_t window) const {
    const double size = static_cast<double>(window);
    double most = 0, position = 0;
    auto look = [&](double at) { most = std::max({most, between(at, at + size), between(at - size, at)}); };
    for (const LayerRun& run : runs_) {
      const double once = run.length();
      for (int64_t round : {int64_t(0), int64_t(1), run.times - 2, run.times - 1}) {
        if (round < 0 || round >= run.times) continue;
        double at = position + static_cast<double>(round) * once;
        look(at);
        for (const EqualLayers& s : run.once) look(at += static_cast<double>(s.count));
      }
      position += once * static_cast<double>(run.times);
    }
    return most;
  }

private:
  double between(double begin, double end) const {
    return before(std::min(end, length_)) - before(std::max(0.0, begin));
  }

  const std::vector<LayerRun>& runs_;
  std::vector<double> begins_, bytes_; ///< before each run
  double length_ = 0;
};

/// Up to this number of classes a linear search is used.
constexpr size_t kFewClasses = 16;

using Instances = std::vector<std::pair<ir::LayerClassId, int64_t>>;

/// Returns the bytes of collectives like `state` on a virtual stage.
double bytesLike(const ir::Program& program, const Instances& held, const ir::StateCollective& state) {
  double sum = 0;
  for (const auto& [id, count] : held)
    for (const ir::StateCollective& s : program.classes[id].states)
      if (fillTogether(s, state)) sum += s.bytes * static_cast<double>(s.times) * static_cast<double>(count);
  return sum;
}

double messages(const ir::Schedule& schedule, double bytes) {
  return std::ceil(bytes / schedule.bucketBytes);
}

bool reducedInPass(const ir::StateCollective& s) {
  return s.cls == ir::CollectiveClass::Gradient && s.phase == ir::Phase::Backward;
}

/// Returns the bytes of at most `most` messages per kind of reduction. All messages of one kind have the same size.
double bucketsReducing(const ir::Schedule& schedule, const ir::StageKind& stage, int64_t most) {
  const ir::Program& program = *schedule.program;
  std::vector<const ir::StateCollective*> kinds;
  const Instances held = instancesOf(stage);
  double sum = 0;
  for (const auto& [id, count] : held)
    for (const ir::StateCollective& s : program.classes[id].states) {
      if (count <= 0 || !reducedInPass(s)) continue;
      if (std::any_of(kinds.begin(), kinds.end(), [&](const auto* k) { return fillTogether(*k, s); })) continue;
      kinds.push_back(&s);
      const double bytes = bytesLike(program, held, s), sent = messages(schedule, bytes);
      sum += bytes / sent * std::min(sent, static_cast<double>(most));
    }
  return sum;
}

} // namespace

std::vector<std::pair<ir::LayerClassId, int64_t>> instancesOf(const ir::StageKind& stage) {
  Instances held;
  held.reserve(stage.classes.size());
  std::map<ir::LayerClassId, size_t> at; // used if the stage has many classes
  for (const auto& [id, count] : stage.classes) {
    size_t known = held.size();
    if (stage.classes.size() > kFewClasses)
      known = at.try_emplace(id, held.size()).first->second;
    else
      for (size_t h = 0; h < held.size(); ++h)
        if (held[h].first == id) known = h;
    if (known == held.size()) held.emplace_back(id, 0);
    held[known].second += count;
  }
  return held;
}

int64_t layersOf(const ir::LayerClass& layerClass) {
  int64_t n = 0;
  const auto& states = layerClass.states;
  for (auto s = states.begin(); s != states.end(); ++s)
    if (std::none_of(states.begin(), s, [&](const auto& before) { return before.region == s->region; })) n += s->times;
  return states.empty() ? 1 : n;
}

bool sharesMessages(const ir::StateCollective& s) {
  return s.cls == ir::CollectiveClass::Gradient || s.phase == ir::Phase::Step; // others delay one layer only
}

bool fillTogether(const ir::StateCollective& a, const ir::StateCollective& b) {
  return a.collective == b.collective && a.cls == b.cls && a.phase == b.phase && a.axes == b.axes;
}

double bucketsOf(const ir::Schedule& schedule, ir::LayerClassId layerClass, const ir::StateCollective& state) {
  if (schedule.bucketBytes <= 0 || state.bytes <= 0) return 1;
  if (!sharesMessages(state)) return messages(schedule, state.bytes);
  double most = state.bytes; // on the stage with the most of it
  for (const ir::StageKind& stage : schedule.program->stageKinds) {
    const auto holds = [&](const auto& run) { return run.first == layerClass && run.second > 0; };
    if (std::any_of(stage.classes.begin(), stage.classes.end(), holds))
      most = std::max(most, bytesLike(*schedule.program, instancesOf(stage), state));
  }
  return state.bytes * messages(schedule, most) / most;
}

Messages messagesOf(const ir::Schedule& schedule, ir::LayerClassId layerClass, const ir::StateCollective& state) {
  Messages messages{collectiveNode(state), bucketsOf(schedule, layerClass, state)};
  messages.one.collective().bytes /= messages.count;
  return messages;
}

double mostBytes(const ir::Program& program, const ir::StageKind& stage, int64_t window, const Bytes& bytes) {
  const auto any = [&](const auto& run) {
    const auto& states = program.classes[run.first].states;
    return std::any_of(states.begin(), states.end(), [&](const ir::StateCollective& s) { return bytes(s) > 0; });
  };
  if (std::none_of(stage.classes.begin(), stage.classes.end(), any)) return 0;
  const std::vector<LayerRun> runs = runsOf(program, stage, bytes);
  return Profile(runs).most(window);
}

double bytesReducing(const ir::Schedule& schedule, const ir::StageKind& stage, int64_t messages) {
  if (schedule.bucketBytes > 0) return bucketsReducing(schedule, stage, messages);
  const auto reduces = [&](const auto& run) {
    const auto& states = schedule.program->classes[run.first].states;
    return std::any_of(states.begin(), states.end(), reducedInPass);
  };
  if (std::none_of(stage.classes.begin(), stage.classes.end(), reduces)) return 0;
  std::vector<LayerRun> runs =
      runsOf(*schedule.program, stage, [](const ir::StateCollective& s) { return reducedInPass(s) ? s.bytes : 0; });
  for (LayerRun& run : runs) std::erase_if(run.once, [](const EqualLayers& s) { return s.bytes == 0; });
  std::erase_if(runs, [](const LayerRun& run) { return run.once.empty(); });
  return Profile(runs).most(messages);
}

} // namespace planc::cost
