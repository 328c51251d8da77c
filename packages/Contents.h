// The contents of a package: its texts, which files of a folder or a commit they are, and their digest.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Manifest.h"
#include "support/files/FileTree.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace planc::packages {

/// Texts by path relative to the package's folder.
using Texts = std::map<std::string, std::string, std::less<>>;
/// SHA-256 digests by path.
using Digests = std::map<std::string, std::string, std::less<>>;

Digests digestsOf(const Texts& texts);
/// SHA-256 over lines `DIGEST  PATH`, sorted by path, in the format of `sha256sum`.
std::string digestOf(const Digests& files);

/// The reason why a tree is not accepted as a package, and the path of the offending file.
struct Hostile {
  std::string path, problem;
};
/// The files of a tree that belong to a package: plans, and at its top planc.toml, the package's page and its licence.
/// Other files are ignored. Returns nullopt, with the reason in `problem`, if a package file is a link, a device or a
/// submodule, leads out of the folder, or differs from another file only in the case of letters, or if the package
/// exceeds a size limit.
std::optional<std::vector<std::string>> filesOf(const std::vector<FileEntry>& entries, Hostile& problem);
/// Reports, at `range`, why a tree is not accepted as that package.
void reportHostile(const std::string& package, const Hostile& found, SourceRange range, DiagnosticEngine& diagnostics);
/// The most entries of a tree that are examined.
inline constexpr size_t kMostEntries = 100'000;
/// The size limit of a whole package in bytes.
inline constexpr uint64_t kMostPackageBytes = uint64_t(64) << 20;

/// A package's texts in a folder. Returns nullopt, with the reason in `problem`, if there is no such folder or it does
/// not hold a valid package.
std::optional<Texts> textsIn(const FileTree& files, const std::string& folder, Hostile& problem);

/// The paths whose texts differ, sorted; includes paths that only one side has.
std::vector<std::string> differing(const Digests& locked, const Digests& found);

/// Reads and checks the planc.toml of these texts, which diagnostics call `shown/planc.toml`. Errors are reported, at
/// `use` if there is no planc.toml, and nullopt is returned.
std::optional<Manifest> manifestIn(const Texts& texts, const std::string& shown, SourceRange use,
                                   SourceManager& sources, DiagnosticEngine& diagnostics);
/// Whether the diagnostic is about packages: PLAN0110 to PLAN0139, a package that cannot be selected, read or trusted.
bool isOfPackages(const DiagnosticKind& kind);
/// The display path of a file below a folder.
std::string joined(const std::string& folder, std::string_view path);

} // namespace planc::packages
