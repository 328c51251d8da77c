// Parses a trace into linked events. PyTorch versions differ in categories, places of ids and types of numbers, so
// accessors accept all variants and never throw.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoTrace.h"

#include "support/Quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

namespace planc::calibrate {

namespace {

using Json = nlohmann::json;

/// Prefix of autograd's events that run a node.
constexpr std::string_view kNode = "autograd::engine::evaluate_function: ";
/// Prefix of the profiler's own marks around the steps of a training loop.
constexpr std::string_view kStep = "ProfilerStep#";

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

/// Returns a number, or a number written as text; `otherwise` if there is none.
double number(const Json* value, double otherwise) {
  if (!value) return otherwise;
  if (value->is_number()) return value->get<double>();
  if (!value->is_string()) return otherwise;
  const std::string& text = value->get_ref<const std::string&>();
  double result = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

int64_t id(const Json* value) {
  const double found = number(value, -1);
  return found >= 0 && found < 9e15 ? static_cast<int64_t>(found) : -1;
}

std::string text(const Json* value) {
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

double product(const std::vector<double>& extents) {
  double result = 1;
  for (const double e : extents) result *= e;
  return result;
}

std::vector<double> extents(const Json& list) {
  std::vector<double> out;
  for (const Json& e : list)
    if (e.is_number()) out.push_back(std::max(0.0, e.get<double>()));
  return out;
}

/// Parses the dimensions of an operand: `[4096, 1024]` of a tensor, `[[…], […]]` of a list of tensors, `[]` of a
/// scalar.
TraceOperand operand(const Json& dims) {
  TraceOperand out;
  if (!dims.is_array() || dims.empty()) return out;
  if (!dims[0].is_array()) {
    out.extents = extents(dims);
    out.elements = product(out.extents);
    return out;
  }
  for (const Json& one : dims)
    if (one.is_array()) out.elements += product(extents(one));
  return out;
}

std::vector<TraceOperand> operands(const Json& arguments) {
  std::vector<TraceOperand> out;
  const Json* dims = find(arguments, "Input Dims");
  if (!dims) dims = find(arguments, "Input dims");
  if (dims && dims->is_array())
    for (const Json& one : *dims) out.push_back(operand(one));
  auto each = [&](const char* key, auto&& put) {
    const Json* list = find(arguments, key);
    if (!list || !list->is_array()) return;
    for (size_t i = 0; i < std::min(list->size(), out.size()); ++i)
      if ((*list)[i].is_string()) put(out[i], (*list)[i].get_ref<const std::string&>());
  };
  each("Input type", [](TraceOperand& o, const std::string& value) { o.type = Symbol(value); });
  each("Concrete Inputs", [](TraceOperand& o, const std::string& value) { o.value = value; });
  return out;
}

/// Parses `[0, 1, 2]`, as a list or as text. Of a list that was cut off (`[0, 1, ..., 7]`), returns the beginning.
std::vector<int> ranks(const Json* value) {
  std::vector<int> out;
  if (value && value->is_array())
    for (const Json& e : *value)
      if (e.is_number()) out.push_back(static_cast<int>(number(&e, 0)));
  const std::string written = text(value);
  for (size_t at = 0; at < written.size() && written[at] != '.';) {
    int rank = 0;
    const auto [end, error] = std::from_chars(written.data() + at, written.data() + written.size(), rank);
    if (error == std::errc()) out.push_back(rank);
    at = error == std::errc() ? static_cast<size_t>(end - written.data()) : at + 1;
  }
  return out;
}

std::optional<TraceMessage> message(const Json& arguments) {
  const Json* collective = find(arguments, "Collective name");
  if (!collective) return std::nullopt;
  TraceMessage out;
  out.collective = text(collective);
  out.dtype = text(find(arguments, "dtype"));
  out.in = number(find(arguments, "In msg nelems"), 0);
  out.out = number(find(arguments, "Out msg nelems"), 0);
  out.group = static_cast<int>(std::clamp(number(find(arguments, "Group size"), 0), 0.0, 1e7));
  out.ranks = ranks(find(arguments, "Process Group Ranks"));
  return out;
}

struct Launch {
  uint64_t thread = 0;
  double at = 0, end = 0;
  int64_t external = -1;
};

class EventReader {
  Trace& trace_;
  std::unordered_map<int64_t, Launch> launches_; ///< by correlation id
  std::unordered_map<std::string, uint64_t> threads_;

public:
  explicit EventReader(Trace& trace) : trace_(trace) {}

  void event(const Json& e) {
    if (text(find(e, "ph")) != "X") return;
    const std::string category = text(find(e, "cat"));
    static const Json kNone = Json::object();
    const Json* given = find(e, "args");
    const Json& arguments = given ? *given : kNone;
    if (category == "cpu_op" || category == "Operator")
      op(e, arguments);
    else if (category == "user_annotation")
      mark(e);
    else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime")
      launch(e, arguments);
    else if (category == "kernel" || category == "Kernel" || category == "gpu_memcpy" || category == "gpu_memset")
      kernel(e, arguments);
  }

  void device(const Json& properties) {
    for (const Json& one : properties)
      if (const std::string name = text(find(one, "name")); !name.empty()) trace_.devices.push_back(name);
  }

  void run(const Json& distributed) {
    trace_.rank = id(find(distributed, "rank"));
    trace_.world = id(find(distributed, "world_size"));
  }

  void link() {
    nest();
    std::stable_sort(trace_.marks.begin(), trace_.marks.end(), before);
    std::stable_sort(trace_.steps.begin(), trace_.steps.end(), before);
    std::map<int64_t, int> byExternal;
    for (size_t i = 0; i < trace_.ops.size(); ++i) byExternal.emplace(trace_.ops[i].external, static_cast<int>(i));
    for (TraceKernel& kernel : trace_.kernels) {
      const auto launch = launches_.find(kernel.correlation);
      if (launch != launches_.end()) {
        kernel.launched = launch->second.end;
        kernel.mark = markAround(launch->second);
        kernel.op = around(launch->second);
        if (kernel.op < 0) kernel.external = std::max(kernel.external, launch->second.external);
      }
      if (kernel.op < 0 && kernel.external >= 0)
        if (const auto it = byExternal.find(kernel.external); it != byExternal.end()) kernel.op = it->second;
      if (kernel.op >= 0) trace_.ops[static_cast<size_t>(kernel.op)].kernels += kernel.seconds;
    }
  }

private:
  /// Returns the index of a thread. Old versions write the same thread as a number in one place and as text in another.
  uint64_t thread(const Json& e) {
    std::string key;
    for (const char* part : {"pid", "tid"}) {
      const Json* value = find(e, part);
      key += !value ? "/" : "/" + (value->is_string() ? value->get<std::string>() : value->dump());
    }
    return threads_.try_emplace(key, threads_.size()).first->second;
  }

  static int64_t external(const Json& arguments) {
    const int64_t found = id(find(arguments, "External id"));
    return found >= 0 ? found : id(find(arguments, "external id"));
  }

  void launch(const Json& e, const Json& arguments) {
    if (const int64_t correlation = id(find(arguments, "correlation")); correlation >= 0)
      launches_[correlation] = {thread(e), number(find(e, "ts"), 0), endOf(e), external(arguments)};
  }

  static double endOf(const Json& e) { return number(find(e, "ts"), 0) + std::max(0.0, number(find(e, "dur"), 0)); }

  void mark(const Json& e) {
    TraceMark out{Symbol(text(find(e, "name"))), thread(e), number(find(e, "ts"), 0), endOf(e)};
    (out.name.view().starts_with(kStep) ? trace_.steps : trace_.marks).push_back(out);
  }

  void op(const Json& e, const Json& arguments) {
    TraceOp out;
    out.name = Symbol(text(find(e, "name")));
    out.thread = thread(e);
    out.begin = number(find(e, "ts"), 0);
    out.end = endOf(e);
    out.external = external(arguments);
    out.sequence = id(find(arguments, "Sequence number"));
    out.backward = out.name.view().starts_with(kNode);
    out.operands = operands(arguments);
    out.message = message(arguments);
    for (const TraceOperand& o : out.operands) trace_.shapes |= o.elements > 0;
    trace_.ops.push_back(std::move(out));
  }

  /// Returns whether an event has a moment and a duration. Moments may count microseconds since 1970.
  static bool isTimed(const Json& e) {
    constexpr double kMostMoment = 1e17, kMostDuration = 1e12, kNot = -1e300;
    const double at = number(find(e, "ts"), kNot), lasts = number(find(e, "dur"), kNot);
    return std::abs(at) < kMostMoment && lasts >= 0 && lasts < kMostDuration;
  }

  void kernel(const Json& e, const Json& arguments) {
    if (!isTimed(e)) {
      ++trace_.untimed;
      return;
    }
    TraceKernel out;
    out.name = Symbol(text(find(e, "name")));
    out.seconds = number(find(e, "dur"), 0) * kMicrosecond;
    out.begin = number(find(e, "ts"), 0);
    out.device = number(find(arguments, "device"), 0);
    out.correlation = id(find(arguments, "correlation"));
    out.external = external(arguments);
    out.message = message(arguments);
    trace_.kernels.push_back(std::move(out));
  }

  /// Sorts operators by thread and time, outer ones first, and sets the parent of each.
  void nest() {
    std::vector<TraceOp>& ops = trace_.ops;
    std::stable_sort(ops.begin(), ops.end(), [](const TraceOp& a, const TraceOp& b) {
      return std::tuple(a.thread, a.begin, -a.end) < std::tuple(b.thread, b.begin, -b.end);
    });
    std::vector<int> open;
    for (size_t i = 0; i < ops.size(); ++i) {
      while (!open.empty() && !holds(ops[static_cast<size_t>(open.back())], ops[i])) open.pop_back();
      ops[i].parent = open.empty() ? -1 : open.back();
      open.push_back(static_cast<int>(i));
    }
  }

  /// Returns whether one operator encloses another. Their times are rounded, in old versions to a microsecond.
  static bool holds(const TraceOp& outer, const TraceOp& inner) {
    constexpr double kRounding = 1;
    return outer.thread == inner.thread && inner.begin < outer.end && inner.end <= outer.end + kRounding;
  }

  static bool before(const TraceMark& a, const TraceMark& b) {
    return std::tuple(a.thread, a.begin, -a.end) < std::tuple(b.thread, b.begin, -b.end);
  }

  /// Returns the innermost mark on the launching thread at the time of the launch; -1 if there is none. Marks nest a
  /// few levels deep, so the last ones that began before the launch are looked at.
  int markAround(const Launch& launch) const {
    const std::vector<TraceMark>& marks = trace_.marks;
    const auto after = std::upper_bound(marks.begin(), marks.end(), launch, [](const Launch& l, const TraceMark& m) {
      return std::tuple(l.thread, l.at) < std::tuple(m.thread, m.begin);
    });
    constexpr int kLook = 64;
    const int last = static_cast<int>(after - marks.begin()) - 1;
    for (int at = last; at >= 0 && at > last - kLook; --at) {
      const TraceMark& m = marks[static_cast<size_t>(at)];
      if (m.thread != launch.thread) break;
      if (m.end >= launch.at) return at;
    }
    return -1;
  }

  /// Returns the innermost operator on the launching thread at the time of the launch; -1 if there is none.
  int around(const Launch& launch) const {
    const std::vector<TraceOp>& ops = trace_.ops;
    const auto after = std::upper_bound(ops.begin(), ops.end(), launch, [](const Launch& l, const TraceOp& op) {
      return std::tuple(l.thread, l.at) < std::tuple(op.thread, op.begin);
    });
    int at = static_cast<int>(after - ops.begin()) - 1;
    if (at < 0 || ops[static_cast<size_t>(at)].thread != launch.thread) return -1;
    while (at >= 0 && ops[static_cast<size_t>(at)].end < launch.at) at = ops[static_cast<size_t>(at)].parent;
    return at;
  }
};

/// Shortens a message of the JSON library: `[…] parse error at line 1, column 8: syntax error while parsing value -
/// unexpected '}'; expected '['`.
TraceError errorOf(std::string_view what, size_t byte) {
  const auto says = [&](std::string_view words) { return what.find(words) != std::string_view::npos; };
  if (says("unexpected end of input") || says("missing closing quote")) return {byte, "it ends in the middle", true};
  if (says("ill-formed UTF-8")) return {byte, "a byte here is not UTF-8"};
  constexpr std::string_view kDash = " - ", kBracket = "] ";
  if (const size_t at = what.find(kDash); at != std::string_view::npos)
    what.remove_prefix(at + kDash.size());
  else if (const size_t end = what.find(kBracket); end != std::string_view::npos)
    what.remove_prefix(end + kBracket.size());
  return {byte, "it is not JSON: " + std::string(what.substr(0, what.find(';')))};
}

} // namespace

std::optional<TraceError> readTrace(std::string_view json, Trace& out) {
  EventReader reader(out);
  // Each event is processed and discarded at its closing brace.
  auto take = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event != Json::parse_event_t::object_end || !parsed.is_object() || !parsed.contains("ph")) return true;
    reader.event(parsed);
    return false;
  };
  try {
    const Json root = Json::parse(json.begin(), json.end(), take);
    for (const char* key : {"deviceProperties", "computeProperties"})
      if (const Json* devices = find(root, key); devices && devices->is_array()) reader.device(*devices);
    if (const Json* distributed = find(root, "distributedInfo")) reader.run(*distributed);
  } catch (const Json::exception& e) {
    const auto* parse = dynamic_cast<const Json::parse_error*>(&e);
    return errorOf(e.what(), parse ? parse->byte : 0);
  }
  reader.link();
  return std::nullopt;
}

} // namespace planc::calibrate
