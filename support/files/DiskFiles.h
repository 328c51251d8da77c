// The files of a user on the disk, read within bounds: which of them are plans, and which links and devices are none.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/files/FileTree.h"

namespace planc {

/// The disk. What the user names on the command line may be a pipe; the import of a plan may not make the compiler
/// wait, so that it takes files only. Texts are read up to one byte more than the parser takes, so that it can refuse
/// them. Links: messages show lines of what they are about, and a plan of a stranger must not make them show another
/// file of this machine, so that what is called like a plan must be one behind all links. Other names that the user
/// says are the user's own affair: a pipe, a file without a suffix.
const FileTree& diskFiles();

} // namespace planc
