// A parsed text with everything it points into, for the tests of the parser.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Parse.h"
#include "support/DiagnosticRender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace planc::test {

struct Parsed {
  SourceManager sources;
  DiagnosticEngine engine;
  FileId id;
  std::unique_ptr<syntax::File> file;

  explicit Parsed(std::string text, parse::ParseLimits limits = {}) : id(sources.add("t.plan", std::move(text))) {
    file = parse::parseFile(sources, id, engine, limits);
  }
  /// `line:column PLANcode message | help`, one line per diagnostic.
  std::string errors() const {
    std::string out;
    for (const Diagnostic* d : engine.sorted()) {
      LineColumn at = sources.begin(d->range);
      out += std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d->kind->id() + " " + d->message;
      for (const std::string& help : d->help) out += " | " + help;
      out += "\n";
    }
    return out;
  }
  /// The item of the `i`-th declaration.
  template <class T> const T& decl(size_t i = 0) const { return std::get<T>(file->decls.at(i).item); }
  std::string_view text(SourceRange range) const { return sources.text(range); }
};

} // namespace planc::test
