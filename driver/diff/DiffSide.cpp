// Prices the files of a side, and reads JSON results.
// SPDX-License-Identifier: Apache-2.0
#include "driver/diff/DiffSide.h"

#include "driver/files/Files.h"
#include "driver/files/Inputs.h"
#include "driver/files/Parallel.h"
#include "driver/files/ReadJson.h"
#include "report/diff/ReadResult.h"
#include "support/files/Digest.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace planc::driver {

namespace {

using Json = nlohmann::ordered_json;

PlanError errorOf(const DiagnosticEngine& diagnostics, const SourceManager& sources) {
  const Diagnostic* first = diagnostics.firstError();
  if (!first) return {};
  const std::string where = first->range.valid() ? sources.where(first->range) : "";
  return {fmt::format("{}{}error[{}]: {}", where, where.empty() ? "" : ": ", first->kind->id(), first->message),
          where.substr(0, where.rfind(':'))};
}

/// Prices plans and keeps their results.
class Pricer {
public:
  explicit Pricer(SideFile& out) : out_(out) {}

  void take(std::unique_ptr<api::Compilation> plan) {
    plan->diagnostics().ignoreWarnings(); // `check` and `test` report warnings
    plan->price();
    plan->freeEngine();
    const SourceManager& sources = out_.read->sources();
    const std::string name = report::planName(plan->plan());
    if (!seen_.insert(name).second) return;
    if (plan->estimate() && !broken(*plan)) {
      const report::PlanReport report{out_.path,       &sources,         &plan->plan(),
                                      plan->program(), plan->estimate(), &plan->results()};
      std::string problem;
      auto result = report::readResult(report::json(report), problem);
      if (!result) throw std::logic_error("a result of this program cannot be read: " + problem);
      out_.results.push_back(std::move(*result));
      return;
    }
    out_.failed[name] = errorOf(plan->diagnostics(), sources);
    plan->release();
    const std::shared_ptr<api::Compilation> kept = std::move(plan);
    out_.diagnostics.emplace_back(kept, &kept->diagnostics());
  }

private:
  /// A failed assertion does not break a plan, because the plan has a price; `planc test` reports the assertion.
  static bool broken(const api::Compilation& plan) { return plan.diagnostics().hasErrors() && plan.results().ok(); }
  SideFile& out_;
  std::set<std::string> seen_;
};

} // namespace

SideFile priceSideFile(const std::shared_ptr<const FileTree>& tree, const std::string& key, const std::string& path,
                       const std::optional<std::string>& text) {
  SideFile out{key, path};
  out.read = tree ? std::make_shared<api::PlanFile>(tree) : std::make_shared<api::PlanFile>();
  out.read->diagnostics().ignoreWarnings();
  if (text) {
    out.read->loadText(path, *text);
  } else if (std::string error; !out.read->load(path, error)) {
    out.error.text = error;
    out.unreadable = true;
    return out;
  }
  const SourceManager& sources = out.read->sources();
  out.text = sources.text(FileId(0));
  out.digest = digestOf(out.text);
  const bool whole = !out.read->diagnostics().hasErrors(); // with syntax errors, plans may be incomplete
  Pricer pricer(out);
  out.read->eachPlan([&](std::unique_ptr<api::Compilation> plan) {
    if (whole) pricer.take(std::move(plan));
  });
  for (std::string& plan : out.read->openPlans()) {
    std::string name = plan.substr(0, plan.find('('));
    out.open.emplace(std::move(name), std::move(plan));
  }
  for (uint32_t i = 1; i < sources.fileCount(); ++i)
    if (!isLibrary(sources, FileId(i))) out.imports[sources.path(FileId(i))] = digestOf(sources.text(FileId(i)));
  out.error = errorOf(out.read->diagnostics(), sources);
  if (!out.error.text.empty()) out.diagnostics.emplace_back(out.read, &out.read->diagnostics());
  if (out.diagnostics.empty()) out.read.reset();
  return out;
}

void priceSide(DiffSide& side, size_t jobs) {
  size_t done = 0;
  Ordered<SideFile>(side.files.size(), jobs)
      .run([&](size_t i) { return priceSideFile(side.tree, side.files[i].key, side.files[i].path); },
           [&](SideFile file) {
             side.files[done++] = std::move(file);
             return true;
           });
}

std::optional<DiffSide> jsonSide(const std::string& path, std::string& problem) {
  constexpr size_t kMostBytes = size_t(4) << 30; // results of thousands of plans
  if (std::error_code ignored;
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    problem = "it is not a file";
    return std::nullopt;
  }
  const std::optional<std::string> text = readFile(path, problem, kMostBytes);
  if (!text) return std::nullopt;
  const std::optional<Json> root = readJson(*text);
  if (!root) {
    problem = "it is not JSON";
    return std::nullopt;
  }
  std::optional<report::ResultFile> read = report::readResults(*root, problem);
  if (!read) return std::nullopt;
  DiffSide out{path, {}, {}, true, read->planc, read->library};
  std::map<std::string, std::string> imports = read->inputs;
  for (const diff::Result& result : read->plans) imports.erase(result.file);
  std::map<std::string, size_t> byPath;
  for (diff::Result& result : read->plans) {
    const auto [at, fresh] = byPath.emplace(result.file, out.files.size());
    if (fresh) {
      SideFile& file = out.files.emplace_back();
      file.key = file.path = result.file;
      file.imports = imports;
      if (const auto digest = read->inputs.find(result.file); digest != read->inputs.end())
        file.digest = digest->second;
    }
    out.files[at->second].results.push_back(std::move(result));
  }
  return out;
}

} // namespace planc::driver
