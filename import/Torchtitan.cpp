// Reads the TOML of torchtitan up to 0.2.2, the last release that has it. Models are flavours by name.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::foreign {

namespace {

using nlohmann::json;

const json& titanTable() {
  return tableFile("torchtitan.json");
}

bool holds(const json& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Finds the model of a name and a flavour.
bool settleFlavor(Reading& reading) {
  Settings& settings = reading.settings;
  const Setting *name = settings.find("model_name"), *flavor = settings.find("flavor");
  if (!name || !flavor) {
    reading.missing(name ? "model.flavor" : "model.name", "it names the model");
    return false;
  }
  const auto report = [&](const Setting& setting, const json& known, std::string_view why) {
    std::vector<std::string> words;
    for (const auto& [word, value] : known.items()) words.push_back(word);
    reading.lacks(setting.key, setting.range, setting.value, why).meant(setting.value, words, "the importer knows ");
    return false;
  };
  const json& models = titanTable().at("models");
  if (!models.contains(name->value)) return report(*name, models, "the library has no such model of torchtitan");
  const json& flavors = models.at(name->value);
  if (!flavors.contains(flavor->value))
    return report(*flavor, flavors, "the importer does not know the sizes of this flavour");
  reading.call = flavors.at(flavor->value).get<std::string>();
  reading.name = name->value + "_" + flavor->value;
  if (holds(titanTable().at("mixtures"), name->value) || holds(titanTable().at("mixture_flavors"), flavor->value))
    settings.set("experts", std::string("some"));
  const json& layers = titanTable().at("layers");
  if (layers.contains(reading.call)) settings.set("layers", layers.at(reading.call).get<std::string>());
  return true;
}

/// Sets what is recomputed. torchtitan keeps the results of a list of operators, or every n-th layer whole.
void settleCheckpoints(Reading& reading) {
  Settings& settings = reading.settings;
  const std::string mode = settings.text("checkpoint", "selective"), option = settings.text("selective", "2");
  const Setting place =
      settings.has("checkpoint") ? *settings.find("checkpoint") : Setting{mode, {}, "activation_checkpoint.mode"};
  if (mode == "full") settings.set("redo", std::string("true"));
  if (mode == "budget") reading.leave(place.key, place.range, mode, "nothing is recomputed here");
  if (mode != "selective") return;
  const json& kept = titanTable().at("kept");
  const std::string model = settings.text("model_name");
  const bool operators = option == "op";
  if (operators && kept.contains(model) && !settings.has("experts"))
    settings.set("kept", kept.at(model).get<std::string>());
  else if (const auto layers = settings.count("layers"),
           each = settings.has("selective") ? settings.count("selective") : std::optional<int64_t>(2);
           !operators && layers && each && *each >= 1 && *each <= *layers) {
    if (*each == 1)
      settings.set("redo", std::string("true"));
    else
      settings.set("every", fmt::format("{}:{}:{}", *each - 1, *layers, *each));
  } else
    reading.leave(place.key, place.range, fmt::format("{} ({})", mode, oneLine(option)),
                  "nothing is recomputed here, because its list names operators of another model");
}

bool settleBatches(Reading& reading) {
  Settings& settings = reading.settings;
  const int64_t local = settings.count("local_batch", 8),
                replicas = settings.count("data", 1) * settings.count("rep", 1);
  if (local > (int64_t(1) << 40) / replicas) {
    reading.conflict(*settings.find("local_batch"), *settings.find("devices"), "no batch is as large");
    return false;
  }
  if (!settings.has("global_batch")) settings.set("global_batch", local * replicas);
  if (settings.count("global_batch", 1) % (local * replicas) != 0) {
    const Setting each{fmt::format("{} of {} replicas", local, replicas),
                       settings.has("local_batch") ? settings.find("local_batch")->range : SourceRange{},
                       "training.local_batch_size"};
    reading.conflict(*settings.find("global_batch"), each, "the batch is a whole number of local batches");
    return false;
  }
  const int64_t stages = settings.count("pp", 1), micro = stages > 1 ? settings.count("pipe_micro", 1) : local;
  settings.set("micro_batch", micro);
  return true;
}

bool settleTitanPipeline(Reading& reading) {
  Settings& settings = reading.settings;
  const int64_t stages = settings.count("pp", 1);
  const std::string schedule = settings.text("schedule", "one_f_one_b");
  settings.erase("schedule");
  if (stages == 1) return true;
  if (schedule == "interleaved") {
    int64_t chunks = 2;
    const auto layers = settings.count("layers"), each = settings.count("layers_per_stage");
    if (each && layers && *each <= *layers / stages)
      chunks = std::max<int64_t>(1, (*layers + *each * stages - 1) / (*each * stages));
    else
      reading.assume("two virtual stages on each device, torchtitan's default for interleaved schedules");
    settings.set("chunks", chunks);
  } else if (schedule != "one_f_one_b")
    settings.set("schedule", schedule);
  return true;
}

} // namespace

bool readTorchtitan(Reading& reading) {
  for (size_t i = 1; i < reading.request.files.size(); ++i)
    reading.missing("FILE", "this format has one file", "give each file a command of its own");
  const std::optional<ForeignValue> root = readToml(reading.sources, reading.request.files.front(), reading.found);
  if (!root) return false;
  const FieldTable rows = fieldTable(titanTable());
  std::vector<ForeignField> fields = sectionFieldsOf(*root);
  reading.override(fields, rows);
  takeFields(reading, rows, fields);
  reading.takeDevices();
  if (reading.found.hasErrors()) return false;
  if (!reading.request.model && !settleFlavor(reading)) return false;
  if (reading.request.model) reading.name = "imported";
  reading.layout = reading.settles = true;
  reading.layouts = targetTable("torchtitan_layouts.json");
  return !reading.found.hasErrors();
}

bool settleTorchtitan(Reading& reading) {
  Settings& settings = reading.settings;
  if (!settings.has("devices") && settings.has("shard")) {
    const Setting* shard = settings.find("shard");
    __int128 product = settings.count("shard", 1);
    for (const char* degree : {"tp", "cp", "pp", "rep"})
      product = std::min<__int128>(product * settings.count(degree, 1), __int128(1) << 50);
    settings.set("devices",
                 Setting{std::to_string(static_cast<int64_t>(product)), shard->range, "the product of all degrees"});
  }
  const bool given = settings.has("shard");
  if (given ? !settleDegrees(reading, {"tp", "cp", "pp", "rep", "shard"})
            : !settleDegrees(reading, {"tp", "cp", "pp", "rep"}))
    return false;
  if (given && settings.count("data", 1) != 1) {
    reading.conflict(*settings.find("shard"), *settings.find("devices"),
                     "the product of all degrees is the number of devices");
    return false;
  }
  if (given) settings.set("data", settings.count("shard", 1));
  settings.fallback("etp", settings.has("ep") && settings.count("ep", 1) > 1 ? "1" : settings.text("tp", "1"));
  if (settings.count("ep", 1) == 1)
    settings.set("etp", settings.text("tp", "1")); // without expert parallelism experts are split as everything else
  if (!settleExpertAxes(reading, "fsdp_ep") || !settleBatches(reading) || !settleTitanPipeline(reading)) return false;
  if (settings.is("converters", "fp8"))
    settings.set("compute", settings.text("float8", "fp8_tensor"));
  else if (settings.is("converters", "mxfp8"))
    settings.set("compute", std::string("mxfp8"));
  settleCheckpoints(reading);
  return !reading.found.hasErrors();
}

} // namespace planc::foreign
