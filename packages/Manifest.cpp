// Checks the package part of planc.toml.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Manifest.h"

#include "support/Editions.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::packages {

PLANC_ERROR(ManifestValue, 110, "`{key}` is {problem}")
PLANC_ERROR(UnknownEdition, 111, "this planc does not know edition `{edition}` of the language")
PLANC_ERROR(NewerPlanc, 112, "`{package}` needs planc {wanted}; this is {version}")
PLANC_ERROR(AddressWithSecret, 113,
            "the address of `{package}` contains a name or a password, which every copy would disclose")

namespace {

namespace fs = std::filesystem;
using project::ConfigText;

/// Checks one planc.toml.
class Checker {
public:
  Checker(const project::Config& config, DiagnosticEngine& diagnostics) : config_(config), diagnostics_(diagnostics) {
    out_.path = config.path;
    out_.range = config.package.valid() ? config.package : SourceRange{config.file, 0, 0};
  }

  Manifest take() {
    if (config_.package.valid()) package();
    for (const project::ConfigDependency& d : config_.dependencies) dependency(d);
    std::sort(out_.dependencies.begin(), out_.dependencies.end(),
              [](const Dependency& a, const Dependency& b) { return a.name < b.name; });
    return std::move(out_);
  }

private:
  DiagnosticEngine::Builder wrong(std::string_view key, std::string problem, SourceRange range) {
    return diagnostics_.report(ManifestValue, range, {{"key", key}, {"problem", std::move(problem)}});
  }

  /// The value of a required key; reports an error if it is missing.
  std::string needed(std::string_view key, const std::optional<ConfigText>& text, const char* example) {
    if (text) return text->value;
    wrong(fmt::format("package.{}", key), "missing", config_.package)
        .help(fmt::format("write `{} = \"{}\"` below `[package]`", key, example));
    return "";
  }

  void package() {
    out_.name = needed("name", config_.name, "acme");
    if (const std::string problem = problemOfName(out_.name); config_.name && !problem.empty())
      wrong("package.name", problem, config_.name->range).help("small letters, digits and `_`, as `acme_clusters`");
    const std::string version = needed("version", config_.version, "1.0.0");
    if (const std::optional<Version> read = Version::parse(version))
      out_.version = *read;
    else if (config_.version)
      wrong("package.version", fmt::format("not a version: `{}`", version), config_.version->range)
          .help("a version is three numbers, such as `1.4.0`, or `2.0.0-rc.1` before a release");
    edition();
    planc();
    if (config_.description) out_.description = config_.description->value;
    for (const ConfigText& text : config_.exports) exports(text);
    if (config_.exports.empty())
      wrong("package.exports", "missing", config_.package)
          .help("list the folders and files that others may import: `exports = [\"clusters\", \"models\"]`");
  }

  void edition() {
    const std::string said = needed("edition", config_.edition, kEditions[0].data());
    const std::vector<std::string> known(std::begin(kEditions), std::end(kEditions));
    if (!config_.edition || std::find(known.begin(), known.end(), said) != known.end()) return;
    diagnostics_.report(UnknownEdition, config_.edition->range, {{"edition", said}})
        .meant(said, known, "it knows ")
        .help("a later planc may support it; `planc version` prints the supported editions");
  }

  void planc() {
    if (!config_.planc) return;
    const std::optional<Version> least = leastPlanc(config_.planc->value);
    if (!least)
      wrong("package.planc", fmt::format("not a minimum version: `{}`", config_.planc->value), config_.planc->range)
          .help("write the minimum version, such as `planc = \">=0.2\"`");
    else if (*least > plancVersion())
      diagnostics_
          .report(NewerPlanc, config_.planc->range,
                  {{"package", out_.name}, {"wanted", config_.planc->value}, {"version", plancVersion().text()}})
          .help("install a later planc, or depend on an earlier version of the package");
  }

  void exports(const ConfigText& text) {
    std::string path = text.value;
    if (path.ends_with(kPlanSuffix)) path.resize(path.size() - kPlanSuffix.size());
    while (path.ends_with('/')) path.pop_back();
    const fs::path steps(path);
    const auto word = [](const fs::path& step) { return problemOfName(step.string()).empty(); };
    if (path.empty() || !std::all_of(steps.begin(), steps.end(), word))
      wrong("package.exports", fmt::format("not a path of a module: `{}`", text.value), text.range)
          .help("folders and files below the folder of planc.toml, with names of lower-case letters, digits and `_`");
    else
      out_.exports.push_back(path);
  }

  void dependency(const project::ConfigDependency& said) {
    const std::string key = fmt::format("dependencies.{}", said.name.value);
    Dependency out{said.name.value, {}, {}, said.name.range};
    if (const std::string problem = problemOfName(out.name); !problem.empty())
      wrong(key, problem, said.name.range).help("it is the name that the package has in its own planc.toml");
    else if (config_.name && out.name == config_.name->value)
      wrong(key, "the package itself", said.name.range)
          .help("remove the line: a package does not depend on its own modules");
    if (said.path.has_value() == said.git.has_value())
      wrong(key, said.path ? "both a folder and a repository" : "neither a folder nor a repository", said.range)
          .help("write `path = \"../lab\"`, or `git = \"https://…\", tag = \"v1.0.0\"`");
    else if (said.path)
      folder(key, said, out);
    else
      repository(key, said, out);
    out_.dependencies.push_back(std::move(out));
  }

  void folder(const std::string& key, const project::ConfigDependency& said, Dependency& out) {
    out.origin.path = said.path->value;
    if (out.origin.path.empty() || out.origin.path.find("://") != std::string::npos ||
        hasControlCharacter(out.origin.path))
      wrong(key + ".path", "not a path", said.path->range)
          .help("`path` is a folder relative to that of planc.toml; write an address as `git`");
    if (said.tag) wrong(key + ".tag", "not used with a `path`", said.tag->range).help("remove `tag` or `path`");
  }

  void repository(const std::string& key, const project::ConfigDependency& said, Dependency& out) {
    out.origin.git = said.git->value;
    if (const Address address = addressOf(out.origin.git); address == Address::Secret)
      diagnostics_.report(AddressWithSecret, said.git->range, {{"package", out.name}})
          .help("remove it from the address: git gets it from a credential helper or an SSH agent");
    else if (address == Address::None)
      wrong(key + ".git", "not an address", said.git->range)
          .help("`https://…`, `ssh://…`, `git@host:path`, `file:///…` and `http://…` are addresses; a folder is a "
                "`path`");
    if (!said.tag) {
      wrong(key, "without a tag", said.range)
          .help(fmt::format("give the version as a tag: `{} = {{ git = \"{}\", tag = \"v1.0.0\" }}`", out.name,
                            out.origin.git));
      return;
    }
    out.origin.tag = said.tag->value;
    if (const std::optional<Version> least = Version::ofTag(out.origin.tag))
      out.least = *least;
    else
      wrong(key + ".tag", fmt::format("not a version: `{}`", out.origin.tag), said.tag->range)
          .help("the tag must be a version, such as `v1.4.0`: a branch moves, so results could change");
  }

  const project::Config& config_;
  DiagnosticEngine& diagnostics_;
  Manifest out_;
};

} // namespace

std::string problemOfName(std::string_view name) {
  constexpr size_t kMost = 64;
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name == "std") return "the library that comes with planc";
  if (name.empty() || name.size() > kMost || (name[0] >= '0' && name[0] <= '9') ||
      !std::all_of(name.begin(), name.end(), word))
    return fmt::format("not a name: `{}`", name);
  return "";
}

Address addressOf(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c != 0x7f && c != '\\' && c != '"' && c != '\'' && c != '`';
  });
  if (!plain || text[0] == '-') return Address::None;
  const size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) { // accepts `git@host:path`, rejects `ext::sh -c …`
    const size_t colon = text.find(':'), at = text.find('@');
    if (at != std::string_view::npos && colon < at) return Address::Secret; // `me:secret@host:path`
    const bool copied = colon != std::string_view::npos && at < colon && colon < text.find('/') &&
                        colon + 1 < text.size() && text[colon + 1] != ':';
    return copied ? Address::Good : Address::None;
  }
  const std::string_view name = text.substr(0, scheme), rest = text.substr(scheme + 3);
  if (std::find(std::begin(kProtocols), std::end(kProtocols), name) == std::end(kProtocols)) return Address::None;
  const std::string_view host = rest.substr(0, rest.find('/'));
  const size_t at = host.rfind('@');
  if (at == std::string_view::npos && rest.find('@') != std::string_view::npos &&
      host.find(':') != std::string_view::npos)
    return Address::Secret;                                             // a password that contains a `/`
  if (rest.find('?') != std::string_view::npos) return Address::Secret; // `?private_token=…`
  if (at != std::string_view::npos && (name != "ssh" || host.substr(0, at).find(':') != std::string_view::npos))
    return Address::Secret;
  const std::string_view machine = at == std::string_view::npos ? host : host.substr(at + 1);
  if (host.starts_with('-') || machine.starts_with('-') || (name != "file" && machine.empty())) return Address::None;
  return Address::Good;
}

Origin fromProject(const Origin& origin, const std::string& within) {
  if (!origin.isFolder()) return origin;
  std::string path = (fs::path(within) / origin.path).lexically_normal().generic_string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return {path, "", ""};
}

const Dependency* Manifest::dependency(std::string_view wanted) const {
  const auto found =
      std::find_if(dependencies.begin(), dependencies.end(), [&](const Dependency& d) { return d.name == wanted; });
  return found == dependencies.end() ? nullptr : &*found;
}

std::optional<Manifest> manifestOf(const project::Config& config, DiagnosticEngine& diagnostics) {
  const size_t before = diagnostics.errorCount();
  Manifest out = Checker(config, diagnostics).take();
  return diagnostics.errorCount() == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace planc::packages
