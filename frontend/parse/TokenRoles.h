// Determines the roles of tokens from the parse tree, for the formatter and for editors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "PlanParser.h"
#include "frontend/parse/Parse.h"

namespace planc::parse {

/// Sets the roles of the tokens of a declaration. `tokens` has the same indices as the tokens of the file.
void assignRoles(grammar::PlanParser::DeclarationContext* tree, std::vector<RawToken>& tokens);

} // namespace planc::parse
