// Diagnostics that no file of a user leads to: a library with a fault, and plans that a program made. One line per
// diagnostic.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Estimator.h"
#include "backends/cost/price/CostModel.h"
#include "frontend/Frontend.h"
#include "ir/facts/DeviceFacts.h"
#include "passes/Passes.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

namespace {
using namespace planc;

/// A library with one folder, of which two files export the same name.
class FaultyLibrary : public frontend::ModuleSource {
public:
  std::optional<std::string_view> library(std::string_view path) const override {
    return path.starts_with("std/sizes/") ? std::optional<std::string_view>("export let layers = 80\n") : std::nullopt;
  }
  std::vector<std::string> libraryFolder(std::string_view folder) const override {
    if (folder != "std/sizes") return {};
    return {"std/sizes/a.plan", "std/sizes/b.plan"};
  }
};

constexpr std::string_view kPlan = R"(import std.models.llama
import std.clusters.hgx
import std.optimizers

plan p {
  model   = llama.llama3_8b
  cluster = hgx.hgx_h100(nodes = 1)
  train { seq = 4096; global_batch = 8; micro_batch = 1; optimizer = optimizers.adam }
  mesh  { dp = 8 }
  place { batch -> dp }
}
)";
const std::string kPricedPlan =
    "import std.stacks.te\n" + std::string(kPlan).insert(kPlan.find("  train"), "  software = te.te\n");

/// A session that has read this text from a file.
std::unique_ptr<frontend::Session> load(std::string_view text, const frontend::ModuleSource& library) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "planc_internal_test.plan";
  std::ofstream(path) << text;
  auto session = std::make_unique<frontend::Session>(library);
  std::string error;
  session->load(path.string(), error);
  std::filesystem::remove(path);
  return session;
}

bool holds(const DiagnosticEngine& diagnostics, std::string_view code) {
  for (const Diagnostic* d : diagnostics.sorted())
    if (d->kind->id() == code && d->range.valid()) return true;
  return false;
}

bool exportedTwice(std::string_view code) {
  FaultyLibrary library;
  auto session = load("import std.sizes\nlet deep = 2 * sizes.layers\n", library);
  session->check();
  return holds(session->diagnostics(), code);
}

/// Gives the plan of this text to `use` after a change that no text could have made. False unless `use` says so and the
/// diagnostic is reported.
bool reported(std::string_view code, std::string_view text, const std::function<void(ir::Plan&)>& change,
              const std::function<bool(const ir::Plan&, DiagnosticEngine&)>& use) {
  auto session = load(text, frontend::embeddedLibrary());
  auto plans = session->plans();
  if (plans.size() != 1) return false;
  change(*plans[0]);
  DiagnosticEngine diagnostics;
  return use(*plans[0], diagnostics) && holds(diagnostics, code);
}

/// Lowering the changed plan fails with the diagnostic.
bool lowered(std::string_view code, const std::function<void(ir::Plan&)>& change) {
  return reported(code, kPlan, change, [](const ir::Plan& plan, DiagnosticEngine& diagnostics) {
    return !passes::lower(plan, diagnostics);
  });
}

/// Pricing the changed plan fails with the diagnostic.
bool priced(std::string_view code, const std::function<void(ir::Plan&)>& change) {
  return reported(code, kPricedPlan, change, [](const ir::Plan& plan, DiagnosticEngine& diagnostics) {
    const auto program = passes::lower(plan, diagnostics);
    const auto schedule = program ? passes::schedule(*program) : nullptr;
    return schedule && !cost::estimate(*schedule, diagnostics);
  });
}

ir::Selector selector(std::vector<Symbol> path, SourceRange range) {
  ir::Selector made;
  for (Symbol name : path) made.steps.push_back({false, name, {}});
  made.range = range;
  return made;
}

} // namespace

int main() {
  int bad = 0;
  auto expect = [&](const char* code, bool reported) {
    if (!reported) std::printf("%s is not reported\n", code);
    bad += !reported;
  };
  expect("PLAN0105", exportedTwice("PLAN0105"));
  expect("PLAN0719", lowered("PLAN0719", [](ir::Plan& p) {
           p.recompute = {{{selector({"decoder"}, p.range), selector({"decoder", "attn"}, p.meshRange)}}};
         }));
  expect("PLAN0923",
         priced("PLAN0923", [](ir::Plan& p) { edit(p.cluster).device.number(ir::DeviceFact::Bandwidth)->value = 0; }));
  expect("PLAN0721", lowered("PLAN0721", [](ir::Plan& p) { p.workload.microBatch = 0; }));
  return bad == 0 ? 0 : 1;
}
