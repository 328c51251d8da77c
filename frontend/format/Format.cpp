// The formatter: tokens to lines, lines to columns, columns to text, and a check that only whitespace changed.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Format.h"

#include "frontend/format/Lines.h"

namespace planc::format {

PLANC_ERROR(FormatterFailed, 99, "formatting would change the meaning of this file, so it was not changed")

namespace {

std::string render(const std::vector<Token>& tokens, const std::vector<FormattedLine>& lines) {
  std::string out;
  for (const FormattedLine& line : lines) {
    if (line.blankAbove) out += '\n';
    out.append(line.indent, ' ');
    for (const LineToken& piece : line.pieces) {
      out.append(piece.gap, ' ');
      for (char c : tokens[piece.token].text)
        if (c != '\r') out += c; // block comments of CRLF files contain it
    }
    out += '\n';
  }
  return out;
}

std::string layout(const std::vector<parse::RawToken>& raw, std::string_view source) {
  std::vector<Token> tokens = gatherTokens(raw, source);
  settleBreaks(tokens);
  std::vector<FormattedLine> lines = cutLines(tokens);
  indentLines(tokens, lines);
  alignStatements(tokens, lines);
  indentLines(tokens, lines); // alignment shifts continuation lines
  alignComments(tokens, lines);
  return render(tokens, lines);
}

std::string withoutCarriageReturns(std::string_view text) {
  std::string out(text);
  std::erase(out, '\r');
  return out;
}

/// Whether both texts have the same tokens, with statements ending at the same places.
bool sameMeaning(const std::vector<parse::RawToken>& rawA, std::string_view a, const std::vector<parse::RawToken>& rawB,
                 std::string_view b) {
  std::vector<Token> before = gatherTokens(rawA, a), after = gatherTokens(rawB, b);
  if (before.size() != after.size()) return false;
  for (size_t i = 0; i < before.size(); ++i) {
    const Token &x = before[i], &y = after[i];
    if (x.kind != y.kind || x.role != y.role || x.beginsStatement != y.beginsStatement) return false;
    if (x.text != y.text && withoutCarriageReturns(x.text) != y.text) return false;
  }
  return true;
}

} // namespace

std::optional<std::string> formatFile(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics) {
  std::optional<std::vector<parse::RawToken>> raw = parse::tokenize(sources, file, diagnostics);
  if (!raw) return std::nullopt;
  std::string_view source = sources.text(file);
  std::string out = layout(*raw, source);

  SourceManager own;
  DiagnosticEngine errors;
  FileId formatted = own.addStatic(sources.path(file), out);
  auto again = parse::tokenize(own, formatted, errors);
  if (again && sameMeaning(*raw, source, *again, out)) return out;
  diagnostics.report(FormatterFailed, {file, 0, 0}).note("this is an error of planc: please report it with the file");
  return std::string(source);
}

} // namespace planc::format
