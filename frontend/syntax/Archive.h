// Syntax trees as bytes: those of the library are written when planc is built, and each declaration is read when it is
// first used.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Outline.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::syntax {

/// The declarations of a file as bytes. `text` is the file's: what stands there is not written again. The bytes are for
/// `Archive` of the same build: they carry no version.
std::string archived(const File& file, std::string_view text);

/// Reads what `archived` wrote, declaration by declaration. Both texts must outlive it: what is read views them.
class Archive {
public:
  /// `bytes`: of the file with this text, which is `id` of its SourceManager. Reads the outlines.
  Archive(std::string_view bytes, std::string_view text, FileId id);
  /// Of all declarations, in the order of the file.
  const std::vector<Outline>& outlines() const { return outlines_; }
  /// A declaration of the file; read once, and where it lies it stays.
  const Decl& decl(size_t index);

private:
  std::string_view text_;
  std::vector<Outline> outlines_;
  std::vector<std::string_view> bytes_; ///< of each declaration
  std::vector<const Decl*> read_;       ///< null: not yet
  File file_;                           ///< what was read, in the order of reading
};

/// The outlines of an archived file, for those who look it up before they open it.
std::vector<Outline> archivedOutlines(std::string_view bytes, std::string_view text, FileId id);

} // namespace planc::syntax
