// The human renderer: header, source lines of each file with their labels, help and notes.
// SPDX-License-Identifier: Apache-2.0
#include "support/DiagnosticRender.h"
#include "support/text/Snippet.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc {
namespace {

/// The marks of one file, by line.
struct FilePart {
  FileId file;
  SourceRange first; ///< named in the `-->` or `:::` line
  std::map<uint32_t, std::vector<SnippetMark>> lines;
  std::set<uint32_t> elided; ///< lines after which the middle of a multi-line range is left out
};

std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class HumanRenderer {
  const Diagnostic& d_;
  const SourceManager& sources_;
  bool color_;
  size_t gutter_ = 1;
  std::string out_;

  TextStyle severityStyle() const { return d_.isError() ? TextStyle::Error : TextStyle::Warning; }

  void emit(const TextCells& row) { out_ += row.str(color_) + "\n"; }

  void header() {
    TextCells row;
    const char* word = d_.isError() ? "error" : "warning";
    size_t at = row.put(0, fmt::format("{}[{}]", word, d_.kind->id()), severityStyle());
    row.put(at, ": " + oneLine(d_.message), TextStyle::Bold);
    emit(row);
  }

  /// Marks a range within a line, or the first and the last line of a longer range.
  void addMark(FilePart& part, SourceRange range, bool primary, const std::string& text) const {
    uint32_t size = static_cast<uint32_t>(sources_.text(range.file).size());
    range.begin = std::min(range.begin, size);
    range.end = std::clamp(range.end, range.begin, size);
    // The last byte decides: a range that includes a line break at its end does not reach the next line.
    SourceRange last{range.file, range.end > range.begin ? range.end - 1 : range.end, range.end};
    uint32_t firstLine = sources_.begin(range).line, lastLine = sources_.begin(last).line;
    std::string_view head = sources_.line(range.file, firstLine), tail = sources_.line(range.file, lastLine);
    auto offset = [&](std::string_view line, uint32_t at) {
      size_t start = static_cast<size_t>(line.data() - sources_.text(range.file).data());
      return std::min(line.size(), at - std::min<size_t>(at, start));
    };
    if (head.data() == nullptr || firstLine == lastLine) {
      size_t begin = head.data() ? offset(head, range.begin) : 0, end = head.data() ? offset(head, range.end) : 0;
      part.lines[firstLine].push_back({begin, end, primary, text});
      return;
    }
    part.lines[firstLine].push_back({offset(head, range.begin), head.size(), primary, ""});
    size_t indent = std::min(tail.find_first_not_of(" \t"), tail.size());
    part.lines[lastLine].push_back({std::min(indent, offset(tail, range.end)), offset(tail, range.end), primary, text});
    if (lastLine > firstLine + 1) part.elided.insert(firstLine);
  }

  std::vector<FilePart> parts() const {
    std::vector<FilePart> parts;
    auto add = [&](SourceRange range, bool primary, const std::string& text) {
      if (!range.valid()) return;
      auto part = std::find_if(parts.begin(), parts.end(), [&](const FilePart& p) { return p.file == range.file; });
      if (part == parts.end()) part = parts.insert(parts.end(), FilePart{range.file, range, {}, {}});
      addMark(*part, range, primary, oneLine(text));
    };
    add(d_.range, true, d_.primary);
    for (const Label& label : d_.labels) add(label.range, false, label.text);
    return parts;
  }

  void gutterRow(const std::string& number, const TextCells& content) {
    TextCells row;
    row.put(0, fmt::format("{:>{}} | ", number, gutter_), TextStyle::Gutter);
    row.append(content);
    emit(row);
  }

  void drawFile(const FilePart& part) {
    bool main = part.file == d_.range.file;
    LineColumn at = sources_.begin(main ? d_.range : part.first);
    TextCells where;
    size_t column = where.put(gutter_, main ? "--> " : "::: ", TextStyle::Gutter);
    where.put(column, fmt::format("{}:{}:{}", sources_.path(part.file), at.line, at.column));
    emit(where);
    gutterRow("", {});
    uint32_t previous = 0;
    for (const auto& [number, marks] : part.lines) {
      if (previous && number > previous + 1) {
        if (part.elided.count(previous))
          out_ += "...\n";
        else
          gutterRow("", {});
      }
      std::vector<TextCells> rows = drawSnippet(sources_.line(part.file, number), marks, severityStyle());
      for (size_t i = 0; i < rows.size(); ++i) gutterRow(i == 0 ? std::to_string(number) : "", rows[i]);
      previous = number;
    }
  }

  void remark(const char* word, const std::string& text) {
    std::string_view rest = text;
    for (bool first = true; first || !rest.empty(); first = false) {
      size_t end = std::min(rest.find('\n'), rest.size());
      TextCells row;
      size_t at = row.put(gutter_ + 1, first ? "= " : "  ", TextStyle::Gutter);
      std::string label = fmt::format("{}: ", word);
      at = row.put(at, first ? label : std::string(label.size(), ' '), TextStyle::Bold);
      row.put(at, rest.substr(0, end));
      emit(row);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

public:
  HumanRenderer(const Diagnostic& d, const SourceManager& sources, bool color)
      : d_(d), sources_(sources), color_(color) {}

  std::string run() {
    header();
    std::vector<FilePart> files = parts();
    for (const FilePart& part : files) gutter_ = std::max(gutter_, std::to_string(part.lines.rbegin()->first).size());
    for (const FilePart& part : files) drawFile(part);
    for (const std::string& text : d_.help) remark("help", text);
    for (const std::string& text : d_.notes) remark("note", text);
    remark("note", fmt::format("run `planc explain {}`", d_.kind->id()));
    return std::move(out_);
  }
};

} // namespace

std::string renderHuman(const Diagnostic& d, const SourceManager& sources, bool color) {
  return HumanRenderer(d, sources, color).run();
}

} // namespace planc
