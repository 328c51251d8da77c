// Writes JSON results piece by piece as plans are completed, because a file may hold thousands of them. The output
// equals that of one whole value.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/Inputs.h"
#include "driver/files/Spool.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// A JSON text that is built piece by piece.
class JsonStream {
public:
  /// Begins an object with `{` or an array with `[`.
  void begin(char bracket);
  /// Writes the name of the next value of an object.
  void key(std::string_view name);
  void value(const nlohmann::ordered_json& value) { dumpedValue(dumped(value)); }
  /// Returns a value as text, which takes a tenth of its memory.
  static std::string dumped(const nlohmann::ordered_json& value);
  void dumpedValue(std::string_view text);
  void member(std::string_view name, const nlohmann::ordered_json& of);
  /// Writes all members of an object.
  void members(const nlohmann::ordered_json& of);
  /// Ends the innermost open object or array.
  void end();
  const Spool& text() const { return text_; }

private:
  struct Level {
    char close;
    bool any = false;
  };
  void place();
  Spool text_;
  std::vector<Level> open_;
  bool named_ = false; ///< the name of the next value is written already
};

/// The format versions of JSON results, one per kind.
inline constexpr std::string_view kPlansFormat = "2.5", kCalibrationFormat = "1.0", kSensitivityFormat = "1.0",
                                  kSearchFormat = "1.0", kSweepFormat = "1.0", kConfigFormat = "1.0",
                                  kTestFormat = "1.0", kLibFormat = "1.0", kDiffFormat = "1.1", kVersionFormat = "1.2",
                                  kShowFormat = "1.0", kCompareFormat = "1.0";

/// Returns a text, or null if it is empty.
nlohmann::ordered_json orNull(const std::string& text);

/// Adds `inputs` and `library_sha256`.
void addInputs(JsonStream& root, const Inputs& inputs);

/// The root object of every JSON result: format version, planc's version, results, diagnostics.
class JsonDocument {
public:
  explicit JsonDocument(std::string_view format);
  /// The stream to write results into, as members of the root.
  JsonStream& found() { return json_; }
  /// Adds the diagnostics so far and writes the document.
  void print(Console& console);

private:
  JsonStream json_;
};

/// Prints a document whose results are complete: the members of `found`.
void printJson(Console& console, std::string_view format, const nlohmann::ordered_json& found);

} // namespace planc::driver
