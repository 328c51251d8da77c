// The tables of facts: a row for every name, in its place; docs/facts.md says what they say; numbers by name and key.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/SampleColumns.h"
#include "tests/unit/support/PlanFiles.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace planc::ir {
namespace {

struct RecordTitle {
  RecordKind kind;
  std::string_view title;
};
constexpr RecordTitle kRecords[] = {{RecordKind::Device, "Device"},
                                    {RecordKind::Fabric, "Fabric"},
                                    {RecordKind::Level, "Level of a cluster"},
                                    {RecordKind::Cluster, "Cluster"},
                                    {RecordKind::Stack, "Stack"}};

TEST(FactTable, EveryNameHasItsRow) {
  for (const RecordTitle& record : kRecords) {
    std::set<std::string_view> paths;
    const auto rows = factRows(record.kind);
    EXPECT_LE(rows.size(), kMostFacts) << record.title;
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].id.record, record.kind) << rows[i].path;
      EXPECT_EQ(rows[i].id.index, i) << rows[i].path << " does not stand in the order of its name";
      EXPECT_TRUE(paths.insert(rows[i].path).second) << rows[i].path << " is declared twice";
      EXPECT_FALSE(rows[i].meaning.empty()) << rows[i].path;
      EXPECT_TRUE(rows[i].type.range.holds(rows[i].type.range.most)) << rows[i].path;
      EXPECT_EQ(rows[i].path.find('*') != std::string_view::npos, rows[i].type.star != StarKey::None) << rows[i].path;
    }
  }
}

std::string_view keyText(StarKey key) {
  switch (key) {
  case StarKey::DType:
    return "TYPE";
  case StarKey::Class:
    return "CLASS";
  case StarKey::Name:
  case StarKey::None:
    break;
  }
  return "NAME";
}

std::string unitText(const Unit& unit) {
  return unit.plain() ? "number" : unit.name();
}

/// ` by bytes`; a plain number is what the meaning says.
std::string byText(const Unit& size) {
  return size.plain() ? "" : " by " + size.name();
}

/// `time`, `number, or a curve of it by flops`, …
std::string takes(const FactType& type) {
  switch (type.form) {
  case FactForm::Count:
    return "whole number";
  case FactForm::Bool:
    return "`true` or `false`";
  case FactForm::Text:
    return "text";
  case FactForm::Custom:
    return "[a form of its own](language.md#8-machines-and-their-software)";
  case FactForm::Number:
    return unitText(type.unit) + (type.sizeUnit ? ", or a curve of it" + byText(*type.sizeUnit) : "");
  case FactForm::Curve:
    break;
  }
  return "curve of " + unitText(type.unit) + byText(type.sizeUnit.value_or(units::none));
}

bool hasRange(FactForm form) {
  return form == FactForm::Number || form == FactForm::Count || form == FactForm::Curve;
}

std::string line(const FactRow& row) {
  std::string path(row.path);
  if (const size_t star = path.find('*'); star != std::string::npos) path.replace(star, 1, keyText(row.type.star));
  const std::string inside = row.inside.empty() ? "" : fmt::format("; with statistics `{}`", row.inside);
  return fmt::format("| `{}` | {} | {} | {} | {}{} |\n", path, takes(row.type),
                     hasRange(row.type.form) ? row.type.range.text : "", row.type.calibrated ? "yes" : "", row.meaning,
                     inside);
}

std::string samples() {
  std::string text = "\n## Row of samples\n\n| column | takes | range | meaning |\n|---|---|---|---|\n";
  for (const SampleColumn& c : sampleColumns())
    text += fmt::format("| `{}` | {} | {} | {} |\n", c.name, takes(c.type), c.type.range.text, c.meaning);
  return text + fmt::format("| `{}` | curve of time by bytes | {} | measured, instead of the fit a + x/b + g·√(x/1 GB) "
                            "|\n",
                            kSampledTimes, ranges::kTime.text);
}

std::string page() {
  std::string text =
      "# Facts\n\n"
      "All facts of devices, fabrics, clusters and stacks: what each takes, its range and its meaning.\n"
      "[Language, section 8](language.md#8-machines-and-their-software) shows how to write them. Each part of a name\n"
      "between dots is a section. TYPE is an element type, CLASS a class of collectives, NAME an operator, an "
      "optimizer\n"
      "or a collective. A curve has one number for each size. A calibrated fact can have `samples`, `error`, `p90`\n"
      "and `valid`; so can a section of such facts and a row of samples.\n\n"
      "This page is made from the tables of `ir/facts`, and tested against them;\n"
      "`PLANC_RENEW=1 build/bin/planc_unit --gtest_filter='FactTable.*'` writes it.\n";
  for (const RecordTitle& record : kRecords) {
    text += fmt::format("\n## {}\n\n| fact | takes | range | calibrated | meaning |\n|---|---|---|---|---|\n",
                        record.title);
    for (const FactRow& row : factRows(record.kind)) text += line(row);
    if (record.kind == RecordKind::Fabric) text += samples();
  }
  return text;
}

TEST(FactTable, ThePageSaysWhatTheTablesSay) {
  const char* path = PLANC_SOURCE_DIR "/docs/facts.md";
  if (std::getenv("PLANC_RENEW")) std::ofstream(path, std::ios::binary) << page();
  EXPECT_EQ(planc::test::firstLineThatDiffers(planc::test::readFile(path), page()), "")
      << "PLANC_RENEW=1 build/bin/planc_unit --gtest_filter='FactTable.*' writes it";
}

TEST(FactStore, KeepsNumbersByNameAndKey) {
  FactStore store;
  auto number = [](double value) { return Number{.value = value}; };
  store.set(3, Symbol("b"), number(1));
  store.set(5, {}, number(2));
  store.set(3, Symbol("a"), number(3));
  store.set(1, {}, number(4));
  store.set(3, Symbol("b"), number(5));
  EXPECT_EQ(store.find(3, Symbol("b"))->value, 5);
  EXPECT_EQ(store.find(5, {})->value, 2);
  EXPECT_EQ(store.find(3, {}), nullptr);
  EXPECT_EQ(store.find(2, {}), nullptr);
  ASSERT_EQ(store.keys(3).size(), 2u);
  EXPECT_EQ(store.keys(3)[0].text(), "a") << "names by their text";
  store.erase(3, Symbol("a"));
  EXPECT_EQ(store.keys(3).size(), 1u);
  store.erase(3);
  EXPECT_EQ(store.find(3, Symbol("b")), nullptr);
  EXPECT_EQ(store.find(1, {})->value, 4);
  EXPECT_EQ(store.find(5, {})->value, 2);
}

} // namespace
} // namespace planc::ir
