// Minimal version selection.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Select.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>

namespace planc::packages {

PLANC_ERROR(PackageCycle, 114, "packages depend on each other: {cycle}")
PLANC_ERROR(TwoMajors, 115, "two incompatible versions of `{name}` are required: {one} and {other}")
PLANC_ERROR(TwoOrigins, 116, "`{name}` is required from two places: {one} and {other}")
PLANC_ERROR(OtherPackage, 117, "{asked} is required, but the package is {found}")
PLANC_ERROR(FolderInRepository, 131, "`{package}` comes from a repository and depends on the folder `{path}`")
PLANC_ERROR(FolderTooOld, 132, "`{by}` requires `{name}` {least}, but {folder} has version {version}")

PLANC_ERROR(TooManyVersions, 139, "the dependencies require more than {most} package versions")

namespace {

/// The limit on visited versions: each is fetched, kept and searched for cycles.
constexpr size_t kMostVersions = 1000;

/// A version of a package that is requested.
struct Node {
  std::string name;
  Origin origin;
  const Manifest* manifest = nullptr;
  const Node* by = nullptr; ///< the package that requested it first; null: the project
  Dependency asked;
};

class Selection {
public:
  Selection(const Manifest& project, Registry& registry, DiagnosticEngine& diagnostics)
      : project_(project), registry_(registry), diagnostics_(diagnostics) {}

  std::optional<std::vector<Selected>> take() {
    const size_t before = diagnostics_.errorCount();
    ask(project_, nullptr);
    for (size_t i = 0; i < nodes_.size() && nodes_.size() <= kMostVersions; ++i) // the list grows during the loop
      if (const Node& node = nodes_[i]; node.manifest) ask(*node.manifest, &node);
    if (nodes_.size() > kMostVersions)
      diagnostics_.report(TooManyVersions, project_.range, {{"most", kMostVersions}})
          .help("`planc lib tree` shows which package requires which: one of them requires very many others");
    if (diagnostics_.errorCount() == before) cycles();
    if (diagnostics_.errorCount() != before) return std::nullopt;
    std::map<std::string, const Node*> chosen;
    for (const Node& node : nodes_)
      if (const Node*& best = chosen[node.name]; !best || best->manifest->version < node.manifest->version)
        best = &node;
    std::vector<Selected> out;
    for (const auto& [name, node] : chosen) out.push_back({name, node->manifest->version, node->origin});
    return out;
  }

private:
  void ask(const Manifest& manifest, const Node* by) {
    for (const Dependency& d : manifest.dependencies) {
      const Dependency* const own = project_.dependency(d.name);
      Origin origin = fromProject(d.origin, by && by->origin.isFolder() ? by->origin.path : "");
      if (by && d.origin.isFolder() && !by->origin.isFolder()) {
        diagnostics_.report(FolderInRepository, d.range, {{"package", by->name}, {"path", d.origin.path}})
            .help("other users of the package do not have that folder: depend on a tag of a repository");
        continue;
      }
      const bool replaced = own && own->origin.isFolder() && !d.origin.isFolder();
      if (replaced) origin = own->origin;
      if (d.name == project_.name) { // a cycle that leads back to the project
        cycle(by, d);
        continue;
      }
      Node* const node = nodeOf(d, origin, by);
      if (!node->manifest) continue;
      if (replaced) folderServes(*node, d, by);
      agree(*node, d, by);
    }
  }

  Node* nodeOf(const Dependency& d, const Origin& origin, const Node* by) {
    Node*& known = known_[{d.name, origin.text()}];
    if (known) return known;
    known = &nodes_.emplace_back(Node{d.name, origin, registry_.manifest(origin, d), by, d});
    if (known->manifest) fits(*known);
    return known;
  }

  /// Checks that the manifest has the requested name and version.
  void fits(Node& node) {
    const Manifest& m = *node.manifest;
    const bool named = m.name == node.name;
    if (named && (node.origin.isFolder() || m.version == node.asked.least)) return;
    diagnostics_
        .report(OtherPackage, node.asked.range,
                {{"asked",
                  named ? fmt::format("`{}` of `{}`", node.origin.tag, node.name) : fmt::format("`{}`", node.name)},
                 {"found", named ? "version " + m.version.text() + " according to its planc.toml"
                                 : fmt::format("called `{}` in its own planc.toml", m.name)}})
        .label(m.range, "its planc.toml")
        .help(named ? "the tag of a version must be that version, with or without `v`: the package needs a new tag"
                    : fmt::format("write `{} = …`: imports use the name in the package's own planc.toml", m.name));
    node.manifest = nullptr;
  }

  /// Checks that all requests for a package have the same major version and the same origin.
  void agree(const Node& node, const Dependency& d, const Node* by) {
    const auto [at, first] = first_.try_emplace(node.name, FirstRequest{&node, by, d});
    if (first || at->second.node == &node) return;
    const FirstRequest& one = at->second;
    const Node& other = *one.node;
    const bool folders = node.origin.isFolder() || other.origin.isFolder();
    if (folders || node.origin.git != other.origin.git) {
      const auto from = [](const Origin& o) { return o.isFolder() ? o.path : o.git; };
      conflict(diagnostics_.report(TwoOrigins, d.range,
                                   {{"name", d.name}, {"one", from(other.origin)}, {"other", from(node.origin)}}),
               one, d, by)
          .help("write the same address in both, or name a local folder in the planc.toml of the project: it replaces "
                "all versions");
    } else if (node.manifest->version.major != other.manifest->version.major) {
      conflict(
          diagnostics_.report(
              TwoMajors, d.range,
              {{"name", d.name}, {"one", other.manifest->version.text()}, {"other", node.manifest->version.text()}}),
          one, d, by)
          .help(
              "a project uses one major version of a package: require versions of the other packages that agree on it");
    }
  }

  struct FirstRequest {
    const Node* node;
    const Node* by;
    Dependency dependency;
  };

  DiagnosticEngine::Builder conflict(DiagnosticEngine::Builder report, const FirstRequest& one, const Dependency& d,
                                     const Node* by) {
    report.label(one.dependency.range, "also required here");
    for (const auto& [asker, asked] : {std::pair(one.by, &one.dependency), {by, &d}})
      report.note(fmt::format("{} -> {}", chain(asker), nameOf(asked->name, asked->origin)));
    return report;
  }

  void folderServes(const Node& folder, const Dependency& d, const Node* by) {
    const Version& is = folder.manifest->version;
    if (is >= d.least && is.major == d.least.major) return;
    diagnostics_
        .report(FolderTooOld, d.range,
                {{"name", d.name},
                 {"folder", folder.origin.path},
                 {"version", is.text()},
                 {"by", by ? by->name : "the project"},
                 {"least", d.least.text()}})
        .label(folder.asked.range, "the folder replaces all versions")
        .help("update the folder to that version");
  }

  static std::string nameOf(const std::string& name, const Origin& origin) {
    return fmt::format("{} {}", name, origin.isFolder() ? "in " + origin.path : origin.tag);
  }

  std::string chain(const Node* node) const {
    if (!node) return project_.isPackage() ? project_.name : project_.path;
    return fmt::format("{} -> {}", chain(node->by), nameOf(node->name, node->origin));
  }

  void cycle(const Node* by, const Dependency& d) {
    std::string text = d.name;
    for (const Node* at = by; at; at = at->by) text = at->name + " -> " + text;
    diagnostics_.report(PackageCycle, d.range, {{"cycle", project_.name + " -> " + text}})
        .help("move the modules that both need into a third package");
  }

  /// Reports a cycle of package names, whatever versions are on it.
  void cycles() {
    std::map<std::string, std::map<std::string, const Dependency*>> next;
    for (const Node& node : nodes_)
      for (const Dependency& d : node.manifest->dependencies) next[node.name].emplace(d.name, &d);
    std::map<std::string, int> state; // 1: on the current path, 2: done
    std::vector<std::string> path;
    const auto visit = [&](const auto& self, const std::string& name) -> bool {
      state[name] = 1;
      path.push_back(name);
      for (const auto& [to, d] : next[name]) {
        if (state[to] == 1) {
          std::string text;
          for (auto at = std::find(path.begin(), path.end(), to); at != path.end(); ++at) text += *at + " -> ";
          diagnostics_.report(PackageCycle, d->range, {{"cycle", text + to}})
              .help("move the modules that both need into a third package");
          return false;
        }
        if (state[to] == 0 && !self(self, to)) return false;
      }
      path.pop_back();
      state[name] = 2;
      return true;
    };
    for (const Node& node : nodes_)
      if (state[node.name] == 0 && !visit(visit, node.name)) return;
  }

  const Manifest& project_;
  Registry& registry_;
  DiagnosticEngine& diagnostics_;
  std::deque<Node> nodes_;
  std::map<std::pair<std::string, std::string>, Node*> known_;
  std::map<std::string, FirstRequest> first_;
};

} // namespace

std::optional<std::vector<Selected>> select(const Manifest& project, Registry& registry,
                                            DiagnosticEngine& diagnostics) {
  return Selection(project, registry, diagnostics).take();
}

} // namespace planc::packages
