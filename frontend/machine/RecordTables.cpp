// Reads the facts of records that are no numbers. Their tables are in ir/facts.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/RecordTables.h"

#include "frontend/machine/Samples.h"
#include "frontend/machine/Topologies.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Layout.h"
#include "ir/machine/Release.h"
#include "ir/vocabulary/Algorithms.h"
#include "support/Day.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(ReleaseForm, 551,
            "`{fact}` must be a year, a month, or a span such as `2025-11 to 2026-02`; this is `{text}`")
PLANC_ERROR(FittedFactForm, 552, "`{fact}` must be {expected}; this is `{text}`")
PLANC_ERROR(UnknownWord, 510, "`{fact}` must be one of {words}; this is `{word}`")

namespace {

using In = FactInput;

/// Reports arguments after a word that takes none.
void refuseArguments(In& in, std::string_view word) {
  if (in.node->value->kind != ExprKind::Call) return;
  for (const syntax::Arg& arg : in.node->value->args)
    reportUnknownFact(in.ev->context, arg.name ? arg.name->range : arg.value->range,
                      arg.name ? arg.name->text.view() : std::string_view("argument"),
                      {fmt::format("`{}`", word), in.node->value->range}, {})
        .help("remove the parentheses: this word has no arguments");
}

void accumulate(ir::Stack& s, In& in) {
  static const std::vector<std::string> kWords{"none", "separate", "fused", "deferred"};
  if (const int at = wordIndex(in, kWords); at >= 0) {
    refuseArguments(in, kWords[static_cast<size_t>(at)]);
    in.number.value = at;
    s.set(ir::StackFact::Accumulate, in.number);
  }
}

/// Stores a text as the key of its fact, so that look-ups work as for numbers.
template <class Record, class Id> void text(Record& record, Id id, In& in) {
  if (!in.text.empty()) record.set(id, Symbol(in.text), in.number);
}

/// Reads `released = "2025-11 to 2026-02"` or `installed = "2026-08"`. Its number is the first month.
void release(ir::Stack& s, ir::StackFact id, In& in) {
  const std::optional<ir::ReleaseSpan> months = ir::parseRelease(in.text);
  if (!months) {
    in.ev->context.report(ReleaseForm, in.node->value->range, {{"fact", ir::factRow(id).path}, {"text", in.text}})
        .help("write the year and the month in digits, the earlier one first");
    return;
  }
  in.number.value = months->first;
  text(s, id, in);
}

bool isDigest(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:", kDigits = "0123456789abcdef";
  return text.starts_with(kPrefix) && text.size() == kPrefix.size() + 64 &&
         text.find_first_not_of(kDigits, kPrefix.size()) == std::string_view::npos;
}

/// Returns whether a text is a version: `0.2.0`, `1.0.0-rc1`.
bool isVersion(std::string_view text) {
  const auto known = [](char c) { return llvm::isAlnum(c) || c == '.' || c == '-' || c == '+'; };
  return !text.empty() && llvm::isDigit(text[0]) && std::all_of(text.begin(), text.end(), known);
}

/// Reads a fact of `fitted { samples = …; planc = …; date = … }`, by the last step of its path.
template <class Record, class Id> void fitted(Record& record, Id id, In& in) {
  struct FittedForm {
    std::string_view path;
    bool (*holds)(std::string_view);
    std::string_view expected;
  };
  static constexpr std::array<FittedForm, 3> kForms{
      {{"fitted.samples", isDigest, "the SHA-256 of samples, `sha256:` and 64 hexadecimal digits"},
       {"fitted.planc", isVersion, "a version of planc, as `0.2.0`"},
       {"fitted.date", isDay, "a day, as `2026-11-28`"}}};
  for (const FittedForm& form : kForms) {
    if (form.path != ir::factRow(id).path) continue;
    if (form.holds(in.text)) return text(record, id, in);
    in.ev->context
        .report(FittedFactForm, in.node->value->range,
                {{"fact", form.path}, {"expected", form.expected}, {"text", in.text}})
        .help("keep the section as `planc calibrate` writes it, or remove it if the record was not fitted");
  }
}

/// Reads `recipes = [fp8_tensor, mxfp8]`.
void recipes(ir::Device& d, In& in) {
  static const TypeInfo kList{.kind = TypeInfo::Kind::List, .name = "list"};
  const Value v = in.ev->coerce(in.tree->value(*in.node, &kList), kList, "`recipes`");
  if (v.invalid()) return;
  d.recipes.clear();
  for (const Value& item : v.list->items) {
    if (item.invalid()) return;
    if (item.kind == ValueKind::DType && ir::isRecipe(item.dtype)) {
      d.recipes.push_back(item.dtype);
      continue;
    }
    std::string words;
    for (ir::DType t : ir::allDTypes())
      if (ir::isRecipe(t)) words += fmt::format("{}`{}`", words.empty() ? "" : ", ", ir::name(t));
    in.ev->context.report(UnknownWord, item.range, {{"fact", "recipes"}, {"words", words}, {"word", show(item)}});
    return;
  }
}

/// Reads `names = ["H100 80GB HBM3"]`.
void names(ir::Device& d, In& in) {
  static const TypeInfo kList{.kind = TypeInfo::Kind::List, .name = "list"};
  const Value v = in.ev->coerce(in.tree->value(*in.node, &kList), kList, "`names`");
  static const TypeInfo kString{.kind = TypeInfo::Kind::String, .name = "string"};
  if (v.invalid()) return;
  const auto useless = [&](SourceRange at) {
    reportOutOfRange(in.ev->context, at.valid() ? at : in.node->value->range, "names", show(v),
                     "names that drivers report, each with a letter or a digit")
        .help("remove `names` if drivers report only the device's own name");
  };
  d.names.clear();
  if (v.list->items.empty()) useless({});
  for (const Value& item : v.list->items) {
    const Value name = in.ev->coerce(item, kString, "an entry of `names`");
    if (name.invalid()) continue;
    const bool named = std::any_of(name.string->begin(), name.string->end(), [](char c) { return llvm::isAlnum(c); });
    if (!named) return useless(item.range);
    d.names.push_back(*name.string);
  }
}

/// Reads `algorithm.NAME = hierarchical`. The value is the index of the word in the vocabulary.
template <class Record, class Id> void algorithm(Record& record, Id id, In& in) {
  static const std::array<ir::CollectiveKind, 4> kKinds{ir::CollectiveKind::AllReduce, ir::CollectiveKind::AllGather,
                                                        ir::CollectiveKind::ReduceScatter,
                                                        ir::CollectiveKind::AllToAll};
  auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](ir::CollectiveKind k) { return Symbol(ir::name(k)) == in.star; });
  if (kind == kKinds.end()) {
    std::vector<std::string> names;
    for (ir::CollectiveKind k : kKinds) names.emplace_back(ir::name(k));
    reportUnknownFact(in.ev->context, in.node->nameRange, in.star.view(), {"`algorithm`", in.node->nameRange}, names);
    return;
  }
  if (const ir::Word* word = readWord(in, ir::algorithmWords())) {
    refuseArguments(in, word->name);
    in.number.value = static_cast<double>(ir::algorithmWords().indexOf(*word));
    record.set(id, *kind, in.number);
  }
}

} // namespace

void readCustom(ir::Device& device, ir::DeviceFact id, FactInput& in) {
  if (id == ir::DeviceFact::Platform) device.platform = in.text;
  if (id == ir::DeviceFact::Names) names(device, in);
  if (id == ir::DeviceFact::Architecture) device.architecture = in.text;
  if (id == ir::DeviceFact::Usual) device.usual = in.text;
  if (id == ir::DeviceFact::Recipes) recipes(device, in);
  fitted(device, id, in);
}

void readCustom(ir::Fabric& fabric, ir::FabricFact id, FactInput& in) {
  if (ir::Fabric::Samples* samples = fabric.samplesOf(id))
    readSamples(*samples, in);
  else if (id == ir::FabricFact::Algorithm)
    algorithm(fabric, id, in);
  fitted(fabric, id, in);
}

void readCustom(ir::ClusterLevel& level, ir::LevelFact id, FactInput& in) {
  if (id == ir::LevelFact::Topology) readTopology(level.topology, in); // Machines reads the level's fabric
}

void readCustom(ir::Cluster&, ir::ClusterFact, FactInput&) {} // Machines reads the cluster's device

void readCustom(ir::Stack& stack, ir::StackFact id, FactInput& in) {
  if (id == ir::StackFact::Platform) stack.platform = in.text;
  if (id == ir::StackFact::Framework || id == ir::StackFact::Dispatcher) text(stack, id, in);
  if (id == ir::StackFact::Released || id == ir::StackFact::Installed) release(stack, id, in);
  if (id == ir::StackFact::Accumulate) accumulate(stack, in);
  if (id == ir::StackFact::Algorithm) algorithm(stack, id, in);
  fitted(stack, id, in);
}

const ir::Word* readWord(FactInput& in, const ir::Vocabulary& vocabulary) {
  const int at = wordIndex(in, vocabulary.names());
  return at < 0 ? nullptr : vocabulary.words()[static_cast<size_t>(at)];
}

int wordIndex(FactInput& in, const std::vector<std::string>& words) {
  const Expr* e = in.node->value;
  std::string word;
  SourceRange at = e->range;
  if (e->kind == ExprKind::Call) e = e->kids[0];
  if (e->kind == ExprKind::Name) word = e->name.text.str();
  if (e->kind == ExprKind::None) word = "none"; // `none` is a reserved word, but also a valid word here
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<int>(i);
  if (word.empty()) word = std::string(in.ev->context.text(at));
  auto report = in.ev->context.report(UnknownWord, at,
                                      {{"fact", in.node->name.str()}, {"words", quotedSeries(words)}, {"word", word}});
  report.meant(word, words);
  return -1;
}

} // namespace planc::frontend
