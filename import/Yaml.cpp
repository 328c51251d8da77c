// Reads YAML with yaml-cpp. No other file uses it.
// SPDX-License-Identifier: Apache-2.0
#include "import/Foreign.h"

#include <algorithm>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace planc::foreign {
namespace {

/// Converts nodes to plain data.
class NodeReader {
public:
  NodeReader(const SourceManager& sources, FileId file, DiagnosticEngine& found)
      : text_(sources.text(file)), file_(file), found_(found) {}

  bool failed() const { return failed_; }

  ForeignValue value(const YAML::Node& node, size_t depth = 0) {
    ForeignValue out;
    out.range = range(node);
    if (failed_) return out;
    if (depth > kMostDepth) return fail(out, "it is nested more than 64 levels deep");
    if (++count_ > kMostValues) return fail(out, "it has more than 20000 values, aliases expanded");
    if (node.IsSequence()) {
      out.kind = ForeignValue::Kind::List;
      for (const YAML::Node& item : node) out.items.push_back(value(item, depth + 1));
    } else if (node.IsMap()) {
      out.kind = ForeignValue::Kind::Table;
      for (const auto& member : node) addMember(out, member.first, member.second, depth);
      failed_ = failed_ || reportRepeats(out, found_);
    } else if (node.IsScalar()) {
      const bool quoted = node.Tag() == "!";
      out = valueOfWord(node.Scalar(), out.range);
      if (quoted) out.kind = ForeignValue::Kind::Text;
      if (!quoted && (out.text == "null" || out.text == "~")) out.kind = ForeignValue::Kind::Null;
    }
    return out;
  }

private:
  void addMember(ForeignValue& table, const YAML::Node& name, const YAML::Node& held, size_t depth) {
    if (!name.IsScalar()) {
      reportSyntax(found_, range(name), "YAML of a configuration", "a name is not a text");
      failed_ = true;
      return;
    }
    table.members.push_back({name.Scalar(), range(name), value(held, depth + 1)});
  }

  ForeignValue fail(ForeignValue out, std::string_view reason) {
    failed_ = true;
    reportSyntax(found_, out.range, "YAML of a configuration", reason);
    return out;
  }

  SourceRange range(const YAML::Node& node) const {
    const auto size = static_cast<uint32_t>(text_.size());
    const int pos = node.Mark().pos;
    const uint32_t begin = std::min(static_cast<uint32_t>(std::max(pos, 0)), size);
    uint32_t end = begin + 1;
    if (node.IsScalar())
      end = std::max(end, begin + static_cast<uint32_t>(std::min<size_t>(node.Scalar().size(), size)));
    const size_t line = text_.find('\n', begin);
    if (line != std::string_view::npos) end = std::min(end, std::max(begin, static_cast<uint32_t>(line)));
    return {file_, begin, std::min(end, size)};
  }

  std::string_view text_;
  FileId file_;
  DiagnosticEngine& found_;
  size_t count_ = 0;
  bool failed_ = false;
};

} // namespace

std::optional<ForeignValue> readYaml(const SourceManager& sources, FileId file, DiagnosticEngine& found) {
  const std::string_view text = sources.text(file);
  try {
    NodeReader reader(sources, file, found);
    ForeignValue root = reader.value(YAML::Load(std::string(text)));
    return reader.failed() ? std::nullopt : std::optional(std::move(root));
  } catch (const YAML::Exception& error) {
    const uint32_t size = static_cast<uint32_t>(text.size());
    const uint32_t at = std::min(static_cast<uint32_t>(std::max(error.mark.pos, 0)), size);
    reportSyntax(found, {file, at, std::min(at + 1, size)}, "YAML", error.msg);
  } catch (const std::exception& error) { // yaml-cpp also throws exceptions of the standard library
    reportSyntax(found, {file, 0, 0}, "YAML", error.what());
  }
  return std::nullopt;
}

} // namespace planc::foreign
