// Vocabularies of foreign words: what is embedded is read whole, and a word that no reader knows is found out.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoOperators.h"
#include "calibrate/read/NcclWords.h"
#include "calibrate/read/RegressorWords.h"
#include "calibrate/samples/Formula.h"
#include "calibrate/samples/Traffic.h"

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
                                    {"traffic.json", [](std::string_view text) { trafficWords(text); }}};

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
