// The user's files on disk, read within size bounds. Decides which files, links and devices may be read as plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/files/FileTree.h"

namespace planc {

/// The file tree of the disk. A file named on the command line may be a pipe. An import reads regular files only,
/// because the import must not make the compiler wait. A text is read up to one byte beyond the parser's limit, so that
/// the parser can reject it. A path that ends in `.plan` must still end in `.plan` after all links are resolved:
/// messages show source lines, and a plan from a stranger must not make them show another file of this machine. Other
/// names from the command line are not restricted: a pipe, a file without a suffix.
const FileTree& diskFiles();

} // namespace planc
