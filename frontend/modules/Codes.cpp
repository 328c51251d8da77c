// Looks up diagnostic codes.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Codes.h"

namespace planc::frontend {

PLANC_ERROR(UnknownCode, 1150, "no diagnostic has the code `{code}`")

const DiagnosticKind* kindOf(const syntax::Name& code, Severity meant, DiagnosticEngine& diagnostics) {
  std::vector<std::string> known;
  for (const auto& [number, kind] : DiagnosticKind::all()) {
    if (kind->id() == code.text.view()) return kind;
    if (kind->severity == meant) known.push_back(kind->id());
  }
  auto report = diagnostics.report(UnknownCode, code.range, {{"code", code.text.str()}});
  report.meant(code.text.view(), known);
  report.note("`planc explain --list` lists all codes");
  return nullptr;
}

} // namespace planc::frontend
