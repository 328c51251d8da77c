// Reads models, executions and systems of Calculon. A system stands for a cluster, which the caller names.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::foreign {

bool readCalculon(Reading& reading) {
  std::vector<std::string> parts;
  if (!readParts(reading, parts) || !settleParts(reading, parts, "execution")) return false;
  Settings& settings = reading.settings;
  for (const char* need : {"hidden", "heads", "layers"})
    if (!reading.request.model && !settings.has(need)) reading.missing(need, "a model needs it");
  if (!reading.request.model && !settings.has("vocab")) {
    settings.set("vocab", std::string("51200"));
    reading.assume("a vocabulary of 51200 words, as in arXiv 2104.04473, because Calculon's models have none");
  }
  if (settings.has("seq") && !reading.request.model) settings.set("positions", settings.text("seq"));
  if (const std::string kind = settings.text("calculon_recompute"); kind == "full" || kind == "selective") {
    settings.set("granularity", kind);
    if (kind == "selective") settings.set("attention", std::string("unfused"));
  }
  if (settings.is("sequence_split", "true")) settings.set("sequence_parallel", std::string("true"));
  if (!reading.settles) return !reading.found.hasErrors();
  const auto replicas = settings.count("data_par");
  if (replicas && settings.has("devices")) {
    const int64_t product = settings.count("tp", 1), stages = settings.count("pp", 1),
                  devices = settings.count("devices", 1);
    if (product > devices || stages > devices || *replicas > devices ||
        static_cast<__int128>(product) * stages * *replicas != devices)
      reading.conflict(*settings.find("data_par"), *settings.find("devices"), "the degrees multiply to the processors");
  }
  if (!settings.has("micro_batch")) reading.missing("microbatch_size", "an execution needs it");
  return !reading.found.hasErrors();
}

} // namespace planc::foreign
