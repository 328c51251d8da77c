// Text to syntax tree. Only the code behind this header includes the ANTLR runtime.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"
#include "support/Diagnostics.h"
#include "support/files/FileTree.h"

#include <memory>

namespace planc::parse {

/// Limits that keep hostile input from costing unbounded time, memory or stack.
struct ParseLimits {
  size_t maxBytes = kMostPlanBytes; ///< larger files are rejected before lexing (PLAN0001)
  unsigned maxDepth = 256;          ///< nesting of brackets, runs of prefix operators, chains of `if` and `**`
  unsigned maxErrors = 20;          ///< syntax errors reported per file
  bool learned = true;              ///< use the tables that planc was built with (Decisions.h); false: use ANTLR alone
};

/// Parses a file of `sources`. Reports every lexical or syntax error. Declarations without errors are in the tree,
/// which is then marked `broken`. Returns null if nothing can be parsed: the file is too large, not UTF-8, or nested
/// too deep.
std::unique_ptr<syntax::File> parseFile(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics,
                                        const ParseLimits& limits = {});

/// The kinds of text that an option of a command line can hold.
enum class LineKind {
  Fact,     ///< `train.micro_batch = 2`
  Rule,     ///< `decoder.seq -> tp`, as a `vary` whose list is the value
  Vary,     ///< `mesh.tp in [1, 2]`
  Fill,     ///< `mesh.dp`
  Where,    ///< `mesh.tp <= 8`
  Minimize, ///< `step_time`, or any expression
  Maximize,
};
/// Parses the text of an option into the `line` of a tree, which stays empty if the text is more than one line of this
/// kind. Null after a report.
std::unique_ptr<syntax::File> parseLine(const SourceManager& sources, FileId file, LineKind kind,
                                        DiagnosticEngine& diagnostics);

/// A token of the unfiltered stream, comments and dropped line breaks included: what the formatter works on.
struct RawToken {
  enum class Kind { Word, Number, String, Punctuation, LineBreak, Comment, DocComment, BlockComment };
  /// The grammatical role of a token, if its text alone does not determine it.
  enum class Role {
    None,
    Keyword,     ///< a word that opens or joins; all other words are names or reserved
    Prefix,      ///< `-` or `not` before an operand
    Call,        ///< `( )` of arguments and parameters
    Group,       ///< `( )` around an expression
    Index,       ///< `[ ]` after a value or a selector
    List,        ///< any other `[ ]`
    Block,       ///< `{ }` around statements
    Record,      ///< `{ }` of a value
    Angle,       ///< `< >` of a type
    Dot,         ///< `.` of a path
    TypeColon,   ///< `name: type`
    SliceColon,  ///< `begin:end`
    ReasonColon, ///< `: "reason"`
    Assign,      ///< `=` of a statement; the `=` of an argument has no role
    Placement,   ///< `->` of a rule in a `place` or `states` block
    Where,       ///< `within` and `across` of a mesh axis
    Level,       ///< `*` of a cluster level
    Separator,   ///< between two statements, or two members of an enum, on one line
  };
  Kind kind = Kind::Word;
  Role role = Role::None;
  bool statementEnd = false; ///< a LineBreak that the grammar sees as the end of a statement
  SourceRange range;
};
/// All tokens of a file. Returns nullopt if the file does not parse; the errors are reported.
std::optional<std::vector<RawToken>> tokenize(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics,
                                              const ParseLimits& limits = {});

} // namespace planc::parse
