// JSON results: written piece by piece, as plans are done, so that a file may hold thousands of them; the bytes are
// those of the whole as one value.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/Inputs.h"
#include "driver/files/Spool.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// An object or array that is not at hand as a whole.
class JsonStream {
public:
  /// `{` or `[`.
  void begin(char bracket);
  /// The name of what comes next, in an object.
  void key(std::string_view name);
  void value(const nlohmann::ordered_json& value) { dumpedValue(dumped(value)); }
  /// A value as text, which takes a tenth of its memory.
  static std::string dumped(const nlohmann::ordered_json& value);
  void dumpedValue(std::string_view text);
  void member(std::string_view name, const nlohmann::ordered_json& of);
  /// Those of an object.
  void members(const nlohmann::ordered_json& of);
  /// Ends what was begun last.
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
  bool named_ = false; ///< the next value has its name already
};

/// Forms of the root object of a JSON result: of plans, of calibrations, of what numbers hang on, of searches and
/// sweeps, of a project, of tests, of differences, of the version, of what modules export.
inline constexpr std::string_view kPlansFormat = "2.4", kCalibrationFormat = "1.0", kSensitivityFormat = "1.0",
                                  kSearchFormat = "1.0", kSweepFormat = "1.0", kConfigFormat = "1.0",
                                  kTestFormat = "1.0", kLibFormat = "1.0", kDiffFormat = "1.1", kVersionFormat = "1.1",
                                  kShowFormat = "1.0";

/// A text, or null where it is empty.
nlohmann::ordered_json orNull(const std::string& text);

/// What a result was made of: `inputs` and `library_sha256`.
void addInputs(JsonStream& root, const Inputs& inputs);

/// The root object of every JSON result: the version of its form and of planc, what was found, diagnostics.
class JsonDocument {
public:
  explicit JsonDocument(std::string_view format);
  /// Stands among the members of the root.
  JsonStream& found() { return json_; }
  /// Adds the diagnostics so far, and writes it.
  void print(Console& console);

private:
  JsonStream json_;
};

/// A document of which all is at hand: `found` holds what was found, by its names.
void printJson(Console& console, std::string_view format, const nlohmann::ordered_json& found);

} // namespace planc::driver
