// The roles of tokens, read off the parse tree for the formatter and for editors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "PlanParser.h"
#include "frontend/parse/Parse.h"

namespace planc::parse {

/// Sets the roles of the tokens of a declaration; `tokens` is indexed like the tokens of the file.
void assignRoles(grammar::PlanParser::DeclarationContext* tree, std::vector<RawToken>& tokens);

} // namespace planc::parse
