// Which line breaks end a statement: the one rule about lines that the grammar relies on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Brackets.h"

namespace planc::parse {

/// Clears `kept` of every line break that does not end a statement: inside `( )` and `[ ]`, after an operator, comma or
/// opening bracket, before an operator, `:`, `.`, `then`, `else` or `}`, after another one, and at the end of the file.
/// `=` at the end of a line does not continue: the error belongs to that line. Brackets are counted anew from each
/// broken region on.
void filterLineBreaks(LexedFile& file, const std::vector<BrokenRegion>& broken);

} // namespace planc::parse
