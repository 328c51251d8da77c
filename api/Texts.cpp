// Reads and formats plan text through the frontend.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"

#include "frontend/format/Format.h"
#include "frontend/format/PlanText.h"
#include "support/files/DiskFiles.h"

#include <fmt/format.h>

namespace planc::api {

std::optional<std::string> readText(const std::string& path, std::string& error) {
  return diskFiles().plan(path, error);
}

bool isPlanText(const std::string& text) {
  SourceManager sources;
  DiagnosticEngine found;
  return formatText(sources, sources.add("text", text), found).has_value();
}

std::optional<std::string> formatText(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics) {
  return format::formatFile(sources, file, diagnostics);
}

std::optional<std::string> planText(const Compilation& plan, const ir::PlanEdit& edit, const std::string& name,
                                    DiagnosticEngine& diagnostics) {
  const ir::Plan& base = plan.plan();
  const auto refuse = [&](std::string what, std::string why, std::string help) {
    format::reportNotWritable(diagnostics, base.range, std::move(what), std::move(why), std::move(help));
    return std::nullopt;
  };
  if (plan.changed())
    return refuse(fmt::format("a change of a change of `{}`", base.name.view()), "the first one has no text",
                  "edit the plan as it was bound, with one edit that has both changes");
  if (name == base.name.view())
    return refuse(fmt::format("two plans named `{}`", name), "the file has a plan of that name",
                  "give it another name");
  const auto raw = format::planText(edit, base, name, plan.asked().named, plan.sources(), diagnostics);
  if (!raw) return std::nullopt;
  SourceManager sources;
  DiagnosticEngine found;
  auto text = format::formatFile(sources, sources.add("edited.plan", *raw), found);
  if (text) return text;
  const std::string why = found.empty() ? "it does not read" : found.sorted()[0]->message;
  return refuse(fmt::format("the change under the name `{}`", name), why,
                "a name has letters, digits and `_` and is not a keyword");
}

} // namespace planc::api
