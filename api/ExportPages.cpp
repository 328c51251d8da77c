// Renders exports as Markdown.
// SPDX-License-Identifier: Apache-2.0
#include "api/ExportPages.h"

#include "report/tables/Markdown.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

namespace planc::api {

namespace {

/// Escapes the character at `at` for Markdown, so that the page shows it unchanged. HTML entities are used because
/// tables and code spans do not interpret them.
std::string shown(std::string_view text, size_t at) {
  const char c = text[at];
  const auto word = [&](size_t i) { return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])); };
  if (c == '<') return "&lt;";
  if (c == '>') return "&gt;";
  if (std::string_view("&\\|`@$").find(c) != std::string_view::npos) return fmt::format("&#{};", int(c));
  if (c == '_' && at > 0 && word(at - 1) && word(at + 1)) return "_";
  if (std::string_view("*_[]~#").find(c) != std::string_view::npos) return std::string("\\") + c;
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f ? " " : std::string(1, c);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) out += shown(text, i);
  return out;
}

/// Returns text as a code span, or escaped text if a code span cannot hold it.
std::string code(std::string_view text) {
  const auto odd = [](char c) {
    return c == '`' || c == '\\' || c == '|' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  };
  if (text.empty() || std::any_of(text.begin(), text.end(), odd)) return escaped(text);
  return fmt::format("`{}`", text);
}

/// Renders one line of a comment: text between backticks becomes code, the rest is escaped. The beginning of the line
/// is escaped so that it opens no list, heading, quote or underline of a heading.
std::string proseLine(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  std::string out;
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')')) {
    out = fmt::format("{}\\{}", line.substr(0, digits), line[digits]);
    line.remove_prefix(digits + 1);
  } else if (!line.empty() && std::string_view("-+=").find(line[0]) != std::string_view::npos) {
    out = fmt::format("&#{};", int(line[0]));
    line.remove_prefix(1);
  }
  while (!line.empty()) {
    const size_t open = line.find('`');
    const size_t close = open == std::string_view::npos ? open : line.find('`', open + 1);
    if (close == std::string_view::npos || close == open + 1) return out + escaped(line);
    out += escaped(line.substr(0, open)) + code(line.substr(open + 1, close - open - 1));
    line.remove_prefix(close + 1);
  }
  return out;
}

std::string prose(std::string_view text) {
  std::string out;
  while (true) {
    const size_t end = text.find('\n');
    out += proseLine(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

/// Returns a fenced code block with a fence longer than any run of backticks in the text.
std::string fenced(std::string_view text) {
  size_t longest = 2, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fmt::format("{}plan\n{}\n{}\n", fence, text, fence);
}

/// Makes anchors of headings as GitHub does: lower case without punctuation, and a number appended to repeated anchors.
class Anchors {
public:
  std::string of(std::string_view heading) {
    std::string slug;
    for (const char c : heading)
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')
        slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (c == ' ')
        slug += '-';
    std::string out = slug;
    while (count_.contains(out)) out = fmt::format("{}-{}", slug, ++count_[slug]);
    count_[out] = 0;
    return out;
  }

private:
  std::map<std::string, size_t> count_;
};

std::string pathOf(std::string_view module) {
  return std::string(module) + ".md";
}

class Pages {
public:
  Pages(const std::vector<Export>& exports, const std::vector<ModuleHead>& modules, const PackageName& package)
      : package_(package) {
    for (const ModuleHead& m : modules) sentences_[m.name] = m.sentence;
    for (const Export& one : exports) {
      std::vector<const Export*>& of = byModule_[one.module];
      of.push_back(&one);
      Anchors& anchors = anchorsOf_[one.module];
      if (of.size() == 1) anchors.of(one.module);
      byName_.emplace(std::pair(one.kind, std::string_view(one.name)), &one);
      anchor_[&one] = anchors.of(one.name);
    }
  }

  std::vector<LibraryPage> make() const {
    std::vector<LibraryPage> out{{"index.md", index()}};
    for (const auto& [module, all] : byModule_) out.push_back({pathOf(module), page(module, all)});
    return out;
  }

private:
  std::string link(const Export& to, const std::string& from) const {
    return fmt::format("[`{}`]({}#{})", to.name, to.module == from ? "" : pathOf(to.module), anchor_.at(&to));
  }
  std::string sentenceOf(const std::string& module) const {
    const auto found = sentences_.find(module);
    return found == sentences_.end() ? "" : proseLine(found->second);
  }
  /// Returns a summary in one line, for a table.
  static std::string summary(const Export& of) {
    return of.deprecated.empty() ? proseLine(of.sentence) : "deprecated: " + proseLine(of.deprecated);
  }

  std::string index() const {
    std::string out = fmt::format("# {}{}\n", escaped(package_.name),
                                  package_.version.empty() ? "" : " " + escaped(package_.version));
    if (!package_.description.empty()) out += "\n" + prose(package_.description) + "\n";
    std::vector<std::vector<std::string>> rows{{"module", "exports", "about"}};
    for (const auto& [module, all] : byModule_)
      rows.push_back(
          {fmt::format("[`{}`]({})", module, pathOf(module)), std::to_string(all.size()), sentenceOf(module)});
    out += "\n" + report::markdownTable(rows, "lrl");
    for (const auto& [module, all] : byModule_) {
      std::vector<std::vector<std::string>> list{{"kind", "name", "about"}};
      for (const Export* one : all) list.push_back({std::string(one->kind), link(*one, ""), summary(*one)});
      out += fmt::format("\n## {}\n\n{}", escaped(module), report::markdownTable(list, "lll"));
    }
    return out;
  }

  std::string page(const std::string& module, const std::vector<const Export*>& all) const {
    std::string out = fmt::format("# {}\n\n", escaped(module));
    if (const std::string about = sentenceOf(module); !about.empty()) out += about + "\n\n";
    out += fenced("import " + module) + "\n[All modules](index.md)\n";
    for (const Export* one : all) out += "\n" + section(*one);
    return out;
  }

  std::string section(const Export& of) const {
    std::string out = fmt::format("## {}\n\n", code(of.name)) + fenced(of.signature);
    if (!of.deprecated.empty()) out += "\n**Deprecated:** " + proseLine(of.deprecated) + "\n";
    if (!of.doc.empty()) out += "\n" + prose(of.doc) + "\n";
    return out + facts(of);
  }

  /// Returns the record that the fact is inherited from, if the page has a section for it; else null.
  const Export* owner(const Export& of, const ExportFact& fact) const {
    const auto found = byName_.find({of.kind, fact.from});
    return fact.from.empty() || found == byName_.end() ? nullptr : found->second;
  }

  std::string facts(const Export& of) const {
    std::vector<std::vector<std::string>> rows{{"fact", "value", "unit", "source"}};
    std::map<const Export*, size_t> inherited;
    std::vector<const Export*> owners;
    for (const ExportFact& fact : of.facts) {
      if (const Export* from = owner(of, fact)) {
        if (inherited[from]++ == 0) owners.push_back(from);
        continue;
      }
      const bool quantity = !fact.number.empty();
      rows.push_back({code(fact.path), quantity ? escaped(fact.number) : code(fact.value.text), escaped(fact.unit),
                      proseLine(fact.source)});
    }
    std::string out;
    if (rows.size() > 1) out += "\n" + report::markdownTable(rows, "lrll");
    for (const Export* from : owners)
      out += fmt::format("\n{} more facts are the same as in {}.\n", inherited[from], link(*from, of.module));
    return out;
  }

  const PackageName& package_;
  std::map<std::string, std::string> sentences_;
  std::map<std::string, std::vector<const Export*>> byModule_;
  std::map<std::string, Anchors> anchorsOf_;
  std::map<const Export*, std::string> anchor_;
  std::map<std::pair<std::string_view, std::string_view>, const Export*> byName_; ///< keyed by kind and name
};

} // namespace

std::vector<LibraryPage> docsOf(const std::vector<Export>& exports, const std::vector<ModuleHead>& modules,
                                const PackageName& package) {
  return Pages(exports, modules, package).make();
}

} // namespace planc::api
