// What a package is made of: its texts, which files of a folder or a commit these are, and their digest.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Manifest.h"
#include "support/files/FileTree.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace planc::packages {

/// Texts by their paths below the package's folder.
using Texts = std::map<std::string, std::string, std::less<>>;
/// SHA-256 by path.
using Digests = std::map<std::string, std::string, std::less<>>;

Digests digestsOf(const Texts& texts);
/// SHA-256 over lines `DIGEST  PATH`, sorted by path, as `sha256sum` prints them.
std::string digestOf(const Digests& files);

/// What keeps a tree from being a package, and where in it.
struct Hostile {
  std::string path, problem;
};
/// Which files of a tree are a package's: plans, and at its top planc.toml, the page about it, its licence. All else
/// stays behind. Nothing of it is a link, a device or a submodule, leads out of the folder, or is spelled as another
/// file but for the case of its letters; and it is of bounded size.
std::optional<std::vector<std::string>> filesOf(const std::vector<FileEntry>& entries, Hostile& problem);
/// Reports, at `range`, what keeps a tree from being that package.
void reportHostile(const std::string& package, const Hostile& found, SourceRange range, DiagnosticEngine& diagnostics);
/// As many entries of a tree as are looked at.
inline constexpr size_t kMostEntries = 100'000;
/// Of a whole package.
inline constexpr uint64_t kMostPackageBytes = uint64_t(64) << 20;

/// A package's texts in a folder. Nothing, with the reason, where there is no such folder or it is none of a package.
std::optional<Texts> textsIn(const FileTree& files, const std::string& folder, Hostile& problem);

/// The paths whose texts differ, sorted: also those that only one of both has.
std::vector<std::string> differing(const Digests& locked, const Digests& found);

/// Reads and checks the planc.toml of these texts, which is shown as `shown/planc.toml`. Nothing after errors, which
/// are reported: at `use` where there is none.
std::optional<Manifest> manifestIn(const Texts& texts, const std::string& shown, SourceRange use,
                                   SourceManager& sources, DiagnosticEngine& diagnostics);
/// Is it an error about packages: that one cannot be chosen, read or trusted? PLAN0110 to PLAN0139.
bool isOfPackages(const DiagnosticKind& kind);
/// The path of a file below a folder as it is shown.
std::string joined(const std::string& folder, std::string_view path);

} // namespace planc::packages
