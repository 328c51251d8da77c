// Reads files by their format, and chooses the declarations of the library that say the same.
// SPDX-License-Identifier: Apache-2.0
#include "import/Import.h"

#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace planc::foreign {

namespace {

constexpr Format kFormats[] = {
    {"hf", readHf},
    {"megatron", readMegatron, settleMegatron},
    {"torchtitan", readTorchtitan, settleTorchtitan},
    {"deepspeed", readDeepspeed, settleDeepspeed},
    {"calculon", readCalculon, settleMegatron},
    {"simumax", readSimumax, settleMegatron},
    {"madmax", readMadmax, settleMegatron},
};

constexpr std::string_view kModels = "models.json", kDevices = "devices";

/// The words of the language, which no declaration can be called.
bool isKeyword(const std::string& word) {
  static const nlohmann::json& words = tableFile("text.json").at("keywords");
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Returns a name of the language: `qwen3_0_6b` for `Qwen3-0.6B`.
std::string identifier(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string out;
  for (const char c : text.substr(0, kMost)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'), upper = c >= 'A' && c <= 'Z';
    if (letter || upper)
      out += static_cast<char>(upper ? c - 'A' + 'a' : c);
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty()) return "imported";
  if (out[0] >= '0' && out[0] <= '9') return "m_" + out;
  return isKeyword(out) ? out + "_imported" : out;
}

/// Adds the words of `--set` as a text of their own, so that errors in them have a place.
void addSet(Reading& reading) {
  if (reading.request.set.empty()) return;
  std::string text;
  std::vector<std::pair<uint32_t, uint32_t>> keys, values;
  for (const auto& [key, value] : reading.request.set) {
    const auto begin = static_cast<uint32_t>(text.size());
    text += oneLine(key, key.size()) + "=" + oneLine(value, value.size()) + "\n";
    keys.emplace_back(begin, begin + static_cast<uint32_t>(key.size()));
    values.emplace_back(begin + static_cast<uint32_t>(key.size()) + 1, static_cast<uint32_t>(text.size()) - 1);
  }
  const FileId file = reading.sources.add("--set", text);
  reading.setValues.reserve(reading.request.set.size());
  for (size_t i = 0; i < reading.request.set.size(); ++i) {
    const auto& [key, value] = reading.request.set[i];
    reading.setValues.push_back(valueOfWord(value, {file, values[i].first, values[i].second}));
    reading.set.push_back({key, {file, keys[i].first, keys[i].second}, nullptr});
  }
  for (size_t i = 0; i < reading.set.size(); ++i) reading.set[i].value = &reading.setValues[i];
}

/// Writes the call of the model that has the settings; empty after errors.
std::string modelCall(Reading& reading) {
  if (reading.request.model || !reading.call.empty()) return reading.request.model ? "" : reading.call;
  const TargetTable models = targetTable(kModels);
  const std::optional<TargetUse> use = useOf(reading, models);
  if (!use) return "";
  reading.inside = use->target->inside;
  reading.repeats = use->target->repeats;
  return fmt::format("@{}@({})", use->target->path, use->argumentsText());
}

} // namespace

void Reading::override(std::vector<ForeignField>& fields, const FieldTable& table,
                       std::string (*spelled)(std::string_view)) {
  for (const ForeignField& one : set) {
    const std::string key = spelled ? spelled(one.key) : one.key;
    const auto at =
        std::find_if(fields.begin(), fields.end(), [&](const ForeignField& field) { return field.key == key; });
    if (at == fields.end() && !table.row(key)) continue;
    taken.push_back(one.key);
    if (at != fields.end())
      at->value = one.value;
    else
      fields.push_back({key, one.range, one.value});
  }
}

const ForeignField* Reading::takeSet(std::string_view key) {
  for (const ForeignField& one : set)
    if (one.key == key) {
      taken.push_back(one.key);
      return &one;
    }
  return nullptr;
}

void Reading::takeDevices() {
  const ForeignField* field = takeSet(kDevices);
  if (!field) return;
  FieldTable table;
  FieldRow row;
  row.key = row.as = kDevices;
  row.takes = Takes::Count;
  table.rows[std::string(kDevices)] = row;
  const FieldUse before = use;
  const std::string dashes = std::exchange(prefix, ""); // it is no argument of the format
  takeFields(*this, table, {*field});
  use = before;
  prefix = dashes;
}

std::vector<std::string> formatNames() {
  std::vector<std::string> out;
  for (const Format& format : kFormats) out.emplace_back(format.name);
  return out;
}

std::string recipeParameter(std::string_view kind) {
  return tableFile("text.json").at("parameters").at(std::string(kind)).get<std::string>();
}

std::string usualCluster() {
  return tableFile("text.json").at("cluster").get<std::string>();
}

std::string countingRecipe() {
  return tableFile("text.json").at("counting").get<std::string>();
}

std::optional<Imported> imported(const ImportRequest& request, SourceManager& sources, DiagnosticEngine& found,
                                 std::vector<std::string>& unused) {
  const auto format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& one) { return one.name == request.format; });
  if (format == std::end(kFormats)) return std::nullopt;
  Reading reading(Import{format->name, sources, found}, request);
  reading.whole = {request.files.front(), 0, 0};
  addSet(reading);
  if (!format->read(reading) || found.hasErrors()) return std::nullopt;
  for (const ForeignField& one : reading.set)
    if (std::find(reading.taken.begin(), reading.taken.end(), one.key) == reading.taken.end())
      unused.push_back(one.key);
  Imported out;
  out.title = oneLine(reading.name, 120);
  out.name = identifier(reading.name);
  out.model = modelCall(reading);
  if (found.hasErrors()) return std::nullopt;
  if (reading.layout) {
    if (reading.settles && !format->settle(reading)) return std::nullopt;
    const std::optional<TargetUse> use = useOf(reading, reading.layouts);
    if (!use || found.hasErrors()) return std::nullopt;
    out.recipe = use->target->path;
    out.usual = !reading.settles;
    out.arguments = use->arguments;
    out.statements = use->statements;
    if (!request.cluster) {
      out.cluster = usualCluster();
      reading.assume(fmt::format("the cluster {} (--cluster names another)", out.cluster));
    }
  }
  out.devices = reading.settings.count(kDevices);
  out.assumed = std::move(reading.assumed);
  out.left = std::move(reading.left);
  out.use = std::move(reading.use);
  out.named = reading.named;
  out.namedActive = reading.namedActive;
  return out;
}

} // namespace planc::foreign
