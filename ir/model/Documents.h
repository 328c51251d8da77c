// Documents packed into the sequences of a workload: a token attends to its own document only (docs/cost-model.md,
// section 1.3).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::ir {

/// `documents = …` of a workload, in tokens: the lengths in one sequence, or the mean and spread of all lengths.
struct Documents {
  std::vector<int64_t> lengths; ///< the lengths in one sequence; empty if only mean and spread are given
  double mean = 0;              ///< mean length
  double spread = 0;            ///< standard deviation of the lengths
  SourceRange range;

  /// Sum of the listed lengths in tokens; 0 without a list.
  double listed() const;
  /// Tokens of a sequence that no listed document fills; 0 without a list, because sequences are then full.
  double padding(double sequence) const;
  /// The longest listed length; 0 without a list.
  double longest() const;
  /// Returns whether the documents fit into one sequence. For mean and spread: whether lengths between 0 and `sequence`
  /// can have this mean and spread.
  bool fit(double sequence) const;
  /// `32 documents of 1024 tokens`, `3 documents of 512 to 2048 tokens`, `documents of 900 tokens ± 1400`.
  std::string str() const;
  bool operator==(const Documents&) const = default;
};

/// Documents of one length in tokens, and the share of a sequence's tokens in them.
struct DocumentLength {
  double tokens = 0, share = 0;
};

/// The document lengths in a sequence of `sequence` tokens, ascending. Shares add up to 1, or to less if a list leaves
/// padding. A mean and a spread are represented by two lengths, which have the mean, the standard deviation and the
/// skewness of a beta distribution between 0 and `sequence`. Valid only if the documents fit.
std::vector<DocumentLength> documentLengths(const Documents& documents, double sequence);

/// The length of a token's document, averaged over all tokens of a sequence: Σ s² / sequence for a list of lengths s,
/// else (mean² + spread²) / mean.
double keysOfToken(const Documents& documents, double sequence);

} // namespace planc::ir
