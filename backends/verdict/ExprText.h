// How the parts of an assertion are written in messages: the text of a node, its value, the name of its type.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Expr.h"

#include <string>

namespace planc::verdict {

/// The text of a node as the plan has it, on one line; a metric's name where that is not known.
std::string textOf(const ir::ExprTree& tree, ir::ExprId node);
/// `step_time`, `layer("decoder").forward`.
std::string metricText(const ir::ExprNode& node);
/// `8.14 s`, `23 %`, `true`.
std::string valueText(const ir::ExprValue& value, bool percent);
std::string quantityText(double value, const Unit& unit, bool percent);
/// `time`, `number`; with `isBool`, `condition`.
std::string typeText(bool isBool, const Unit& unit);
/// A fraction in `%` with that many significant digits (all of a whole number): `16 %`, `8.4 %`, `0.03 %`.
std::string percentText(double fraction, int digits = 2);
/// `+8.4 %`, `-2 %`.
std::string signedPercentText(double fraction);
/// Whether the node or one below it is a number written with `%`.
bool writtenInPercent(const ir::ExprTree& tree, ir::ExprId node);
/// Whether the operator compares two values of one type.
bool isComparison(ir::ExprOp op);

} // namespace planc::verdict
