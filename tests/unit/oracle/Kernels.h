// What the operators of the library compute, as terms over one point of their iteration space. Statistics are sums over
// a dimension that the operator reduces inside itself, over all devices that share it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Symbol.h"

#include <string>
#include <vector>

namespace planc::oracle {

/// One point of an iteration space.
struct Point {
  std::vector<double> args;  ///< operands there
  std::vector<double> stats; ///< forward statistics
  std::vector<double> back;  ///< backward statistics
  double dy = 0;
  int64_t position = 0; ///< a number that is the same for one point on every device: for masks
  int64_t index = 0;    ///< along the dimension that the kernel looks up or reduces
  bool chosen = false;  ///< routing kernels: this token goes to this expert with its k-th choice
};

struct Kernel {
  const char* name;
  int stats = 0, back = 0;
  double (*stat)(int, const Point&) = nullptr;
  double (*term)(const Point&) = nullptr; ///< summed over the dimensions that the result lacks
  double (*backStat)(int, const Point&) = nullptr;
  double (*gradient)(int, const Point&) = nullptr; ///< of operand i; summed over the dimensions that the operand lacks
  const char* along = "";                          ///< dimension of `Point::index`
  bool routes = false;                             ///< wants `Point::chosen`
};

const Kernel& kernelOf(Symbol op);

} // namespace planc::oracle
