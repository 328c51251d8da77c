// Puts the sections of a step's page together.
// SPDX-License-Identifier: Apache-2.0
#include "report/page/StepPage.h"

#include "report/estimate/Estimate.h"
#include "report/estimate/EstimateParts.h"
#include "report/estimate/Lines.h"
#include "report/page/PageParts.h"
#include "report/tables/Svg.h"
#include "support/files/Embedded.h"

#include <fmt/format.h>

namespace planc::report {
namespace {

struct Section {
  std::string_view id, title, about;
  std::string (*body)(const StepPageInput& plan);
};

Page collectivesPage(const cost::Estimate& e) {
  Table table{"lrrrrl"};
  table.head({"collective", "count", "bytes", "time", "exposed", "limit"});
  for (const CollectiveLine& line : collectiveLines(e)) {
    double bytes = 0;
    for (const cost::CollectiveRow* row : line.rows) bytes += row->bytes * row->count;
    table.add({line.name(), countText(line.count), cell(bytes, units::bytes), cell(line.seconds, units::time),
               cell(line.onPath, units::time), line.row().limit});
  }
  return table.empty() ? Page{} : pageOf(std::move(table));
}

constexpr Section kSections[] = {
    {"numbers", "Numbers", "The report of planc estimate.",
     [](const StepPageInput& p) { return htmlOf(estimatePage(p.report)); }},
    {"where", "Where the step goes", "From what the model's FLOPs take at the peak of the device to the step.",
     [](const StepPageInput& p) { return waterfall(p.report); }},
    {"time", "Timeline", "Every stage, its streams as lanes. Zoom with Ctrl and the wheel or + and -, drag to move.",
     [](const StepPageInput& p) { return p.line ? timelinePicture(*p.line) : std::string(); }},
    {"pass", "Inside of a pass",
     "One micro-batch through the critical stage: layers, operators, and communication beside them.",
     [](const StepPageInput& p) { return p.line ? passPicture(*p.line) : std::string(); }},
    {"memory", "Memory",
     "Bytes of a device over the step, by kind; the dashed line is its capacity. Equal stages are drawn once.",
     [](const StepPageInput& p) { return p.line ? memoryPicture(p.report, *p.line) : std::string(); }},
    {"layers", "Layers", "FLOPs per byte and FLOP/s of each layer, below the peaks of the device.",
     [](const StepPageInput& p) { return roofline(p.report); }},
    {"collectives", "Collectives", "Per device and step on the critical stage; exposed is what nothing hides.",
     [](const StepPageInput& p) { return htmlOf(collectivesPage(*p.report.estimate)); }},
    {"mesh", "Mesh", "Which devices the groups of an axis span: bars of one length hold equally many ranks.",
     [](const StepPageInput& p) { return meshPicture(p.report); }},
    {"constants", "Constants",
     "The ten on which the step time hangs most: by how many percent it changes if a constant grows by one percent.",
     [](const StepPageInput& p) { return p.constants.empty() ? std::string() : htmlOf(p.constants); }},
    {"source", "Plan", "Left of a line: what the layer on it takes, and the exposed communication that it causes.",
     [](const StepPageInput& p) { return sourceText(p.report); }},
};

std::string_view assetOf(std::string_view name) {
  for (const EmbeddedFile& file : embeddedPageAssets())
    if (file.path == name) return file.text;
  return {};
}

std::string sectionText(std::string_view id, std::string_view title, std::string_view about, std::string_view content) {
  return fmt::format("<section>\n<h2 id=\"{}\">{}</h2>\n<p class=\"about\">{}</p>\n{}</section>\n", id, title, about,
                     content);
}

std::string planSections(const StepPageInput& plan, size_t number, size_t plans) {
  const std::string prefix = plans > 1 ? fmt::format("p{}-", number) : "";
  std::string nav, body;
  for (const Section& section : kSections) {
    const std::string content = section.body(plan);
    if (content.empty()) continue;
    nav += fmt::format("<a href=\"#{0}{1}\">{2}</a>\n", prefix, section.id, section.title);
    body += sectionText(prefix + std::string(section.id), section.title, section.about, content);
  }
  return fmt::format("<h1>{}</h1>\n<nav>\n{}</nav>\n{}", xmlText(plan.report.plan->title), nav, body);
}

} // namespace

std::string figure(const std::string& svg, bool zooms) {
  return fmt::format("<figure{}>\n{}</figure>\n", zooms ? " class=\"zooms\"" : "", svg);
}

std::string keyOf(std::span<const std::pair<std::string_view, std::string_view>> colours) {
  std::string out = "<p class=\"key\">";
  for (const auto& [style, words] : colours) out += fmt::format("<span><i class=\"{}\"></i>{}</span>", style, words);
  return out + "</p>\n";
}

std::string stepPage(const StepPageHead& head, std::span<const StepPageInput> plans) {
  std::string body, title;
  if (!head.beside.empty())
    body += sectionText("beside", "Plans side by side", "One row per plan, and what the differences hang on.",
                        htmlOf(head.beside));
  if (!head.against.empty())
    body += sectionText("against", "Against " + xmlText(head.against), "What changed, and what each change brought.",
                        htmlOf(head.difference));
  for (size_t i = 0; i < plans.size(); ++i) {
    body += planSections(plans[i], i + 1, plans.size());
    title += (title.empty() ? "" : ", ") + plans[i].report.plan->title;
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n{}<script>\n{}</script>\n</body>\n</html>\n",
      xmlText(title), assetOf("page.css"), body, assetOf("page.js"));
}

} // namespace planc::report
