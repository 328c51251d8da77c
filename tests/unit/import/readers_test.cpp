// Readers of foreign files: values, their places, and what is no value.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"
#include "import/shell/Shell.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace {

using namespace planc;
using namespace planc::foreign;

struct Read {
  SourceManager sources{};
  DiagnosticEngine found{};
  std::optional<ForeignValue> root{};

  std::string at(const ForeignValue& value) const { return std::string(sources.text(value.range)); }
  std::vector<std::string> codes() const {
    std::vector<std::string> out;
    for (const Diagnostic* d : found.sorted()) out.push_back(d->kind->id());
    return out;
  }
};

void json(Read& read, std::string text) {
  read.root = readJson(read.sources, read.sources.add("a.json", std::move(text)), read.found);
}

TEST(ForeignJson, EachValueHasItsPlace) {
  Read read;
  json(read, R"({"a" : -1.5e3 , "b":["x\"y", null,true], "c": {"d":12}})");
  ASSERT_TRUE(read.root);
  EXPECT_EQ(read.at(*read.root->member("a")), "-1.5e3");
  EXPECT_EQ(read.root->member("a")->number, -1500);
  const ForeignValue& list = *read.root->member("b");
  EXPECT_EQ(read.at(list.items[0]), R"("x\"y")");
  EXPECT_EQ(list.items[0].text, "x\"y");
  EXPECT_EQ(read.at(list.items[1]), "null");
  EXPECT_EQ(read.at(list.items[2]), "true");
  EXPECT_EQ(read.at(list), R"(["x\"y", null,true])");
  EXPECT_EQ(read.at(*read.root->member("c")->member("d")), "12");
  EXPECT_EQ(read.root->member("c")->member("d")->whole, 12);
  EXPECT_EQ(read.sources.text(read.root->members[2].range), "\"c\"");
}

TEST(ForeignJson, ReadsWhatPythonWrites) {
  Read read;
  json(read, R"({"limit": [0.0, Infinity], "low": -Infinity, "no": NaN, "text": "NaN // no comment"})");
  ASSERT_TRUE(read.root);
  EXPECT_TRUE(std::isinf(read.root->member("limit")->items[1].number));
  EXPECT_EQ(read.at(*read.root->member("low")), "-Infinity");
  EXPECT_TRUE(std::isnan(read.root->member("no")->number));
  EXPECT_EQ(read.root->member("text")->text, "NaN // no comment");
  EXPECT_TRUE(read.found.empty());
}

TEST(ForeignJson, MistakesHaveCodes) {
  const std::pair<const char*, std::vector<std::string>> rows[] = {
      {R"({"a": 1, "a": 2})", {"PLAN1202"}},   {R"({"a": 1, "a": 1})", {"PLAN1217"}},
      {R"({"a": 1 /* why */})", {"PLAN1203"}}, {R"({"a": 1)", {"PLAN1201"}},
      {R"({"a": 1e999})", {"PLAN1201"}},       {"", {"PLAN1201"}},
      {"{\"a\": \"\xff\"}", {"PLAN1201"}},     {R"({"a": 01})", {"PLAN1201"}},
      {R"({"a": tru})", {"PLAN1201"}},
  };
  for (const auto& [text, codes] : rows) {
    Read read;
    json(read, text);
    EXPECT_EQ(read.codes(), codes) << text;
    EXPECT_EQ(read.root.has_value(), !read.found.hasErrors()) << text;
  }
}

TEST(ForeignJson, DeepNestingIsAnError) {
  Read read;
  json(read, std::string(100'000, '['));
  EXPECT_EQ(read.codes(), std::vector<std::string>{"PLAN1201"});
}

TEST(ForeignYaml, AliasesAreExpandedUpToALimit) {
  Read read;
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) text += (j ? ", *a" : "*a") + std::to_string(i - 1);
    text += "]\n";
  }
  read.root = readYaml(read.sources, read.sources.add("a.yaml", text), read.found);
  EXPECT_FALSE(read.root);
  EXPECT_EQ(read.codes(), std::vector<std::string>{"PLAN1201"});
}

TEST(ForeignYaml, QuotedNumbersAreTexts) {
  Read read;
  read.root = readYaml(read.sources, read.sources.add("a.yaml", "a: 12\nb: \"12\"\nc: ~\n"), read.found);
  ASSERT_TRUE(read.root);
  EXPECT_EQ(read.root->member("a")->whole, 12);
  EXPECT_EQ(read.root->member("b")->kind, ForeignValue::Kind::Text);
  EXPECT_EQ(read.root->member("c")->kind, ForeignValue::Kind::Null);
}

std::string optionsText(const std::string& script) {
  SourceManager sources;
  DiagnosticEngine found;
  ShellVariables variables;
  const auto commands = readShell(sources, sources.add("a.sh", script), variables, found);
  std::string out = found.hasErrors() ? "error " : "";
  if (commands && !commands->empty())
    for (const ForeignMember& one : commands->back().members) out += one.name + "=" + one.value.shown() + " ";
  return out;
}

TEST(ForeignShell, FollowsAssignmentsArraysAndConditions) {
  EXPECT_EQ(optionsText("A=2\nB=$((A * 3 + 1))\nrun --x $B --y ${C:-8} --flag\n"), "--x=7 --y=8 --flag=true ");
  EXPECT_EQ(optionsText("L=(--x 1 # one\n --y '2 3')\nL+=(\"--z 4\")\nrun \"${L[@]}\" > log\n"),
            "--x=1 --y=\"2 3\" --z=4 ");
  EXPECT_EQ(optionsText("T=fp8\nif [[ \"$T\" == \"fp8\" ]]; then X=1; else X=2; fi\nrun --x $X\n"), "--x=1 ");
  EXPECT_EQ(optionsText("if [ -z \"$T\" ]; then X=1; elif [ 1 == 1 ]; then X=3; else X=2; fi\nrun --x $X\n"), "--x=1 ");
  EXPECT_EQ(optionsText("torchrun --nnodes 2 train.py --x=3 --x 4\n"), "--nnodes=2 --x=4 ");
  EXPECT_EQ(optionsText("--x 1\n--y 2\n"), "--x=1 --y=2 ");
}

TEST(ForeignShell, FollowsListsFunctionsAndExits) {
  EXPECT_EQ(optionsText("A=1\ntrue && A=2 || A=3\nrun --x $A 2>&1 | tee log\n"), "--x=2 ");
  EXPECT_EQ(optionsText("f() { run --x $1; }\nf 4\nexit 0\nrun --x 5\n"), "--x=4 ");
  EXPECT_EQ(optionsText("f() { f; }\nf\n"), "error ");
  EXPECT_EQ(optionsText("cat > b.sh <<'EOF'\nrun --x 1\nEOF\nrun --x $'a\\'b' --y 2\n"), "--x=\"a'b\" --y=2 ");
}

TEST(ForeignShell, ReportsWhatItDoesNotFollow) {
  EXPECT_EQ(optionsText("for i in 1 2; do run --x $i; done\n"), "error ");
  EXPECT_EQ(optionsText("if grep -q a b; then run --x 1; fi\n"), "error ");
}

TEST(ForeignShell, VariablesThatNameThemselvesEnd) {
  ShellVariables variables;
  variables.assigned["A"] = "$A$A";
  EXPECT_LT(variables.expanded("$A").size(), size_t(1) << 20);
  EXPECT_EQ(unsetIn(variables.expanded("--x $NONE")), "NONE");
  EXPECT_EQ(unsetIn(variables.expanded("$((1/0))")).empty(), false);
}

TEST(ForeignLists, Patterns) {
  SourceManager sources;
  DiagnosticEngine found;
  const auto list = readJson(sources, sources.add("a", "[0, 1, 1, 1, 0, 1, 1, 1, 0]"), found);
  EXPECT_EQ(repetitions(*list, {{}, {"0", "1", "1", "1"}, {"0"}, false, {}}), 2);
  EXPECT_EQ(repetitions(*list, {{"0"}, {"1", "1", "1", "0"}, {}, false, {}}), 2);
  EXPECT_EQ(repetitions(*list, {{}, {"0", "1", "1", "1"}, {}, true, {}}), 2);
  EXPECT_EQ(repetitions(*list, {{}, {"0", "1", "1", "1"}, {}, false, {}}), std::nullopt);
}

/// A setting that no table of targets knows would be lost without a word.
TEST(ImportTables, EverySettingOfModelsIsExpressedByATarget) {
  for (const char* name : {"models.json", "megatron_layouts.json", "torchtitan_layouts.json", "deepspeed_layouts.json",
                           "hf_layouts.json"}) {
    const TargetTable table = targetTable(name);
    std::set<std::string> named;
    for (const Target& target : table.targets) {
      std::string text;
      for (const auto& [parameter, value] : target.arguments) text += value;
      for (const StatementRow& row : target.statements) {
        text += row.text;
        named.insert(row.setting);
      }
      for (const auto& [setting, values] : target.when) named.insert(setting);
      named.insert(target.present.begin(), target.present.end());
      for (const auto& [setting, value] : table.settings)
        if (text.find("{" + setting + "}") != std::string::npos) named.insert(setting);
    }
    for (const auto& [setting, value] : table.settings) EXPECT_TRUE(named.count(setting)) << name << ": " << setting;
  }
}

/// Text of a file would become plan text.
TEST(ImportTables, NoTextIsASettingOfATarget) {
  for (const char* name : {"hf.json", "megatron.json", "torchtitan.json", "deepspeed.json", "calculon.json",
                           "simumax.json", "madmax.json"}) {
    const nlohmann::json& file = tableFile(name);
    std::vector<FieldTable> tables{fieldTable(file)};
    for (const char* parts : {"types", "parts"})
      if (file.contains(parts))
        for (const auto& [part, rows] : file.at(parts).items()) tables.push_back(fieldTable(rows));
    for (const char* targets :
         {"models.json", "megatron_layouts.json", "torchtitan_layouts.json", "deepspeed_layouts.json"}) {
      const TargetTable known = targetTable(targets);
      for (const FieldTable& table : tables)
        for (const auto& [key, row] : table.rows)
          EXPECT_FALSE(row.words.empty() && (row.takes == Takes::Text || row.takes == Takes::Any) &&
                       row.patterns.empty() && known.settings.count(row.as))
              << name << ": " << key;
    }
  }
}

TEST(ImportTables, FieldsAreInOneTable) {
  for (const char* name : {"megatron.json", "torchtitan.json", "deepspeed.json"}) {
    const FieldTable table = fieldTable(tableFile(name));
    for (const auto& [key, row] : table.rows)
      EXPECT_TRUE(std::find(table.ignored.begin(), table.ignored.end(), key) == table.ignored.end())
          << name << ": " << key;
  }
}

} // namespace
