// What modules export: the embedded library, a package, or any set of texts. One list serves `planc show`, the pages of
// a library, and the comparison of two of its versions.
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
  std::string text;    ///< as it stands in the file, on one line; empty: not written
  std::string meaning; ///< equal for texts that differ in layout, in units (1000GB, 1TB) or in names of constants only
};

struct ExportParameter {
  std::string name;
  WrittenText type, value, where; ///< `value`: its default
  bool required() const { return value.text.empty(); }
  std::string str() const; ///< `nodes: int = 2 where nodes >= 1`
};

/// A fact of a record, also one that it inherits from records of the same set of modules.
struct ExportFact {
  std::string path; ///< `peak.bf16`, `node.bandwidth`; the path of a cluster level alone has its number of units
  WrittenText value;
  std::string number, unit; ///< the value taken apart if it is one quantity: `3.35`, `TB/s`
  std::string source;       ///< the text after `:`, or the source of the section around it
  std::string from;         ///< the record that it is inherited from; empty: it stands in the record itself
};

struct Export {
  std::string_view kind; ///< as plan text writes it: `device`, `model`
  std::string module;    ///< `std.devices.h100`
  std::string name;
  std::string path; ///< of the file, as reports show it
  uint32_t line = 0;
  std::vector<ExportParameter> parameters; ///< that a use may give; of `model x = y(…)` those of y, with its values
  bool inherited = false;                  ///< the parameters are those of what it stands for
  std::string sentence;                    ///< the first sentence of `doc`
  std::string doc;        ///< the comment above it, a line each; of a group of lines the comment above the group
  std::string deprecated; ///< what to use in its place; empty: it is not deprecated
  std::string signature;  ///< `cluster pod(nodes: int where nodes >= 1)`, without a body
  std::string text;       ///< the declaration as it stands in the file, from `export` on
  std::string body;       ///< the same without comments, layout and its own name: equal for a renamed declaration
  WrittenText result;     ///< the type of what it gives, of an operator or block
  WrittenText value;      ///< of a constant or function; of `model x = y(…)` what it stands for
  std::string extends;    ///< of a record or plan the one that it extends
  std::vector<std::string> members; ///< of an enum
  std::vector<std::string> parts;   ///< names by which plans reach into it: layers (`decoder.attn`), levels
  std::vector<ExportFact> facts;    ///< of a device, fabric, stack or cluster

  std::string place() const; ///< `std/devices/h100.plan:4`
  /// `hgx_h100(nodes)`: the parameters that a use must give, `…` if there are others; none that are inherited.
  std::string call() const;
};

/// A module of a set.
struct ModuleHead {
  std::string name, path; ///< `std.models.llama`, `std/models/llama.plan`
  std::string sentence;   ///< the first of the comment that opens it
  std::string_view text;
  bool library = false; ///< it is in the program
};

/// How much of an export is looked at: `Names` leaves `facts`, `parts` and everything with a meaning empty.
enum class Detail { Names, Whole };

class Catalogue {
public:
  Catalogue();
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;

  /// Adds the library in the program.
  void addLibrary();
  /// Adds a module; errors of its syntax are in `diagnostics` once exports were asked for, and what could be read is
  /// listed. `exported`: false for files of a package that others of the set may read, and whose names are its own.
  void add(std::string name, std::string path, std::string text, bool exported = true);

  /// In the order of adding; those of which exports are listed.
  std::vector<ModuleHead> modules() const;
  /// In the order of modules, and of declarations in each; with `kind` only those.
  std::vector<Export> exports(std::string_view kind = {}, Detail detail = Detail::Whole);

  const SourceManager& sources() const;
  const DiagnosticEngine& diagnostics() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The first sentence of a text: up to a full stop before a blank and a capital letter.
std::string firstSentence(std::string_view text);

/// A declaration of the embedded library, in short.
struct LibraryDeclaration {
  std::string_view kind;
  std::string module, name;
  std::vector<std::string> parameters; ///< that a use must give
  std::string summary;                 ///< the first sentence of its comment; empty if it has none
};
/// Exported ones, in the order of the library's files; with `kind` only those.
std::vector<LibraryDeclaration> libraryDeclarations(std::string_view kind = {});

} // namespace planc::frontend
