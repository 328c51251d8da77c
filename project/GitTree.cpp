// A revision as a tree of files: entries by path, links resolved inside of it, submodules opened on demand.
// SPDX-License-Identifier: Apache-2.0
#include "project/GitTree.h"

#include "project/Config.h"
#include "project/GitObjects.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::project {

PLANC_ERROR(NoGit, 1120, "`{revision}` needs git, but git is not installed")
PLANC_ERROR(NoRepository, 1121, "`{path}` is not in a git repository: {reason}")
PLANC_ERROR(NoRevision, 1122, "the repository of `{path}` has no revision `{revision}`")
PLANC_ERROR(UnreadRevision, 1123, "revision `{revision}` cannot be read: {reason}")

namespace {

namespace fs = std::filesystem;

/// The number of links that Linux follows in one path.
constexpr int kMostLinks = 40;
/// More submodules than any project has. A repository that contains itself twice would double their number at every
/// level.
constexpr size_t kMostSubmodules = 256;
constexpr std::string_view kSinceBase = "...";

bool isPlan(std::string_view path) {
  return path.ends_with(kPlanSuffix);
}

/// Whether the text of this file is read. Of all other files only the names are read.
bool isRead(std::string_view path) {
  return isPlan(path) || isPackageText(path.substr(path.rfind('/') + 1));
}

/// The merge base of HEAD and REV for `REV...`, as in git; otherwise the revision itself.
std::string baseOf(const GitPlace& place, const std::string& revision) {
  if (!revision.ends_with(kSinceBase) || revision.starts_with('-')) return revision;
  const std::string other = revision.substr(0, revision.size() - kSinceBase.size());
  const GitAnswer base = runGit(place, {"merge-base", other.empty() ? "HEAD" : other, "HEAD"});
  return base.ok() ? base.line() : revision;
}

/// The nearest existing folder at or above a path.
std::string folderOf(const std::string& path) {
  std::error_code ignored;
  fs::path at = fs::absolute(path, ignored);
  while (!fs::is_directory(at, ignored) && at.has_relative_path()) at = at.parent_path();
  return at.string();
}

} // namespace

GitTree::GitTree(GitPlace place, std::string top, std::string commit)
    : top_(std::move(top)), commit_(std::move(commit)), root_(std::make_unique<Repository>()) {
  root_->place = std::move(place);
  root_->commit = commit_;
}

std::shared_ptr<const GitTree> GitTree::open(const std::string& revision, const std::string& near, SourceRange asked,
                                             DiagnosticEngine& diagnostics) {
  const GitPlace place = gitPlaceOf(folderOf(near));
  const GitAnswer top = runGit(place, {"rev-parse", "--show-toplevel"});
  if (!top.found) {
    diagnostics.report(NoGit, asked, {{"revision", revision}})
        .help("install git, or compare two files, folders or JSON results: `planc diff A B`");
    return nullptr;
  }
  if (!top.ok()) {
    diagnostics.report(NoRepository, asked, {{"path", near}, {"reason", top.complaint()}})
        .help("`--against` reads an earlier state of a repository; without one, compare two folders: `planc diff A B`");
    return nullptr;
  }
  const GitAnswer commit =
      runGit(place, {"rev-parse", "--verify", "--quiet", "--end-of-options", baseOf(place, revision) + "^{commit}"});
  if (!commit.ok() || commit.line().empty()) {
    auto report = diagnostics.report(NoRevision, asked, {{"path", near}, {"revision", revision}});
    if (revision.find("..") < revision.size() - std::min(revision.size(), kSinceBase.size()))
      report.help("name one revision: the files on the disk are compared with it; `REV...` is the point where this "
                  "branch left REV");
    else if (runGit(place, {"rev-parse", "--is-shallow-repository"}).line() == "true")
      report.help("this clone is shallow: `git fetch --unshallow` fetches its history (with actions/checkout: "
                  "`fetch-depth: 0`)");
    else
      report.help(
          "a revision is a commit, a branch or a tag of this clone: `git fetch` gets the revisions of other clones");
    return nullptr;
  }
  std::shared_ptr<GitTree> tree(new GitTree(place, top.line(), commit.line()));
  if (read(*tree->root_)) return tree;
  diagnostics.report(UnreadRevision, asked, {{"revision", revision}, {"reason", tree->root_->problem}})
      .help("`git fsck` finds missing objects; a partial clone fetches them if it reaches its origin");
  return nullptr;
}

/// Reads the list of files, then the texts of all plans and links in one further run of git.
bool GitTree::read(Repository& repository) {
  const std::optional<std::vector<GitEntry>> listed =
      gitEntries(repository.place, repository.commit, repository.problem);
  if (!listed) return false;
  std::vector<std::string> wanted;
  for (const GitEntry& listing : *listed) {
    const FileEntry& file = listing.file;
    Entry entry{listing.submodule ? Entry::Kind::Submodule
                                  : (file.kind == FileEntry::Kind::Link ? Entry::Kind::Link : Entry::Kind::File),
                listing.object};
    if (entry.kind == Entry::Kind::Link || (entry.kind == Entry::Kind::File && isRead(file.path)))
      wanted.push_back(entry.object);
    repository.entries.emplace(file.path, std::move(entry));
  }
  return gitTexts(repository.place, wanted, repository.blobs, repository.problem);
}

/// The path relative to the root of the outermost repository; nullopt if it is outside.
std::optional<std::string> GitTree::inside(const std::string& path) const {
  std::error_code failed;
  for (const fs::path& whole : {fs::absolute(path, failed).lexically_normal(), fs::weakly_canonical(path, failed)}) {
    const fs::path relative = whole.lexically_relative(top_);
    if (relative.empty() || *relative.begin() == "..") continue;
    std::string text = relative.generic_string();
    if (text.ends_with('/')) text.pop_back();
    return text == "." ? "" : text;
  }
  return std::nullopt;
}

std::string GitTree::nameOf(const Repository& within, const std::string& path) {
  const GitAnswer names = runGit(
      within.place, {"config", "--blob", within.commit + ":.gitmodules", "--get-regexp", R"(^submodule\..*\.path$)"});
  std::string_view rest = names.out;
  while (!rest.empty()) { // `submodule.NAME.path PATH`
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    constexpr std::string_view kHead = "submodule.";
    const std::string tail = ".path " + path;
    if (!line.starts_with(kHead) || !line.ends_with(tail)) continue;
    const std::string name(line.substr(kHead.size(), line.size() - kHead.size() - tail.size()));
    const fs::path steps(name); // the name becomes a path in git's own data, so it must not lead out
    if (steps.is_relative() && std::find(steps.begin(), steps.end(), "..") == steps.end()) return name;
  }
  return path;
}

GitTree::Repository& GitTree::submodule(Repository& within, const std::string& path, const std::string& commit,
                                        const std::string& whole) const {
  std::unique_ptr<Repository>& made = within.submodules[path];
  if (made) return *made;
  made = std::make_unique<Repository>();
  made->commit = commit;
  if (++opened_ > kMostSubmodules) {
    made->problem = fmt::format("more than {} submodules are nested", kMostSubmodules);
    missing_.insert(made->problem);
    return *made;
  }
  if (isHere(whole)) {
    made->place = {(fs::path(top_) / whole).string(), "", true};
  } else { // not checked out, or moved since: git keeps its data by name
    const GitAnswer data = runGit(within.place, {"rev-parse", "--git-common-dir"});
    const fs::path base = fs::path(within.place.folder) / data.line();
    made->place = {within.place.folder, (base / "modules" / nameOf(within, path)).lexically_normal().string(), true};
  }
  if (!runGit(made->place, {"cat-file", "-e", commit + "^{commit}"}).ok())
    made->problem = fmt::format("the submodule `{}` does not have its commit {} here: `git submodule update --init {}` "
                                "or `git -C {} fetch` brings it",
                                whole, commit.substr(0, 12), whole, whole);
  else
    read(*made);
  if (!made->problem.empty()) missing_.insert(made->problem);
  return *made;
}

/// Whether a submodule is checked out in this folder of the outermost repository.
bool GitTree::isHere(const std::string& whole) const {
  std::error_code ignored;
  return fs::exists(fs::path(top_) / whole / ".git", ignored);
}

/// Resolves links and enters submodules, one path component at a time. On failure the result has no repository, and
/// `error` holds the reason.
GitTree::Place GitTree::resolve(const std::string& inside, std::string& error) const {
  std::string path = inside;
  int links = 0;
  for (;;) {
    Place at{root_.get(), "", ""};
    bool again = false;
    size_t from = 0;
    while (!again && from < path.size()) {
      const size_t end = std::min(path.find('/', from), path.size());
      const std::string step = path.substr(from, end - from);
      at.path += (at.path.empty() ? "" : "/") + step;
      at.whole += (at.whole.empty() ? "" : "/") + step;
      from = end + 1;
      const auto entry = at.repository->entries.find(at.path);
      if (entry == at.repository->entries.end() || entry->second.kind == Entry::Kind::File) continue;
      if (entry->second.kind == Entry::Kind::Submodule) {
        at.repository = &submodule(*at.repository, at.path, entry->second.object, at.whole);
        at.path.clear();
        continue;
      }
      const auto target = at.repository->blobs.find(entry->second.object);
      if (target == at.repository->blobs.end() || ++links > kMostLinks) {
        error = fmt::format("the target of the link `{}` does not exist", at.whole);
        return {};
      }
      const std::string tail = end < path.size() ? path.substr(end) : "";
      const fs::path led = (fs::path(at.whole).parent_path() / (target->second + tail)).lexically_normal();
      if (led.is_absolute() || (!led.empty() && *led.begin() == "..")) {
        error = fmt::format("the target of the link `{}` is outside of the repository", at.whole);
        return {};
      }
      path = led.generic_string();
      again = true;
    }
    if (!again) return at;
  }
}

std::optional<std::string> GitTree::real(const std::string& path, std::string& error) const {
  const std::lock_guard hold(lock_);
  const std::optional<std::string> within = inside(path);
  if (!within) {
    error = "it is outside of the repository, so no revision has it";
    return std::nullopt;
  }
  const Place at = resolve(*within, error);
  if (!at.repository) return std::nullopt;
  if (isPlan(at.whole)) return at.whole;
  error = "its name does not end in `.plan`";
  return std::nullopt;
}

bool GitTree::exists(const std::string& path) const {
  const std::lock_guard hold(lock_);
  const std::optional<std::string> within = inside(path);
  if (!within) // true for plans, so that reading them reports the problem; a planc.toml outside does not count
    return !isPackageText(path.substr(path.rfind('/') + 1));
  std::string error;
  const Place at = resolve(*within, error);
  if (!at.repository || !at.repository->problem.empty()) return true;
  if (at.path.empty() || at.repository->entries.contains(at.path)) return true;
  const auto below = at.repository->entries.lower_bound(at.path + "/");
  return below != at.repository->entries.end() && below->first.starts_with(at.path + "/");
}

std::optional<std::string> GitTree::imported(const std::string& real, std::string& error) const {
  const std::lock_guard hold(lock_);
  const Place at = resolve(real, error);
  if (!at.repository) return std::nullopt;
  if (!at.repository->problem.empty()) {
    error = at.repository->problem;
    return std::nullopt;
  }
  const auto entry = at.repository->entries.find(at.path);
  if (entry == at.repository->entries.end()) {
    error = fmt::format("it does not exist at {}", commit_.substr(0, 12));
    return std::nullopt;
  }
  const auto text = at.repository->blobs.find(entry->second.object);
  if (text != at.repository->blobs.end()) return text->second;
  error = fmt::format("its text is not in this clone: {}", entry->second.object.substr(0, 12));
  missing_.insert(fmt::format("the text of `{}`, {}, is not in this clone: `git fetch` brings it to a partial one",
                              at.whole, entry->second.object.substr(0, 12)));
  return std::nullopt;
}

std::optional<std::string> GitTree::plan(const std::string& path, std::string& error) const {
  const std::optional<std::string> found = real(path, error);
  return found ? imported(*found, error) : std::nullopt;
}

std::vector<std::string> GitTree::plansOf(const std::string& folder) const {
  const std::lock_guard hold(lock_);
  std::vector<std::string> names;
  const std::optional<std::string> within = inside(folder.empty() ? "." : folder);
  std::string error;
  const Place at = within ? resolve(*within, error) : Place();
  if (!at.repository) return names;
  const std::string prefix = at.path.empty() ? "" : at.path + "/";
  const auto& entries = at.repository->entries;
  for (auto entry = entries.lower_bound(prefix); entry != entries.end() && entry->first.starts_with(prefix); ++entry) {
    const std::string name = entry->first.substr(prefix.size());
    if (name.find('/') == std::string::npos && isPlan(name)) names.push_back(name);
  }
  return names;
}

std::optional<std::string> GitTree::text(const std::string& path, std::string& error) const {
  const std::optional<std::string> within = inside(path);
  if (within && isRead(*within)) return imported(*within, error);
  error = within ? "it is neither a plan nor a text file of a package" : "it is outside of the repository";
  return std::nullopt;
}

std::vector<FileEntry> GitTree::below(const std::string& folder, size_t most, std::string& error) const {
  const std::lock_guard hold(lock_);
  std::vector<FileEntry> out;
  const std::optional<std::string> within = inside(folder.empty() ? "." : folder);
  if (!within) error = "it is outside of the repository, so no revision has it";
  const Place at = within ? resolve(*within, error) : Place();
  if (!at.repository) return out;
  const std::string prefix = at.path.empty() ? "" : at.path + "/";
  const auto& entries = at.repository->entries;
  for (auto entry = entries.lower_bound(prefix);
       entry != entries.end() && entry->first.starts_with(prefix) && out.size() <= most; ++entry) {
    const std::string path = entry->first.substr(prefix.size());
    if (isPassedOver(path)) continue;
    const Entry::Kind kind = entry->second.kind;
    out.push_back({path, kind == Entry::Kind::Link   ? FileEntry::Kind::Link
                         : kind == Entry::Kind::File ? FileEntry::Kind::File
                                                     : FileEntry::Kind::Other});
  }
  return out;
}

bool isRevision(const std::string& word) {
  if (word.empty() || word.starts_with('-')) return false;
  const GitAnswer found = runGit({"."}, {"rev-parse", "--verify", "--quiet", "--end-of-options", word + "^{commit}"});
  return found.found && found.ok();
}

void GitTree::addBelow(const Place& folder, const std::string& shown, std::vector<std::string>& out) const {
  const std::string prefix = folder.path.empty() ? "" : folder.path + "/";
  const auto& entries = folder.repository->entries;
  for (auto at = entries.lower_bound(prefix); at != entries.end() && at->first.starts_with(prefix); ++at) {
    const std::string name = at->first.substr(prefix.size()), path = shown.empty() ? name : shown + "/" + name;
    if (at->second.kind == Entry::Kind::Submodule) {
      const std::string whole = folder.whole.empty() ? name : folder.whole + "/" + name;
      if (!isHere(whole)) continue; // a submodule that is not checked out is not read either
      Repository& sub = submodule(*folder.repository, at->first, at->second.object, whole);
      if (sub.problem.empty()) addBelow({&sub, "", whole}, path, out);
    } else if (isPlan(name)) {
      out.push_back(path);
    }
  }
}

std::vector<std::string> GitTree::plansBelow(const std::string& path) const {
  const std::lock_guard hold(lock_);
  std::vector<std::string> out;
  const std::optional<std::string> within = inside(path);
  std::string error;
  const Place at = within ? resolve(*within, error) : Place();
  if (!at.repository) return out;
  if (at.repository->entries.contains(at.path)) {
    if (isPlan(at.path)) out.push_back(path);
    return out;
  }
  std::string shown = path;
  while (shown.size() > 1 && shown.ends_with('/')) shown.pop_back();
  addBelow(at, shown, out);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> GitTree::missing() const {
  const std::lock_guard hold(lock_);
  return {missing_.begin(), missing_.end()};
}

} // namespace planc::project
