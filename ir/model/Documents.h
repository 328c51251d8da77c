// Documents packed into the sequences of a workload: a token attends to its own document only (docs/cost-model.md,
// section 1.3).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::ir {

/// `documents = …` of a workload, in tokens: the lengths in one sequence, or the mean of all with their spread.
struct Documents {
  std::vector<int64_t> lengths; ///< the lengths in one sequence; empty if only mean and spread are given
  double mean = 0;              ///< of the lengths
  double spread = 0;            ///< their standard deviation
  SourceRange range;

  /// Tokens of the listed lengths together; 0 without a list.
  double listed() const;
  /// Tokens of a sequence that no listed document fills; 0 without a list, which says that sequences are full.
  double padding(double sequence) const;
  /// The longest listed length; 0 without a list.
  double longest() const;
  /// Do they fit into one sequence? Lengths between 0 and `sequence` with this mean have no larger spread if not.
  bool fit(double sequence) const;
  /// `32 documents of 1024 tokens`, `3 documents of 512 to 2048 tokens`, `documents of 900 tokens ± 1400`.
  std::string str() const;
  bool operator==(const Documents&) const = default;
};

/// Documents of one length, and the share of a sequence's tokens that lie in them.
struct DocumentLength {
  double tokens = 0, share = 0;
};

/// The lengths in a sequence of `sequence` tokens, ascending. Shares add up to 1, or to less where a list leaves tokens
/// of padding. Two lengths stand for a mean and a spread: those with the mean, the standard deviation and the skewness
/// of a beta distribution between 0 and `sequence`. Valid only if they fit.
std::vector<DocumentLength> documentLengths(const Documents& documents, double sequence);

/// Mean over all tokens of a sequence of the length of their document: Σ s² / sequence for a list of lengths s, else
/// (mean² + spread²) / mean.
double keysOfToken(const Documents& documents, double sequence);

} // namespace planc::ir
