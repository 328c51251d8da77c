// Reads models, tasks and systems of MAD-Max.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace planc::foreign {

namespace {

/// Reads the ways of parallelism, from the inside out, and their degrees: `["tp", "ddp"]`, `[8, 256]`.
bool settleWays(Reading& reading) {
  Settings& settings = reading.settings;
  const Setting *ways = settings.find("ways"), *degrees = settings.find("degrees");
  if (!ways || !degrees) {
    reading.missing(ways ? "transformer_parallel_degree" : "transformer_parallel", "a task needs it");
    return false;
  }
  std::istringstream names(ways->value), numbers(degrees->value);
  __int128 devices = 1;
  int64_t replicas = 1; // of ddp
  std::string name;
  for (int64_t degree = 0; names >> name;) {
    if (!(numbers >> degree) || degree < 1 || devices * degree > (__int128(1) << 40)) {
      reading.conflict(*ways, *degrees, "there is a degree for each way of parallelism");
      return false;
    }
    devices *= degree;
    if (name == "tp")
      settings.set("tp", Setting{std::to_string(degree), degrees->range, degrees->key});
    else if (name == "fsdp")
      settings.set("shard", std::string("params"));
    else if (name == "ddp")
      replicas = std::max(replicas, degree);
    else {
      reading.lacks(ways->key, ways->range, name, "transformers of MAD-Max are split by tp, ddp and fsdp here");
      return false;
    }
  }
  // The recipe shards over all data-parallel ranks, so another way of replicas beside fsdp has no counterpart.
  if (settings.is("shard", "params") && replicas > 1) {
    reading.lacks(ways->key, ways->range, ways->value, "the recipe shards parameters over all data-parallel ranks");
    return false;
  }
  settings.fallback("devices", std::to_string(static_cast<int64_t>(devices)));
  return true;
}

} // namespace

bool readMadmax(Reading& reading) {
  std::vector<std::string> parts;
  if (!readParts(reading, parts) || !settleParts(reading, parts, "task")) return false;
  Settings& settings = reading.settings;
  if (!reading.request.model) {
    for (const char* need : {"hidden", "heads", "layers", "vocab", "seq"})
      if (!settings.has(need)) reading.missing(need, "a decoder of MAD-Max needs it");
    if (settings.has("seq")) settings.set("positions", settings.text("seq"));
    if (settings.has("experts")) {
      settings.fallback("expert_ffn", settings.text("ffn"));
      settings.fallback("k", "1");
      settings.erase("ffn");
      settings.set("bias", std::string("false"));
    }
  }
  return !reading.found.hasErrors() && (!reading.settles || settleWays(reading));
}

} // namespace planc::foreign
