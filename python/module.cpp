// The Python module: plan files, compilations and changes of plans, built on api/.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"
#include "api/PlanFile.h"
#include "api/Texts.h"
#include "report/Report.h"

#include <mutex>
#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <set>

namespace py = pybind11;
using namespace planc;

namespace {

/// Returns a value as plan text. Python's text of a number reads back as the same number.
std::string valueText(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (value.is_none()) throw py::value_error("None is not a value of a fact");
  return py::str(value).cast<std::string>();
}

ir::Selector selectorOf(const std::string& text) {
  if (text.empty()) return {};
  const auto path = ir::parseLayerRef(text);
  if (!path) throw py::value_error("`" + text + "` is not a path of layers");
  return {*path, {}};
}

std::vector<Symbol> symbols(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

ir::ScheduleEdit scheduleOf(const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    const auto name = value.cast<std::string>();
    if (name.find('(') != std::string::npos)
      throw py::value_error("give the arguments of a schedule after its name: (\"interleaved_1f1b\", {\"chunks\": 2})");
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
  throw py::value_error("`" + state + "` is not a state: states are params, grads and optimizer");
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

using Json = nlohmann::ordered_json;

py::object fromJson(const Json& json) {
  static const py::object loads = py::module_::import("json").attr("loads");
  return loads(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Thrown if a plan is refused, with the diagnostics that say why. It is thrown without the interpreter lock and
/// becomes `planc.Diagnostics` once the lock is held.
struct Refused {
  Json diagnostics;
};

/// Returns the diagnostics as rows, without those in `before`.
Json rowsOf(const DiagnosticEngine& diagnostics, const SourceManager& sources,
            const std::vector<const Diagnostic*>& before = {}) {
  Json out = Json::array();
  for (const Diagnostic* d : diagnostics.sorted()) {
    if (std::find(before.begin(), before.end(), d) != before.end()) continue;
    out.push_back({{"code", d->kind->id()},
                   {"severity", d->kind->severity == Severity::Error ? "error" : "warning"},
                   {"message", d->message},
                   {"help", d->help},
                   {"notes", d->notes},
                   {"file", d->range.valid() ? sources.path(d->range.file) : ""},
                   {"line", d->range.valid() ? sources.begin(d->range).line : 0},
                   {"column", d->range.valid() ? sources.begin(d->range).column : 0}});
  }
  return out;
}

void raise(const Refused& refused) {
  const Json& all = refused.diagnostics;
  const std::string first =
      all.empty() ? "refused" : all[0]["code"].get<std::string>() + ": " + all[0]["message"].get<std::string>();
  PyErr_SetObject(py::module_::import("planc._planc").attr("Diagnostics").ptr(),
                  py::make_tuple(first, fromJson(all)).ptr());
}

/// A file with a mutex for itself and all of its plans, which share sources and an engine.
struct HeldFile {
  api::PlanFile file;
  std::recursive_mutex mutex;
};

/// A scope in which one thread works on a file while other threads may run Python: it releases the interpreter lock and
/// locks the file. No Python object may be touched in it. The file is unlocked before the interpreter lock is taken
/// again.
class Turn {
public:
  explicit Turn(HeldFile& file) : lock_(file.mutex) {}

private:
  py::gil_scoped_release free_;
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Deletes a plan. A plan gives its text back to the file when it ends, so the file must be locked; the deleter may run
/// inside a turn already.
struct EndOfPlan {
  std::shared_ptr<HeldFile> file;
  void operator()(api::Compilation* plan) const {
    std::optional<Turn> turn;
    if (PyGILState_Check()) turn.emplace(*file);
    delete plan;
  }
};

/// A compilation with the file that its source ranges point into.
class Plan {
public:
  Plan(std::shared_ptr<HeldFile> file, std::unique_ptr<api::Compilation> made)
      : file_(file), made_(made.release(), EndOfPlan{std::move(file)}) {}

  /// Runs `read` on the compilation while the file is locked, and returns its result.
  template <typename Read> auto in(Read read) {
    Turn turn(*file_);
    return read(*this);
  }
  const ir::Plan& plan() const { return made_->plan(); }
  Json diagnostics() const { return rowsOf(made_->diagnostics(), file_->file.sources()); }
  /// Totals come from the engine that the plan shares with the plan it was edited from. Rows are computed on request.
  const cost::Estimate& estimate(cost::Wanted wanted = cost::Wanted::totals()) {
    if (!made_->estimate() || (wanted.rows && !rows_)) {
      if (!made_->priceAlone(wanted)) throw Refused{diagnostics()};
      rows_ = wanted.rows;
    }
    return *made_->estimate();
  }
  Plan edited(const ir::PlanEdit& edit) const {
    Plan out(file_, made_->with(edit));
    if (out.made_->diagnostics().hasErrors()) throw Refused{out.diagnostics()};
    return out;
  }
  Json report() {
    estimate({});
    return report::json({"", &file_->file.sources(), &plan(), made_->program(), made_->estimate(), &made_->results()});
  }
  std::string text(const ir::PlanEdit& edit, const std::string& name) const {
    DiagnosticEngine found;
    if (const auto text = api::planText(*made_, edit, name, found)) return *text;
    throw Refused{rowsOf(found, file_->file.sources())};
  }

private:
  std::shared_ptr<HeldFile> file_;
  std::shared_ptr<api::Compilation> made_;
  bool rows_ = false; ///< the estimate has rows
};

using Price = std::tuple<double, double, bool>;

Price priceOf(Plan& plan) {
  const cost::Estimate& e = plan.estimate();
  return {e.totals.stepTime, e.memory.peak, e.memory.fits};
}

Price priced(Plan& plan, const std::optional<ir::PlanEdit>& edit) {
  return plan.in([&](Plan& p) {
    if (!edit) return priceOf(p);
    Plan changed = p.edited(*edit);
    return priceOf(changed);
  });
}

class File {
public:
  Json diagnostics() const {
    Turn turn(*held_);
    return found();
  }
  /// Returns false and sets `error` if the file cannot be read.
  bool load(const std::string& path, std::string& error) {
    Turn turn(*held_);
    if (!held_->file.load(path, error)) return false;
    return refuseErrors(), true;
  }
  void loadText(const std::string& path, const std::string& text) {
    Turn turn(*held_);
    held_->file.loadText(path, text);
    refuseErrors();
  }
  void set(const std::string& path, const py::object& value) {
    const std::string text = valueText(value);
    Turn turn(*held_);
    const auto before = held_->file.diagnostics().sorted();
    if (!held_->file.set({{path, text}})) refuseNew(before);
  }
  std::vector<Plan> plans() const {
    Turn turn(*held_);
    std::vector<Plan> out;
    for (auto& plan : held_->file.plans()) out.emplace_back(held_, std::move(plan));
    refuseErrors();
    return out;
  }
  Plan bind(const std::string& choice) const {
    Turn turn(*held_);
    const auto before = held_->file.diagnostics().sorted();
    if (choice.empty()) {
      auto all = held_->file.plans();
      if (all.size() == 1) return {held_, std::move(all.front())};
      if (held_->file.diagnostics().size() > before.size()) refuseNew(before);
      throw py::value_error("the file has " + std::to_string(all.size()) + " plans: name one");
    }
    auto plan = held_->file.bind(choice);
    if (!plan) refuseNew(before);
    return {held_, std::move(plan)};
  }

private:
  Json found(const std::vector<const Diagnostic*>& before = {}) const {
    return rowsOf(held_->file.diagnostics(), held_->file.sources(), before);
  }
  /// Throws the diagnostics that are not in `before`, or all of them if none is new.
  [[noreturn]] void refuseNew(const std::vector<const Diagnostic*>& before) const {
    Json rows = found(before);
    throw Refused{rows.empty() ? found() : std::move(rows)};
  }
  void refuseErrors() const {
    if (held_->file.diagnostics().hasErrors()) throw Refused{found()};
  }

  std::shared_ptr<HeldFile> held_ = std::make_shared<HeldFile>();
};

File load(const py::object& path) {
  const auto text = py::module_::import("os").attr("fspath")(path).cast<std::string>();
  File file;
  std::string error;
  if (!file.load(text, error)) {
    PyErr_SetString(PyExc_OSError, error.c_str());
    throw py::error_already_set();
  }
  return file;
}

File loads(const std::string& text, const std::string& path) {
  File file;
  file.loadText(path, text);
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
  m.attr("__version__") = PLANC_VERSION;
  m.attr("Diagnostics") = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "planc.Diagnostics", "A plan was rejected; args[1] are the diagnostics.", nullptr, nullptr));
  m.attr("Diagnostics").attr("__str__") =
      py::cpp_function([](const py::object& refused) { return refused.attr("args")[py::int_(0)]; },
                       py::is_method(m.attr("Diagnostics")));
  py::class_<ir::PlanEdit>(m, "PlanEdit")
      .def(py::init(&makeEdit), py::kw_only(), py::arg("facts") = py::dict(),
           py::arg("axes") = std::map<std::string, int64_t>(), py::arg("micro_batch") = py::none(),
           py::arg("global_batch") = py::none(), py::arg("schedule") = py::none(), py::arg("place") = Places(),
           py::arg("states") = Places(), py::arg("recompute") = py::none());
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Refused& refused) {
      raise(refused);
    }
  });
  const auto total = [](auto read) {
    return [read](Plan& plan) { return plan.in([&](Plan& p) { return read(p.estimate()); }); };
  };
  py::class_<Plan>(m, "Compilation")
      .def_property_readonly("name", [](const Plan& p) { return p.plan().title; })
      .def_property_readonly("devices", [](const Plan& p) { return p.plan().mesh.devices(); })
      .def_property_readonly("step_time", total([](const cost::Estimate& e) { return e.totals.stepTime; }))
      .def_property_readonly("peak_memory", total([](const cost::Estimate& e) { return e.memory.peak; }))
      .def_property_readonly("fits", total([](const cost::Estimate& e) { return e.memory.fits; }))
      .def_property_readonly("mfu", total([](const cost::Estimate& e) { return e.totals.mfu; }))
      .def(
          "edit", [](Plan& plan, const ir::PlanEdit& edit) { return plan.in([&](Plan& p) { return p.edited(edit); }); },
          py::arg("edit"))
      .def("price", &priced, py::arg("edit") = py::none())
      .def("estimate", [](Plan& plan) { return fromJson(plan.in([](Plan& p) { return p.report(); })); })
      .def(
          "rows",
          [](Plan& plan, const std::string& table) {
            const py::object report = fromJson(plan.in([](Plan& p) { return p.report(); }));
            return py::module_::import("planc").attr("rows")(report, table);
          },
          py::arg("table") = "layers")
      .def(
          "text",
          [](Plan& plan, const ir::PlanEdit& edit, const std::string& name) {
            return plan.in([&](Plan& p) { return p.text(edit, name); });
          },
          py::arg("edit"), py::arg("name"))
      .def("diagnostics", [](Plan& plan) { return fromJson(plan.in([](Plan& p) { return p.diagnostics(); })); });
  py::class_<File>(m, "PlanFile")
      .def("set", &File::set, py::arg("path"), py::arg("value"))
      .def("bind", &File::bind, py::arg("choice") = "")
      .def("plans", &File::plans)
      .def("diagnostics", [](const File& file) { return fromJson(file.diagnostics()); });
  m.def("load", &load, py::arg("path"));
  m.def("loads", &loads, py::arg("text"), py::arg("path") = "plans.plan");
  m.def("declarations", &declarations, py::arg("kind") = "");
}
