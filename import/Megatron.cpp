// Reads the arguments of Megatron-LM: lists of them, the scripts that launch it, and `MODEL_ARGS:` of YAML.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"
#include "import/shell/Shell.h"
#include "import/shell/ShellWords.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace planc::foreign {

PLANC_ERROR(ForeignUnset, 1216, "`{key}` needs `{name}`, whose value the file does not say")

namespace {

using nlohmann::json;

constexpr std::string_view kArguments = "MODEL_ARGS", kEnvironment = "ENV_VARS";

const json& megatronTable() {
  return tableFile("megatron.json");
}

/// `micro-batch-size` of `--micro_batch_size`.
std::string spelled(std::string_view key) {
  while (key.starts_with('-')) key.remove_prefix(1);
  std::string out(key);
  const bool launcher = out.starts_with("nproc_per_node") || out.starts_with("master_") || out == "node_rank";
  if (!launcher && out.find('-') == std::string::npos) std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

/// Replaces variables in the texts of a value.
void expand(ForeignValue& value, ShellVariables& variables) {
  for (ForeignValue& item : value.items) expand(item, variables);
  if (value.kind == ForeignValue::Kind::Text && value.text.find('$') != std::string::npos)
    value = valueOfWord(variables.expanded(value.text), value.range);
}

/// Whether a file is YAML: a line begins with a name and a colon.
bool isYaml(std::string_view path, std::string_view text) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || text.starts_with("MODEL_ARGS:") ||
         text.find("\nMODEL_ARGS:") != std::string_view::npos;
}

/// Words of a list, split at blanks: `["--tp", "2"]`.
ForeignValue optionsOfList(const ForeignValue& list) {
  std::vector<ShellWord> words;
  for (const ForeignValue& item : list.items)
    for (size_t at = 0; at < item.text.size();) {
      const size_t end = std::min(item.text.find(' ', at), item.text.size());
      if (end > at) words.push_back({item.text.substr(at, end - at), item.range});
      at = end + 1;
    }
  return optionsOf(words);
}

/// The options of the last command of a script that trains: one with an argument that Megatron-LM needs. Others are
/// said to be left out.
std::optional<ForeignValue> readLaunch(Reading& reading, FileId file, ShellVariables& variables) {
  std::optional<std::vector<ForeignValue>> commands = readShell(reading.sources, file, variables, reading.found);
  if (!commands) return std::nullopt;
  std::vector<std::string> needs;
  for (const auto& [setting, key] : textsOf(megatronTable().at("needs"))) needs.push_back(key);
  ForeignValue* launch = nullptr;
  for (ForeignValue& command : *commands) {
    if (std::none_of(command.members.begin(), command.members.end(), [&](const ForeignMember& option) {
          return std::find(needs.begin(), needs.end(), spelled(option.name)) != needs.end();
        }))
      continue;
    if (launch)
      reading.leave("command", launch->range, reading.sources.text(launch->range),
                    "the last command that trains is imported");
    launch = &command;
  }
  if (!launch && !commands->empty()) launch = &commands->back();
  return launch ? std::move(*launch) : ForeignValue{};
}

std::optional<ForeignValue> readArguments(Reading& reading, FileId file, ShellVariables& variables) {
  if (!isYaml(reading.sources.path(file), reading.sources.text(file))) return readLaunch(reading, file, variables);
  std::optional<ForeignValue> root = readYaml(reading.sources, file, reading.found);
  if (!root) return std::nullopt;
  if (const ForeignValue* environment = root->member(kEnvironment))
    for (const ForeignMember& one : environment->members) variables.assigned[one.name] = one.value.text;
  const ForeignValue* arguments = root->member(kArguments);
  if (!arguments) {
    reading.missing(kArguments, "the arguments stand below this name", "name a file with the arguments of Megatron-LM");
    return std::nullopt;
  }
  ForeignValue out = arguments->kind == ForeignValue::Kind::List ? optionsOfList(*arguments) : *arguments;
  for (ForeignMember& one : out.members) expand(one.value, variables);
  return out;
}

/// Whether a text of a value is the mark of a variable without a value.
std::string unsetOf(const ForeignValue& value) {
  std::string out = unsetIn(value.text);
  for (const ForeignValue& item : value.items)
    if (out.empty()) out = unsetOf(item);
  return out;
}

/// Reports fields that matter and need a variable without a value.
void checkUnset(Reading& reading, const FieldTable& rows, std::vector<ForeignField>& fields) {
  std::erase_if(fields, [&](const ForeignField& field) {
    const std::string name = unsetOf(*field.value);
    const FieldRow* row = rows.row(field.key);
    if (name.empty() || !row || (row->takes == Takes::Text && row->words.empty()) ||
        (row->as.empty() && row->words.empty()))
      return false;
    const bool plain = nameLength(name) == name.size();
    reading.found
        .report(ForeignUnset, field.value->range,
                {{"key", reading.prefix + field.key}, {"name", (plain ? "$" : "") + oneLine(name)}})
        .help(fmt::format("give it: `--set {}=VALUE`", plain ? oneLine(name) : field.key));
    return true;
  });
}

/// The number of words: given, or of a tokenizer whose words are known.
void settleVocabulary(Reading& reading) {
  Settings& settings = reading.settings;
  const std::string kind = settings.text("tokenizer", settings.has("merges") ? "GPT2BPETokenizer" : "");
  if (!settings.has("vocab")) {
    const json& known = megatronTable().at("tokenizers");
    if (!known.contains(kind))
      return reading.missing("--vocab-size", "the size of the vocabulary stands in the tokenizer's files");
    settings.set("vocab", known.at(kind).at(0).get<std::string>());
    reading.assume(
        fmt::format("a vocabulary of {} words ({})", settings.text("vocab"), known.at(kind).at(1).get<std::string>()));
  }
}

/// Sets what the kind of positions says.
void settlePositions(Reading& reading) {
  Settings& settings = reading.settings;
  const bool latent = settings.has("latent_attention");
  const std::string kind = settings.text("position_kind");
  if (kind == "learned" && !latent && !settings.has("no_table"))
    settings.set("positions", settings.text("max_positions", settings.text("seq")));
  if (kind == "none" || (kind == "learned" && settings.has("no_table"))) settings.set("rotary", std::string("false"));
}

void settleAttention(Settings& settings) {
  if (settings.has("latent_attention")) {
    for (const char* unused : {"kv_heads", "head_dim", "qk_norm"}) settings.erase(unused);
    settings.fallback("kv_rank", "32");
  } else {
    for (const char* unused : {"q_rank", "kv_rank", "rope", "nope", "value"}) settings.erase(unused);
    if (!settings.has("grouped"))
      settings.erase("kv_heads");
    else
      settings.fallback("kv_heads", "1");
  }
  if (settings.is("kernel", "unfused")) settings.set("attention", std::string("unfused"));
}

/// The number of dense layers in front, of `([0]*3+[1]*11)`, `[0, 1, 1]` or `1`; nullopt if the layers have another
/// order.
std::optional<int64_t> denseLayers(const std::string& text, int64_t layers) {
  if (text == "1") return 0;
  constexpr int64_t kMost = 100'000;
  std::string kinds;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '0' && text[at] != '1') continue;
    int64_t times = 1;
    const char kind = text[at];
    size_t next = at + 1;
    while (next < text.size() && (text[next] == ']' || text[next] == ' ')) ++next;
    if (next < text.size() && text[next] == '*') {
      times = 0;
      for (++next; next < text.size() && text[next] >= '0' && text[next] <= '9' && times < kMost; ++next)
        times = 10 * times + (text[next] - '0');
      at = next - 1;
    }
    if (times > kMost || static_cast<int64_t>(kinds.size()) > kMost) return std::nullopt;
    kinds.append(static_cast<size_t>(times), kind);
  }
  const size_t dense = std::min(kinds.find('1'), kinds.size());
  if (static_cast<int64_t>(kinds.size()) != layers || kinds.find('0', dense) != std::string::npos) return std::nullopt;
  return static_cast<int64_t>(dense);
}

bool settleExperts(Reading& reading) {
  Settings& settings = reading.settings;
  if (!settings.has("experts")) {
    for (const char* unused :
         {"k", "expert_ffn", "shared", "shared_gate", "sparse_layers", "groups", "group_limit", "ep", "etp"})
      settings.erase(unused);
    return true;
  }
  settings.fallback("k", "2");
  settings.fallback("expert_ffn", settings.text("ffn"));
  if (const Setting* order = settings.find("sparse_layers")) {
    const auto dense = denseLayers(order->value, settings.count("layers", 0));
    if (!dense) {
      reading.lacks(order->key, order->range, order->value,
                    "layers without experts come first, and there is a number for each layer");
      return false;
    }
    settings.set("dense_layers", *dense);
  }
  if (settings.count("dense_layers", 0) == 0 && settings.is("bias", "false")) settings.erase("ffn");
  if (settings.is("bias", "true")) {
    const Setting* experts = settings.find("experts");
    reading.leave("--disable-bias-linear", experts->range, "false", "products of experts have no biases here");
  }
  return true;
}

/// Defaults of arguments.py that depend on others.
bool settleModel(Reading& reading) {
  Settings& settings = reading.settings;
  const auto hidden = settings.count("hidden");
  if (!settings.has("ffn") && hidden) {
    const bool gated = settings.text("feed").ends_with("glu");
    settings.set("ffn", gated ? *hidden * 8 / 3 / 64 * 64 : 4 * *hidden);
  }
  settings.set("qkv_bias",
               settings.is("bias", "true") || settings.has("qkv_bias") ? std::string("true") : std::string("false"));
  settlePositions(reading);
  settleAttention(settings);
  settleVocabulary(reading);
  return settleExperts(reading);
}

/// The batch of `0:384 200B:768` grows during the run: takes its last size.
void settleSchedule(Reading& reading) {
  const Setting* schedule = reading.settings.find("batch_schedule");
  if (!schedule) return;
  const Setting given = *schedule;
  const ForeignValue last = valueOfWord(given.value.substr(given.value.rfind(':') + 1), given.range);
  if (!last.whole || *last.whole < 1 || *last.whole > (int64_t(1) << 40)) {
    reading.lacks(given.key, given.range, given.value, "the schedule ends with `TOKENS:SAMPLES`");
    return;
  }
  reading.settings.set("global_batch", Setting{std::to_string(*last.whole), given.range, given.key});
  reading.leave(given.key, given.range, given.value, "the batch grows during the run; its last size is imported");
}

std::string scriptName(const Reading& reading) {
  std::string path = reading.sources.path(reading.request.files.front());
  path = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  path = path.substr(0, path.rfind('.'));
  constexpr std::string_view kUsual = "__model_config";
  if (path.ends_with(kUsual)) path.erase(path.size() - kUsual.size());
  const size_t folders = path.rfind("__");
  return folders == std::string::npos ? path : path.substr(folders + 2);
}

} // namespace

bool readMegatron(Reading& reading) {
  ShellVariables variables;
  reading.prefix = "--";
  for (const auto& [key, value] : reading.request.set) variables.given[key] = value;
  const FieldTable rows = fieldTable(megatronTable());
  std::vector<ForeignValue> files;
  for (const FileId file : reading.request.files) {
    std::optional<ForeignValue> options = readArguments(reading, file, variables);
    if (!options) return false;
    if (options->kind != ForeignValue::Kind::Table || options->members.empty()) {
      reading.missing("--num-layers", "the file has no command with arguments",
                      "name a file with the arguments of Megatron-LM");
      return false;
    }
    files.push_back(std::move(*options));
  }
  std::vector<ForeignField> fields;
  std::map<std::string, size_t> places; // the last of equal arguments counts
  for (const ForeignValue& file : files)
    for (ForeignField field : fieldsOf(file)) {
      field.key = spelled(field.key);
      const auto [at, added] = places.emplace(field.key, fields.size());
      if (added)
        fields.push_back(std::move(field));
      else
        fields[at->second] = std::move(field);
    }
  for (const std::string& name : variables.asked) reading.taken.push_back(name);
  reading.override(fields, rows, spelled);
  checkUnset(reading, rows, fields);
  takeFields(reading, rows, fields);
  for (const auto& [name, value] : textsOf(megatronTable().at("given"))) reading.settings.fallback(name, value);
  reading.takeDevices();
  const bool wrong = reading.found.hasErrors(); // a value that is wrong is not missing
  for (const auto& [setting, key] : textsOf(megatronTable().at("needs")))
    if (!wrong && !reading.settings.has(setting)) reading.missing(reading.prefix + key, "Megatron-LM needs it");
  settleSchedule(reading);
  if (reading.found.hasErrors() || !settleModel(reading)) return false;
  reading.name = scriptName(reading);
  reading.layout = reading.settles = true;
  reading.layouts = targetTable("megatron_layouts.json");
  return !reading.found.hasErrors();
}

} // namespace planc::foreign
