// Decides which line breaks end a statement. The grammar relies on this rule alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Brackets.h"

namespace planc::parse {

/// Clears `kept` for every line break that does not end a statement: inside `( )` and `[ ]`; after an operator, comma
/// or opening bracket; before an operator, `:`, `.`, `then`, `else` or `}`; after another line break; and at the end of
/// the file. `=` at the end of a line does not continue the statement, so that the error belongs to that line. Bracket
/// counting restarts at each broken region.
void filterLineBreaks(LexedFile& file, const std::vector<BrokenRegion>& broken);

} // namespace planc::parse
