// Opens stores with the facts of a search, and runs commands on stores.
// SPDX-License-Identifier: Apache-2.0
#include "driver/search/SearchStore.h"

#include "driver/files/Inputs.h"
#include "driver/words/Commands.h"
#include "driver/words/Help.h"
#include "report/search/StoreRows.h"
#include "search/store/Merge.h"
#include "support/files/Digest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace planc::driver {

namespace {

using search::StoreFacts;
using search::StoreFailure;

/// Returns the options that define the search as JSON, so that a report can repeat it.
std::string askedText(const Arguments& arguments) {
  nlohmann::ordered_json out = {{"file", arguments.positional.at(0)}, {"options", nlohmann::ordered_json::object()}};
  for (const Option& option : kSearchCommand.options)
    if (option.use & kOfQuestion && arguments.has(option.name))
      out["options"][std::string(option.name)] = arguments.all(option.name);
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Returns the options that a store was made with, and the output options of the current command line.
Arguments askedOf(const search::Store& store, const Arguments& now) {
  Arguments asked;
  asked.values = now.values;
  try {
    const auto json = nlohmann::json::parse(store.header().asked);
    asked.positional = {json.at("file").get<std::string>()};
    for (const auto& option : json.at("options").items())
      asked.values[option.key()] = option.value().get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    throw StoreFailure(store.path() + " is damaged");
  }
  return asked;
}

std::string spaceDigest(const ir::Space& space) {
  nlohmann::json out = nlohmann::json::array();
  for (const ir::Choice& choice : space.choices) {
    nlohmann::json values = nlohmann::json::array();
    for (const ir::ChoiceValue& value : choice.values) values.push_back(value.texts);
    out.push_back({choice.paths, values, choice.depends, choice.lists, choice.inner});
  }
  out.push_back(space.fill ? space.fill->str() : "");
  return digestOf(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Separates goals and conditions in a fact; no expression contains it.
constexpr std::string_view kBetween = "; ";

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : std::string(kBetween)) + item;
  return text;
}

std::vector<std::string> goalWords(const ir::SearchTerms& terms) {
  std::vector<std::string> words;
  for (const ir::Goal& goal : terms.goals)
    words.push_back((goal.maximize ? "maximize " : "minimize ") + goal.tree.text);
  if (words.empty()) words.emplace_back("minimize step_time");
  return words;
}

/// Returns the values of a choice for a fact: all of them, or as many as fit on a line and a digest of all.
std::string valuesText(const ir::Choice& choice) {
  constexpr size_t kShown = 200;
  std::string text;
  for (const ir::ChoiceValue& value : choice.values) {
    text += text.empty() ? "[" : ", ";
    for (size_t p = 0; p < value.texts.size(); ++p) text += (p ? " with " : "") + value.texts[p];
  }
  text += text.empty() ? "[]" : "]";
  if (text.size() <= kShown) return text;
  const size_t cut = text.rfind(", ", kShown);
  return fmt::format("{}, … {} values, {:.12}]", text.substr(0, std::min(cut, kShown)), choice.values.size(),
                     digestOf(text));
}

/// Returns all facts that the answer depends on.
StoreFacts factsOf(const Arguments& arguments, InputFile& file, const api::Search& search, bool exhaustive, bool rows) {
  StoreFacts facts = {{"planc", std::string(versionNumber())}, {"plan", search.plan().asked().named}};
  const SourceManager& sources = file.sources();
  std::map<std::string, int> named;
  for (uint32_t i = 0; i < sources.fileCount(); ++i) {
    const FileId id(i);
    if (!isInput(sources, id, file.shownPath())) continue;
    const std::string name = std::filesystem::path(sources.path(id)).filename().string();
    const int count = ++named[name];
    facts.emplace_back("file " + name + (count > 1 ? fmt::format(" ({})", count) : ""), digestOf(sources.text(id)));
  }
  std::vector<std::string> where;
  for (const ir::Condition& condition : search.terms().conditions) where.push_back(condition.tree.text);
  facts.emplace_back("library", libraryDigest());
  facts.emplace_back("--set", listed(arguments.all(kSetOption.name)));
  std::vector<std::string> varied; // they show in a message what differs; the digest covers all
  StoreFacts values;
  for (const ir::Choice& choice : search.space().choices) {
    std::string paths;
    for (const std::string& path : choice.paths) paths += (paths.empty() ? "" : " with ") + path;
    varied.push_back(paths);
    values.emplace_back(fmt::format("`vary {}`", paths), valuesText(choice));
  }
  facts.emplace_back("what is varied", listed(varied));
  facts.insert(facts.end(), values.begin(), values.end());
  facts.emplace_back("fill", search.space().fill ? search.space().fill->str() : "");
  facts.emplace_back("space", spaceDigest(search.space()));
  facts.emplace_back("where", listed(where));
  facts.emplace_back("goals", listed(goalWords(search.terms())));
  facts.emplace_back("--top", std::to_string(search.space().top));
  facts.emplace_back("--keep", rows ? "all" : "best");
  facts.emplace_back("bounds", exhaustive ? "none: all are priced" : "used");
  return facts;
}

search::StoreHeader headerOf(const Arguments& arguments, InputFile& file, const api::Search& search, bool exhaustive,
                             bool rows) {
  search::StoreHeader header;
  header.facts = factsOf(arguments, file, search, exhaustive, rows);
  header.asked = askedText(arguments);
  header.blocks = search::blocksOf(search.space());
  header.conditions = search.terms().conditions.size();
  header.goals = std::max<size_t>(1, search.terms().goals.size());
  header.top = static_cast<size_t>(search.space().top);
  header.rows = rows;
  return header;
}

/// Throws if the store belongs to another search.
void checkSame(const search::Store& store, const StoreFacts& now, const std::string& help) {
  const std::string text = search::mismatchText(store.path(), store.header().facts, "the current options", now);
  if (!text.empty()) throw search::StoreMismatch(text, help);
}

// ---- commands over stores ------------------------------------------------------------------------------------------

/// Prints a line per row of the store, using the store's own texts, so that the plan is not needed.
int printStoredRows(Console& console, const search::Store& store) {
  const ir::Space& space = store.space();
  std::vector<std::string> goals;
  for (const auto& fact : store.header().facts)
    if (fact.first == "goals")
      for (size_t from = 0; from <= fact.second.size();) {
        const size_t end = std::min(fact.second.find(kBetween, from), fact.second.size());
        goals.push_back(fact.second.substr(from, end - from));
        from = end + kBetween.size();
      }
  goals.resize(store.header().goals);
  console.out(search::storedRowHead(space, goals));
  store.eachRow([&](const search::Outcome& row) { console.out(search::storedRow(space, goals, row)); });
  return kClean;
}

int reportStore(Console& console, const Arguments& arguments) {
  if (arguments.positional.size() < 2 || arguments.positional.size() > 3)
    return console.usageError("`planc search report` takes a store, and a plan file if the file has moved",
                              "write `planc search report FILE.db`");
  const std::unique_ptr<search::Store> store = search::Store::read(arguments.positional[1]);
  if (arguments.has("--rows")) return printStoredRows(console, *store);
  Arguments asked = askedOf(*store, arguments);
  if (arguments.positional.size() == 3) asked.positional = {arguments.positional[2]};
  InputFile file(console, asked.positional[0]);
  if (!file.load()) {
    console.remark("  = help: name the plan file after the store; `--rows` prints the rows of the store without it\n");
    return kUsage;
  }
  const std::optional<Applying> applying = applyingOf(console, arguments);
  if (!applying) return kUsage;
  int code = kClean;
  const std::unique_ptr<api::Search> search = searchOf(console, asked, file, *applying, code);
  if (!search) return code;
  const bool exhaustive = isExhaustive(asked, *search);
  checkSame(*store, factsOf(asked, file, *search, exhaustive, store->header().rows),
            "`--rows` prints only the rows of the store; without it the search runs again");
  const search::Walked walked = store->walked(search->space());
  Decided decided{static_cast<double>(walked.decided.size()) / static_cast<double>(store->header().blocks),
                  store->header().shard,
                  {}};
  if (store->header().shard.count == 1 && walked.least != 0)
    decided.least = walked.least; // otherwise the bound is about one shard
  return printAnswer(console, asked, file, *search, walked.answer, decided, exhaustive, *applying);
}

/// Returns whether a file is an SQLite database, by its first bytes.
bool isStoreFile(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string begin(kMagic.size(), ' ');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

int mergeShards(Console& console, const Arguments& arguments) {
  if (arguments.positional.size() < 3)
    return console.usageError("`planc search merge` takes a new store and those of all shards",
                              "write `planc search merge all.db shard0.db shard1.db`");
  const std::vector<std::string> shards(arguments.positional.begin() + 2, arguments.positional.end());
  const std::string& out = arguments.positional[1];
  search::checkStorePath(out);
  std::error_code ignored;
  if (std::filesystem::exists(out, ignored) && std::filesystem::file_size(out, ignored) != 0)
    return console.usageError(out + " already exists",
                              "a merge writes a new store: name another file, or remove this one");
  search::mergeStores(out, shards);
  console.out(fmt::format("{} contains the result of {} {}: `planc search report {}`\n", out, shards.size(),
                          shards.size() == 1 ? "shard" : "shards", out));
  return kClean;
}

} // namespace

int reportFailure(Console& console, const StoreFailure& failure) {
  console.usageError(failure.what(), failure.help());
  return dynamic_cast<const search::StoreMismatch*>(&failure) ? kFailed : kUsage;
}

int SearchStore::open(Console& console, const Arguments& arguments, InputFile& file, api::Search& search,
                      bool exhaustive) {
  const std::optional<std::string> path = arguments.value("--store");
  if (const auto text = arguments.value("--shard")) {
    const search::SaidShard said = search::shardOf(*text, [](const char* name) { return std::getenv(name); });
    if (!said.shard) return console.usageError(said.mistake, said.help);
    shard_ = *said.shard;
  }
  if (!path) return kClean;
  if (arguments.text)
    return console.usageError("a store records the searched file, but a plan of `--model` is in no file",
                              "write the plan to a file: `planc new MODEL CLUSTER -o FILE`");
  search::StoreHeader header = headerOf(arguments, file, search, exhaustive, *arguments.value("--keep") == "all");
  header.shard = shard_;
  try {
    store_ = arguments.has("--resume") ? search::Store::resume(*path, header, search.space())
                                       : search::Store::create(*path, header, search.space());
    const std::string help = "use the same options as before, or name another file";
    checkSame(*store_, header.facts, help);
    if (!(store_->header().shard == shard_))
      throw search::StoreMismatch(fmt::format("{} is the store of another shard, {}, but {} is given now", *path,
                                              store_->header().shard.str(), shard_.str()),
                                  help);
    before_ = store_->walked(search.space());
  } catch (const StoreFailure& failure) {
    return reportFailure(console, failure);
  }
  return kClean;
}

search::WalkPart SearchStore::part() const {
  return {shard_, before_ ? &*before_ : nullptr, store_.get()};
}

std::optional<search::Answer> SearchStore::run(Console& console, const std::function<search::Answer()>& walk) const {
  try {
    return walk();
  } catch (const StoreFailure& failure) {
    reportFailure(console, failure);
    console.remark("the search ended there: later results are lost\n");
    return std::nullopt;
  }
}

void SearchStore::remark(Console& console, bool finished) const {
  if (store_ && !finished)
    console.remark(fmt::format("{} has the results so far: `--resume` continues\n", store_->path()));
}

std::optional<int> runOverStores(Console& console, const Arguments& arguments) {
  const std::string& word = arguments.positional[0];
  if (word != "report" && word != "merge") {
    if (arguments.positional.size() == 1 && !isStoreFile(word)) return std::nullopt;
    if (arguments.positional.size() == 1)
      return console.usageError(word + " is a store, not a plan",
                                fmt::format("`planc search report {}` prints its result", word));
    return console.usageError(fmt::format("`planc search` does not use `{}`", arguments.positional[1]),
                              "it takes one plan file; `report` and `merge` take stores");
  }
  try {
    return word == "report" ? reportStore(console, arguments) : mergeShards(console, arguments);
  } catch (const StoreFailure& failure) {
    return reportFailure(console, failure);
  }
}

} // namespace planc::driver
