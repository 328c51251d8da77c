// Finds planc.toml, and makes plain data of it.
// SPDX-License-Identifier: Apache-2.0
#include "project/Config.h"

#include "project/Toml.h"
#include "support/Files.h"
#include "support/Spelling.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>

namespace planc::project {

PLANC_ERROR(ConfigUnreadable, 1101, "`{path}` cannot be read: {reason}")
PLANC_ERROR(ConfigNoToml, 1102, "this is no TOML: {reason}")
PLANC_ERROR(ConfigUnknownName, 1103, "planc.toml has no {what}")
PLANC_ERROR(ConfigWrongKind, 1104, "`{name}` takes {wanted}, and this is {found}")

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".toml";
/// A few lists and gates are some hundred bytes. What is larger was put there by mistake or by a stranger, and is not
/// held in memory to be refused line by line.
constexpr size_t kMostBytes = 1u << 20;

/// Bounded, and of plain files only: no pipe of a stranger is waited for. Nor is a link followed to what is called
/// otherwise, since messages show lines of what is read.
std::optional<std::string> textOf(const std::string& path, std::string& reason) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  if (!failed && real.extension() != kSuffix) {
    reason = "it is a link to a file whose name does not end in `.toml`";
    return std::nullopt;
  }
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
    reason = std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(info.st_mode)) {
    reason = S_ISDIR(info.st_mode) ? "it is a folder" : "it is no file";
    return std::nullopt;
  }
  std::optional<std::string> text = readAtMost(file, kMostBytes + 1, reason);
  if (text && text->size() > kMostBytes) {
    reason = "it is larger than 1 MiB";
    return std::nullopt;
  }
  return text;
}

/// Reads the tables of one file into a Config.
class Reader {
public:
  Reader(Config& config, DiagnosticEngine& diagnostics) : config_(config), diagnostics_(diagnostics) {}

  void root(const TomlValue& root) {
    for (const TomlMember& table : root.members) {
      if (std::find(tables().begin(), tables().end(), table.name) == tables().end())
        unknownTable(table);
      else if (table.value.kind != TomlValue::Kind::Table)
        wrongKind(table.name, "a table", table.value).help(fmt::format("write `[{}]` and its keys below", table.name));
      else if (table.name == kGatesTable)
        gates(table.value, "");
      else
        keys(table);
    }
  }

private:
  static const std::vector<std::string>& tables() {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> out;
      for (const ConfigKey& key : configKeys())
        if (out.empty() || out.back() != key.table) out.emplace_back(key.table);
      out.emplace_back(kGatesTable);
      return out;
    }();
    return names;
  }

  DiagnosticEngine::Builder wrongKind(const std::string& name, const char* wanted, const TomlValue& found) {
    return diagnostics_.report(ConfigWrongKind, found.range,
                               {{"name", name}, {"wanted", wanted}, {"found", found.kindName()}});
  }

  /// A key outside of its table is told where it belongs.
  void unknownTable(const TomlMember& table) {
    const auto& all = configKeys();
    const auto key = std::find_if(all.begin(), all.end(), [&](const ConfigKey& k) { return k.name == table.name; });
    const bool isTable = table.value.kind == TomlValue::Kind::Table;
    auto report = diagnostics_.report(ConfigUnknownName, table.range,
                                      {{"what", isTable ? fmt::format("table `{}`", table.name)
                                                        : fmt::format("key `{}` outside of its tables", table.name)}});
    if (key != all.end())
      report.help(fmt::format("`{}` stands below `[{}]`", key->name, key->table));
    else
      report.meant(table.name, tables(), "its tables are ");
  }

  void keys(const TomlMember& table) {
    std::vector<std::string> known;
    for (const ConfigKey& key : configKeys())
      if (key.table == table.name) known.emplace_back(key.name);
    for (const TomlMember& member : table.value.members) {
      const std::string name = fmt::format("{}.{}", table.name, member.name);
      if (std::find(known.begin(), known.end(), member.name) == known.end()) {
        unknownKey(table.name, member, known);
        continue;
      }
      for (const ConfigKey& key : configKeys())
        if (key.table == table.name && key.name == member.name) texts(name, member.value, config_.*key.list);
    }
  }

  void unknownKey(const std::string& table, const TomlMember& member, const std::vector<std::string>& known) {
    auto report = diagnostics_.report(ConfigUnknownName, member.range,
                                      {{"what", fmt::format("key `{}` in `[{}]`", member.name, table)}});
    for (const ConfigKey& key : configKeys())
      if (key.name == member.name) {
        report.help(fmt::format("`{}` stands below `[{}]`", key.name, key.table));
        return;
      }
    report.meant(member.name, known, "its keys are ");
  }

  void texts(const std::string& name, const TomlValue& value, std::vector<ConfigText>& out) {
    if (value.kind != TomlValue::Kind::List) {
      auto report = wrongKind(name, "a list of texts", value);
      if (value.kind == TomlValue::Kind::Text) report.help(fmt::format("as a list: `[\"{}\"]`", value.text));
      return;
    }
    for (const TomlValue& item : value.items)
      if (item.kind == TomlValue::Kind::Text)
        out.push_back({item.text, item.range});
      else
        wrongKind(name, "a list of texts", item).help("put it into quotes");
  }

  /// `memory.peak = …` is a table in a table, and means what `"memory.peak" = …` does.
  void gates(const TomlValue& table, const std::string& before) {
    for (const TomlMember& member : table.members) {
      const std::string metric = before + member.name;
      if (member.value.kind == TomlValue::Kind::Table)
        gates(member.value, metric + ".");
      else if (member.value.kind == TomlValue::Kind::Truth && member.value.truth)
        config_.gates.push_back({{metric, member.range}, {"true", member.value.range}});
      else if (member.value.kind != TomlValue::Kind::Text)
        wrongKind(metric, "a bound as a text, or `true`", member.value)
            .help("as `\"+3%\"`, in quotes and with its sign; `true` of what must hold, as `\"memory.fits\" = true`");
      else
        config_.gates.push_back({{metric, member.range}, {member.value.text, member.value.range}});
    }
  }

  Config& config_;
  DiagnosticEngine& diagnostics_;
};

} // namespace

const std::vector<ConfigKey>& configKeys() {
  static const std::vector<ConfigKey> keys = {
      {"project", "plans", &Config::plans},       {"project", "exclude", &Config::exclude},
      {"project", "policies", &Config::policies}, {"check", "deny", &Config::deny},
      {"check", "allow", &Config::allow},
  };
  return keys;
}

std::vector<std::string> changes(const Config& before, const Config& after) {
  std::vector<std::string> out;
  const auto told = [&](const std::string& key, const std::string& was, const std::string& is) {
    if (was != is) out.push_back(fmt::format("{} {} → {}", key, was.empty() ? "none" : was, is.empty() ? "none" : is));
  };
  const auto listed = [](const std::vector<ConfigText>& list) {
    std::string text;
    for (const ConfigText& item : list) text += (text.empty() ? "" : ", ") + item.value;
    return text;
  };
  for (const ConfigKey& key : configKeys())
    told(fmt::format("{}.{}", key.table, key.name), listed(before.*key.list), listed(after.*key.list));
  std::map<std::string, std::pair<std::string, std::string>> gates;
  for (const ConfigGate& gate : before.gates) gates[gate.metric.value].first = gate.bound.value;
  for (const ConfigGate& gate : after.gates) gates[gate.metric.value].second = gate.bound.value;
  for (const auto& [metric, bounds] : gates)
    told(fmt::format("{}.{}", kGatesTable, metric), bounds.first, bounds.second);
  return out;
}

std::string Config::shown(const ConfigText& written) const {
  return (fs::path(path).parent_path() / written.value).lexically_normal().string();
}

std::optional<std::string> findConfig(const std::string& folder) {
  std::error_code failed;
  const fs::path current = fs::current_path(failed);
  if (failed && !fs::path(folder).is_absolute()) return std::nullopt;
  const fs::path start = (current / folder / ".").lexically_normal();
  for (fs::path at = start.parent_path();; at = at.parent_path()) {
    const fs::path file = at / kConfigName;
    if (fs::exists(fs::symlink_status(file, failed)))
      return fs::path(folder).is_absolute() ? file.string() : file.lexically_relative(current).string();
    if (!at.has_relative_path()) return std::nullopt;
  }
}

std::optional<Config> readConfig(const std::string& path, SourceManager& sources, DiagnosticEngine& diagnostics) {
  std::string reason;
  if (std::optional<std::string> text = textOf(path, reason))
    return configOf(path, std::move(*text), sources, diagnostics);
  diagnostics.report(ConfigUnreadable, {sources.add(path, ""), 0, 0}, {{"path", path}, {"reason", reason}});
  return std::nullopt;
}

std::optional<Config> configOf(const std::string& path, std::string text, SourceManager& sources,
                               DiagnosticEngine& diagnostics) {
  Config config;
  config.path = path;
  config.file = sources.add(path, std::move(text));
  TomlMistake mistake;
  const std::optional<TomlValue> root = parseToml(sources, config.file, mistake);
  if (root)
    Reader(config, diagnostics).root(*root);
  else
    diagnostics.report(ConfigNoToml, mistake.range, {{"reason", mistake.reason}});
  return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(config));
}

} // namespace planc::project
