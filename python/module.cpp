// The Python module: files, compilations and changes of plans, over api/.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"
#include "api/PlanFile.h"
#include "api/Texts.h"
#include "backends/report/Report.h"

#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <set>

namespace py = pybind11;
using namespace planc;

namespace {

/// A number as plan text has it: Python's own, which reads back as the same number.
std::string valueText(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (value.is_none()) throw py::value_error("None is no value of a fact");
  return py::str(value).cast<std::string>();
}

ir::Selector selectorOf(const std::string& text) {
  if (text.empty()) return {};
  const auto path = ir::parseLayerRef(text);
  if (!path) throw py::value_error("`" + text + "` is no path of layers");
  return {*path, {}};
}

std::vector<Symbol> symbols(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

ir::ScheduleEdit scheduleOf(const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    const auto name = value.cast<std::string>();
    if (name.find('(') != std::string::npos)
      throw py::value_error("arguments of a schedule stand beside its name: (\"interleaved_1f1b\", {\"chunks\": 2})");
    return {Symbol(name), {}};
  }
  const auto [name, arguments] = value.cast<std::pair<std::string, std::map<std::string, int64_t>>>();
  ir::ScheduleEdit edit{Symbol(name), {}};
  for (const auto& [argument, number] : arguments) edit.arguments.push_back({Symbol(argument), number, {}});
  return edit;
}

ir::StateRule stateOf(const std::string& where, const std::string& state, std::vector<std::string> targets) {
  ir::StateRule rule;
  rule.selector = selectorOf(where);
  rule.host = std::erase(targets, std::string(ir::kHost)) > 0;
  rule.targets = symbols(targets);
  for (const ir::StateKind kind : {ir::StateKind::Params, ir::StateKind::Grads, ir::StateKind::Optimizer})
    if (ir::name(kind) == state) return rule.state = kind, rule;
  throw py::value_error("`" + state + "` is no state: there are params, grads and optimizer");
}

using Places = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

ir::PlanEdit makeEdit(const py::dict& facts, const std::map<std::string, int64_t>& axes,
                      std::optional<int64_t> microBatch, std::optional<int64_t> globalBatch, const py::object& schedule,
                      const Places& place, const Places& states,
                      const std::optional<std::vector<std::string>>& recompute) {
  ir::PlanEdit edit;
  for (const auto& [path, value] : facts) edit.facts.push_back({path.cast<std::string>(), valueText(value)});
  for (const auto& [axis, size] : axes) edit.axes.push_back({Symbol(axis), size});
  edit.microBatch = microBatch;
  edit.globalBatch = globalBatch;
  if (!schedule.is_none()) edit.schedule = scheduleOf(schedule);
  for (const auto& [where, targets] : place) {
    ir::PlacementRule rule;
    rule.selector = selectorOf(where.first);
    rule.dim = Symbol(where.second);
    rule.targets = symbols(targets);
    edit.placements.push_back(std::move(rule));
  }
  for (const auto& [where, targets] : states) edit.states.push_back(stateOf(where.first, where.second, targets));
  if (!recompute) return edit;
  edit.recompute.emplace();
  for (const std::string& layers : *recompute) {
    ir::Recompute statement;
    statement.selectors.push_back(selectorOf(layers));
    edit.recompute->push_back(std::move(statement));
  }
  return edit;
}

py::object fromJson(const nlohmann::ordered_json& json) {
  static const py::object loads = py::module_::import("json").attr("loads");
  return loads(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// Those that are not among `before`.
py::list listOf(const DiagnosticEngine& diagnostics, const SourceManager& sources,
                const std::vector<const Diagnostic*>& before = {}) {
  py::list out;
  for (const Diagnostic* d : diagnostics.sorted()) {
    if (std::find(before.begin(), before.end(), d) != before.end()) continue;
    py::dict row;
    row["code"] = d->kind->id();
    row["severity"] = d->kind->severity == Severity::Error ? "error" : "warning";
    row["message"] = d->message;
    row["help"] = d->help;
    row["notes"] = d->notes;
    row["file"] = d->range.valid() ? sources.path(d->range.file) : "";
    row["line"] = d->range.valid() ? sources.begin(d->range).line : 0;
    row["column"] = d->range.valid() ? sources.begin(d->range).column : 0;
    out.append(row);
  }
  return out;
}

[[noreturn]] void refuse(const py::list& diagnostics) {
  std::string first = "refused";
  if (!diagnostics.empty()) {
    const py::dict row = diagnostics[0];
    first = row["code"].cast<std::string>() + ": " + row["message"].cast<std::string>();
  }
  py::object type = py::module_::import("planc._planc").attr("Diagnostics");
  PyErr_SetObject(type.ptr(), py::make_tuple(first, diagnostics).ptr());
  throw py::error_already_set();
}

/// A compilation with the file that its places stand in.
struct Plan {
  std::shared_ptr<api::PlanFile> file;
  std::shared_ptr<api::Compilation> made;

  bool rows = false; ///< its estimate has them

  py::list diagnostics() const { return listOf(made->diagnostics(), file->sources()); }
  /// Totals come from the engine that it shares with what it was edited from; rows are made where somebody asks.
  const cost::Estimate& estimate(cost::Wanted wanted = cost::Wanted::totals()) {
    if (!made->estimate() || (wanted.rows && !rows)) {
      if (!made->priceAlone(wanted)) refuse(diagnostics());
      rows = wanted.rows;
    }
    return *made->estimate();
  }
  Plan edited(const ir::PlanEdit& edit) const {
    Plan out{file, made->with(edit)};
    if (out.made->diagnostics().hasErrors()) refuse(out.diagnostics());
    return out;
  }
  nlohmann::ordered_json json() {
    estimate({});
    return report::json({"", &file->sources(), &made->plan(), made->program(), made->estimate(), &made->results()});
  }
};

py::tuple priced(Plan& plan, const std::optional<ir::PlanEdit>& edit) {
  Plan changed = edit ? plan.edited(*edit) : plan;
  const cost::Estimate& e = changed.estimate();
  return py::make_tuple(e.totals.stepTime, e.memory.peak, e.memory.fits);
}

struct File {
  std::shared_ptr<api::PlanFile> held = std::make_shared<api::PlanFile>();

  py::list diagnostics() const { return listOf(held->diagnostics(), held->sources()); }
  /// Of what was asked last, if anything of it is new.
  [[noreturn]] void refuseNew(const std::vector<const Diagnostic*>& before) const {
    const py::list found = listOf(held->diagnostics(), held->sources(), before);
    refuse(found.empty() ? diagnostics() : found);
  }
  void refuseErrors() const {
    if (held->diagnostics().hasErrors()) refuse(diagnostics());
  }
  void set(const std::string& path, const py::object& value) {
    const auto before = held->diagnostics().sorted();
    if (!held->set({{path, valueText(value)}})) refuseNew(before);
  }
  std::vector<Plan> plans() const {
    std::vector<Plan> out;
    for (auto& plan : held->plans()) out.push_back({held, std::move(plan)});
    refuseErrors();
    return out;
  }
  Plan bind(const std::string& choice) const {
    const auto before = held->diagnostics().sorted();
    if (choice.empty()) {
      auto all = held->plans();
      if (all.size() == 1) return {held, std::move(all.front())};
      if (held->diagnostics().size() > before.size()) refuseNew(before);
      throw py::value_error("the file has " + std::to_string(all.size()) + " plans: name one");
    }
    auto plan = held->bind(choice);
    if (!plan) refuseNew(before);
    return {held, std::move(plan)};
  }
};

File load(const py::object& path) {
  File file;
  std::string error;
  if (!file.held->load(py::module_::import("os").attr("fspath")(path).cast<std::string>(), error)) {
    PyErr_SetString(PyExc_OSError, error.c_str());
    throw py::error_already_set();
  }
  file.refuseErrors();
  return file;
}

File loads(const std::string& text, const std::string& path) {
  File file;
  file.held->loadText(path, text);
  file.refuseErrors();
  return file;
}

py::list declarations(const std::string& kind) {
  py::list out;
  std::set<std::string> kinds;
  for (const api::Declaration& d : api::Library::list("")) kinds.emplace(d.kind);
  if (!kind.empty() && !kinds.contains(kind))
    throw py::value_error("the library declares no `" + kind + "`: it has " +
                          py::str(", ").attr("join")(kinds).cast<std::string>());
  for (const api::Declaration& d : api::Library::list(kind)) {
    py::dict row;
    row["kind"] = d.kind;
    row["module"] = d.module;
    row["name"] = d.name;
    row["summary"] = d.summary;
    out.append(row);
  }
  return out;
}

} // namespace

PYBIND11_MODULE(_planc, m) {
  m.attr("Diagnostics") = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "planc.Diagnostics", "A plan was refused; args[1] are the diagnostics.", nullptr, nullptr));
  m.attr("Diagnostics").attr("__str__") =
      py::cpp_function([](const py::object& refused) { return refused.attr("args")[py::int_(0)]; },
                       py::is_method(m.attr("Diagnostics")));
  py::class_<ir::PlanEdit>(m, "PlanEdit")
      .def(py::init(&makeEdit), py::kw_only(), py::arg("facts") = py::dict(),
           py::arg("axes") = std::map<std::string, int64_t>(), py::arg("micro_batch") = py::none(),
           py::arg("global_batch") = py::none(), py::arg("schedule") = py::none(), py::arg("place") = Places(),
           py::arg("states") = Places(), py::arg("recompute") = py::none());
  py::class_<Plan>(m, "Compilation")
      .def_property_readonly("name", [](const Plan& p) { return p.made->plan().title; })
      .def_property_readonly("devices", [](const Plan& p) { return p.made->plan().mesh.devices(); })
      .def_property_readonly("step_time", [](Plan& p) { return p.estimate().totals.stepTime; })
      .def_property_readonly("peak_memory", [](Plan& p) { return p.estimate().memory.peak; })
      .def_property_readonly("fits", [](Plan& p) { return p.estimate().memory.fits; })
      .def_property_readonly("mfu", [](Plan& p) { return p.estimate().totals.mfu; })
      .def("edit", &Plan::edited, py::arg("edit"))
      .def("price", &priced, py::arg("edit") = py::none())
      .def("estimate", [](Plan& p) { return fromJson(p.json()); })
      .def(
          "rows",
          [](Plan& p, const std::string& table) {
            for (const char* known : {"layers", "collectives", "stages"})
              if (table == known) return fromJson(p.json().at(table));
            throw py::value_error("the report has no table `" + table + "`: it has layers, collectives and stages");
          },
          py::arg("table") = "layers")
      .def(
          "text",
          [](const Plan& p, const ir::PlanEdit& edit, const std::string& name) {
            DiagnosticEngine found;
            const auto text = api::planText(*p.made, edit, name, found);
            if (!text) refuse(listOf(found, p.file->sources()));
            return *text;
          },
          py::arg("edit"), py::arg("name"))
      .def("diagnostics", &Plan::diagnostics);
  py::class_<File>(m, "PlanFile")
      .def("set", &File::set, py::arg("path"), py::arg("value"))
      .def("bind", &File::bind, py::arg("choice") = "")
      .def("plans", &File::plans)
      .def("diagnostics", &File::diagnostics);
  m.def("load", &load, py::arg("path"));
  m.def("loads", &loads, py::arg("text"), py::arg("path") = "plans.plan");
  m.def("declarations", &declarations, py::arg("kind") = "");
}
