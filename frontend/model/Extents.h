// Extents that a model gets from outside: of its samples, and what else a workload binds.
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

/// The one dimension whose name is the language's: its extent is the samples of a micro-batch (docs/language.md,
/// section 11).
inline const Symbol kSamples("batch");

struct Extents {
  static constexpr int64_t kNominal = 4096; ///< a multiple of what models require of a sequence
  std::vector<std::pair<Symbol, int64_t>> bound;
  bool nominal = false;         ///< no workload is known: names of inputs get a made-up extent, to check shapes
  std::vector<Symbol> asked{};  ///< names that the model looked up
  std::vector<Symbol> failed{}; ///< names whose fact is no number: reported, so nothing is stated of what needs them
  /// Says at the workload that it lacks the extent of an input's dimension; false if there is no workload to say it of.
  std::function<bool(const syntax::Name& dim)> lacks{};
  std::optional<int64_t> prompt{}; ///< of the dimensions that inputs count as tokens and the workload does not name
  std::vector<Symbol> prompted{};  ///< those dimensions
  bool promptFailed = false;       ///< it is no number: reported
  std::optional<ir::Documents> documents{}; ///< packed into the dimension that inputs count as tokens
  bool attended = false;                    ///< an operator of the model attends along that dimension

  /// Without a workload, to check shapes: of one sample.
  static Extents ofNoWorkload() { return {{{kSamples, 1}}, true}; }

  /// An input counts this dimension: without an extent of its own it has the prompt's.
  void count(Symbol name) {
    for (const auto& [n, extent] : bound)
      if (n == name) return;
    if (promptFailed) failed.push_back(name);
    if (!prompt) return;
    bound.emplace_back(name, *prompt);
    prompted.push_back(name);
  }

  /// The extent of a name, noting that it was asked for. `input`: it stands in the type of an input.
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
