// `planc compile`: prints the IR of a file's plans at one level.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "report/estimate/IrJson.h"

#include <algorithm>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;

/// A level: the function that reaches it, and the functions that print it.
struct Emit {
  std::string_view name;
  bool (*reach)(api::Compilation& plan, const passes::PassObserver& observer);
  std::string (*text)(const api::Compilation& plan, const SourceManager& sources);
  Json (*json)(const api::Compilation& plan, const SourceManager& sources);
};

constexpr Emit kEmits[] = {
    {"model", [](api::Compilation&, const passes::PassObserver&) { return true; },
     [](const api::Compilation& p, const SourceManager&) { return ir::print(*p.plan().model); },
     [](const api::Compilation& p, const SourceManager& s) { return report::json(*p.plan().model, s); }},
    {"sharded", [](api::Compilation& p, const passes::PassObserver& o) { return p.shard(o); },
     [](const api::Compilation& p, const SourceManager& s) { return ir::print(*p.sharded(), &s); },
     [](const api::Compilation& p, const SourceManager& s) { return report::json(*p.sharded(), s); }},
    {"comm", [](api::Compilation& p, const passes::PassObserver& o) { return p.lower(o); },
     [](const api::Compilation& p, const SourceManager& s) { return ir::print(*p.program(), &s); },
     [](const api::Compilation& p, const SourceManager& s) { return report::json(*p.program(), s); }},
    {"task", [](api::Compilation& p, const passes::PassObserver& o) { return p.lower(o) && p.makeSchedule(o); },
     [](const api::Compilation& p, const SourceManager&) { return ir::print(*p.schedule()); },
     [](const api::Compilation& p, const SourceManager& s) { return report::json(*p.schedule(), s); }},
};

const Emit& emitOf(std::string_view name) {
  for (const Emit& e : kEmits)
    if (e.name == name) return e;
  return kEmits[0];
}

/// Prints the program after a pass, and sums up the times of passes.
struct Watcher {
  Console& console;
  const SourceManager& sources;
  std::string printAfter;
  std::vector<std::pair<std::string_view, double>> times;

  passes::PassObserver observer() {
    return [this](const passes::Passed& passed) {
      times.emplace_back(passed.pass.name, passed.seconds);
      if (passed.pass.name != printAfter) return;
      const std::string text = passed.schedule  ? ir::print(*passed.schedule)
                               : passed.sharded ? ir::print(*passed.sharded, &sources)
                                                : ir::print(*passed.comm, &sources);
      console.out(fmt::format("// after {}\n{}\n", passed.pass.name, text));
    };
  }
  void printTimes() const {
    double sum = 0;
    for (const auto& [name, seconds] : times) {
      sum += seconds;
      console.remark(fmt::format("{:>10.3f} ms  {}\n", seconds * 1e3, name));
    }
    console.remark(fmt::format("{:>10.3f} ms  in all\n", sum * 1e3));
  }
};

int unknownPass(Console& console, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const passes::Pass& pass : passes::pipeline()) {
    names.emplace_back(pass.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", pass.name);
  }
  return console.usageError("unknown pass `" + name + "`", didYouMean(name, names, "the passes are " + list));
}

bool isPass(const std::string& name) {
  const auto& passes = passes::pipeline();
  return std::any_of(passes.begin(), passes.end(), [&](const passes::Pass& p) { return p.name == name; });
}

int runCompile(Console& console, const Arguments& arguments) {
  std::string printAfter = arguments.value("--print-after").value_or("");
  if (!printAfter.empty() && !isPass(printAfter)) return unknownPass(console, printAfter);
  const Emit& emit = emitOf(*arguments.value("--emit"));
  bool json = arguments.value("--format") == "json";
  if (const int code = oneFileOf(console, arguments.positional[0])) return code;
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) {
    if (json && code == kFailed) printJson(console, kPlansFormat, {{"plans", Json::array()}});
    return code;
  }
  Watcher watcher{console, file.sources(), json ? "" : printAfter, {}};
  JsonDocument document(kPlansFormat);
  document.found().key("plans");
  document.found().begin('[');
  bool first = true;
  Plans plans; // printed plans are released
  const auto print = [&](const api::Compilation& plan) {
    if (json)
      document.found().value({{"name", plan.plan().title},
                              {"file", file.shownPath()},
                              {"level", std::string(emit.name)},
                              {"ir", emit.json(plan, file.sources())}});
    else
      console.out(
          fmt::format("{}// plan {}\n{}", first ? "" : "\n", plan.plan().title, emit.text(plan, file.sources())));
    first = false;
  };
  file.eachPlan(arguments.all("--plan"), [&](std::unique_ptr<api::Compilation> plan) {
    if (emit.reach(*plan, watcher.observer())) print(*plan);
    plan->release();
    plans.push_back(std::move(plan));
  });
  if (arguments.has("--time-passes")) watcher.printTimes();
  file.report(plans);
  console.summarize();
  document.found().end();
  if (json) document.print(console);
  if (console.hasErrors()) return kFailed;
  return plans.empty() ? noPlans(console, file) : kClean;
}

} // namespace

const Command kCompileCommand = {
    "compile",
    "print the compiled plan at one of its levels",
    {{"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"--emit", "", {"comm", "model", "sharded", "task"}, "operators, with layouts, with collectives, or the schedule"},
     {"--plan", "NAME", {}, "only this plan; repeat it for others; 'NAME(nodes = 8)' binds its parameters", kEach},
     kSetOption,
     {"--format", "", {"text", "json"}, "output format"},
     {"--print-after", "PASS", {}, "also print the program after this pass"},
     {"--time-passes", "", {}, "print the time of each pass to stderr"}},
    "planc compile examples/gpt3_175b.plan --emit=comm --plan gpt3_175b",
    runCompile,
};

} // namespace planc::driver
