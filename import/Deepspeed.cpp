// Reads `ds_config.json` of DeepSpeed. It says how a model is trained, but not which: the caller names the model.
// SPDX-License-Identifier: Apache-2.0
#include "import/Formats.h"

#include <fmt/format.h>

namespace planc::foreign {

bool readDeepspeed(Reading& reading) {
  for (size_t i = 1; i < reading.request.files.size(); ++i)
    reading.missing("FILE", "this format has one file", "give each file a command of its own");
  const std::optional<ForeignValue> root = readJsonTable(reading, reading.request.files.front());
  if (!root) return false;
  const FieldTable rows = fieldTable(tableFile("deepspeed.json"));
  std::vector<ForeignField> fields = sectionFieldsOf(*root);
  reading.override(fields, rows);
  takeFields(reading, rows, fields);
  reading.takeDevices();
  if (!reading.request.model) {
    reading.found.report(kForeignNoModel, reading.whole, {{"format", reading.format}})
        .help("name it: `--model llama3_8b`");
    return false;
  }
  reading.name = "imported";
  reading.layout = reading.settles = true;
  reading.layouts = targetTable("deepspeed_layouts.json");
  return !reading.found.hasErrors();
}

bool settleDeepspeed(Reading& reading) {
  Settings& settings = reading.settings;
  if (!settleDegrees(reading, {})) return false;
  const int64_t devices = settings.count("devices", 1);
  const auto all = settings.count("global_batch"), micro = settings.count("micro_batch"),
             steps = settings.count("accumulation");
  constexpr int64_t kMost = int64_t(1) << 40;
  if (!all && !micro) {
    reading.missing("train_batch_size", "two of the batch, the micro-batch and the accumulation steps give the third");
    return false;
  }
  if (!micro) {
    if (devices > kMost / steps.value_or(1) || *all % (devices * steps.value_or(1)) != 0) {
      reading.conflict(*settings.find("global_batch"), *settings.find("devices"),
                       "the batch is a whole number of micro-batches on each device");
      return false;
    }
    settings.set("micro_batch", *all / devices / steps.value_or(1));
    if (!steps) reading.assume(fmt::format("one micro-batch of {} samples on each device", *all / devices));
  } else if (!all) {
    if (*micro > kMost / devices || steps.value_or(1) > kMost / (devices * *micro)) {
      reading.conflict(*settings.find("micro_batch"), *settings.find("devices"), "no batch is as large");
      return false;
    }
    settings.set("global_batch", devices * *micro * steps.value_or(1));
    if (!steps) reading.assume("one micro-batch in a step");
  } else if (devices > kMost / *micro || *all % (devices * *micro) != 0 ||
             (steps && *all / devices / *micro != *steps)) {
    reading.conflict(*settings.find("global_batch"), *settings.find("micro_batch"),
                     fmt::format("on {} devices the batch is a whole number of micro-batches{}", devices,
                                 steps ? fmt::format(", {} of them on each", *steps) : ""));
    return false;
  }
  if (settings.is("fp16", "true") && settings.is("bf16", "true")) {
    reading.conflict(*settings.find("fp16"), *settings.find("bf16"), "one type is computed in");
    return false;
  }
  const bool plain = settings.is("bf16", "false") && !settings.is("fp16", "true");
  settings.set("compute", settings.is("fp16", "true") ? std::string("fp16")
                          : plain                     ? std::string("fp32")
                                                      : std::string("bf16"));
  if (!settings.has("bf16") && !settings.has("fp16"))
    reading.assume("products in bf16, because the file enables neither bf16 nor fp16");
  if (!settings.has("seq")) reading.assume("sequences of the recipe's length (`--set seq=N` gives another)");
  return true;
}

} // namespace planc::foreign
