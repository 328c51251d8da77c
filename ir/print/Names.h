// Text of values, layouts and numbers for printers, verifiers and diagnostics.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <string>
#include <vector>

namespace planc::ir {

/// One unique name per value: `%decoder.mid`, `@decoder.norm1.w`. Inside of a layer the layer's own name is left out.
/// Values with the same path get `~2`, `~3` in the order of the store.
class ValueNames {
public:
  explicit ValueNames(const Model& model);
  std::string of(ValueId value, LayerId scope = {}) const;

private:
  const Model& model_;
  std::vector<std::string> paths_; ///< without the sigil
};

/// `[batch, seq]`.
std::string dimsText(const Model& model, const std::vector<DimId>& dims);
/// `[batch@dp, seq@cp*tp, hidden] partial(tp)`. A digit at an unusual offset shows it: `seq@tp:4`.
std::string layoutText(const Mesh& mesh, const Model& model, const std::vector<DimId>& dims, const Layout& layout);
/// Whole numbers up to 10^15 without an exponent, other numbers with six digits.
std::string numberText(double x);

} // namespace planc::ir
