// Reads JSON with nlohmann's event parser, and finds the place of each event in the text.
// SPDX-License-Identifier: Apache-2.0
#include "import/Foreign.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace planc::foreign {

PLANC_WARNING(ForeignComment, 1203, "JSON has no comments; this one is skipped")

namespace {

using Json = nlohmann::json;

/// An iterator over the bytes of a text that tells how far the parser has read.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at = nullptr;
  const char** furthest = nullptr;

  const char& operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    if (furthest && at > *furthest) *furthest = at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& o) const { return at == o.at; }
  bool operator!=(const CountingIterator& o) const { return at != o.at; }
};

bool isNumberChar(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

/// The words that Python writes for numbers that JSON does not have.
struct PythonNumber {
  std::string_view word;
  double value;
};
constexpr PythonNumber kPythonNumbers[] = {{"-Infinity", -std::numeric_limits<double>::infinity()},
                                           {"Infinity", std::numeric_limits<double>::infinity()},
                                           {"NaN", std::numeric_limits<double>::quiet_NaN()}};

/// A copy of the text, of the same length, in which comments are blank and numbers of Python are null or 0.
struct PlainText {
  std::string text;
  std::vector<std::pair<uint32_t, uint32_t>> comments; ///< bytes of the comments
};

PlainText plainText(std::string_view text) {
  PlainText out{std::string(text), {}};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      continue;
    }
    if (text[i] == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*')) {
      const bool line = text[i + 1] == '/';
      size_t end = line ? text.find('\n', i) : text.find("*/", i + 2);
      if (end == std::string_view::npos && !line) return out; // the parser reports it
      end = end == std::string_view::npos ? text.size() : end + (line ? 0 : 2);
      out.comments.emplace_back(static_cast<uint32_t>(i), static_cast<uint32_t>(end));
      for (size_t at = i; at < end; ++at)
        if (out.text[at] != '\n') out.text[at] = ' ';
      i = end - 1;
      continue;
    }
    for (const PythonNumber& number : kPythonNumbers)
      if (text.substr(i).starts_with(number.word)) {
        out.text.replace(i, number.word.size(), std::string(number.word.size(), ' '));
        out.text[i] = '0';
        i += number.word.size() - 1;
        break;
      }
  }
  return out;
}

/// Builds the tree from the events of the parser.
class TreeBuilder : public nlohmann::json_sax<Json> {
public:
  TreeBuilder(std::string_view text, FileId file, const char* const& furthest, const char* begin,
              DiagnosticEngine& found)
      : text_(text), file_(file), furthest_(furthest), begin_(begin), found_(found) {}

  std::optional<ForeignValue> result() && { return failed_ ? std::nullopt : std::optional(std::move(root_)); }

  bool null() override { return add(ForeignValue::Kind::Null); }
  bool boolean(bool) override { return add(ForeignValue::Kind::Truth); }
  bool number_integer(number_integer_t) override { return add(ForeignValue::Kind::Number); }
  bool number_unsigned(number_unsigned_t) override { return add(ForeignValue::Kind::Number); }
  bool number_float(number_float_t, const string_t&) override { return add(ForeignValue::Kind::Number); }
  bool string(string_t& value) override { return add(ForeignValue::Kind::Text, std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(ForeignValue::Kind::Table); }
  bool start_array(std::size_t) override { return open(ForeignValue::Kind::List); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = ForeignMember{std::move(name), range(), {}};
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) override {
    failed_ = true;
    const auto size = static_cast<uint32_t>(text_.size());
    const uint32_t at = std::min(static_cast<uint32_t>(position > 0 ? position - 1 : 0), size ? size - 1 : 0);
    std::string_view reason = error.what();
    const bool enormous = error.id == 406;
    if (const size_t dash = reason.find(" - "); dash != std::string_view::npos) reason.remove_prefix(dash + 3);
    reason = reason.substr(0, reason.find("; last read"));
    const bool ends = reason.find("unexpected end of input") != std::string_view::npos ||
                      reason.find("missing closing quote") != std::string_view::npos;
    SourceRange place{file_, at, std::min(at + 1, size)};
    if (enormous)
      place = {file_, at + 1 >= token.size() ? at + 1 - static_cast<uint32_t>(token.size()) : 0,
               std::min(at + 1, size)};
    reportSyntax(found_, place, "JSON",
                 enormous ? std::string_view("a number is too large for 64 bits")
                 : ends   ? std::string_view("it ends in the middle")
                          : reason);
    return false;
  }

private:
  /// The range of the token that the parser has just read: from the first byte after the last token that is no blank.
  SourceRange range(bool number = false) {
    size_t begin = last_;
    while (begin < text_.size() && std::string_view(" \t\r\n,:").find(text_[begin]) != std::string_view::npos) ++begin;
    size_t end = static_cast<size_t>(furthest_ - begin_);
    if (number) {
      end = begin;
      while (end < text_.size() && isNumberChar(text_[end])) ++end;
    }
    last_ = std::max(end, begin);
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(last_)};
  }

  /// Adds a value to the open container, and returns it; null after an error.
  ForeignValue* place(ForeignValue value) {
    if (++count_ > kMostValues) return fail(value.range, "it has more than 20000 values");
    if (open_.empty()) return &(root_ = std::move(value));
    ForeignValue& parent = *open_.back();
    if (parent.kind == ForeignValue::Kind::List) return &parent.items.emplace_back(std::move(value));
    key_.value = std::move(value);
    return &parent.members.emplace_back(std::move(key_)).value;
  }

  ForeignValue* fail(SourceRange at, std::string_view reason) {
    failed_ = true;
    reportSyntax(found_, at, "JSON of a configuration", reason);
    return nullptr;
  }

  bool add(ForeignValue::Kind kind, std::string text = {}) {
    const bool number = kind == ForeignValue::Kind::Number;
    const SourceRange at = range(number);
    if (number) return place(numberAt(at)) != nullptr;
    ForeignValue value;
    value.kind = kind;
    value.range = at;
    value.text =
        kind == ForeignValue::Kind::Truth ? std::string(text_.substr(at.begin, at.end - at.begin)) : std::move(text);
    return place(std::move(value)) != nullptr;
  }

  /// The number at a place. The original text tells numbers of Python from others.
  ForeignValue numberAt(SourceRange at) {
    for (const PythonNumber& number : kPythonNumbers)
      if (text_.substr(at.begin).starts_with(number.word)) {
        ForeignValue value;
        value.kind = ForeignValue::Kind::Number;
        value.number = number.value;
        value.text = number.word;
        at.end = at.begin + static_cast<uint32_t>(number.word.size());
        last_ = at.end;
        value.range = at;
        return value;
      }
    return valueOfWord(std::string(text_.substr(at.begin, at.end - at.begin)), at);
  }

  bool open(ForeignValue::Kind kind) {
    ForeignValue value;
    value.kind = kind;
    value.range = range();
    if (open_.size() >= kMostDepth) return fail(value.range, "it is nested more than 64 levels deep") != nullptr;
    ForeignValue* placed = place(std::move(value));
    if (placed) open_.push_back(placed);
    return placed != nullptr;
  }

  bool close() {
    open_.back()->range.end = range().end;
    if (open_.back()->kind == ForeignValue::Kind::Table) failed_ |= reportRepeats(*open_.back(), found_);
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  FileId file_;
  const char* const& furthest_;
  const char* begin_;
  DiagnosticEngine& found_;
  ForeignValue root_;
  ForeignMember key_;
  std::vector<ForeignValue*> open_; ///< containers whose ends were not read yet; their addresses are stable meanwhile
  size_t last_ = 0;                 ///< the end of the last token
  size_t count_ = 0;
  bool failed_ = false;
};

} // namespace

std::optional<ForeignValue> readJson(const SourceManager& sources, FileId file, DiagnosticEngine& found) {
  const std::string_view text = sources.text(file);
  const PlainText plain = plainText(text);
  const char *begin = plain.text.data(), *furthest = begin;
  TreeBuilder builder(text, file, furthest, begin, found);
  for (const auto& [from, to] : plain.comments)
    found.report(ForeignComment, {file, from, to}).help("remove it: other readers of JSON reject the file");
  try {
    Json::sax_parse(CountingIterator{begin, &furthest}, CountingIterator{begin + plain.text.size(), nullptr}, &builder);
  } catch (const Json::exception& error) {
    reportSyntax(found, {file, 0, 0}, "JSON", error.what());
    return std::nullopt;
  }
  return std::move(builder).result();
}

} // namespace planc::foreign
