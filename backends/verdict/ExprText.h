// How the parts of an assertion are written in messages: the text of a node, its value, the name of its type.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Expr.h"

#include <string>

namespace planc::verdict {

/// Returns the text of a node as the plan writes it, on one line. If that text is not known, returns the name of a
/// metric, the value of a constant, and `…` for other nodes.
std::string textOf(const ir::ExprTree& tree, ir::ExprId node);
/// `step_time`, `layer("block").forward`.
std::string metricText(const ir::ExprNode& node);
/// `8.14 s`, `23 %`, `true`.
std::string valueText(const ir::ExprValue& value, bool percent);
std::string quantityText(double value, const Unit& unit, bool percent);
/// `time`, `number`; with `isBool`, `condition`.
std::string typeText(bool isBool, const Unit& unit);
/// Returns a fraction in `%` with `digits` significant digits, and with all digits before the decimal point: `16 %`,
/// `8.4 %`, `0.03 %`.
std::string percentText(double fraction, int digits = 2);
/// `+8.4 %`, `-2 %`.
std::string signedPercentText(double fraction);
/// Returns whether the node, or a node below it, is a number written with `%`.
bool writtenInPercent(const ir::ExprTree& tree, ir::ExprId node);
/// Returns whether the operator compares two values of one type.
bool isComparison(ir::ExprOp op);

} // namespace planc::verdict
