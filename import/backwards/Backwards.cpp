// Matches the text of a plan with the targets of tables, which gives settings, and writes these as foreign fields.
// SPDX-License-Identifier: Apache-2.0
#include "import/backwards/Backwards.h"

#include "import/Import.h"
#include "import/Tables.h"
#include "import/backwards/BackwardsLayout.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace planc::foreign {

PLANC_ERROR(ForeignNoWords, 1219, "`{format}` has no words for {what}: {why}")

namespace {

/// The last `count` names of a path: `llama.dense` of `std.models.llama.dense`.
std::string lastNames(const std::string& path, int count) {
  size_t at = path.size();
  for (int i = 0; i < count && at != std::string::npos; ++i) at = at == 0 ? std::string::npos : path.rfind('.', at - 1);
  return at == std::string::npos ? path : path.substr(at + 1);
}

bool samePath(const std::string& path, const std::string& written) {
  return lastNames(path, 1) == lastNames(written, 1);
}

/// The text of a table as a plan writes it: without `override`, with declarations by their last two names.
std::string asWritten(std::string text, const std::string& model) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    const size_t end = text.find('@', at + 1);
    const std::string path = text.substr(at + 1, end - at - 1);
    text.replace(at, end - at + 1, path == "model" ? model : lastNames(path, 2));
  }
  return text.starts_with("override ") ? text.substr(9) : text;
}

/// Matches `a {b} c` with a text. Returns the settings; nullopt if the text has another form.
std::optional<Texts> matched(const std::string& form, const std::string& text) {
  Texts out;
  size_t at = 0, read = 0;
  while (at < form.size()) {
    const size_t end = form[at] == '{' ? form.find_first_of(" }", at + 1) : std::string::npos;
    if (end == std::string::npos || form[end] != '}' || end == at + 1) {
      if (read >= text.size() || text[read++] != form[at++]) return std::nullopt;
      continue;
    }
    size_t stop = end + 1; // of the plain text behind the setting
    while (stop < form.size() && (form[stop] != '{' || form.substr(stop, 2) == "{ ")) ++stop;
    const std::string behind = form.substr(end + 1, stop - end - 1);
    const size_t next = behind.empty()                                  ? text.size()
                        : stop == form.size() && text.ends_with(behind) ? text.size() - behind.size()
                                                                        : text.find(behind, read);
    if (next == std::string::npos || next <= read) return std::nullopt;
    out[form.substr(at + 1, end - at - 1)] = text.substr(read, next - read);
    read = next;
    at = end + 1;
  }
  return read == text.size() ? std::optional(out) : std::nullopt;
}

/// Takes the arguments of a call by a target. Returns the parameters that it does not know.
std::vector<std::string> takeArguments(const Target& target, const WrittenCall& call, Texts& settings) {
  std::vector<std::string> unknown;
  for (const auto& argument : call.arguments) {
    const auto row = std::find_if(target.arguments.begin(), target.arguments.end(),
                                  [&](const auto& one) { return one.first == argument.first; });
    const auto values = row == target.arguments.end() ? std::nullopt : matched(row->second, argument.second);
    if (!values)
      unknown.push_back(argument.first);
    else
      for (const auto& [name, value] : *values) settings[name] = value;
  }
  return unknown;
}

/// Takes the settings of the model's call. Returns false after a report.
bool takeModel(Backwards& state) {
  const TargetTable table = targetTable("models.json");
  const WrittenCall& call = state.plan.model;
  std::vector<std::string> unknown;
  bool any = false;
  for (const Target& target : table.targets) {
    const auto family = target.when.find("family");
    if (!samePath(target.path, call.path) || family == target.when.end() || family->second.front() != state.family)
      continue;
    any = true;
    Texts settings;
    unknown = takeArguments(target, call, settings);
    if (!unknown.empty()) continue;
    for (const auto& [name, value] : table.settings)
      if (value) settings.try_emplace(name, *value);
    for (const auto& [name, values] : target.when) settings[name] = values.front();
    state.defaults = table.settings;
    state.settings.merge(settings);
    return true;
  }
  state.lacks(call.range, any ? fmt::format("`{}` of the model", unknown.front()) : "the model",
              any ? "no row of its tables has it in this form" : fmt::format("no row of its tables is `{}`", call.path),
              "write the model as a call whose arguments are numbers, such as `llama.dense(layers = 32, hidden = 4096, "
              "heads = 32, ffn = 11008, vocab = 32000)`, as `planc import` does");
  return false;
}

/// Takes the settings of the recipe's call and of the statements. Returns false after a report.
bool takeLayout(Backwards& state, const TargetTable& table) {
  const auto target = std::find_if(table.targets.begin(), table.targets.end(),
                                   [&](const Target& one) { return samePath(one.path, state.plan.recipe.path); });
  if (target == table.targets.end()) {
    state.lacks(state.plan.recipe.range, "the layout",
                fmt::format("the plan extends {}, and not `{}`",
                            state.plan.recipe.path.empty() ? "no recipe" : "`" + state.plan.recipe.path + "`",
                            table.targets.front().path),
                fmt::format("extend `{}`, and give what differs as arguments", table.targets.front().path));
    return false;
  }
  Texts settings;
  for (const std::string& parameter : takeArguments(*target, state.plan.recipe, settings))
    if (parameter != recipeParameter("model") && parameter != recipeParameter("cluster"))
      state.comments.push_back(fmt::format("{} of the recipe", parameter));
  for (const std::string& statement : state.plan.statements) {
    bool known = false;
    for (const StatementRow& row : target->statements) {
      const auto values = matched(asWritten(row.text, state.plan.modelName), asWritten(statement, ""));
      if (!values) continue;
      if (row.value != "*") settings[row.setting] = row.value;
      for (const auto& [name, value] : *values) settings[name] = value;
      known = true;
      break;
    }
    if (!known) state.comments.push_back(statement);
  }
  for (const auto& [name, value] : settings) state.settings[name] = value;
  state.settings.try_emplace("compute", state.plan.compute);
  state.settings.try_emplace("grads", state.plan.grads);
  for (const auto& [name, value] : table.settings)
    if (value && !value->empty()) state.settings.try_emplace(name, *value);
  return true;
}

/// The value of a row's field that gives the setting; nullopt if none does. A flag that is on gives an empty text.
std::optional<std::string> fieldValue(const FieldRow& row, const std::string& setting) {
  if (!row.words.empty()) {
    if (const auto same = row.words.find(setting); same != row.words.end() && same->second == setting) return setting;
    for (const auto& [word, meaning] : row.words)
      if (meaning == setting) return word;
    return std::nullopt;
  }
  if (row.takes != Takes::Flag) return setting;
  return row.value == setting ? std::optional<std::string>("") : std::nullopt;
}

/// The fields of all settings, in the order of the table.
std::vector<std::pair<std::string, std::string>> fieldsOf(Backwards& state, const nlohmann::json& table) {
  const FieldTable rows = fieldTable(table);
  const Texts given = table.contains("given") ? textsOf(table.at("given")) : Texts();
  std::vector<std::pair<std::string, std::string>> out;
  std::set<std::string> said;
  for (const nlohmann::json& one : table.at("rows")) {
    const nlohmann::json& keys = one.at("key");
    const std::string key = keys.is_array() ? keys.front().get<std::string>() : keys.get<std::string>();
    const FieldRow& row = *rows.row(key);
    const auto setting = state.settings.find(row.as);
    if (row.as.empty() || setting == state.settings.end() || said.contains(row.as)) continue;
    const auto usual = given.find(row.as);
    const bool plain = usual != given.end() && usual->second == setting->second;
    const auto value = plain ? std::nullopt : fieldValue(row, setting->second);
    if (!plain && !value) continue;
    said.insert(row.as);
    if (value) out.emplace_back(key, *value);
  }
  for (const auto& [name, value] : state.settings) {
    const auto usual = given.find(name);
    const auto plain = state.defaults.find(name);
    if (said.contains(name) || (usual != given.end() && usual->second == value)) continue;
    if (plain == state.defaults.end() || plain->second == value) continue;
    state.lacks(state.plan.model.range, fmt::format("`{} = {}` of the model", name, value), "no field says it",
                "leave it out, or export another format");
  }
  return out;
}

} // namespace

void Backwards::lacks(SourceRange range, std::string_view what, std::string_view why, std::string_view help) {
  found.report(ForeignNoWords, range, {{"format", format}, {"what", what}, {"why", why}}).help(std::string(help));
}

int64_t Backwards::count(const std::string& name, int64_t otherwise) const {
  const auto at = settings.find(name);
  if (at == settings.end() || at->second.empty() || at->second.size() > 15 ||
      at->second.find_first_not_of("0123456789") != std::string::npos)
    return otherwise;
  return std::stoll(at->second);
}

std::optional<std::string> writtenBack(std::string_view format, const PlanWords& plan, DiagnosticEngine& found) {
  Backwards state{format, plan, found};
  const TargetTable layouts = targetTable(fmt::format("{}_layouts.json", format));
  if (!takeLayout(state, layouts) || !takeModel(state)) return std::nullopt;
  unsettleMegatron(state);
  if (found.hasErrors()) return std::nullopt;
  const auto fields = fieldsOf(state, tableFile(fmt::format("{}.json", format)));
  if (found.hasErrors()) return std::nullopt;
  std::string out = fmt::format("# Arguments of {}, as the plan {} says them, for {} devices.\nARGUMENTS=(\n", format,
                                plan.name, plan.devices);
  for (const std::string& comment : state.comments) out += fmt::format("  # Not said here: {}\n", comment);
  for (const auto& [key, value] : fields)
    out += value.empty()                                        ? fmt::format("  --{}\n", key)
           : value.find_first_of("|*()[]") == std::string::npos ? fmt::format("  --{} {}\n", key, value)
                                                                : fmt::format("  --{} \"{}\"\n", key, value);
  return out + ")\ntorchrun pretrain_gpt.py \"${ARGUMENTS[@]}\"\n";
}

} // namespace planc::foreign
