// Reads declarations of the embedded library through a constant that names them.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"

#include "backends/cost/result/Distance.h"
#include "frontend/Frontend.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>
#include <set>

namespace planc::api {

namespace {

constexpr std::string_view kConstant = "record";

/// Returns whether plans write names of this kind with their module.
bool behindModule(std::string_view kind) {
  return kind == "stack" || kind == "cluster";
}

std::string nameOf(const Declaration& d) {
  if (!behindModule(d.kind)) return d.name;
  return fmt::format("{}.{}", d.module.substr(d.module.rfind('.') + 1), d.name);
}

/// Returns a record of a text through a constant that is appended to it.
template <class Record>
std::optional<Record> recordIn(const std::string& text, const std::string& name,
                               std::optional<Record> (frontend::Session::*read)(std::string_view constant)) {
  frontend::Session session;
  session.loadText("calibrated.plan", fmt::format("{}\nlet {} = {}\n", text, kConstant, name));
  return (session.*read)(kConstant);
}

/// Returns a record of the library through a file that declares one constant; nothing if there is none of that kind and
/// name.
template <class Record>
std::optional<Record> recordOf(std::string_view kind, const std::string& name,
                               std::optional<Record> (frontend::Session::*read)(std::string_view constant)) {
  const std::string bare = name.substr(0, name.find('('));
  for (const Declaration& d : Library::list(kind)) {
    if (nameOf(d) != bare) continue;
    const std::string folder = d.module.substr(0, d.module.rfind('.'));
    const std::string import = behindModule(kind) ? d.module : folder;
    const std::string written =
        behindModule(kind) ? name : fmt::format("{}.{}", folder.substr(4), name); // without the prefix `std.`
    return recordIn(fmt::format("import {}", import), written, read);
  }
  return std::nullopt;
}

/// Returns only the letters and digits, in lower case.
std::string simple(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

} // namespace

std::vector<Declaration> Library::list(std::string_view kind) {
  return frontend::libraryDeclarations(kind);
}

std::vector<std::string> Library::names(std::string_view kind) {
  std::vector<std::string> names;
  for (const Declaration& d : list(kind)) names.push_back(nameOf(d));
  return names;
}

std::optional<ir::Device> Library::device(const std::string& name) {
  return recordOf("device", name, &frontend::Session::device);
}

std::optional<ir::Fabric> Library::fabric(const std::string& name) {
  return recordOf("fabric", name, &frontend::Session::fabric);
}

std::optional<ir::Stack> Library::stack(const std::string& name) {
  return recordOf("stack", name, &frontend::Session::stack);
}

std::optional<ir::Cluster> Library::cluster(const std::string& name) {
  return recordOf("cluster", name, &frontend::Session::cluster);
}

std::optional<ir::Device> Library::deviceIn(const std::string& text, const std::string& name) {
  return recordIn(text, name, &frontend::Session::device);
}

std::optional<ir::Stack> Library::stackIn(const std::string& text, const std::string& name) {
  return recordIn(text, name, &frontend::Session::stack);
}

std::vector<ir::Optimizer> Library::optimizers() {
  constexpr std::string_view kModule = "std.optimizers";
  std::string text = fmt::format("import {}\n", kModule);
  std::vector<std::string> constants;
  for (const Declaration& d : list("let")) {
    if (!std::string_view(d.module).starts_with(kModule)) continue;
    constants.push_back("optimizer_" + d.name);
    text += fmt::format("let {} = optimizers.{}\n", constants.back(), d.name);
  }
  frontend::Session session;
  session.loadText("library.plan", text);
  std::vector<ir::Optimizer> out;
  for (const std::string& constant : constants)
    if (auto found = session.optimizer(constant)) out.push_back(std::move(*found));
  return out;
}

std::string Library::deviceOf(const std::string& name) {
  const std::vector<std::string> devices = names("device");
  if (std::find(devices.begin(), devices.end(), name) != devices.end()) return name;
  std::string found;
  size_t longest = 0;
  for (const std::string& device : devices)
    for (const std::string& piece : Library::device(device).value_or(ir::Device()).names)
      if (simple(piece).size() > longest && simple(name).find(simple(piece)) != std::string::npos)
        longest = simple(piece).size(), found = device;
  return found;
}

std::string Library::partOf(const ir::Device& device) {
  const std::string part = device.names.empty() ? "" : deviceOf(device.names.front());
  return part.empty() ? device.name.str() : part;
}

bool Library::isPart(const ir::Device& device, const std::string& name) {
  if (device.name == Symbol(name)) return true;
  const auto known = device.names.empty() ? std::nullopt : Library::device(name);
  return known && known->names == device.names;
}

std::optional<ir::Cluster> Library::usualCluster(const ir::Device& device) {
  for (const Declaration& d : list("cluster")) {
    if (nameOf(d) != device.usual) continue;
    std::string arguments;
    for (const std::string& p : d.parameters) arguments += fmt::format("{}{} = 2", arguments.empty() ? "" : ", ", p);
    return cluster(device.usual + "(" + arguments + ")");
  }
  return std::nullopt;
}

std::optional<calibrate::Part> Library::part(const std::string& name) {
  calibrate::Part part;
  part.name = deviceOf(name);
  const auto found = device(part.name);
  if (!found) return std::nullopt;
  part.device = *found;
  // The usual cluster may contain a sibling of the device with less memory; its links are the same.
  if (const auto usual = usualCluster(*found)) {
    size_t cards = 0; // index of the first level that network cards connect
    double unit = 1;
    for (; cards + 1 < usual->levels.size() && !usual->levels[cards].isNetwork(); ++cards)
      unit *= static_cast<double>(usual->levels[cards].count);
    const auto latency = [&](size_t level) -> std::optional<double> {
      const ir::Number* own = usual->levels[level].number(ir::LevelFact::Latency);
      return own ? std::optional(own->value) : std::nullopt;
    };
    if (cards > 0) part.link = usual->levels.front().rate(), part.linkLatency = latency(0);
    part.card = usual->levels[cards].rate();
    part.cardLatency = latency(cards);
    part.host = found->value(ir::DeviceFact::HostDevices, 0);
    if (part.host > 0) part.unit = unit;
  }
  return part;
}

std::string_view LibraryStack::text(ir::StackFact fact) const {
  const auto keys = stack.keys(fact);
  return keys.empty() ? std::string_view() : keys.front().text();
}

double LibraryStack::firstMonth() const {
  const auto keys = stack.keys(ir::StackFact::Released);
  return keys.empty() ? 0 : stack.number(ir::StackFact::Released, keys.front())->value;
}

const std::vector<LibraryStack>& Library::stacks() {
  static const std::vector<LibraryStack> all = [] {
    std::vector<Declaration> declarations = list("stack");
    std::set<std::string> modules;
    std::string imports, constants;
    for (size_t i = 0; i < declarations.size(); ++i) {
      if (modules.insert(declarations[i].module).second) imports += fmt::format("import {}\n", declarations[i].module);
      constants += fmt::format("let {}{} = {}\n", kConstant, i, nameOf(declarations[i]));
    }
    frontend::Session session;
    session.loadText("library.plan", imports + constants);
    std::vector<LibraryStack> made;
    for (size_t i = 0; i < declarations.size(); ++i)
      if (auto stack = session.stack(fmt::format("{}{}", kConstant, i)))
        made.push_back({nameOf(declarations[i]), declarations[i].summary, std::move(*stack)});
    return made;
  }();
  return all;
}

namespace {

/// Returns `te.te_2602`, followed in parentheses by its release, framework and token dispatcher.
std::string titleOf(const LibraryStack& s) {
  std::string facts;
  for (const std::string_view fact : {s.released(), s.framework(), s.dispatcher()})
    if (!fact.empty()) facts += fmt::format("{}{}", facts.empty() ? "" : ", ", fact);
  return fmt::format("`{}`{}", s.name, facts.empty() ? "" : fmt::format(" ({})", facts));
}

/// Returns the stacks that have runs of the plan's kind.
std::vector<const LibraryStack*> ranLike(const ir::Plan& plan) {
  std::vector<const LibraryStack*> found;
  if (!plan.cluster || !plan.model) return found;
  const bool experts = cost::hasExperts(*plan.model);
  for (const LibraryStack& s : Library::stacks())
    if (cost::reachOf(s.stack, plan.cluster->device, experts) > 0) found.push_back(&s);
  return found;
}

} // namespace

std::vector<std::string> Library::stacksThatRan(const ir::Plan& plan) {
  std::vector<const LibraryStack*> found = ranLike(plan);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->firstMonth() > b->firstMonth(); });
  std::vector<std::string> lines;
  for (const LibraryStack* s : found) lines.push_back(titleOf(*s));
  return lines;
}

std::vector<std::string> Library::stacksFor(const ir::Plan& plan) {
  std::vector<std::string> all, fitting;
  std::set<std::string> modules; // one stack of each module comes first: readers see a few lines
  size_t first = 0;
  const std::vector<const LibraryStack*> ran = ranLike(plan);
  const std::string wanted = plan.cluster ? plan.cluster->device.platform : "";
  for (const LibraryStack& s : stacks()) {
    all.push_back(titleOf(s) + (s.summary.empty() ? "" : ": " + s.summary));
    const bool fits = ran.empty() ? !wanted.empty() && s.stack.platform == wanted
                                  : std::find(ran.begin(), ran.end(), &s) != ran.end();
    if (!fits) continue;
    const bool fresh = modules.insert(s.name.substr(0, s.name.find('.'))).second;
    fitting.insert(fresh ? fitting.begin() + static_cast<std::ptrdiff_t>(first++) : fitting.end(), all.back());
  }
  return fitting.empty() ? all : fitting;
}

} // namespace planc::api
