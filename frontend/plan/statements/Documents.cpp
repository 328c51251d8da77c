// Reads `documents` of a workload, and checks that the model has sequences that can be packed.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/Workload.h"

#include <cmath>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(DocumentsForm, 730, "`documents` must be a length, a list of lengths, or `mean` and `spread`; {problem}")
PLANC_ERROR(DocumentsTooLong, 731, "{documents} do not fit into a sequence of {sequence}: {reason}")
PLANC_ERROR(DocumentsOfWhat, 732, "`documents` needs exactly one dimension, but the inputs of `{model}` count {dims}")
PLANC_WARNING(
    DocumentsLeaveRoom, 833,
    "{padding} of {sequence} tokens per sequence are padding after {documents}: the longest document would fit again")
PLANC_WARNING(DocumentsIdle, 733, "`documents` has no effect: no operator of `{model}` attends along `{dim}`")

namespace {

const Symbol kDocuments("documents"), kMean("mean"), kSpread("spread");

/// The error in a number of tokens, which must be at least 1; empty if it is valid. `zero`: also accepts 0.
std::string problemOf(std::string_view what, const Value& v, bool zero = false) {
  const bool number = v.numeric() && (v.isInt() || v.unit.plain());
  if (number && (v.asDouble() >= 1 || (zero && v.asDouble() == 0)) && v.asDouble() <= double(int64_t(1) << 53))
    return {};
  return fmt::format("{} is {}, and it takes a number of tokens, {}at least 1", what, number ? show(v) : describe(v),
                     zero ? "0 or " : "");
}

/// Sets `mean` or `spread`. Returns the error, or an empty text.
std::string setNamed(ir::Documents& made, Symbol name, const Value& v) {
  if (name != kMean && name != kSpread) return fmt::format("it has no `{}`", name.view());
  std::string problem = problemOf(fmt::format("`{}`", name.view()), v, name == kSpread);
  if (problem.empty()) (name == kMean ? made.mean : made.spread) = v.asDouble();
  return problem;
}

std::string setLengths(ir::Documents& made, const std::vector<Value>& lengths) {
  for (const Value& v : lengths) {
    std::string problem = v.isInt() ? problemOf("a length", v) : "a length is " + describe(v);
    if (!problem.empty()) return problem;
    made.lengths.push_back(v.integer);
  }
  return lengths.empty() ? "this list is empty" : "";
}

std::string setValue(ir::Documents& made, const Value& v) {
  if (v.kind == ValueKind::List) return setLengths(made, v.list->items);
  if (v.kind != ValueKind::Record) {
    made.mean = v.numeric() ? v.asDouble() : 0;
    std::string problem = problemOf("this", v);
    if (problem.empty() && made.mean != std::floor(made.mean))
      return fmt::format("a document cannot have {} tokens: a length is a whole number, a mean need not be", show(v));
    return problem;
  }
  for (const Field& f : v.record->fields)
    if (std::string problem = setNamed(made, f.name, f.value); !problem.empty()) return problem;
  return made.mean > 0 ? "" : "this one has no `mean`";
}

} // namespace

bool documentsFact(Elaboration& elab, MergedPlan& merged, FactNode& fact) {
  if (fact.name != kDocuments) return false;
  ir::Documents made;
  made.range = fact.range;
  std::string problem;
  bool known = true; // else already reported
  for (FactNode& part : fact.children) {
    const Value v = part.section() ? Value{} : merged.facts.value(part);
    known &= !v.invalid() || part.section();
    if (problem.empty() && known)
      problem = part.section() ? fmt::format("it has no section `{}`", part.name.view()) : setNamed(made, part.name, v);
  }
  if (fact.section()) {
    if (problem.empty() && known && made.mean == 0) problem = "this one has no `mean`";
  } else {
    const Value v = merged.facts.value(fact);
    known = !v.invalid();
    if (known) problem = setValue(made, v);
  }
  if (known && problem.empty()) {
    elab.plan.workload.documents = std::move(made);
    return true;
  }
  elab.ok = false;
  if (known)
    elab.context.report(DocumentsForm, fact.range, {{"problem", std::move(problem)}})
        .help("`documents = 1024` if all are equally long, `documents = [512, 1536, 2048]` for those of one sequence, "
              "`documents { mean = 900; spread = 1400 }` for their mean and standard deviation");
  return true;
}

namespace {

/// The place where the sequence length is given: in the workload, or at the input.
SourceRange writtenAt(const WorkloadFacts& facts, const ir::Model& model, ir::DimId dim) {
  for (const auto& [name, node] : facts.bound)
    if (name == model.dims[dim].name) return node->range;
  if (facts.prompt) return facts.prompt->range;
  for (const ir::ValueId input : model.inputs)
    if (!model.values[input].counts.empty()) return model.values[input].range;
  return {};
}

std::string reasonOf(const ir::Documents& documents, double sequence) {
  if (!documents.lengths.empty()) return fmt::format("together they have {:.0f} tokens", documents.listed());
  if (documents.spread == 0 || documents.mean > sequence) return "one is longer than that";
  return fmt::format("lengths up to {:.0f} with this mean have a spread of at most {:.6g}", sequence,
                     std::sqrt(documents.mean * (sequence - documents.mean)));
}

} // namespace

void checkDocuments(Elaboration& elab, const WorkloadFacts& facts) {
  const std::optional<ir::Documents>& documents = elab.plan.workload.documents;
  if (!documents) return;
  const ir::Model& model = *elab.plan.model;
  const std::vector<ir::DimId> counted = model.countedDims();
  if (counted.size() != 1) {
    std::string dims;
    for (const ir::DimId d : counted)
      dims += fmt::format("{}`{}`", dims.empty() ? "" : " and ", model.dims[d].name.view());
    auto report = elab.context.report(DocumentsOfWhat, documents->range,
                                      {{"model", model.name.str()}, {"dims", dims.empty() ? "none" : dims}});
    report.help(counted.empty()
                    ? "declare in the model which input counts tokens: `in tokens: [batch, seq] int32 counts seq`"
                    : "remove `documents`: packing along one of several dimensions is not supported");
    elab.ok = false;
    return;
  }
  const ir::Dim& dim = model.dims[counted.front()];
  const double sequence = static_cast<double>(dim.extent);
  if (!documents->fit(sequence)) {
    elab.context
        .report(DocumentsTooLong, documents->range,
                {{"documents", documents->str()}, {"sequence", dim.extent}, {"reason", reasonOf(*documents, sequence)}})
        .label(writtenAt(facts, model, counted.front()), fmt::format("`{}` is {}", dim.name.view(), dim.extent))
        .help("give the lengths as they are packed, in tokens: a longer document is cut to the sequence first");
    elab.ok = false;
    return;
  }
  if (const double padding = documents->padding(sequence); padding > 0 && padding >= documents->longest())
    elab.context
        .report(DocumentsLeaveRoom, documents->range,
                {{"documents", documents->str()}, {"padding", static_cast<int64_t>(padding)}, {"sequence", dim.extent}})
        .label(writtenAt(facts, model, counted.front()), fmt::format("`{}` is {}", dim.name.view(), dim.extent))
        .help("list all documents of one sequence; of sequences that are full and differ give their mean and standard "
              "deviation, `documents { mean = …; spread = … }`")
        .note("attention skips padding; all other operators process it");
  if (!facts.extents.attended)
    elab.context.report(DocumentsIdle, documents->range, {{"model", model.name.str()}, {"dim", dim.name.str()}})
        .help("remove it: other operators process every token alike");
}

} // namespace planc::frontend
