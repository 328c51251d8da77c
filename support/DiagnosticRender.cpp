// The renderers for machines and editors: one line per diagnostic, and JSON.
// SPDX-License-Identifier: Apache-2.0
#include "support/DiagnosticRender.h"

#include "support/text/TextCells.h"
#include "support/text/TextFixes.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc {
namespace {

const char* severityName(const Diagnostic& d) {
  return d.isError() ? "error" : "warning";
}

void addPlace(nlohmann::ordered_json& out, SourceRange range, const SourceManager& sources) {
  if (!range.valid()) {
    for (const char* key : {"file", "line", "column", "end_line", "end_column"}) out[key] = nullptr;
    return;
  }
  LineColumn begin = sources.begin(range), end = sources.end(range);
  out["file"] = sources.path(range.file);
  out["line"] = begin.line;
  out["column"] = begin.column;
  out["end_line"] = end.line;
  out["end_column"] = end.column;
}

nlohmann::ordered_json fixJson(const TextFix& fix, const SourceManager& sources) {
  nlohmann::ordered_json edits = nlohmann::ordered_json::array();
  for (const TextEdit& edit : fix.edits) {
    nlohmann::ordered_json item;
    addPlace(item, edit.range, sources);
    item["text"] = edit.text;
    edits.push_back(std::move(item));
  }
  return {{"title", fix.title}, {"safe", fix.safe}, {"edits", std::move(edits)}};
}

} // namespace

std::string plainMessage(std::string_view message, std::string_view of, std::string_view detail) {
  if (of.empty()) return std::string(message);
  return fmt::format("{}; {}{}{}", message, of, detail.empty() ? "" : ": ", detail);
}

std::string renderShort(const Diagnostic& d, const SourceManager& sources) {
  const auto arg = [&](std::string_view name) {
    const auto found = std::find_if(d.args.begin(), d.args.end(), [&](const auto& a) { return a.name == name; });
    return found == d.args.end() ? std::string_view() : std::string_view(found->text);
  };
  std::string text =
      fmt::format("{}[{}]: {}", severityName(d), d.kind->id(), plainMessage(d.message, arg(kOfArg), arg(kDetailArg)));
  if (d.range.valid()) {
    LineColumn at = sources.begin(d.range);
    text = fmt::format("{}:{}:{}: {}", sources.path(d.range.file), at.line, at.column, text);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  TextCells row; // quoted source text may hold bytes that control a terminal
  row.put(0, text);
  return row.str(false);
}

nlohmann::ordered_json toJson(const Diagnostic& d, const SourceManager& sources) {
  nlohmann::ordered_json out;
  out["code"] = d.kind->id();
  out["severity"] = severityName(d);
  out["message"] = d.message;
  out["args"] = nlohmann::ordered_json::object();
  for (const DiagnosticArg& arg : d.args) out["args"][arg.name] = arg.text;
  addPlace(out, d.range, sources);
  out["label"] = d.primary;
  out["labels"] = nlohmann::ordered_json::array();
  for (const Label& label : d.labels) {
    nlohmann::ordered_json item;
    addPlace(item, label.range, sources);
    item["text"] = label.text;
    out["labels"].push_back(std::move(item));
  }
  out["help"] = d.help;
  out["notes"] = d.notes;
  out["fixes"] = nlohmann::ordered_json::array();
  for (const TextFix& fix : placedFixes(d, sources)) out["fixes"].push_back(fixJson(fix, sources));
  return out;
}

} // namespace planc
