// `planc lib verify`: compares every package with planc.lock, byte by byte.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/JsonDocument.h"
#include "driver/lib/Lib.h"
#include "support/files/DiskFiles.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

PLANC_ERROR(FileDiffers, 137, "`{file}` differs from planc.lock: {problem}")

namespace {

using Json = nlohmann::ordered_json;
using packages::Locked;
using packages::Stored;

/// Returns a byte in readable form.
std::string byteText(std::string_view text, size_t at) {
  if (at >= text.size()) return "the end";
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte > ' ' && byte < 0x7f ? fmt::format("`{}`", text[at]) : fmt::format("0x{:02x}", byte);
}

std::string where(const Locked& locked, const Stored& found, const std::string& path) {
  return found.kind == Stored::Kind::Vendored ? packages::joined(found.folder, path)
                                              : fmt::format("{}/{}", packages::folderInCache(locked.digest), path);
}

void reportFile(LibRun& run, const Locked& locked, const Stored& found, const packages::Texts* original,
                const std::string& path) {
  const std::string shown = where(locked, found, path);
  const auto there = found.texts.find(path);
  const auto report = [&](std::string problem, SourceRange range) {
    return run.diagnostics.report(FileDiffers, range, {{"file", shown}, {"problem", std::move(problem)}})
        .help(fmt::format("`planc lib {}` restores the locked package",
                          found.kind == Stored::Kind::Vendored ? "vendor" : "fetch"));
  };
  if (there == found.texts.end()) {
    report("it is missing", locked.range);
    return;
  }
  const FileId file = run.sources.add(shown, there->second);
  const auto was = original ? original->find(path) : packages::Texts::const_iterator();
  if (!locked.files.contains(path)) {
    report("the package has no such file", {file, 0, 0}).label(locked.range, "locked here");
  } else if (!original || was == original->end()) {
    report(fmt::format("its digest is {}…, but {}… is locked", found.found.at(path).substr(0, 12),
                       locked.files.at(path).substr(0, 12)),
           {file, 0, 0})
        .label(locked.range, "locked here")
        .note("the differing byte is unknown: neither the cache nor the repository has the locked package");
  } else {
    const auto at = static_cast<uint32_t>(packages::firstDifference(was->second, there->second));
    report(
        fmt::format("byte {} is {}, but {} is locked", at + 1, byteText(there->second, at), byteText(was->second, at)),
        {file, at, at + (at < there->second.size())})
        .label(locked.range, "locked here");
  }
}

/// Returns the version in the planc.toml among these texts; empty if there is none.
std::string versionIn(const packages::Texts& texts) {
  SourceManager sources;
  DiagnosticEngine unsaid;
  const auto text = texts.find(project::kConfigName);
  if (text == texts.end()) return "";
  const auto config = project::configOf(text->first, text->second, sources, unsaid);
  return config && config->version ? config->version->value : "";
}

/// Returns the state of a package in a word, and reports what is wrong with it.
std::string verified(LibRun& run, const Locked& locked) {
  if (locked.origin.isFolder()) return run.workspace->manifestOf(locked) ? "folder" : "absent";
  const Stored found = packages::stored(diskFiles(), run.workspace->folder(), locked);
  const char* const place = found.kind == Stored::Kind::Vendored ? "vendored" : "cached";
  if (found.intact) return place;
  if (found.kind == Stored::Kind::Absent) {
    packages::reportAbsent(locked, run.workspace->folder(), locked.range, run.diagnostics);
    return "absent";
  }
  if (!found.problem.problem.empty()) {
    packages::reportHostile(locked.name, {packages::joined(found.folder, found.problem.path), found.problem.problem},
                            locked.range, run.diagnostics);
    return "changed";
  }
  if (const std::string other = versionIn(found.texts); !other.empty() && other != locked.version.text()) {
    packages::reportUnfit(run.workspace->lockPath(),
                          fmt::format("`{}` has version {} of `{}`, but {} is locked", found.folder, other, locked.name,
                                      locked.version.text()),
                          locked.range, run.diagnostics);
    return "changed";
  }
  const std::optional<packages::Texts> original = run.workspace->original(locked);
  for (const std::string& path : packages::differing(locked.files, found.found))
    reportFile(run, locked, found, original ? &*original : nullptr, path);
  return "changed";
}

} // namespace

int libVerify(LibRun& run) {
  if (const int code = run.open()) return code;
  const bool json = run.arguments.value("--format") == "json";
  Json rows = Json::array();
  std::string text;
  const std::vector<Locked> packages = run.workspace->lock() ? run.workspace->lock()->packages : std::vector<Locked>();
  for (const Locked& locked : packages) {
    const std::string state = verified(run, locked);
    text += fmt::format("{}  {}\n", packages::shownText(locked), state);
    rows.push_back({{"name", locked.name},
                    {"version", locked.origin.isFolder() ? Json(nullptr) : Json(locked.version.text())},
                    {"from", locked.origin.text()},
                    {"sha256", orNull(locked.digest)},
                    {"state", state}});
  }
  if (std::string why; !run.diagnostics.hasErrors() && run.workspace->fits(why) == std::optional(false))
    packages::reportUnfit(run.workspace->lockPath(), why, {run.workspace->config().file, 0, 0}, run.diagnostics);
  const int code = run.end();
  if (json)
    printJson(run.console, kLibFormat, {{"verified", std::move(rows)}});
  else
    run.console.out(text);
  return code;
}

} // namespace planc::driver
