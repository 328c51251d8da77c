// Reads models, strategies and systems of SimuMax.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::foreign {

namespace {

void settleSimumaxModel(Reading& reading) {
  Settings& settings = reading.settings;
  for (const char* need : {"hidden", "heads", "layers", "vocab", "ffn"})
    if (!settings.has(need)) reading.missing(need, "a model of SimuMax needs it");
  if (settings.is("attention_kind", "latent")) {
    for (const char* unused : {"kv_heads", "head_dim"}) settings.erase(unused);
  } else
    for (const char* unused : {"q_rank", "kv_rank", "rope", "nope", "value"}) settings.erase(unused);
  if (settings.count("experts", 1) <= 1) { // one expert is none
    for (const char* unused : {"experts", "k", "expert_ffn", "shared", "dense_layers", "ep", "etp"})
      settings.erase(unused);
    return;
  }
  settings.fallback("expert_ffn", settings.text("ffn"));
  settings.fallback("k", "1");
  if (settings.count("dense_layers", 0) == 0) settings.erase("ffn");
}

void settleSimumaxRecomputation(Reading& reading) {
  Settings& settings = reading.settings;
  if (!settings.is("recomputes", "true")) return;
  const std::string kind = settings.text("simumax_recompute");
  const Setting* layers = settings.find("recompute_layers");
  const bool some = layers && settings.count("recompute_layers", 0) > 0;
  if (kind == "full" && some) {
    settings.set("granularity", std::string("full"));
    settings.set("recompute_method", std::string("block"));
  } else if (!kind.empty() && kind != "full") {
    const Setting* setting = settings.find("simumax_recompute");
    reading.leave(setting->key, setting->range, setting->value,
                  "nothing is recomputed here: modules of SimuMax are not those of the library");
  }
}

} // namespace

bool readSimumax(Reading& reading) {
  std::vector<std::string> parts;
  if (!readParts(reading, parts) || !settleParts(reading, parts, "strategy")) return false;
  Settings& settings = reading.settings;
  if (!reading.request.model) settleSimumaxModel(reading);
  if (settings.is("sequence_split", "true")) settings.set("sequence_parallel", std::string("true"));
  settleSimumaxRecomputation(reading);
  if (reading.settles) {
    for (const char* need : {"micro_batch", "micro_batches", "seq"})
      if (!settings.has(need)) reading.missing(need, "a strategy needs it");
    if (reading.found.hasErrors()) return false;
    if (!settleDegrees(reading, {"tp", "cp", "pp"})) return false;
    const __int128 batch = static_cast<__int128>(settings.count("micro_batch", 1)) *
                           settings.count("micro_batches", 1) * settings.count("data", 1);
    if (batch > (__int128(1) << 50))
      reading.lacks(settings.find("micro_batches")->key, settings.find("micro_batches")->range,
                    settings.text("micro_batches"), "no batch is as large");
    else
      settings.set("global_batch", static_cast<int64_t>(batch));
  }
  return !reading.found.hasErrors();
}

} // namespace planc::foreign
