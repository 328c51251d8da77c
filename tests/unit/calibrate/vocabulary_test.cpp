// Vocabularies of foreign words: what is embedded is read whole, and a word that no reader knows is found out.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/Formula.h"
#include "calibrate/KinetoOperators.h"
#include "calibrate/NcclWords.h"
#include "calibrate/PartNames.h"
#include "calibrate/RegressorWords.h"
#include "calibrate/Traffic.h"
#include "frontend/Frontend.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace planc::calibrate {
namespace {

struct Vocabulary {
  const char* file;
  void (*read)(std::string_view text);
};
const Vocabulary kVocabularies[] = {{"kineto.json", [](std::string_view text) { kinetoWords(text); }},
                                    {"nccl.json", [](std::string_view text) { ncclWords(text); }},
                                    {"regressor.json", [](std::string_view text) { regressorWords(text); }},
                                    {"traffic.json", [](std::string_view text) { trafficWords(text); }},
                                    {"parts.json", [](std::string_view text) { partNames(text); }}};

/// The text with the first of these words replaced.
std::string with(std::string_view file, std::string_view old, std::string_view text) {
  std::string out(vocabularyText(file));
  const size_t at = out.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return out.replace(at, old.size(), text);
}

TEST(ForeignWords, EachIsReadWhole) {
  for (const Vocabulary& v : kVocabularies) EXPECT_NO_THROW(v.read(vocabularyText(v.file))) << v.file;
}

/// Calls `visit` with every object of a vocabulary.
void eachObject(nlohmann::json& json, const std::function<void(nlohmann::json&)>& visit) {
  if (json.is_object()) visit(json);
  if (json.is_structured())
    for (auto& inner : json) eachObject(inner, visit);
}

TEST(ForeignWords, AnUnknownKeyOfAnyEntryIsAnError) {
  for (const Vocabulary& v : kVocabularies) {
    nlohmann::json json = parseVocabulary(vocabularyText(v.file));
    eachObject(json, [&](nlohmann::json& object) {
      object["unknown"] = 1; // in a list of words: one that is no text
      EXPECT_THROW(v.read(json.dump()), std::logic_error) << v.file << ": " << object.dump();
      object.erase("unknown");
    });
  }
}

TEST(ForeignWords, WhatIsMalformedIsAnError) {
  for (const Vocabulary& v : kVocabularies) {
    const std::string whole(vocabularyText(v.file));
    EXPECT_THROW(v.read(whole.substr(0, whole.size() / 2)), std::logic_error) << v.file;
    EXPECT_THROW(v.read("[]"), std::logic_error) << v.file;
    EXPECT_THROW(v.read("{}"), std::logic_error) << v.file;
    EXPECT_THROW(v.read(with(v.file, "\"source\"", "\"sauce\"")), std::logic_error) << v.file;
  }
}

TEST(ForeignWords, AnUnknownWordIsAnError) {
  EXPECT_THROW(kinetoWords(with("kineto.json", "\"gemm\"", "\"gem\"")), std::logic_error);
  EXPECT_THROW(kinetoWords(with("kineto.json", "\"product\"", "\"produkt\"")), std::logic_error);
  EXPECT_THROW(kinetoWords(with("kineto.json", "\"first\": \"mat1\"", "\"first\": \"mat3\"")), std::logic_error);
  EXPECT_THROW(kinetoWords(with("kineto.json", ", \"causal\": \"is_causal\"", "")), std::logic_error);
  EXPECT_THROW(kinetoWords(with("kineto.json", "\"bf16\"", "\"bf15\"")), std::logic_error);
  EXPECT_THROW(kinetoWords(with("kineto.json", "\"allreduce\": \"all_reduce\"", "\"allreduce\": \"reduce\"")),
               std::logic_error);
  EXPECT_THROW(kinetoWords(with("kineto.json", "aten::addmm", "aten::mm")), std::logic_error) << "twice";
  EXPECT_THROW(ncclWords(with("nccl.json", "(n - 1) / n", "(m - 1) / n")), std::logic_error);
  EXPECT_THROW(ncclWords(with("nccl.json", "\"as\": \"all_to_all\"", "\"as\": \"alltoall\"")), std::logic_error);
  EXPECT_THROW(regressorWords(with("regressor.json", "3 * dim / mp", "3 * dims / mp")), std::logic_error);
  EXPECT_THROW(regressorWords(with("regressor.json", "\"is\": \"b * l\"", "\"is\": \"b * w\"")), std::logic_error);
  EXPECT_THROW(regressorWords(with("regressor.json", "\"m\": ", "\"o\": ")), std::logic_error);
  EXPECT_THROW(regressorWords(with("regressor.json", "\"m\": \"tokens\", ", "")), std::logic_error) << "it is needed";
  EXPECT_THROW(trafficWords(with("traffic.json", "\"passes\": 3", "\"passes\": 0")), std::logic_error);
  EXPECT_THROW(trafficWords(with("traffic.json", "\"passes\": 3", "\"passes\": \"3\"")), std::logic_error);
  EXPECT_THROW(partNames(with("parts.json", "h200", "H200")), std::logic_error);
}

TEST(ForeignWords, FindsTheLongestPieceOfAPart) {
  EXPECT_EQ(findPartName("NVIDIA GB200")->device, "gb200_186gb");
  EXPECT_EQ(findPartName("NVIDIA B200")->device, "b200_sxm_180gb");
  EXPECT_EQ(findPartName("NVIDIAA100-SXM4-80GB")->device, "a100_sxm4_80gb");
  EXPECT_EQ(findPartName("vista's gh200_96gb, once more"), findPartName("GH200 96GB"));
  EXPECT_EQ(findPartName("h100_sxm5_80gb")->cluster, "hgx.hgx_h100(nodes = 2)");
  EXPECT_EQ(findPartName("Voodoo 3"), nullptr);
}

/// The cluster of a plan on it; nothing if it is none.
std::optional<ir::Cluster> clusterOf(std::string_view module, std::string_view cluster) {
  frontend::Session session;
  session.loadText("part.plan", fmt::format("import std.devices\nimport std.fabrics\nimport std.models.gpt\n"
                                            "import std.clusters.{}\n"
                                            "plan p {{ model = gpt.gpt3_175b(); cluster = {}\n"
                                            "train {{ seq = 2048; global_batch = 16; micro_batch = 1; "
                                            "optimizer = none }} }}\n",
                                            module, cluster));
  const auto plans = session.plans();
  return plans.size() == 1 && plans.front()->cluster ? std::optional(*plans.front()->cluster) : std::nullopt;
}

TEST(ForeignWords, EveryPartAndItsClusterAreOfTheLibrary) {
  for (const PartName& part : partNames(vocabularyText("parts.json"))) {
    EXPECT_TRUE(clusterOf(part.cluster.substr(0, part.cluster.find('.')), part.cluster)) << part.cluster;
    const std::optional<ir::Cluster> own =
        clusterOf("generic", fmt::format("generic.cluster(gpu = devices.{}, per_node = 1, nodes = 2, "
                                         "intra = fabrics.ndr, intra_bandwidth = 1GB/s, inter = fabrics.ndr, "
                                         "nic = 1GB/s)",
                                         part.device));
    ASSERT_TRUE(own) << part.device;
    EXPECT_EQ(own->device.name, Symbol(part.device));
  }
}

TEST(Formula, WorksFromLeftToRight) {
  const auto value = [](std::string_view text) {
    return Formula(text).at([](std::string_view name) { return name == "a" ? 3.0 : 5.0; });
  };
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value("1.5 * a"), 4.5);
  EXPECT_EQ(value("2 + a * b"), 17);
  EXPECT_EQ(value("(2 + a) * b"), 25);
  EXPECT_EQ(value("20 - b - a"), 12);
  EXPECT_EQ(value("60 / b / a"), 4);
  EXPECT_EQ(value("ceil(b / a) * 10"), 20);
  EXPECT_EQ(Formula("a + ceil(b_2)").names(), (std::vector<std::string_view>{"a", "b_2"}));
  for (const char* wrong : {"", "a +", "(a", "a b", "a)", "ceil a", "-a", "2 ** a", "a,b"})
    EXPECT_THROW(Formula{wrong}, std::logic_error) << wrong;
}

} // namespace
} // namespace planc::calibrate
