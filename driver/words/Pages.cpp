// Looks up the embedded pages of diagnostics.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Pages.h"

#include "support/files/Embedded.h"

namespace planc::driver {

std::string_view pageOf(const std::string& code) {
  for (const EmbeddedFile& page : embeddedPages())
    if (page.path == code + ".md") return page.text;
  return {};
}

std::string messageOf(const DiagnosticKind& kind) {
  std::string out;
  for (size_t i = 0; i < kind.message.size(); ++i) {
    char c = kind.message[i];
    bool doubled = (c == '{' || c == '}') && i + 1 < kind.message.size() && kind.message[i + 1] == c;
    out += c;
    i += doubled;
  }
  return out;
}

} // namespace planc::driver
