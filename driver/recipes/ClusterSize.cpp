// Finds arguments that give a cluster a number of devices. It evaluates the cluster with trial arguments, so that the
// names of parameters do not matter.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/ClusterSize.h"

#include "api/PlanFile.h"
#include "driver/files/OptionValues.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace planc::driver {

namespace {

using api::ExportParameter;

/// Parses a whole number of plan text, `1_024`; nothing if it is none.
std::optional<int64_t> wholeNumber(std::string text) {
  std::erase(text, '_');
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Splits arguments at commas outside of brackets.
std::vector<std::string> splitAtCommas(const std::string& text) {
  std::vector<std::string> out;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else if (out.empty())
      out.emplace_back(1, c);
    else
      out.back() += c;
  }
  return out;
}

class ClusterSizer {
public:
  ClusterSizer(Console& console, const NamedExport& name, ImportLines& imports)
      : console_(console), name_(name), call_(imports.add(name)), imports_(imports.text()), place_(imports.place()) {
    const std::vector<std::string> given = splitAtCommas(name.arguments);
    for (size_t i = 0; i < name.decl.parameters.size(); ++i) {
      const ExportParameter& p = name.decl.parameters[i];
      const auto binds = [&](const std::string& argument) {
        const size_t equals = argument.find('=');
        return equals != std::string::npos && trimmed(argument.substr(0, equals)) == p.name;
      };
      const bool byPlace = i < given.size() && given[i].find('=') == std::string::npos;
      if (byPlace || std::any_of(given.begin(), given.end(), binds)) continue;
      if (p.required())
        needed_.push_back(&p);
      else if (p.type.text == "int" && wholeNumber(p.value.text))
        sizes_.push_back(&p);
    }
  }

  std::optional<SizedCluster> find(std::optional<int64_t> devices) {
    const bool whole = needed_.empty() || (needed_.size() == 1 && needed_[0]->type.text == "int");
    if (!whole) return reportNeeded();
    const std::vector<Argument> one = needed_.empty() ? std::vector<Argument>{} : std::vector{Argument{needed_[0], 1}};
    std::optional<SizedCluster> unit = tried(one);
    if (!unit) return reportInvalid(one);
    unit_ = unit->devices;
    if (!devices || *devices == unit_) {
      if (needed_.empty() && !sizes_.empty()) // the default is the size
        unit->sizes.push_back({sizes_[0]->name, *wholeNumber(sizes_[0]->value.text), false});
      return unit;
    }
    for (const std::vector<Argument>& arguments : candidates(*devices))
      if (const auto found = tried(arguments); found && found->devices == *devices) return found;
    if (needed_.empty() && !sizes_.empty()) // the size parameter has a default, so one unit is its value 1
      if (const auto least = tried({{sizes_[0], 1}})) unit = least, unit_ = least->devices;
    if (*devices < unit_ && !(needed_.empty() && sizes_.empty()))
      if (const auto part = partOf(*unit, *devices)) return part;
    return reportSize(*devices);
  }

private:
  struct Argument {
    const ExportParameter* parameter;
    int64_t value;
  };

  SizedCluster with(const std::vector<Argument>& arguments) const {
    SizedCluster out{call_, name_.arguments, {}, 0};
    for (const auto& [parameter, value] : arguments) out.sizes.push_back({parameter->name, value});
    return out;
  }

  /// Evaluates a cluster in plan text. `before`: declarations that the text needs. Nothing if it has errors; see
  /// `problem_`.
  std::optional<ir::Cluster> evaluated(const std::string& text, const std::string& before = "") {
    api::PlanFile file;
    file.loadText(place_, fmt::format("{}{}let asked = {}\n", imports_, before, text));
    std::optional<ir::Cluster> cluster = file.cluster("asked");
    if (const Diagnostic* error = file.diagnostics().firstError()) {
      problem_ = error->message;
      return std::nullopt;
    }
    return cluster;
  }

  std::optional<SizedCluster> tried(const std::vector<Argument>& arguments) {
    SizedCluster out = with(arguments);
    const auto cluster = evaluated(out.text());
    if (!cluster) return std::nullopt;
    out.devices = cluster->devices();
    return out;
  }

  /// Returns arguments that may give this number of devices, those nearest to the defaults first.
  std::vector<std::vector<Argument>> candidates(int64_t devices) const {
    std::vector<std::vector<Argument>> out;
    const int64_t units = (devices + unit_ - 1) / unit_;
    if (!needed_.empty() && devices % unit_ == 0) out.push_back({{needed_[0], units}});
    for (const ExportParameter* size : sizes_) {
      const int64_t value = wholeNumber(size->value.text).value_or(0);
      if (value < 1 || unit_ % value != 0) continue;
      const int64_t each = unit_ / value; // devices per step of the parameter
      if (needed_.empty() && devices % each == 0) out.push_back({{size, devices / each}});
      if (!needed_.empty() && devices % (units * each) == 0)
        out.push_back({{needed_[0], units}, {size, devices / (units * each)}});
    }
    return out;
  }

  /// Returns a part of one unit: its inner levels, as far as the devices reach. Nothing if the devices do not divide.
  std::optional<SizedCluster> partOf(const SizedCluster& unit, int64_t devices) {
    const auto cluster = evaluated(unit.text());
    int64_t rest = devices;
    std::string levels;
    for (const ir::ClusterLevel& level : cluster->levels) {
      const int64_t count = std::min(level.count, rest);
      if (rest % count != 0) return std::nullopt;
      rest /= count;
      if (count != level.count) levels += fmt::format("  override level {} * {}\n", level.name.view(), count);
    }
    if (rest != 1) return std::nullopt;
    const std::string name = name_.decl.name + "_part";
    const std::string text = fmt::format("/// {} of the {} devices of a unit.\ncluster {} extends {} {{\n{}}}\n",
                                         devices, unit.devices, name, unit.text(), levels);
    if (!evaluated(name, text)) return std::nullopt; // a torus cannot be reduced level by level
    return SizedCluster{name, "", text, devices};
  }

  std::optional<SizedCluster> reportNeeded() {
    std::string names, arguments = name_.arguments;
    for (const ExportParameter* p : needed_) {
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", p->str());
      arguments += fmt::format("{}{} = …", arguments.empty() ? "" : ", ", p->name);
    }
    console_.usageError(fmt::format("cluster `{}` has several parameters without a value: {}", call_, names),
                        fmt::format("write them after its name: '{}({})'", name_.decl.name, arguments));
    return std::nullopt;
  }

  std::optional<SizedCluster> reportInvalid(const std::vector<Argument>& arguments) {
    console_.usageError(fmt::format("`{}` is not a cluster: {}", with(arguments).text(), problem_),
                        fmt::format("write other arguments after its name: '{}(…)'", name_.decl.name));
    return std::nullopt;
  }

  std::optional<SizedCluster> reportSize(int64_t devices) {
    if (needed_.empty() && sizes_.empty())
      console_.usageError(fmt::format("`{}` has {} devices, but `--devices` is {}", with({}).text(), unit_, devices),
                          "remove `--devices`, or name a cluster whose size is a parameter");
    else if (const int64_t below = devices / unit_ * unit_; below == 0)
      console_.usageError(
          fmt::format("`{}` has units of {} devices, and a part of a unit cannot have {}", call_, unit_, devices),
          fmt::format("the nearest size is {}", unit_));
    else if (below == devices)
      console_.usageError(fmt::format("no arguments of `{}` give {} devices: {}", call_, devices, problem_),
                          "write its arguments after its name");
    else
      console_.usageError(
          fmt::format("`{}` has units of {} devices, but {} is not a multiple of that", call_, unit_, devices),
          fmt::format("the nearest sizes are {} and {}", below, below + unit_));
    return std::nullopt;
  }

  Console& console_;
  const NamedExport& name_;
  std::string call_, imports_, place_, problem_;
  std::vector<const ExportParameter*> needed_, sizes_; ///< without a default; whole numbers with one
  int64_t unit_ = 1;
};

} // namespace

std::string SizedCluster::text() const {
  std::string all = arguments;
  for (const Size& size : sizes)
    if (size.said || size.open)
      all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", size.parameter,
                         size.open ? size.parameter : std::to_string(size.value));
  return all.empty() ? name : fmt::format("{}({})", name, all);
}

bool SizedCluster::open(const std::string& parameter) {
  for (Size& size : sizes)
    if (size.parameter == parameter) return size.open = true;
  return false;
}

std::optional<SizedCluster> sizedCluster(Console& console, const NamedExport& name, ImportLines& imports,
                                         std::optional<int64_t> devices) {
  return ClusterSizer(console, name, imports).find(devices);
}

} // namespace planc::driver
