// Finds library operators that a framework runs as a chain of PyTorch operators (RMSNorm as `pow`, `mean`, `rsqrt`,
// `mul`): which operators of a trace belong to which chain, forward and backward.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoOperators.h"

namespace planc::calibrate {

/// The chains of a trace. A chain is a sequence of operators with one parent that matches a row of the vocabulary.
/// Operators that launch no kernel may stand between them. The backward pass of a chain consists of the autograd nodes
/// with the sequence numbers of its operators.
class TraceChains {
public:
  explicit TraceChains(const Trace& trace);

  /// The chain that an operator belongs to, directly or through an operator around it.
  struct Membership {
    int chain = -1; ///< argument of `sample`; -1: no chain
    bool backward = false;
  };
  Membership of(int op) const;
  /// Returns the sample that a chain measures, without times.
  const Sample& sample(int chain) const { return chains_[static_cast<size_t>(chain)].sample; }

private:
  struct Chain {
    Sample sample;
    double begin = 0;
  };
  void findIn(const std::vector<int>& siblings);
  size_t matchAt(const std::vector<int>& siblings, size_t from, const ChainRow& row,
                 std::vector<size_t>& members) const;
  void add(const std::vector<int>& siblings, const std::vector<size_t>& members, Sample sample);
  void linkBackward();
  const TraceOp& op(int index) const { return trace_.ops[static_cast<size_t>(index)]; }

  const Trace& trace_;
  std::vector<bool> silent_;          ///< by operator: neither it nor an operator inside it launched a kernel
  std::vector<Membership> members_;   ///< by operator
  std::multimap<int64_t, int> nodes_; ///< chains by sequence number of autograd nodes
  std::vector<Chain> chains_;
};

} // namespace planc::calibrate
