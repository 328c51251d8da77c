// Reads files of the user, within bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

namespace planc::frontend {

/// The text of a file (`-`: standard input). Reads at most one byte more than `maxBytes`, so that the parser can refuse
/// it. Nothing, with a reason in `error`, for folders, devices and what cannot be read. `pipes`: a pipe is read like a
/// file.
std::optional<std::string> readFile(const std::string& path, size_t maxBytes, bool pipes, std::string& error);

} // namespace planc::frontend
