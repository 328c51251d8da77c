// What several formats share: JSON files, files told apart by their fields, and degrees that multiply to the devices.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::foreign {

PLANC_ERROR(ForeignNoModel, 1218, "the files of {format} say how a model is trained, but not which")
PLANC_ERROR(ForeignNoTable, 1211, "this file is not of the format {format}: {why}")

const DiagnosticKind& kForeignNoModel = ForeignNoModel;

std::optional<ForeignValue> readJsonTable(Reading& reading, FileId file) {
  std::optional<ForeignValue> root = readJson(reading.sources, file, reading.found);
  if (!root) return std::nullopt;
  if (root->kind == ForeignValue::Kind::Table) return root;
  reading.found
      .report(ForeignNoTable, root->range,
              {{"format", reading.format}, {"why", fmt::format("it is {} and no table", root->kindName())}})
      .help("name the file that holds the configuration");
  return std::nullopt;
}

bool settleDegrees(Reading& reading, std::initializer_list<std::string_view> degrees) {
  Settings& settings = reading.settings;
  const Setting* devices = settings.find("devices");
  int64_t product = 1;
  std::string text;
  const Setting* largest = nullptr;
  for (const std::string_view name : degrees) {
    const Setting* degree = settings.find(name);
    if (!degree) continue;
    const int64_t value = settings.count(name, 1);
    if (value > (int64_t(1) << 40) / product) {
      reading.lacks(degree->key, degree->range, degree->value,
                    "the degrees multiply to more devices than any machine has");
      return false;
    }
    product *= value;
    text += fmt::format("{}{} = {}", text.empty() ? "" : " * ", degree->key, value);
    if (value > 1 && (!largest || value > settings.count(largest->key, 1))) largest = degree;
  }
  if (!devices) {
    reading.missing("devices",
                    fmt::format("the files do not say the number of devices, which is a multiple of {}", product));
    return false;
  }
  const int64_t count = settings.count("devices", 1);
  if (count % product != 0) {
    const Setting degree{std::to_string(product), largest ? largest->range : SourceRange{}, text.empty() ? "1" : text};
    reading.conflict(degree, *devices, "the degrees of parallelism must divide the devices");
    return false;
  }
  settings.set("data", count / product);
  return true;
}

bool readParts(Reading& reading, std::vector<std::string>& parts) {
  const nlohmann::json& table = tableFile(std::string(reading.format) + ".json");
  for (const FileId file : reading.request.files) {
    const std::optional<ForeignValue> root = readJsonTable(reading, file);
    if (!root) return false;
    const nlohmann::json* part = nullptr;
    for (const auto& [name, one] : table.at("parts").items()) {
      const auto marks = one.at("marks").get<std::vector<std::string>>();
      if (part || !std::any_of(marks.begin(), marks.end(),
                               [&](const std::string& mark) { return root->member(mark) != nullptr; }))
        continue;
      part = &one;
      parts.push_back(name);
    }
    if (!part) {
      reading.found
          .report(ForeignNoTable, {file, 0, 0},
                  {{"format", reading.format}, {"why", "it has none of the fields by which its files are told apart"}})
          .help("name a file of a model, of a strategy or of a system");
      return false;
    }
    if (std::count(parts.begin(), parts.end(), parts.back()) > 1) {
      reading.found
          .report(ForeignNoTable, {file, 0, 0},
                  {{"format", reading.format}, {"why", fmt::format("a second {} was named", parts.back())}})
          .help("give each a command of its own");
      return false;
    }
    const FieldTable rows = fieldTable(*part);
    std::vector<ForeignField> fields = sectionFieldsOf(*root);
    reading.override(fields, rows);
    takeFields(reading, rows, fields);
    if (part->contains("given"))
      for (const auto& [name, value] : textsOf(part->at("given"))) reading.settings.fallback(name, value);
  }
  return !reading.found.hasErrors();
}

bool settleParts(Reading& reading, const std::vector<std::string>& parts, const std::string& layout) {
  Settings& settings = reading.settings;
  const auto has = [&](const std::string& part) { return std::find(parts.begin(), parts.end(), part) != parts.end(); };
  if (has("system") && !reading.request.cluster) {
    reading.missing("--cluster", "a system stands for a cluster of the library or of your own",
                    "name it: `--cluster hgx_h100`");
    return false;
  }
  if (!has("model") && !reading.request.model) {
    reading.found.report(ForeignNoModel, reading.whole, {{"format", reading.format}})
        .help("name the file of a model, too, or a model of the library: `--model llama3_8b`");
    return false;
  }
  std::string path = reading.sources.path(reading.request.files.front());
  path = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  if (const size_t folders = path.rfind("__"); folders != std::string::npos) path.erase(0, folders + 2);
  reading.name = settings.text("title", path.substr(0, path.rfind('.')));
  reading.takeDevices();
  reading.settles = has(layout);
  reading.layout = reading.settles || reading.request.cluster;
  reading.layouts = targetTable(reading.settles ? "megatron_layouts.json" : "hf_layouts.json");
  return !reading.found.hasErrors();
}

} // namespace planc::foreign
