// Parses the vocabulary of estimate-train-time. A formula may use columns of its function, and `lets`.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/RegressorWords.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::calibrate {

namespace {

/// Checks that every name in the formula is a column, or a `let` over columns.
void checkNames(const Formula& formula, const RegressorFunction& function, const RegressorWords& words,
                const VocabularyEntry& row) {
  for (const std::string_view name : formula.names()) {
    const auto let = words.lets.find(name);
    if (let != words.lets.end())
      checkNames(let->second, function, words, row);
    else if (std::find(function.columns.begin(), function.columns.end(), name) == function.columns.end())
      row.fail(fmt::format("`{}` is not one of its columns", name));
  }
}

RegressorFunction functionOf(const VocabularyEntry& row, const RegressorWords& words) {
  RegressorFunction out{row.text("function"), row.kind("kind"), Symbol(row.text("as")), row.texts("columns"), {}, {}};
  if (row.has("elements")) out.elements.emplace(row.text("elements"));
  if (row.has("extents"))
    for (const auto& [word, formula] : row.words("extents")) {
      const std::optional<Extent> extent = parseExtent(word);
      if (!extent) row.fail(fmt::format("`{}` is not an extent", word));
      out.extents.emplace_back(*extent, Formula(formula));
    }
  for (const auto& [extent, formula] : out.extents) checkNames(formula, out, words, row);
  if (out.elements) checkNames(*out.elements, out, words, row);
  for (const Extent needed : calibrate::rowOf(out.kind).needs)
    if (!(out.elements && needed == Extent::Bytes) &&
        std::none_of(out.extents.begin(), out.extents.end(), [&](const auto& e) { return e.first == needed; }))
      row.fail(fmt::format("`{}` is missing", name(needed)));
  return out;
}

} // namespace

RegressorWords regressorWords(std::string_view text) {
  const nlohmann::json json = parseVocabulary(text);
  const VocabularyEntry file(json, "regressor.json", {"lets", "functions"});
  file.text("source");
  RegressorWords out;
  // A `let` may use columns only, so it cannot refer to itself.
  for (const VocabularyEntry& let : file.rows("lets", {"name", "is"})) {
    Formula formula(let.text("is"));
    for (const std::string_view name : formula.names())
      if (out.lets.count(name)) let.fail(fmt::format("`{}` is not a column", name));
    if (!out.lets.emplace(let.text("name"), std::move(formula)).second) let.fail("it is listed twice");
  }
  for (const VocabularyEntry& row :
       file.rows("functions", {"function", "kind", "as", "columns", "extents", "elements"}))
    out.functions.push_back(functionOf(row, out));
  return out;
}

} // namespace planc::calibrate
