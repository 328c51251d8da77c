// How printers, verifiers and diagnostics write values, layouts and numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <string>
#include <vector>

namespace planc::ir {

/// One unique name per value: `%decoder.mid`, `@decoder.norm1.w`; inside a unit without the unit's own name. Values of
/// one path are told apart by `~2`, `~3` in the order of the store.
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
/// `[batch@dp, seq@cp*tp, hidden] partial(tp)`; a digit that is not where its place in the list puts it shows its
/// offset: `seq@tp:4`.
std::string layoutText(const Mesh& mesh, const Model& model, const std::vector<DimId>& dims, const Layout& layout);
/// Whole numbers without an exponent up to 10^15, others with six digits.
std::string numberText(double x);

} // namespace planc::ir
