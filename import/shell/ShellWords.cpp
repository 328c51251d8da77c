// Splits shell scripts into words, and says what a word changes.
// SPDX-License-Identifier: Apache-2.0
#include "import/shell/ShellWords.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <cctype>

namespace planc::foreign {

namespace {

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

constexpr char kPlainDollar = '\x02';

/// Splits a script into words and operators.
class Splitter {
public:
  /// A text that begins with an option is a list of arguments, whose line breaks are blanks.
  Splitter(std::string_view text, FileId file)
      : text_(text), file_(file),
        options_(text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with("--")) {}

  SourceRange unclosed{};

  std::vector<RawWord> words() {
    std::vector<RawWord> out;
    while (at_ < text_.size() && out.size() < kMostWords) {
      const char c = text_[at_];
      if (isBlank(c) || (c == '\n' && options_)) {
        ++at_;
      } else if (c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '\n' || text_[at_ + 1] == '\r')) {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\n' || c == ';' || c == '(' || c == ')' || c == '|' || (c == '&' && next(1) != '>')) {
        out.push_back({"", range(at_, at_ + 1), c, false});
        ++at_;
        if (c == '\n') skipDocument();
      } else {
        const size_t begin = at_;
        out.push_back(word());
        noteDocument(out, begin);
      }
    }
    return out;
  }

private:
  char next(size_t by) const { return at_ + by < text_.size() ? text_[at_ + by] : 0; }

  /// Notes the word that ends a here-document: of `<<EOF` or `<<- 'EOF'`.
  void noteDocument(const std::vector<RawWord>& words, size_t begin) {
    const std::string_view written = text_.substr(begin, at_ - begin);
    const bool before =
        words.size() > 1 && (words[words.size() - 2].text == "<<" || words[words.size() - 2].text == "<<-");
    if (before && end_.empty())
      end_ = words.back().text;
    else if (written.starts_with("<<") && !written.starts_with("<<<"))
      end_ = words.back().text.substr(words.back().text.starts_with("<<-") ? 3 : 2);
  }

  void skipDocument() {
    while (!end_.empty() && at_ < text_.size()) {
      const size_t line = std::min(text_.find('\n', at_), text_.size());
      std::string_view body = text_.substr(at_, line - at_);
      body.remove_prefix(std::min(body.find_first_not_of('\t'), body.size()));
      at_ = std::min(line + 1, text_.size());
      if (body == end_) break;
    }
    end_.clear();
  }

  SourceRange range(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  RawWord word() {
    RawWord out;
    const size_t begin = at_;
    char quote = 0;
    bool escapes = false; // in $'…'
    size_t opened = at_;
    size_t depth = 0; // of ${ }, $( )
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote == '\'') {
        if (c == '\\' && escapes && at_ + 1 < text_.size())
          out.text += text_[++at_];
        else if (c == '\'')
          quote = 0;
        else
          out.text += c == '$' ? kPlainDollar : c;
        continue;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] == '\n') {
          ++at_;
          continue;
        }
        out.text += text_[++at_] == '$' ? kPlainDollar : text_[at_];
        continue;
      }
      if (c == '"') {
        quote = quote ? 0 : '"';
        opened = at_;
        out.quoted = true;
        continue;
      }
      if (c == '\'' && !quote) {
        quote = '\'';
        opened = at_;
        escapes = at_ > begin && text_[at_ - 1] == '$' && out.text.ends_with('$');
        if (escapes) out.text.pop_back();
        out.quoted = true;
        continue;
      }
      if (c == '$' && at_ + 1 < text_.size() && (text_[at_ + 1] == '{' || text_[at_ + 1] == '(')) {
        out.text += c;
        out.text += text_[++at_];
        ++depth;
        continue;
      }
      if (depth > 0) {
        if (c == '(' || c == '{') ++depth;
        if (c == ')' || c == '}') --depth;
        out.text += c;
        continue;
      }
      const bool ends = isBlank(c) || c == '\n' || c == ';' || c == '|' || c == ')' ||
                        (c == '&' && at_ > begin && text_[at_ - 1] != '>' && text_[at_ - 1] != '<' && next(1) != '>');
      const bool list = c == '(' && !out.text.empty() && out.text.back() == '=';
      if (!quote && (ends || list || c == '(')) break;
      out.text += c;
    }
    out.range = range(begin, at_);
    if (quote) unclosed = range(opened, opened + 1);
    return out;
  }

  std::string_view text_;
  FileId file_;
  bool options_;
  size_t at_ = 0;
  std::string end_; ///< of the here-document that begins behind this line
};

} // namespace

std::vector<RawWord> shellWords(std::string_view text, FileId file, SourceRange& unclosed) {
  Splitter splitter(text, file);
  std::vector<RawWord> out = splitter.words();
  unclosed = splitter.unclosed;
  return out;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isPlain(const RawWord& word, std::string_view text) {
  return word.op ? text.size() == 1 && word.op == text[0] : !word.quoted && word.text == text;
}

bool isName(std::string_view word) {
  return !word.empty() && nameLength(word) == word.size() && (word[0] < '0' || word[0] > '9');
}

std::string withDollars(std::string text) {
  std::replace(text.begin(), text.end(), kPlainDollar, '$');
  return text;
}

size_t nameLength(std::string_view text) {
  size_t out = 0;
  while (out < text.size() && isWordChar(text[out])) ++out;
  return out;
}

std::string_view assignedName(std::string_view word) {
  const size_t length = nameLength(word);
  if (length == 0 || (word[0] >= '0' && word[0] <= '9')) return {};
  const std::string_view rest = word.substr(length);
  return rest.starts_with("=") || rest.starts_with("+=") ? word.substr(0, length) : std::string_view();
}

std::vector<std::string> changedNames(std::string_view text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = nameLength(text.substr(i));
    if (length == 0) {
      ++i;
      continue;
    }
    std::string_view rest = text.substr(i + length);
    if (rest.starts_with("[")) rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    const bool steps = rest.starts_with("++") || rest.starts_with("--") || text.substr(0, i).ends_with("++");
    rest.remove_prefix(std::min(rest.find_first_not_of("+-*/%:&|^<>"), rest.size()));
    if (steps || (rest.starts_with("=") && !rest.starts_with("=="))) out.emplace_back(text.substr(i, length));
    i += length;
  }
  return out;
}

bool hasOption(std::string_view text) {
  for (size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at + 1)) {
    const bool begins = at == 0 || (!isWordChar(text[at - 1]) && text[at - 1] != '-');
    if (begins && at + 2 < text.size() && std::isalpha(static_cast<unsigned char>(text[at + 2]))) return true;
  }
  return false;
}

} // namespace planc::foreign
