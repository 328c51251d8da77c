// Serialized syntax trees. The library's trees are written when planc is built; each declaration is read on first use.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Outline.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::syntax {

/// Serializes the declarations of a file. `text` is the file's text, which the bytes refer to instead of copying it.
/// The bytes have no version and are valid only for `Archive` of the same build.
std::string archived(const File& file, std::string_view text);

/// Reads the output of `archived`, declaration by declaration. The serialized bytes and the file's text must outlive
/// this object, because the trees view them.
class Archive {
public:
  /// `bytes`: the archive of the file `id`, whose text is `text`. Reads only the outlines.
  Archive(std::string_view bytes, std::string_view text, FileId id);
  /// Outlines of all declarations, in file order.
  const std::vector<Outline>& outlines() const { return outlines_; }
  /// A declaration of the file, read on first use. The reference stays valid.
  const Decl& decl(size_t index);

private:
  std::string_view text_;
  std::vector<Outline> outlines_;
  std::vector<std::string_view> bytes_; ///< per declaration
  std::vector<const Decl*> read_;       ///< null: not read yet
  File file_;                           ///< owns the nodes, in the order of reading
};

/// The outlines of an archived file, for look-ups before an `Archive` is created.
std::vector<Outline> archivedOutlines(std::string_view bytes, std::string_view text, FileId id);

} // namespace planc::syntax
