// Formats results for other tools. All formats are made from the JSON of plans and diagnostics.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/CheckFormats.h"

#include "driver/words/Help.h"
#include "driver/words/Pages.h"
#include "report/tables/Svg.h"
#include "support/DiagnosticRender.h"
#include "support/files/Digest.h"
#include "support/text/TextCells.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string textOf(const Json& diagnostic, const char* key) {
  const auto found = diagnostic.find(key);
  return found != diagnostic.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool isError(const Json& diagnostic) {
  return textOf(diagnostic, "severity") == "error";
}

/// Returns the path relative to the current folder if it lies below, because tools run in the root of the repository.
std::string pathOf(const Json& place) {
  namespace fs = std::filesystem;
  const std::string path = textOf(place, "file");
  std::error_code failed;
  if (path.empty() || !fs::exists(path, failed)) return path; // stdin or a file of the library
  const fs::path below = fs::proximate(path, failed);
  const std::string relative = below.lexically_normal().generic_string();
  return failed || relative.starts_with("..") ? fs::absolute(path, failed).generic_string() : relative;
}

/// Computes fingerprints that stay the same while a mistake stays, even if its line moves: code, file, message, and the
/// count of equal diagnostics before it.
class Fingerprints {
public:
  std::string of(const Json& diagnostic) {
    const std::string said =
        fmt::format("{}\n{}\n{}", textOf(diagnostic, "code"), pathOf(diagnostic), textOf(diagnostic, "message"));
    return digestOf(fmt::format("{}\n{}", said, met_[said]++));
  }

private:
  std::map<std::string, int> met_;
};

/// Returns the message for outputs that do not draw the source.
std::string headline(const Json& diagnostic) {
  const Json& args = diagnostic.at("args");
  return plainMessage(textOf(diagnostic, "message"), textOf(args, kOfArg.data()), textOf(args, kDetailArg.data()));
}

std::string message(const Json& diagnostic) {
  std::string text = headline(diagnostic);
  for (const Json& help : diagnostic.at("help")) text += "\nhelp: " + help.get<std::string>();
  return text;
}

// ---- SARIF 2.1.0 (OASIS, sections 3.14 to 3.49)

std::string uriOf(const std::string& path) {
  std::string out = path.starts_with("/") ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

Json sarifRegion(const Json& place) {
  return {{"startLine", place.at("line")},
          {"startColumn", place.at("column")},
          {"endLine", place.at("end_line")},
          {"endColumn", place.at("end_column")}};
}

Json sarifPlace(const Json& place) {
  return {
      {"physicalLocation", {{"artifactLocation", {{"uri", uriOf(pathOf(place))}}}, {"region", sarifRegion(place)}}}};
}

/// Returns a fix, with one change of a file per edit.
Json sarifFix(const Json& fix) {
  Json changes = Json::array();
  for (const Json& edit : fix.at("edits")) {
    const Json replacement = {{"deletedRegion", sarifRegion(edit)}, {"insertedContent", {{"text", edit.at("text")}}}};
    changes.push_back(
        {{"artifactLocation", {{"uri", uriOf(pathOf(edit))}}}, {"replacements", Json::array({replacement})}});
  }
  return {{"description", {{"text", fix.at("title")}}}, {"artifactChanges", std::move(changes)}};
}

Json sarifRule(const DiagnosticKind& kind) {
  Json rule = {{"id", kind.id()},
               {"name", std::string(kind.name)},
               {"shortDescription", {{"text", messageOf(kind)}}},
               {"defaultConfiguration", {{"level", kind.severity == Severity::Error ? "error" : "warning"}}}};
  if (const std::string_view page = pageOf(kind.id()); !page.empty())
    rule["help"] = {{"text", page}, {"markdown", page}};
  return rule;
}

/// Returns the places of the plans of cases, by the indices of the diagnostics that are the cases' own.
std::map<size_t, Json> plansOf(const CheckedResults& checked) {
  std::map<size_t, Json> out;
  for (const Json& one : checked.cases)
    if (one.contains("plan_line") && one.at("plan_line").is_number())
      for (const Json& index : one.at("diagnostics"))
        out.try_emplace(index.get<size_t>(), Json{{"file", one.at("plan_file")},
                                                  {"line", one.at("plan_line")},
                                                  {"text", "plan `" + textOf(one, "plan") + "`"}});
  return out;
}

/// Returns the labels, and the plan's place unless a label points at it.
Json sarifRelated(const Json& found, const Json* plan) {
  Json out = Json::array();
  bool known = !plan;
  for (const Json& label : found.at("labels"))
    if (label.at("line").is_number()) {
      out.push_back(sarifPlace(label));
      out.back()["message"] = {{"text", textOf(label, "text")}};
      known = known || (label.at("file") == plan->at("file") && label.at("line") == plan->at("line"));
    }
  if (!known)
    out.push_back(
        {{"physicalLocation",
          {{"artifactLocation", {{"uri", uriOf(pathOf(*plan))}}}, {"region", {{"startLine", plan->at("line")}}}}},
         {"message", {{"text", plan->at("text")}}}});
  return out;
}

std::string sarif(const CheckedResults& checked) {
  const std::map<size_t, Json> plans = plansOf(checked);
  size_t number = 0;
  std::map<std::string, size_t> indices;
  Json rules = Json::array(), results = Json::array();
  Fingerprints fingerprints;
  for (const Json& found : checked.diagnostics) {
    const std::string code = textOf(found, "code");
    const auto [index, added] = indices.try_emplace(code, rules.size());
    for (const auto& [of, kind] : DiagnosticKind::all())
      if (added && kind->id() == code) rules.push_back(sarifRule(*kind));
    Json result = {{"ruleId", code},
                   {"ruleIndex", index->second},
                   {"level", textOf(found, "severity")},
                   {"message", {{"text", message(found)}}},
                   {"partialFingerprints", {{"planc/v1", fingerprints.of(found)}}}};
    if (found.at("line").is_number()) result["locations"] = Json::array({sarifPlace(found)});
    const auto plan = plans.find(number++);
    if (Json related = sarifRelated(found, plan == plans.end() ? nullptr : &plan->second); !related.empty())
      result["relatedLocations"] = std::move(related);
    for (const Json& fix : found.at("fixes")) result["fixes"].push_back(sarifFix(fix));
    results.push_back(std::move(result));
  }
  Json driver = {{"name", "planc"}, {"version", versionNumber()}, {"rules", std::move(rules)}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({{{"tool", {{"driver", std::move(driver)}}},
                                        {"columnKind", "unicodeCodePoints"},
                                        {"results", std::move(results)}}})}});
}

// ---- GitHub: workflow commands of a step; GitHub shows ten of each kind

std::string githubText(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable(text))
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

std::string github(const CheckedResults& checked) {
  constexpr size_t kShown = 10;
  std::vector<const Json*> worst;
  for (const Json& found : checked.diagnostics) worst.push_back(&found);
  std::stable_partition(worst.begin(), worst.end(), [](const Json* found) { return isError(*found); });
  std::string out;
  for (size_t i = 0; i < std::min(kShown, worst.size()); ++i) {
    const Json& found = *worst[i];
    std::string place;
    if (found.at("line").is_number())
      place = fmt::format("file={},line={},col={},endLine={},endColumn={},", githubText(pathOf(found), true),
                          found.at("line").get<int>(), found.at("column").get<int>(), found.at("end_line").get<int>(),
                          found.at("end_column").get<int>());
    out += fmt::format("::{} {}title={}::{}\n", textOf(found, "severity"), place, textOf(found, "code"),
                       githubText(message(found), false));
  }
  if (worst.size() > kShown) out += fmt::format("::notice title=planc::+{} more\n", worst.size() - kShown);
  return out;
}

// ---- GitLab: a code quality report

std::string gitlab(const CheckedResults& checked) {
  Json out = Json::array();
  Fingerprints fingerprints;
  for (const Json& found : checked.diagnostics) {
    Json location = {{"path", pathOf(found)}, {"lines", {{"begin", 1}}}};
    if (found.at("line").is_number()) location["lines"] = {{"begin", found.at("line")}, {"end", found.at("end_line")}};
    out.push_back({{"description", headline(found)},
                   {"check_name", textOf(found, "code")},
                   {"fingerprint", fingerprints.of(found)},
                   {"severity", isError(found) ? "major" : "minor"},
                   {"location", std::move(location)}});
  }
  return dumped(out);
}

// ---- JUnit: a suite per file and a case per plan; diagnostics outside of plans form a case of the file

/// Escapes text for XML and keeps its line breaks.
std::string xmlLines(std::string_view text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return report::xmlText(text);
  return report::xmlText(text.substr(0, end)) + "\n" + xmlLines(text.substr(end + 1));
}

/// Returns a case. `place`: the JSON object with its file and line, if it has them.
std::string junitCase(const std::string& file, const std::string& name, const std::string& failure,
                      const Json& place = Json::object()) {
  std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", report::xmlText(file), report::xmlText(name));
  if (place.contains("line") && place.at("line").is_number())
    head += fmt::format(" file=\"{}\" line=\"{}\"", report::xmlText(pathOf(place)), place.at("line").get<int>());
  return failure.empty() ? head + "/>\n" : fmt::format("{}>\n{}    </testcase>\n", head, failure);
}

std::string junitFailure(const Json& found) {
  return fmt::format(
      "      <failure type=\"{}\" message=\"{}\">{}</failure>\n", textOf(found, "code"),
      report::xmlText(headline(found)),
      xmlLines(fmt::format("{}:{}: {}", pathOf(found), found.at("line").is_number() ? found.at("line").get<int>() : 0,
                           message(found))));
}

struct JunitSuite {
  std::string cases;
  size_t tests = 0, failures = 0, skipped = 0;
};

/// Returns the failure of a case that lists its own diagnostics.
std::string ownFailure(const CheckedResults& checked, const Json& one) {
  std::string out;
  for (const Json& index : one.at("diagnostics"))
    if (const Json& found = checked.diagnostics.at(index.get<size_t>()); isError(found)) out += junitFailure(found);
  return out.empty() ? fmt::format("      <failure message=\"{}\"/>\n", report::xmlText(textOf(one, "text"))) : out;
}

std::string junit(const CheckedResults& checked) {
  std::map<std::string, std::string> failures; // by file
  for (const Json& found : checked.diagnostics)
    if (isError(found)) failures[textOf(found, "file")] += junitFailure(found);
  std::map<std::string, JunitSuite> suites;
  bool owned = false;
  for (const Json& one : checked.cases) {
    const std::string id = textOf(one, "id"), file = id.substr(0, id.find('#')); // the file of the case
    JunitSuite& suite = suites[file];
    const bool failed = !one.at("ok").get<bool>(), skipped = textOf(one, "outcome") == "skipped";
    std::string text;
    if (one.contains("diagnostics")) {
      owned = true;
      text = failed ? ownFailure(checked, one) : skipped ? "      <skipped/>\n" : "";
    } else if (failed) {
      text = failures[file];
      failures.erase(file);
    }
    suite.cases += junitCase(file, textOf(one, "name"), text, one);
    suite.failures += failed, suite.skipped += skipped, ++suite.tests;
  }
  for (const auto& [file, failure] : failures) {
    if (failure.empty() || owned) continue;
    JunitSuite& suite = suites[file];
    suite.cases += junitCase(file, file, failure);
    ++suite.tests, ++suite.failures;
  }
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"planc {}\">\n", checked.command);
  for (const auto& [file, suite] : suites)
    out += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n",
                       report::xmlText(file), suite.tests, suite.failures, suite.skipped, suite.cases);
  return out + "</testsuites>\n";
}

} // namespace

const std::vector<CheckFormat>& checkFormats() {
  static const std::vector<CheckFormat> kFormats = {
      {"sarif", sarif}, {"github", github}, {"gitlab", gitlab}, {"junit", junit}};
  return kFormats;
}

const CheckFormat* checkFormat(std::string_view name) {
  const auto& all = checkFormats();
  const auto found = std::find_if(all.begin(), all.end(), [&](const CheckFormat& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace planc::driver
