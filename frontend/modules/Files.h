// Reads files of the user, within bounds, and says which of them are plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

namespace planc::frontend {

/// Who names a file: the user on the command line, who may name a pipe, or the import of a plan, which may not make the
/// compiler wait.
enum class NamedBy { User, Import };

/// The text of a file (`-`: standard input). Reads at most one byte more than `maxBytes`, so that the parser can refuse
/// it. Nothing, with a reason in `error`, for folders, devices and what cannot be read.
std::optional<std::string> readFile(const std::string& path, size_t maxBytes, NamedBy by, std::string& error);

/// The path of a file that exists with all links resolved. Nothing, with a reason in `error`, if that does not end in
/// `.plan`: messages show lines of what they are about, and a plan of a stranger must not make them show another file
/// of this machine.
std::optional<std::string> realPlan(const std::string& path, std::string& error);

/// The text of a plan that a command line or one of its folders names (`-`: standard input), as `readFile` of a user's
/// file, up to what the parser takes. A link that is called like a plan is held to it, as `realPlan` does: folders are
/// strangers' too. Other names are the user's own affair: a pipe, a file without a suffix.
std::optional<std::string> readPlan(const std::string& path, std::string& error);

} // namespace planc::frontend
