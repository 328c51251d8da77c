// Finds planc.toml and reads it into plain data.
// SPDX-License-Identifier: Apache-2.0
#include "project/Config.h"

#include "project/Toml.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace planc::project {

PLANC_ERROR(ConfigUnreadable, 1101, "`{path}` cannot be read: {reason}")
PLANC_ERROR(ConfigNoToml, 1102, "planc.toml is not valid TOML: {reason}")
PLANC_ERROR(ConfigUnknownName, 1103, "planc.toml has no {what}")
PLANC_ERROR(ConfigWrongKind, 1104, "`{name}` must be {wanted}; this is {found}")

namespace {

namespace fs = std::filesystem;

/// The size limit of planc.toml in bytes. A few lists and gates need some hundred bytes; a larger file is a mistake or
/// hostile, and must not be loaded only to be rejected line by line.
constexpr size_t kMostBytes = 1u << 20;

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
      else if (table.name == kDependenciesTable)
        dependencies(table.value);
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
      out.emplace_back(kDependenciesTable);
      return out;
    }();
    return names;
  }

  DiagnosticEngine::Builder wrongKind(const std::string& name, const char* wanted, const TomlValue& found) {
    return diagnostics_.report(ConfigWrongKind, found.range,
                               {{"name", name}, {"wanted", wanted}, {"found", found.kindName()}});
  }

  /// Reports an unknown table. If the name is a key of a table, the help names the table.
  void unknownTable(const TomlMember& table) {
    const auto& all = configKeys();
    const auto key = std::find_if(all.begin(), all.end(), [&](const ConfigKey& k) { return k.name == table.name; });
    const bool isTable = table.value.kind == TomlValue::Kind::Table;
    auto report = diagnostics_.report(ConfigUnknownName, table.range,
                                      {{"what", isTable ? fmt::format("table `{}`", table.name)
                                                        : fmt::format("key `{}` outside of its tables", table.name)}});
    if (key != all.end())
      report.help(fmt::format("`{}` belongs to `[{}]`", key->name, key->table));
    else
      report.meant(table.name, tables(), "its tables are ");
  }

  void keys(const TomlMember& table) {
    if (table.name == kPackageTable) config_.package = table.range;
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
        if (key.table != table.name || key.name != member.name)
          continue;
        else if (key.list)
          texts(name, member.value, config_.*key.list);
        else
          text(name, member.value, config_.*key.text);
    }
  }

  void text(const std::string& name, const TomlValue& value, std::optional<ConfigText>& out) {
    if (value.kind == TomlValue::Kind::Text)
      out = {value.text, value.range};
    else if (auto report = wrongKind(name, "a text", value); value.kind != TomlValue::Kind::List)
      report.help("write it in quotes");
  }

  void dependencies(const TomlValue& table) {
    for (const TomlMember& member : table.members) {
      const std::string name = fmt::format("{}.{}", kDependenciesTable, member.name);
      if (member.value.kind != TomlValue::Kind::Table) {
        wrongKind(name, "a table", member.value)
            .help(fmt::format("write `{} = {{ git = \"https://…\", tag = \"v1.0.0\" }}`, or the `path` of a folder",
                              member.name));
        continue;
      }
      ConfigDependency out{{member.name, member.range}, {}, {}, {}, member.value.range};
      for (const TomlMember& word : member.value.members)
        if (word.name == "path")
          text(name + ".path", word.value, out.path);
        else if (word.name == "git")
          text(name + ".git", word.value, out.git);
        else if (word.name == "tag")
          text(name + ".tag", word.value, out.tag);
        else
          diagnostics_
              .report(ConfigUnknownName, word.range, {{"what", fmt::format("key `{}` in `{}`", word.name, name)}})
              .meant(word.name, {"path", "git", "tag"}, "its keys are ");
      config_.dependencies.push_back(std::move(out));
    }
  }

  void unknownKey(const std::string& table, const TomlMember& member, const std::vector<std::string>& known) {
    auto report = diagnostics_.report(ConfigUnknownName, member.range,
                                      {{"what", fmt::format("key `{}` in `[{}]`", member.name, table)}});
    for (const ConfigKey& key : configKeys())
      if (key.name == member.name) {
        report.help(fmt::format("`{}` belongs to `[{}]`", key.name, key.table));
        return;
      }
    report.meant(member.name, known, "its keys are ");
  }

  void texts(const std::string& name, const TomlValue& value, std::vector<ConfigText>& out) {
    if (value.kind != TomlValue::Kind::List) {
      auto report = wrongKind(name, "a list of texts", value);
      if (value.kind == TomlValue::Kind::Text) report.help(fmt::format("write a list: `[\"{}\"]`", value.text));
      return;
    }
    for (const TomlValue& item : value.items)
      if (item.kind == TomlValue::Kind::Text)
        out.push_back({item.text, item.range});
      else
        wrongKind(name, "a list of texts", item).help("write it in quotes");
  }

  /// `memory.peak = …` is a nested table in TOML, and means `"memory.peak" = …`.
  void gates(const TomlValue& table, const std::string& before) {
    for (const TomlMember& member : table.members) {
      const std::string metric = before + member.name;
      if (member.value.kind == TomlValue::Kind::Table)
        gates(member.value, metric + ".");
      else if (member.value.kind == TomlValue::Kind::Truth && member.value.truth)
        config_.gates.push_back({{metric, member.range}, {"true", member.value.range}});
      else if (member.value.kind != TomlValue::Kind::Text)
        wrongKind(metric, "a bound as a text, or `true`", member.value)
            .help("write `\"+3%\"`, in quotes and with a sign, or `true` for a condition: `\"memory.fits\" = true`");
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
      {"project", "plans", &Config::plans},
      {"project", "exclude", &Config::exclude},
      {"project", "policies", &Config::policies},
      {"check", "deny", &Config::deny},
      {"check", "allow", &Config::allow},
      {kPackageTable, "name", nullptr, &Config::name},
      {kPackageTable, "version", nullptr, &Config::version},
      {kPackageTable, "edition", nullptr, &Config::edition},
      {kPackageTable, "planc", nullptr, &Config::planc},
      {kPackageTable, "description", nullptr, &Config::description},
      {kPackageTable, "exports", &Config::exports},
  };
  return keys;
}

std::vector<ConfigText> ConfigKey::valuesOf(const Config& config) const {
  if (list) return config.*list;
  const std::optional<ConfigText>& said = config.*text;
  return said ? std::vector{*said} : std::vector<ConfigText>();
}

std::string dependencyText(const ConfigDependency& dependency) {
  std::string out;
  for (const auto* word : {&dependency.path, &dependency.git, &dependency.tag})
    if (*word) out += (out.empty() ? "" : " ") + (*word)->value;
  return out;
}

namespace {

/// The most characters that an address may have. The limit keeps the search linear in a text full of marks.
constexpr size_t kMostAddress = 2048;

void starOut(std::string& text, size_t begin, size_t end) {
  for (size_t at = begin; at < end; ++at)
    if (text[at] != ':' && text[at] != '\n') text[at] = '*';
}

/// Stars out the user part before the `@` of an address that begins at `begin`; looks at one line only. With `named`, a
/// user name without a password stays: over SSH it is not secret, elsewhere it may be a token.
void starAddress(std::string& text, size_t begin, bool named) {
  const std::string_view all = std::string_view(text).substr(begin, kMostAddress);
  const std::string_view line = all.substr(0, all.find('\n'));
  const std::string_view authority = line.substr(0, line.find_first_of("/\"' \t\r"));
  size_t sign = authority.rfind('@');
  if (sign == std::string_view::npos) { // a password may contain characters that end an address
    const size_t colon = authority.find(':');
    const bool port = colon == std::string_view::npos ||
                      authority.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    sign = port ? std::string_view::npos : line.rfind('@');
    named = false;
  }
  if (sign == std::string_view::npos) return;
  const std::string_view user = line.substr(0, sign);
  if (!named || user.find(':') != std::string_view::npos) starOut(text, begin, begin + sign);
}

/// Stars out the user part of quoted words with a colon before an `@`: `"me:secret@host:path"`, `"https:/me:secret@…"`.
void starWords(std::string& text) {
  for (size_t sign = text.find('@'); sign != std::string::npos; sign = text.find('@', sign + 1)) {
    const size_t least = sign > kMostAddress ? sign - kMostAddress : 0;
    size_t begin = sign;
    while (begin > least && std::string_view("\"' \t\r\n").find(text[begin - 1]) == std::string_view::npos) --begin;
    const std::string_view before = std::string_view(text).substr(begin, sign - begin);
    const size_t scheme = before.find("://");
    const size_t user = scheme == std::string_view::npos ? 0 : scheme + 3;
    if (before.find(':', user) != std::string_view::npos && before.find('/', user) == std::string_view::npos)
      starOut(text, begin + user, sign);
    else if (scheme == std::string_view::npos && before.find(":/") != std::string_view::npos)
      starOut(text, begin + before.find(":/"), sign);
    else if (scheme == std::string_view::npos && before.find(":\\") != std::string_view::npos)
      starOut(text, begin + before.find(":\\"), sign);
  }
}

} // namespace

std::string withoutSecrets(std::string text) {
  for (size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
    const bool named = std::string_view(text).substr(0, at).ends_with("ssh");
    at += 3;
    starAddress(text, at, named);
    const std::string_view all = std::string_view(text).substr(at, kMostAddress);
    const std::string_view word = all.substr(0, all.find_first_of("\"' \t\r\n"));
    if (const size_t query = word.find('?'); query != std::string_view::npos) // `?private_token=…`
      starOut(text, at + query + 1, at + word.size());
  }
  starWords(text);
  return text;
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
    told(fmt::format("{}.{}", key.table, key.name), listed(key.valuesOf(before)), listed(key.valuesOf(after)));
  std::map<std::string, std::pair<std::string, std::string>> lines;
  const auto line = [&](std::string_view table, const std::string& name) -> auto& {
    return lines[fmt::format("{}.{}", table, name)];
  };
  for (const ConfigGate& gate : before.gates) line(kGatesTable, gate.metric.value).first = gate.bound.value;
  for (const ConfigGate& gate : after.gates) line(kGatesTable, gate.metric.value).second = gate.bound.value;
  for (const ConfigDependency& d : before.dependencies)
    line(kDependenciesTable, d.name.value).first = dependencyText(d);
  for (const ConfigDependency& d : after.dependencies)
    line(kDependenciesTable, d.name.value).second = dependencyText(d);
  for (const auto& [key, values] : lines) told(key, values.first, values.second);
  return out;
}

bool isPackageText(std::string_view name) {
  constexpr std::string_view kNames[] = {kConfigName, kLockName, "README.md", "CHANGELOG.md"};
  constexpr std::string_view kHeads[] = {"LICENSE", "LICENCE", "NOTICE", "COPYING"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kHeads), std::end(kHeads),
                     [&](std::string_view head) { return name.starts_with(head); });
}

std::string Config::shown(const ConfigText& written) const {
  return (fs::path(path).parent_path() / written.value).lexically_normal().string();
}

std::optional<std::string> findConfig(const std::string& folder, const FileTree* files) {
  std::error_code failed;
  const fs::path current = fs::current_path(failed);
  if (failed && !fs::path(folder).is_absolute()) return std::nullopt;
  const fs::path start = (current / folder / ".").lexically_normal();
  for (fs::path at = start.parent_path();; at = at.parent_path()) {
    const fs::path file = at / kConfigName;
    const std::string shown =
        fs::path(folder).is_absolute() ? file.string() : file.lexically_relative(current).string();
    if (files ? files->exists(shown) : fs::exists(fs::symlink_status(file, failed))) return shown;
    if (!at.has_relative_path()) return std::nullopt;
  }
}

std::optional<Config> readConfig(const std::string& path, SourceManager& sources, DiagnosticEngine& diagnostics,
                                 const FileTree& files) {
  std::string reason;
  std::optional<std::string> text = files.text(path, reason);
  if (text) return configOf(path, std::move(*text), sources, diagnostics);
  diagnostics.report(ConfigUnreadable, {sources.add(path, ""), 0, 0}, {{"path", path}, {"reason", reason}});
  return std::nullopt;
}

std::optional<Config> configOf(const std::string& path, std::string text, SourceManager& sources,
                               DiagnosticEngine& diagnostics) {
  const size_t before = diagnostics.errorCount();
  if (text.size() > kMostBytes) {
    diagnostics.report(ConfigUnreadable, {sources.add(path, ""), 0, 0},
                       {{"path", path}, {"reason", "it is larger than 1 MiB"}});
    return std::nullopt;
  }
  Config config;
  config.path = path;
  config.file = sources.add(path, withoutSecrets(std::move(text)));
  TomlMistake mistake;
  const std::optional<TomlValue> root = parseToml(sources, config.file, mistake);
  if (root)
    Reader(config, diagnostics).root(*root);
  else
    diagnostics.report(ConfigNoToml, mistake.range, {{"reason", mistake.reason}});
  return diagnostics.errorCount() == before ? std::optional(std::move(config)) : std::nullopt;
}

} // namespace planc::project
