// Matches settings with the targets of a table. A setting fits a target if an argument or a statement of it says the
// setting, or if it is the default.
// SPDX-License-Identifier: Apache-2.0
#include "import/Targets.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <stdexcept>

namespace planc::foreign {
namespace {

/// The names in braces of a text.
std::vector<std::string> namesIn(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const size_t end = text.find('}', at);
    const std::string name = text.substr(at + 1, end - at - 1);
    if (end != std::string::npos && !name.empty() && name.find(' ') == std::string::npos) out.push_back(name);
  }
  return out;
}

std::optional<std::string> valueOf(const std::string& name, const Settings& settings, const TargetTable& table) {
  if (const Setting* setting = settings.find(name)) return setting->value;
  const auto known = table.settings.find(name);
  return known == table.settings.end() ? std::nullopt : known->second;
}

bool isDefault(const std::string& name, const Settings& settings, const TargetTable& table) {
  const Setting* setting = settings.find(name);
  if (!setting) return true;
  const auto known = table.settings.find(name);
  return known != table.settings.end() && known->second == setting->value;
}

bool says(const StatementRow& row, const std::string& name, const std::string& value) {
  return row.setting == name && (row.value == "*" || row.value == value);
}

/// Whether an argument, a condition or a statement of the target takes the setting.
bool expresses(const Target& target, const std::string& name, const std::string& value) {
  const auto mentions = [&](const std::string& text) { return text.find("{" + name + "}") != std::string::npos; };
  for (const auto& [parameter, text] : target.arguments)
    if (mentions(text)) return true;
  for (const StatementRow& row : target.statements)
    if (says(row, name, value) || mentions(row.text)) return true;
  if (std::find(target.present.begin(), target.present.end(), name) != target.present.end()) return true;
  const auto when = target.when.find(name);
  return when != target.when.end() && std::find(when->second.begin(), when->second.end(), value) != when->second.end();
}

/// The settings that the target cannot express.
std::vector<std::string> misfits(const Target& target, const Settings& settings, const TargetTable& table) {
  std::vector<std::string> out;
  for (const auto& [name, setting] : settings.all())
    if (table.settings.count(name) && !isDefault(name, settings, table) && !expresses(target, name, setting.value))
      out.push_back(name);
  for (const auto& [name, values] : target.when) {
    const std::optional<std::string> value = valueOf(name, settings, table);
    if ((!value || std::find(values.begin(), values.end(), *value) == values.end()) &&
        std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(name);
  }
  for (const std::string& name : target.present)
    if (isDefault(name, settings, table)) out.push_back(name);
  return out;
}

void addArguments(TargetUse& use, const Settings& settings, const TargetTable& table) {
  for (const auto& [parameter, text] : use.target->arguments) {
    const std::vector<std::string> names = namesIn(text);
    const std::vector<std::string>& always = use.target->always;
    const bool plain = std::all_of(names.begin(), names.end(),
                                   [&](const std::string& name) { return isDefault(name, settings, table); });
    if (plain && !names.empty() && std::find(always.begin(), always.end(), parameter) == always.end()) continue;
    if (auto value = filled(text, settings, table)) use.arguments.emplace_back(parameter, *value);
  }
}

void addStatements(TargetUse& use, const Settings& settings, const TargetTable& table) {
  for (const StatementRow& row : use.target->statements) {
    const std::optional<std::string> value = valueOf(row.setting, settings, table);
    const bool any = row.value == "*" && !isDefault(row.setting, settings, table);
    if (!value || !(any || row.value == *value)) continue;
    if (auto text = filled(row.text, settings, table)) use.statements.push_back(*text);
  }
}

} // namespace

std::optional<std::string> filled(const std::string& text, const Settings& settings, const TargetTable& table) {
  std::string out = text;
  for (const std::string& name : namesIn(text)) {
    const std::optional<std::string> value = valueOf(name, settings, table);
    if (!value) return std::nullopt;
    // Foreign text never becomes plan text: tables and checks let only numbers and words through.
    const bool plain = std::all_of(value->begin(), value->end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) ||
             std::string_view("_.,()[]=:*+- ").find(c) != std::string_view::npos;
    });
    if (!plain) throw std::logic_error("a setting is no plan text: " + name);
    const std::string braces = "{" + name + "}";
    for (size_t at = out.find(braces); at != std::string::npos; at = out.find(braces, at + value->size()))
      out.replace(at, braces.size(), *value);
  }
  return out;
}

std::string TargetUse::argumentsText() const {
  std::string out;
  for (const auto& [parameter, value] : arguments)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", parameter, value);
  return out;
}

std::optional<TargetUse> useOf(Import& import, const TargetTable& table) {
  const Target* nearest = nullptr;
  std::vector<std::string> lacking;
  for (const Target& target : table.targets) {
    std::vector<std::string> wrong = misfits(target, import.settings, table);
    if (nearest && wrong.size() >= lacking.size()) continue;
    nearest = &target;
    lacking = std::move(wrong);
    if (lacking.empty()) break;
  }
  if (!nearest) return std::nullopt;
  if (lacking.empty()) {
    TargetUse use{nearest, {}, {}};
    addArguments(use, import.settings, table);
    addStatements(use, import.settings, table);
    return use;
  }
  for (const std::string& name : lacking) {
    const Setting* setting = import.settings.find(name);
    const std::string why =
        fmt::format("`{}`, the nearest declaration of the library, has no such option", nearest->path);
    import.lacks(setting ? setting->key : name, setting ? setting->range : SourceRange{},
                 setting ? setting->value : "its default", why);
  }
  return std::nullopt;
}

} // namespace planc::foreign
