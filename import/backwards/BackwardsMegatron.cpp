// Computes the arguments of Megatron-LM for a model and a layout of the library. import/Megatron.cpp and
// import/MegatronLayout.cpp compute the other way.
// SPDX-License-Identifier: Apache-2.0
#include "import/Tables.h"
#include "import/backwards/BackwardsLayout.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace planc::foreign {
namespace {

void unsettleModel(Backwards& state) {
  Texts& settings = state.settings;
  const auto positions = state.count("positions", 0);
  settings["position_kind"] = positions > 0 ? "learned" : state.is("rotary", "false") ? "none" : "rope";
  if (positions > 0) settings["max_positions"] = std::to_string(positions);
  settings.erase("positions");
  settings.erase("rotary");
  if (state.count("kv_rank", 0) > 0)
    settings["latent_attention"] = "true";
  else
    for (const char* unused : {"q_rank", "kv_rank", "rope", "nope", "value"}) settings.erase(unused);
  if (state.count("q_rank", 1) == 0) settings.erase("q_rank");
  if (settings.contains("kv_heads")) settings["grouped"] = "true";
  if (state.is("attention", "unfused")) settings["kernel"] = "unfused";
  settings.erase("attention");
  if (state.is("bias", "true")) settings.erase("qkv_bias");
  if (state.count("experts", 0) == 0)
    for (const char* unused : {"experts", "k", "expert_ffn", "shared", "shared_gate", "groups", "group_limit"})
      settings.erase(unused);
  else if (const int64_t dense = state.count("dense_layers", 0), layers = state.count("layers", 0); dense > 0)
    settings["sparse_layers"] = fmt::format("([0]*{}+[1]*{})", dense, layers - dense);
  settings.erase("dense_layers");
  for (const char* none : {"shared", "mtp_depth"})
    if (state.is(none, "0")) settings.erase(none);
  for (const char* one : {"groups", "group_limit"})
    if (state.is(one, "1")) settings.erase(one);
}

/// Experts lie over `recipe_ep` ranks of the recipe, or over the axes of a statement.
void unsettleExperts(Backwards& state) {
  Texts& settings = state.settings;
  const std::string axes = settings["expert_axes"];
  const int64_t tp = state.count("tp", 1), cp = state.count("cp", 1), ep = state.count("recipe_ep", tp * cp);
  settings.erase("expert_axes");
  if (!settings.contains("experts")) return;
  const bool whole = settings.contains("whole_experts");
  const int64_t ranks = axes.empty() ? ep : axes == "[tp]" ? tp : axes.find("cp") == std::string::npos ? 1 : ep / tp;
  settings["ep"] = std::to_string(ranks);
  settings["etp"] = std::to_string(axes.empty() || axes == "[tp]" || whole ? 1 : tp);
}

std::vector<int64_t> numbersOf(std::string text) {
  for (char& c : text)
    if (c < '0' || c > '9') c = ' ';
  std::istringstream words(text);
  std::vector<int64_t> out;
  for (int64_t one = 0; words >> one;) out.push_back(one);
  return out;
}

void unsettleStages(Backwards& state) {
  Texts& settings = state.settings;
  const std::string stages = settings["stages"], schedule = settings["schedule"];
  settings.erase("stages");
  settings.erase("schedule");
  if (schedule.find("paired") != std::string::npos) settings["paired"] = "true";
  if (const std::vector<int64_t> chunks = numbersOf(schedule.substr(std::min(schedule.find('('), schedule.size())));
      chunks.size() == 1)
    settings["chunks"] = std::to_string(chunks.front());
  if (state.is("chunks", "1")) settings.erase("chunks");
  if (state.count("pp", 1) == 1) return;
  if (stages.starts_with("[")) {
    std::string layout;
    for (const int64_t layers : numbersOf(stages))
      layout += fmt::format("{}{}", layout.empty() ? "E" : "|", layers ? fmt::format("t*{}", layers) : "");
    settings["stage_layout"] = layout + "L";
  } else if (stages.starts_with("even(")) {
    if (stages.find("embed = 1") != std::string::npos) settings["count_embedding"] = "true";
    if (stages.find("head = 1") != std::string::npos) settings["count_loss"] = "true";
  } else if (stages != "even")
    state.comments.push_back(fmt::format("stages = {}; these arguments cut equally many layers", stages));
}

/// The modules of which the plan recomputes a part. A model lacks parts that a module of the table has, so one is
/// enough.
std::string modulesOf(const std::string& parts) {
  std::string out;
  for (const auto& [module, known] : textsOf(tableFile("megatron.json").at("modules"))) {
    std::istringstream words(known);
    bool any = false;
    for (std::string part; words >> part;)
      for (const char* inside : {"layers.", "layers.out.", "layers.moe.out."}) {
        const std::string path =
            inside +
            (std::string_view(inside).ends_with("moe.out.") && part.starts_with("moe.") ? part.substr(4) : part);
        any = any || (", " + parts + ",").find(", " + path + ",") != std::string::npos;
      }
    if (any) out += (out.empty() ? "" : " ") + module;
  }
  return out;
}

void unsettleRecomputation(Backwards& state) {
  Texts& settings = state.settings;
  if (state.is("redo", "true")) {
    settings["granularity"] = "full";
    settings["recompute_method"] = "uniform";
    settings["recompute_layers"] = "1";
  } else if (state.count("recompute_first", 0) > 0) {
    settings["granularity"] = "full";
    settings["recompute_method"] = "block";
    settings["recompute_layers"] = settings["recompute_first"];
  } else if (settings.contains("recompute_parts")) {
    settings["granularity"] = "selective";
    settings["recompute_modules"] = modulesOf(settings["recompute_parts"]);
  }
}

void unsettleTypes(Backwards& state) {
  Texts& settings = state.settings;
  const std::string type = settings["compute"], grads = settings["grads"];
  const bool half = type == "fp16";
  if (type.find("fp8") != std::string::npos) {
    settings["fp8"] = "true";
    settings["fp8_recipe"] = type;
  }
  if (type != "fp32") settings["compute_16"] = half ? "fp16" : "bf16";
  if (grads == (half ? "fp16" : "fp32")) settings.erase("grads");
}

void unsettleStates(Backwards& state) {
  Texts& settings = state.settings;
  const std::string axes = settings["state_axes"];
  if (axes == "zero") settings["shard"] = "optimizer";
  if (axes == "grads" || axes == "params") {
    settings["megatron_fsdp"] = "true";
    settings["fsdp_shard"] = axes;
  }
  if (state.count("tp", 1) > 1 && !settings.contains("seq_split")) settings["sequence_parallel"] = "true";
  if (const int64_t padded = state.count("padded_vocab", 0), tp = state.count("tp", 1); padded > 0 && padded % tp == 0)
    settings["vocab_multiple"] = std::to_string(padded / tp);
}

} // namespace

void unsettleMegatron(Backwards& state) {
  Texts& settings = state.settings;
  settings["devices"] = std::to_string(state.plan.devices);
  if (state.plan.seq > 0) settings["seq"] = std::to_string(state.plan.seq);
  settings["global_batch"] = std::to_string(state.plan.globalBatch);
  settings["micro_batch"] = std::to_string(state.plan.microBatch);
  unsettleModel(state);
  unsettleExperts(state);
  unsettleStages(state);
  unsettleRecomputation(state);
  unsettleTypes(state);
  unsettleStates(state);
}

} // namespace planc::foreign
