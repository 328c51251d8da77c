// The layout of Megatron-LM's arguments: devices, experts, stages, recomputation, states and types, as the recipe takes
// them.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace planc::foreign {

namespace {

/// No pipeline has more stages, and no layout more layers.
constexpr size_t kMostStages = 4096, kMostLayers = 100'000;

bool settleDevices(Reading& reading) {
  Settings& settings = reading.settings;
  if (!settings.has("devices"))
    if (const auto each = settings.count("per_node"), nodes = settings.count("nodes");
        each && *each <= 1024 && nodes.value_or(1) <= 1'000'000)
      settings.set("devices", Setting{std::to_string(*each * nodes.value_or(1)), settings.find("per_node")->range,
                                      "--nproc_per_node"});
  return settleDegrees(reading, {"tp", "cp", "pp"});
}

/// Sets the batch, which defaults to one micro-batch.
bool settleBatch(Reading& reading) {
  Settings& settings = reading.settings;
  const int64_t data = settings.count("data", 1), micro = settings.count("micro_batch", 1);
  if (micro > (int64_t(1) << 40) / data) {
    reading.conflict(*settings.find("micro_batch"), *settings.find("devices"), "no batch is as large");
    return false;
  }
  if (!settings.has("global_batch")) {
    settings.set("global_batch", data * micro);
    reading.assume(fmt::format(
        "a batch of {} samples, one micro-batch of each replica, because the files name no batch", data * micro));
  }
  if (settings.count("global_batch", 1) % (data * micro) == 0) return true;
  const Setting each{fmt::format("{} of {} replicas", micro, data), settings.find("micro_batch")->range,
                     settings.find("micro_batch")->key};
  reading.conflict(*settings.find("global_batch"), each,
                   "the batch is a whole number of micro-batches of all replicas");
  return false;
}

/// Expands `Et*3|(tt|)*6tmL` to its letters; empty if it is something else or too long.
std::string expandedLayout(const std::string& text, size_t& at, int depth) {
  std::string out;
  while (at < text.size() && text[at] != ')') {
    std::string item;
    if (text[at] == '(') {
      if (depth > 8) return "";
      item = expandedLayout(text, ++at, depth + 1);
      if (at >= text.size()) return "";
      ++at;
    } else if (std::string_view("EtmL|").find(text[at]) != std::string_view::npos)
      item = text[at++];
    else if (text[at] == ',') {
      ++at;
      continue;
    } else
      return "";
    size_t times = 1;
    if (at < text.size() && text[at] == '*') {
      times = 0;
      for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9' && times < kMostLayers; ++at)
        times = 10 * times + static_cast<size_t>(text[at] - '0');
    }
    if (times * std::max<size_t>(item.size(), 1) + out.size() > kMostLayers) return "";
    for (size_t i = 0; i < times; ++i) out += item;
  }
  return out;
}

/// The layers of each virtual stage of a layout text; empty if it cannot be read.
std::vector<int64_t> layersOfLayout(const std::string& text, bool further) {
  size_t at = 0;
  const std::string letters = expandedLayout(text, at, 0);
  if (letters.empty() || at != text.size()) return {};
  std::vector<int64_t> out{0};
  for (const char c : letters) {
    if (c == '|') out.push_back(0);
    if (c == 't' || (c == 'm' && further)) ++out.back();
  }
  return out;
}

std::string listText(const std::vector<int64_t>& numbers) {
  std::string out;
  for (const int64_t number : numbers) out += fmt::format("{}{}", out.empty() ? "" : ", ", number);
  return "[" + out + "]";
}

/// The layers of each virtual stage: of the layout, or equally many but for the first and the last; empty after an
/// error.
std::vector<int64_t> stageLayers(Reading& reading, int64_t stages, int64_t chunks) {
  const Settings& settings = reading.settings;
  const int64_t layers = settings.count("layers", 1), further = reading.repeats ? settings.count("mtp_depth", 0) : 0;
  if (const Setting* layout = settings.find("stage_layout")) {
    std::vector<int64_t> out = layersOfLayout(layout->value, further > 0);
    int64_t sum = 0;
    for (const int64_t one : out) sum += one;
    if (sum == layers + further && static_cast<int64_t>(out.size()) == stages * chunks) return out;
    reading.lacks(layout->key, layout->range, layout->value,
                  fmt::format("it does not place {} layers on {} stages", layers, stages * chunks));
    return {};
  }
  const auto first = settings.count("first_stage"), last = settings.count("last_stage");
  int64_t rest = layers - first.value_or(0) - last.value_or(0), between = stages - (first ? 1 : 0) - (last ? 1 : 0);
  const int64_t parts = between * chunks;
  if (rest < 0 || (parts == 0 ? rest != 0 : rest % parts != 0) || (first && *first % chunks != 0) ||
      (last && *last % chunks != 0)) {
    reading.conflict(*settings.find("layers"), *settings.find("pp"),
                     "stages hold equally many layers, but for the first and the last if these are given");
    return {};
  }
  std::vector<int64_t> out;
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (int64_t stage = 0; stage < stages; ++stage) {
      const bool ownFirst = first && stage == 0, ownLast = last && stage == stages - 1;
      out.push_back(ownFirst ? *first / chunks : ownLast ? *last / chunks : rest / parts);
    }
  out.back() += further;
  return out;
}

bool settleChunks(Reading& reading, int64_t stages) {
  Settings& settings = reading.settings;
  if (const Setting* layout = settings.find("stage_layout")) {
    const auto count = static_cast<int64_t>(layersOfLayout(layout->value, false).size());
    if (count > 0 && count % stages == 0) settings.set("chunks", count / stages);
    return true;
  }
  if (settings.has("chunks")) return true;
  const Setting* each = settings.find("layers_per_chunk");
  if (!each) return true;
  const int64_t layers = settings.count("layers", 1), held = settings.count("layers_per_chunk", 1) * stages;
  if (layers % held != 0) {
    reading.conflict(*settings.find("layers"), *each, "virtual stages hold equally many layers");
    return false;
  }
  settings.set("chunks", layers / held);
  return true;
}

bool settleStages(Reading& reading) {
  Settings& settings = reading.settings;
  const int64_t stages = settings.count("pp", 1);
  if (stages == 1) {
    settings.erase("chunks");
    if (settings.has("paired")) settings.set("schedule", std::string("paired_1f1b"));
    if (settings.has("paired")) settings.set("stages", std::string("even"));
    return true;
  }
  if (!settleChunks(reading, stages)) return false;
  const int64_t chunks = settings.count("chunks", 1);
  if (stages > static_cast<int64_t>(kMostStages) || chunks > static_cast<int64_t>(kMostStages) / stages) {
    reading.lacks(settings.find("pp")->key, settings.find("pp")->range, std::to_string(stages),
                  "no pipeline has as many stages");
    return false;
  }
  if (settings.has("paired"))
    settings.set("schedule", chunks > 1 ? fmt::format("paired_1f1b(chunks = {})", chunks) : std::string("paired_1f1b"));
  else if (chunks > 1)
    settings.set("schedule", fmt::format("interleaved_1f1b(chunks = {})", chunks));
  const int64_t micros =
      settings.count("global_batch", 1) / (settings.count("micro_batch", 1) * settings.count("data", 1));
  if (chunks > 1 && micros % stages != 0) {
    reading.lacks(settings.find("pp")->key, settings.find("pp")->range, std::to_string(stages),
                  fmt::format("interleaved schedules take micro-batches in whole groups of {}, and there are {}",
                              stages, micros));
    return false;
  }
  if (settings.has("count_embedding") || settings.has("count_loss")) {
    settings.set("stages", fmt::format("even(embed = {}, head = {})", settings.has("count_embedding") ? 1 : 0,
                                       settings.has("count_loss") ? 1 : 0));
    return true;
  }
  if (!settings.has("layers")) { // the caller names the model
    settings.set("stages", std::string("even"));
    return true;
  }
  const std::vector<int64_t> layers = stageLayers(reading, stages, chunks);
  if (layers.empty()) return false;
  const bool even = std::all_of(layers.begin(), layers.end(), [&](int64_t one) { return one == layers[0]; });
  settings.set("stages", even ? std::string("even") : listText(layers));
  return true;
}

/// The parts of layers that a list of modules recomputes.
std::string partsOf(Reading& reading, const std::string& modules) {
  const Settings& settings = reading.settings;
  const nlohmann::json& known = tableFile("megatron.json").at("modules");
  const bool sparse = settings.has("experts"), dense = !sparse || settings.count("dense_layers", 0) > 0;
  std::string out;
  std::string plain = modules;
  for (char& c : plain)
    if (c == '[' || c == ']' || c == ',') c = ' ';
  std::istringstream words(plain);
  for (std::string module; words >> module;) {
    if (!known.contains(module)) {
      const Setting* setting = settings.find("recompute_modules");
      reading.leave(setting ? setting->key : "recompute", setting ? setting->range : SourceRange{}, module,
                    "planc knows no such module");
      continue;
    }
    const bool absent = (module == "core_attn" && !settings.is("attention", "unfused")) ||
                        ((module == "moe" || module == "moe_act") && !sparse) || (module == "mlp" && !dense) ||
                        (module == "shared_experts" && !settings.has("shared")) ||
                        (module == "mla_up_proj" && !settings.has("kv_rank"));
    if (absent) continue;
    std::istringstream parts(known.at(module).get<std::string>());
    for (std::string part; parts >> part;) {
      if (part == "attn.q_up" && !settings.has("q_rank")) continue;
      if (part.starts_with("moe.")) part.insert(3, reading.inside); // experts stand in a block of their own there
      out += fmt::format("{}layers{}.{}", out.empty() ? "" : ", ", reading.inside, part);
    }
  }
  return out;
}

void settleRecomputation(Reading& reading) {
  Settings& settings = reading.settings;
  const std::string kind = settings.text("granularity", settings.has("recompute") ? "selective" : "");
  if (kind == "full" && settings.is("recompute_method", "block"))
    settings.set("recompute_first", settings.text("recompute_layers", "1"));
  else if (kind == "full") {
    settings.set("redo", std::string("true"));
    if (settings.count("recompute_layers", 1) > 1)
      reading.leave(settings.find("recompute_layers")->key, settings.find("recompute_layers")->range,
                    settings.text("recompute_layers"), "each layer keeps its input");
  } else if (kind == "selective")
    if (const std::string parts = partsOf(reading, settings.text("recompute_modules", "core_attn")); !parts.empty())
      settings.set("recompute_parts", parts);
}

void settleTypes(Settings& settings) {
  const std::string plain = settings.text("compute_16", "fp32");
  settings.set("compute", settings.has("fp8") ? settings.text("fp8_recipe", "fp8") : plain);
  settings.fallback("grads", plain == "fp16" ? "fp16" : "fp32");
}

void settleStates(Settings& settings) {
  const int64_t tp = settings.count("tp", 1), ranks = settings.count("data", 1) * settings.count("cp", 1);
  std::string axes = settings.text("shard", "none");
  if (settings.has("megatron_fsdp")) axes = settings.text("fsdp_shard", "none");
  if (settings.has("fsdp")) axes = "params";
  if (ranks > 1) settings.set("state_axes", axes == "optimizer" ? std::string("zero") : axes);
  if (tp > 1 && !settings.has("sequence_parallel")) settings.set("seq_split", std::string("cp"));
}

/// The recipe pads the vocabulary to a multiple of 128 for each tensor-parallel rank.
void settlePadding(Settings& settings) {
  const int64_t each = settings.count("vocab_multiple", 128), tp = settings.count("tp", 1),
                words = settings.count("vocab", 1);
  constexpr int64_t kMost = int64_t(1) << 40;
  if (each == 128 || settings.find("vocab")->key == "--padded-vocab-size" || each > kMost / tp || words > kMost) return;
  settings.set("padded_vocab", (words + each * tp - 1) / (each * tp) * (each * tp));
}

} // namespace

bool settleExpertAxes(Reading& reading, const std::string& axis) {
  Settings& settings = reading.settings;
  if (!settings.has("experts")) return true;
  const int64_t tp = settings.count("tp", 1), cp = settings.count("cp", 1), ep = settings.count("ep", 1),
                etp = settings.count("etp", tp);
  const int64_t inner = tp * cp, data = settings.count("data", 1);
  int64_t outer = 1; // data-parallel ranks that share the experts
  std::string axes;
  const bool whole = etp == 1 || tp == 1;
  if (whole && ep % inner == 0)
    outer = ep / inner;
  else if (whole && ep == tp && tp > 1)
    axes = "[tp]";
  else if (etp == tp && ep % cp == 0) {
    axes = fmt::format("[{}, cp]", axis);
    outer = ep / cp;
  } else if (etp == tp && ep == 1)
    axes = fmt::format("[{}]", axis);
  else if (whole && ep == 1 && !reading.request.model) { // every rank has all experts, whole
    axes = fmt::format("[{}]", axis);
    settings.set("whole_experts", fmt::format("layers{}.moe", reading.inside));
  } else {
    const Setting* setting = settings.find(settings.has("ep") ? "ep" : "experts");
    reading.lacks(setting->key, setting->range, setting->value,
                  fmt::format("experts over {} ranks with {} ranks of tensor and {} of context parallelism, and {} of "
                              "expert tensor parallelism, cross the axes of the mesh",
                              ep, tp, cp, etp));
    return false;
  }
  if (data % outer != 0) {
    reading.conflict(*settings.find("ep"), *settings.find("devices"),
                     "the data-parallel ranks are whole groups of experts");
    return false;
  }
  settings.set("recipe_ep", outer * inner);
  if (!axes.empty()) settings.set("expert_axes", axes);
  return true;
}

bool settleMegatron(Reading& reading) {
  if (!settleDevices(reading) || !settleBatch(reading) || !settleExpertAxes(reading, "dp_ep") || !settleStages(reading))
    return false;
  settleRecomputation(reading);
  settleTypes(reading.settings);
  settleStates(reading.settings);
  settlePadding(reading.settings);
  return !reading.found.hasErrors();
}

} // namespace planc::foreign
