// Compresses a text with gzip, piece by piece.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace planc::driver {

/// A compressed text. It has no time and no name, so equal texts give equal bytes.
class GzipText {
public:
  /// Returns whether planc was built with zlib. Without it the other functions do nothing.
  static bool available();

  GzipText();
  ~GzipText();
  void add(std::string_view text);
  /// Ends the text and returns it compressed.
  std::string finish();

private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

} // namespace planc::driver
