// The formats of results: one row each, for every command that makes documents.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "report/document/Document.h"

#include <span>
#include <string_view>
#include <vector>

namespace planc::driver {

/// The root object of a JSON result.
struct ResultForm {
  std::string_view version;   ///< of its form, as in JsonDocument.h
  std::string_view list = {}; ///< the member that holds a list of documents; empty: the one document is the root
};

/// The names of all formats: values of `--format`.
std::vector<std::string_view> resultFormats();

/// Writes the documents of a result to stdout in a format of `resultFormats()`.
void printResult(Console& console, std::string_view format, const ResultForm& form,
                 std::span<const report::Document> documents);

} // namespace planc::driver
