// Text to syntax tree. The only room that includes the ANTLR runtime is behind this header.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"
#include "support/Diagnostics.h"

#include <memory>

namespace planc::parse {

/// Bounds that keep hostile input from costing unbounded time, memory or stack.
struct ParseLimits {
  size_t maxBytes = 16u << 20; ///< larger files are refused before lexing (PLAN0001)
  unsigned maxDepth = 256;     ///< nesting of brackets, runs of prefix operators, chains of `if` and `**`
  unsigned maxErrors = 20;     ///< syntax errors reported per file
};

/// Parses a file of `sources`. Reports every lexical or syntax error; returns null if there was one.
std::unique_ptr<syntax::File> parseFile(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics,
                                        const ParseLimits& limits = {});

/// A token of the unfiltered stream, comments and dropped line breaks included: what the formatter works on.
struct RawToken {
  enum class Kind { Word, Number, String, Punctuation, LineBreak, Comment, DocComment, BlockComment };
  Kind kind = Kind::Word;
  bool statementEnd = false; ///< a LineBreak that the grammar sees as the end of a statement
  SourceRange range;
};
/// All tokens of a file that parses; nothing if it does not (the errors are reported).
std::optional<std::vector<RawToken>> tokenize(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics,
                                              const ParseLimits& limits = {});

} // namespace planc::parse
