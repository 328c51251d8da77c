// Reads `config.json` of Hugging Face: a table whose `model_type` says how its fields are to be understood.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace planc::foreign {

PLANC_WARNING(ForeignLikeLlama, 1208,
              "`model_type` `{type}` is unknown; its fields are those of Llama, so it is imported as one")
PLANC_ERROR(ForeignModelType, 1209, "planc has no blocks for `model_type` `{type}`")

bool settleHybrid(Reading& reading); // HfHybrid.cpp

namespace {

using nlohmann::json;

constexpr std::string_view kType = "model_type";

/// The table of the language model, the fields of it and of the root, and its type.
struct Language {
  std::vector<ForeignField> fields;
  const ForeignValue* type = nullptr; ///< null: the file has none
  std::string known;                  ///< the key of `types` that it means; empty: none
};

const json& hfTable() {
  return tableFile("hf.json");
}

/// The key of `types` that a type means; empty if it is unknown.
std::string knownType(const ForeignValue* type) {
  if (!type || type->kind != ForeignValue::Kind::Text) return "";
  const json& same = hfTable().at("same");
  const std::string name = same.contains(type->text) ? same.at(type->text).get<std::string>() : type->text;
  return hfTable().at("types").contains(name) ? name : "";
}

Language languageOf(const ForeignValue& root) {
  Language out;
  const ForeignValue* nested = nullptr;
  for (const json& name : hfTable().at("nested"))
    if (const ForeignValue* one = root.member(name.get<std::string>());
        one && one->kind == ForeignValue::Kind::Table && !nested)
      nested = one;
  out.type = root.member(kType);
  if (nested) {
    out.fields = fieldsOf(*nested);
    if (const ForeignValue* type = nested->member(kType); !knownType(type).empty() || !out.type) out.type = type;
  }
  for (const ForeignField& field : fieldsOf(root)) {
    const auto same = [&](const ForeignField& one) { return one.key == field.key; };
    if (field.value != nested && std::none_of(out.fields.begin(), out.fields.end(), same)) out.fields.push_back(field);
  }
  out.known = knownType(out.type);
  return out;
}

/// Replaces tables of these names by their members, `section.name`.
void openSections(std::vector<ForeignField>& fields, const json& sections) {
  std::vector<ForeignField> out;
  for (const ForeignField& field : fields) {
    const bool opened = field.value->kind == ForeignValue::Kind::Table &&
                        std::find(sections.begin(), sections.end(), field.key) != sections.end();
    if (!opened) out.push_back(field);
    if (opened)
      for (ForeignField inner : fieldsOf(*field.value)) {
        inner.key = field.key + "." + inner.key;
        out.push_back(std::move(inner));
      }
  }
  fields = std::move(out);
}

/// Chooses the type. Reports one that is unknown; returns false if nothing can be imported.
bool settleType(Reading& reading, Language& language) {
  if (!language.known.empty()) return true;
  const auto required = hfTable().at("like_llama").get<std::vector<std::string>>();
  const bool llama = std::all_of(required.begin(), required.end(), [&](const std::string& key) {
    return std::any_of(language.fields.begin(), language.fields.end(),
                       [&](const ForeignField& field) { return field.key == key; });
  });
  const std::string name =
      language.type
          ? language.type->kind == ForeignValue::Kind::Text ? oneLine(language.type->text) : language.type->shown()
          : "(none)";
  const SourceRange range = language.type ? language.type->range : reading.whole;
  if (!llama) {
    std::vector<std::string> known;
    for (const auto& [type, rows] : hfTable().at("types").items()) known.push_back(type);
    reading.found.report(ForeignModelType, range, {{"type", name}})
        .meantElse(name, known, "write the model as plan text: docs/models.md shows how");
    return false;
  }
  reading.found.report(ForeignLikeLlama, range, {{"type", name}})
      .help("compare the parameters with those that the model's authors publish");
  reading.assume(fmt::format("layers as Llama's, because model_type {} is unknown", name));
  language.known = required.empty() ? "" : hfTable().at("types").begin().key();
  language.known = "llama";
  return true;
}

/// Sets the products of settings that a type asks for.
void settleProducts(Settings& settings, const json& type) {
  if (!type.contains("computed")) return;
  for (const auto& [name, factors] : type.at("computed").items()) {
    const auto a = settings.count(factors.at(0).get<std::string>()),
               b = settings.count(factors.at(1).get<std::string>());
    constexpr int64_t kMost = int64_t(1) << 50;
    if (a && b && (*a == 0 || *b <= kMost / *a)) settings.set(name, *a * *b);
  }
}

/// Reports settings that the type needs and nothing gives.
void checkNeeds(Reading& reading, const FieldTable& rows, const json& type) {
  auto needs = hfTable().at("needs").get<std::vector<std::string>>();
  if (type.contains("needs"))
    for (const json& one : type.at("needs")) needs.push_back(one.get<std::string>());
  if (type.contains("layers")) std::erase(needs, "layers");
  for (const std::string& setting : needs) {
    if (reading.settings.has(setting)) continue;
    std::string key = setting;
    for (const auto& [name, row] : rows.rows)
      if (row.as == setting) key = key == setting || name.size() > key.size() ? name : key;
    reading.missing(key, fmt::format("models of this type need it"));
  }
}

/// Reports sizes that contradict each other.
void checkSizes(Reading& reading) {
  const Settings& settings = reading.settings;
  const auto divides = [&](const char* whole, const char* part, const char* why) {
    const auto a = settings.count(whole), b = settings.count(part);
    if (a && b && *b > 0 && *a % *b != 0) reading.conflict(*settings.find(whole), *settings.find(part), why);
  };
  divides("heads", "kv_heads", "queries share keys in whole groups");
  if (!settings.has("head_dim") && !settings.has("kv_rank"))
    divides("hidden", "heads", "without a width of its own a head has an equal share of the stream");
  divides("experts", "groups", "groups hold equally many experts");
  const auto atMost = [&](const char* small, const char* large, const char* why) {
    const auto a = settings.count(small), b = settings.count(large);
    if (a && b && *b > 0 && *a > *b) reading.conflict(*settings.find(small), *settings.find(large), why);
  };
  atMost("k", "experts", "a token cannot go to more experts than there are");
  atMost("group_limit", "groups", "a token cannot go to more groups than there are");
  const auto layers = settings.count("layers"), dense = settings.count("dense_layers");
  if (layers && dense && *dense >= *layers)
    reading.conflict(*settings.find("dense_layers"), *settings.find("layers"), "some layers have experts");
}

/// Reports lists with an element per layer, or per layer and further token, that have another length.
void checkLengths(Reading& reading, const FieldTable& rows, const std::vector<ForeignField>& fields) {
  const auto layers = reading.settings.count("layers");
  const int64_t more = reading.settings.count("mtp_depth", 0);
  for (const ForeignField& field : fields) {
    const FieldRow* row = rows.row(field.key);
    if (!layers || !row || row->patterns.empty() || row->patterns[0].cycle.empty() ||
        field.value->kind != ForeignValue::Kind::List)
      continue;
    const auto length = static_cast<int64_t>(field.value->items.size());
    if (length != *layers && length != *layers + more)
      reading.conflict(Setting{fmt::format("{} elements", length), field.value->range, field.key},
                       *reading.settings.find("layers"), "the list has an element for each layer");
  }
}

/// The parameters that a name says: `Qwen3-235B-A22B` are 235e9 and 22e9.
void readName(Reading& reading) {
  static const std::regex kCount("(?:^|[-_ ])([0-9]+(?:[.][0-9]+)?)([TBM])(?=$|[-_. ])"),
      kActive("(?:^|[-_ ])A([0-9]+(?:[.][0-9]+)?)([TBM])(?=$|[-_. ])");
  static const std::regex kExperts("[0-9]+[BM]?-?[0-9]+E(?=$|[-_. ])|[0-9]+x[0-9]");
  const std::string name = reading.name.substr(0, 200);
  if (std::regex_search(name, kExperts)) return; // `17B-16E` says the active parameters, `8x7B` neither
  const auto read = [&](const std::regex& form, std::optional<double>& out) {
    std::smatch match;
    if (!std::regex_search(name, match, form)) return;
    const char unit = match[2].str()[0];
    out = std::stod(match[1].str()) * (unit == 'T' ? 1e12 : unit == 'B' ? 1e9 : 1e6);
  };
  read(kCount, reading.named);
  read(kActive, reading.namedActive);
}

/// The name of the model: of the file, or of its folder if the file is called config.json.
std::string nameOf(const Reading& reading, const Language& language) {
  std::string path = reading.sources.path(reading.request.files.front());
  for (int i = 0; i < 2; ++i) {
    std::string last = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    if (last.ends_with(".json")) last.erase(last.size() - 5);
    if (const size_t owner = last.rfind("--"); owner != std::string::npos) last.erase(0, owner + 2);
    if (last != "config" && !last.empty() && last != "." && last != "..") return last;
    if (path.rfind('/') == std::string::npos) break;
    path.erase(path.rfind('/'));
  }
  return language.type && language.type->kind == ForeignValue::Kind::Text ? language.type->text : "model";
}

} // namespace

bool readHf(Reading& reading) {
  for (size_t i = 1; i < reading.request.files.size(); ++i)
    reading.missing("FILE", "this format has one file", "give each file a command of its own");
  const std::optional<ForeignValue> root = readJsonTable(reading, reading.request.files.front());
  if (!root) return false;
  reading.whole = {root->range.file, root->range.begin, std::min(root->range.begin + 1, root->range.end)};
  Language language = languageOf(*root);
  if (!settleType(reading, language)) return false;
  const json* type = &hfTable().at("types").at(language.known);
  if (type->contains("like")) type = &hfTable().at("types").at(type->at("like").get<std::string>());
  if (type->contains("sections")) openSections(language.fields, type->at("sections"));
  FieldTable rows = fieldTable(hfTable());
  rows.add(fieldTable(*type));
  reading.override(language.fields, rows);
  takeFields(reading, rows, language.fields);
  if (type->contains("given"))
    for (const auto& [name, value] : textsOf(type->at("given"))) reading.settings.fallback(name, value);
  for (const auto& [name, value] : textsOf(hfTable().at("given"))) reading.settings.fallback(name, value);
  if (reading.found.hasErrors()) return false;
  reading.name = nameOf(reading, language);
  readName(reading);
  settleProducts(reading.settings, *type);
  if (type->contains("layers") && type->at("layers") == "hybrid" && !settleHybrid(reading)) return false;
  checkNeeds(reading, rows, *type);
  checkSizes(reading);
  checkLengths(reading, rows, language.fields);
  reading.layout = reading.request.cluster;
  reading.layouts = targetTable("hf_layouts.json");
  reading.takeDevices();
  return !reading.found.hasErrors();
}

} // namespace planc::foreign
