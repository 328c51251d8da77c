// `planc schema`: prints the JSON Schema of a JSON result or of planc.toml, or lists them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Commands.h"
#include "support/Diagnostics.h"
#include "support/files/Embedded.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSuffix = ".json", kParts = "parts", kDefinitions = "#/$defs/";

/// Returns `estimate` for `estimate.json`.
std::string nameOf(const EmbeddedFile& file) {
  return std::string(file.path.substr(0, file.path.size() - kSuffix.size()));
}

/// Returns the schemas by name, without the file of shared definitions.
std::vector<std::pair<std::string, const EmbeddedFile*>> schemas() {
  std::vector<std::pair<std::string, const EmbeddedFile*>> out;
  for (const EmbeddedFile& file : embeddedSchemas())
    if (nameOf(file) != kParts) out.emplace_back(nameOf(file), &file);
  return out;
}

/// Collects the shared definitions that a schema uses.
class SharedParts {
public:
  SharedParts() {
    for (const EmbeddedFile& file : embeddedSchemas())
      if (nameOf(file) == kParts) parts_ = Json::parse(file.text).at("$defs");
  }

  /// Rewrites each reference to point into the bundle.
  void follow(Json& schema, bool ofParts) {
    for (auto& [key, value] : schema.items()) {
      if (key == "$ref")
        value = placed(value.get<std::string>(), ofParts);
      else if (value.is_structured())
        follow(value, ofParts);
    }
  }

  /// Returns the used definitions by their names in the bundle, in the order of first use.
  const std::vector<std::pair<std::string, Json>>& used() const { return used_; }

private:
  /// Returns the place of a definition in the bundle. Shared definitions get a prefix, because the schema may use their
  /// names.
  std::string placed(const std::string& reference, bool ofParts) {
    if (!ofParts && reference.starts_with(kDefinitions)) return reference;
    const std::string part = reference.substr(reference.rfind('/') + 1), name = fmt::format("{}.{}", kParts, part);
    const auto known = [&](const auto& one) { return one.first == name; };
    if (std::none_of(used_.begin(), used_.end(), known)) {
      const size_t index = used_.size();
      used_.emplace_back(name, Json());
      Json definition = parts_.at(part);
      follow(definition, true);
      used_[index].second = std::move(definition);
    }
    return std::string(kDefinitions) + name;
  }

  Json parts_;
  std::vector<std::pair<std::string, Json>> used_;
};

/// Returns the schema together with the shared definitions that it uses.
Json bundle(Json schema) {
  SharedParts parts;
  parts.follow(schema, false);
  for (const auto& [name, definition] : parts.used()) schema["$defs"][name] = definition;
  return schema;
}

int listSchemas(Console& console) {
  size_t width = 0;
  for (const auto& [name, file] : schemas()) width = std::max(width, name.size());
  for (const auto& [name, file] : schemas())
    console.out(fmt::format("{:<{}}  {}\n", name, width, Json::parse(file->text).at("title").get<std::string>()));
  return kClean;
}

std::vector<std::string> schemaNames() {
  std::vector<std::string> names;
  for (const auto& [name, file] : schemas()) names.push_back(name);
  return names;
}

int runSchema(Console& console, const Arguments& arguments) {
  if (arguments.positional.empty()) return listSchemas(console);
  for (const auto& [name, file] : schemas())
    if (name == arguments.positional[0]) console.out(bundle(Json::parse(file->text)).dump(2) + "\n");
  return kClean;
}

} // namespace

const Command kSchemaCommand = {
    "schema",
    "print the JSON Schema of a JSON result or of planc.toml, or list them",
    {{"NAME", 0, 1, "a command with `--format json`, `diagnostics` or `planc.toml`; default: list all", schemaNames}},
    {},
    "planc schema estimate",
    runSchema,
};

} // namespace planc::driver
