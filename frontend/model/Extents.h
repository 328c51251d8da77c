// Extents that a model gets from outside: the samples of a micro-batch, and dimensions that a workload binds.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"
#include "ir/model/Documents.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace planc::frontend {

/// The only dimension name that the language defines: its extent is the samples of a micro-batch (docs/language.md,
/// section 11).
inline const Symbol kSamples("batch");

struct Extents {
  static constexpr int64_t kNominal = 4096; ///< a multiple of what models usually require of a sequence
  std::vector<std::pair<Symbol, int64_t>> bound;
  bool nominal = false;        ///< no workload is known: input dimensions get a nominal extent to check shapes
  std::vector<Symbol> asked{}; ///< names that the model looked up
  std::vector<Symbol>
      failed{}; ///< names whose fact is no number: already reported, so their dependents are not reported
  /// Reports at the workload that the extent of an input's dimension is missing. Returns false if there is no workload.
  std::function<bool(const syntax::Name& dim)> lacks{};
  std::optional<int64_t> prompt{}; ///< for dimensions that inputs count as tokens and the workload does not name
  std::vector<Symbol> prompted{};  ///< the dimensions that take `prompt`
  bool promptFailed = false;       ///< the prompt is no number: already reported
  std::optional<ir::Documents> documents{}; ///< packed into the dimension that inputs count as tokens
  bool attended = false;                    ///< an operator of the model attends along that dimension

  /// The extents without a workload, to check shapes: one sample, nominal input dimensions.
  static Extents ofNoWorkload() { return {{{kSamples, 1}}, true}; }

  /// Registers a dimension that an input counts as tokens. It takes the prompt's extent unless it has one of its own.
  void count(Symbol name) {
    for (const auto& [n, extent] : bound)
      if (n == name) return;
    if (promptFailed) failed.push_back(name);
    if (!prompt) return;
    bound.emplace_back(name, *prompt);
    prompted.push_back(name);
  }

  /// The extent of a name; records the name in `asked`. `input`: the name is in the type of an input.
  std::optional<int64_t> find(Symbol name, bool input) {
    bool known = false;
    for (Symbol a : asked) known |= a == name;
    for (const auto& [n, extent] : bound)
      if (n == name) {
        if (!known) asked.push_back(name);
        return extent;
      }
    if (std::find(failed.begin(), failed.end(), name) != failed.end() && !known) asked.push_back(name);
    if (!nominal || (!input && !known)) return std::nullopt;
    if (!known) asked.push_back(name);
    return kNominal;
  }
};

} // namespace planc::frontend
