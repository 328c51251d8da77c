// Lists the exports of modules: of the embedded library, a package, or any set of texts. Used by `planc show`, the
// documentation of a library, and the comparison of two of its versions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

/// A type, a value or a condition of a declaration.
struct WrittenText {
  std::string text;    ///< as in the file, on one line; empty: not written
  std::string meaning; ///< equal for texts that differ only in layout, units (1000GB, 1TB) or names of constants
};

struct ExportParameter {
  std::string name;
  WrittenText type, value, where; ///< `value`: its default
  bool required() const { return value.text.empty(); }
  std::string str() const; ///< `nodes: int = 2 where nodes >= 1`
};

/// A fact of a record, including facts inherited from records of the same set of modules.
struct ExportFact {
  std::string path; ///< `peak.bf16`, `node.bandwidth`; a cluster level's path alone: its count
  WrittenText value;
  std::string number, unit; ///< parts of a value that is one quantity: `3.35`, `TB/s`
  std::string source;       ///< the text after `:`, or the source of the enclosing section
  std::string from;         ///< the record that it is inherited from; empty: the record itself states it
};

struct Export {
  std::string_view kind; ///< keyword in plan text: `device`, `model`
  std::string module;    ///< `std.devices.h100`
  std::string name;
  std::string path; ///< display path of the file
  uint32_t line = 0;
  std::vector<ExportParameter> parameters; ///< parameters that a use may give; `inherited` if they are another model's
  bool inherited = false; ///< for `model x = y(…)`: the parameters of y, with the values of x as defaults
  std::string sentence;   ///< the first sentence of `doc`
  std::string doc;        ///< the comment above it, line by line; in a group of lines the comment above the group
  std::string deprecated; ///< what to use instead; empty: not deprecated
  std::string signature;  ///< `cluster pod(nodes: int where nodes >= 1)`, without a body
  std::string text;       ///< the declaration as in the file, from `export` on
  std::string body;       ///< `text` without comments, layout and its own name: equal for a renamed declaration
  WrittenText result;     ///< result type of an operator or block
  WrittenText value;      ///< value of a constant or function; for `model x = y(…)` the call `y(…)`
  std::string extends;    ///< the base of a record or plan
  std::vector<std::string> members; ///< members of an enum
  std::vector<std::string> parts;   ///< names by which plans refer to its parts: layers (`decoder.attn`), levels
  std::vector<ExportFact> facts;    ///< facts of a device, fabric, stack or cluster

  std::string place() const; ///< `std/devices/h100.plan:4`
  /// `hgx_h100(nodes)`: the parameters that a use must give, and `…` if there are others. Inherited parameters are left
  /// out.
  std::string call() const;
};

/// A module of a catalogue.
struct ModuleHead {
  std::string name, path; ///< `std.models.llama`, `std/models/llama.plan`
  std::string sentence;   ///< first sentence of the comment at the top of the file
  std::string_view text;
  bool library = false; ///< it belongs to the embedded library
};

/// How much of an export is computed. `Names` leaves `facts`, `parts` and every `meaning` empty.
enum class Detail { Names, Whole };

class Catalogue {
public:
  Catalogue();
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;

  /// Adds the embedded library.
  void addLibrary();
  /// Adds a module. After the first call of `exports`, `diagnostics` has its syntax errors; declarations without errors
  /// are listed. `exported`: false for files that only other files of the package may import.
  void add(std::string name, std::string path, std::string text, bool exported = true);

  /// The modules whose exports are listed, in the order in which they were added.
  std::vector<ModuleHead> modules() const;
  /// The exports, in the order of modules and of declarations in each. `kind` selects one kind.
  std::vector<Export> exports(std::string_view kind = {}, Detail detail = Detail::Whole);

  const SourceManager& sources() const;
  const DiagnosticEngine& diagnostics() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The first sentence of a text: ends with a full stop that is followed by a blank and a capital letter.
std::string firstSentence(std::string_view text);

/// A short description of a declaration of the embedded library.
struct LibraryDeclaration {
  std::string_view kind;
  std::string module, name;
  std::vector<std::string> parameters; ///< parameters without a default
  std::string summary;                 ///< first sentence of its comment; empty if it has none
};
/// The exported declarations, in the order of the library's files. `kind` selects one kind.
std::vector<LibraryDeclaration> libraryDeclarations(std::string_view kind = {});

} // namespace planc::frontend
