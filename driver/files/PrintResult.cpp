// Documents as text, JSON, CSV, Markdown and HTML on stdout.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/PrintResult.h"

#include "driver/files/JsonDocument.h"
#include "driver/files/Spool.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace planc::driver {
namespace {

/// How a format writes a document, and what stands before, between and behind documents.
struct PageForm {
  std::string (*write)(const report::Document& document, bool color);
  std::string_view before, between, behind;
  Shown shown = Shown::Page;
};

/// Writes documents as they come.
class PageWriter : public ResultWriter {
public:
  PageWriter(Console& console, PageForm form) : console_(console), form_(form) {}
  Shown shown() const override { return form_.shown; }
  Piece piece(const report::Document& document) const override { return {form_.write(document, console_.colorOut())}; }
  void begin(const ResultPlace&) override {}
  void add(const Piece& piece) override {
    console_.out(std::exchange(any_, true) ? form_.between : form_.before);
    console_.out(piece.front());
  }
  void finish(const nlohmann::ordered_json&) override {
    if (!any_) console_.out(form_.before);
    console_.out(form_.behind);
  }

private:
  Console& console_;
  const PageForm form_;
  bool any_ = false;
};

/// Writes sheets at the end: those of one place and of the same position are one table, with its heads once.
class SheetWriter : public ResultWriter {
public:
  explicit SheetWriter(Console& console) : console_(console) {}
  Shown shown() const override { return Shown::Sheets; }
  Piece piece(const report::Document& document) const override {
    Piece sheets;
    for (const report::Sheet& sheet : document.sheets) sheets.push_back(report::csvOf(sheet));
    return sheets;
  }
  void begin(const ResultPlace& place) override {
    if (place.replaces) tables_.clear();
    first_ = tables_.size();
  }
  void add(const Piece& piece) override {
    for (size_t i = 0; i < piece.size(); ++i) {
      if (first_ + i == tables_.size()) tables_.emplace_back();
      Spool& table = tables_[first_ + i];
      table.add(table.empty() ? piece[i] : std::string_view(piece[i]).substr(piece[i].find('\n') + 1));
    }
  }
  void finish(const nlohmann::ordered_json&) override {
    bool any = false;
    for (const Spool& table : tables_) {
      if (table.empty()) continue;
      if (std::exchange(any, true)) console_.out("\n");
      table.print(console_);
    }
  }

private:
  Console& console_;
  std::deque<Spool> tables_;
  size_t first_ = 0; ///< table of this place
};

/// Writes one object at the end.
class JsonWriter : public ResultWriter {
public:
  JsonWriter(Console& console, std::string_view version) : console_(console), document_(version) {}
  Shown shown() const override { return Shown::Data; }
  Piece piece(const report::Document& document) const override { return {JsonStream::dumped(document.data)}; }
  void begin(const ResultPlace& place) override {
    end();
    place_ = place;
    if (place.member.empty()) return;
    json().key(place.member);
    if (place.list) json().begin('[');
  }
  void add(const Piece& piece) override {
    if (place_.member.empty())
      json().members(nlohmann::ordered_json::parse(piece.front()));
    else
      json().dumpedValue(piece.front());
  }
  void finish(const nlohmann::ordered_json& rest) override {
    end();
    json().members(rest);
    document_.print(console_);
  }

private:
  JsonStream& json() { return document_.found(); }
  void end() {
    if (!place_.member.empty() && place_.list) json().end();
    place_ = {};
  }
  Console& console_;
  JsonDocument document_;
  ResultPlace place_;
};

std::string textPage(const report::Document& document, bool color) {
  return textOf(document.page, color);
}
std::string markdownPage(const report::Document& document, bool) {
  return markdownOf(document);
}
std::string htmlPage(const report::Document& document, bool) {
  return htmlOf(document.page);
}

using Writer = std::unique_ptr<ResultWriter>;
struct ResultFormat {
  std::string_view name;
  Writer (*writer)(Console& console, std::string_view version);
};
constexpr ResultFormat kFormats[] = {
    {"text",
     [](Console& c, std::string_view) -> Writer {
       return std::make_unique<PageWriter>(c, PageForm{textPage, "", "\n", ""});
     }},
    {"json", [](Console& c, std::string_view version) -> Writer { return std::make_unique<JsonWriter>(c, version); }},
    {"csv", [](Console& c, std::string_view) -> Writer { return std::make_unique<SheetWriter>(c); }},
    {"md",
     [](Console& c, std::string_view) -> Writer {
       return std::make_unique<PageWriter>(c, PageForm{markdownPage, "", "\n", ""});
     }},
    {"html", [](Console& c, std::string_view) -> Writer {
       return std::make_unique<PageWriter>(c, PageForm{htmlPage, report::htmlHead(), "", report::htmlTail()});
     }}};

} // namespace

std::vector<std::string_view> resultFormats() {
  std::vector<std::string_view> names;
  for (const ResultFormat& format : kFormats) names.push_back(format.name);
  return names;
}

std::unique_ptr<ResultWriter> resultWriter(Console& console, std::string_view format, std::string_view version) {
  const auto found = std::ranges::find(kFormats, format, &ResultFormat::name);
  return (found == std::end(kFormats) ? kFormats : found)->writer(console, version);
}

void printResult(Console& console, std::string_view format, std::string_view version, const ResultPlace& place,
                 std::span<const report::Document> documents) {
  const auto writer = resultWriter(console, format, version);
  writer->begin(place);
  for (const report::Document& document : documents) writer->add(writer->piece(document));
  writer->finish({});
}

} // namespace planc::driver
