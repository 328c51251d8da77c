// The formats of results: one row each, for every command that makes documents.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "report/document/Document.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

using report::Shown;

/// The place of documents in a result.
struct ResultPlace {
  std::string_view member = {}; ///< member of the JSON root that holds the data; empty: the root itself
  bool list = true;             ///< the member is a list of documents; false: it is one document
  bool replaces = false;        ///< tables before this place are not printed
};

/// Writes the documents of a result to stdout, each as it comes, or all at the end.
class ResultWriter {
public:
  /// A document as it will be written, which takes a tenth of its memory. Sheets are a text each.
  using Piece = std::vector<std::string>;

  virtual ~ResultWriter() = default;
  virtual Shown shown() const = 0;
  /// Renders a document. May run on any thread.
  virtual Piece piece(const report::Document& document) const = 0;
  /// Begins a place. Its documents follow.
  virtual void begin(const ResultPlace& place) = 0;
  virtual void add(const Piece& piece) = 0;
  /// Ends the result. `rest`: further members of the root of a JSON result.
  virtual void finish(const nlohmann::ordered_json& rest) = 0;
};

/// The names of all formats: values of `--format`.
std::vector<std::string_view> resultFormats();

/// Returns a writer in a format of `resultFormats()`. `version`: format version of a JSON result, as in JsonDocument.h.
std::unique_ptr<ResultWriter> resultWriter(Console& console, std::string_view format, std::string_view version);

/// Writes complete documents of one place.
void printResult(Console& console, std::string_view format, std::string_view version, const ResultPlace& place,
                 std::span<const report::Document> documents);

} // namespace planc::driver
