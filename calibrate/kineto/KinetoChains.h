// Operators of the library that a framework writes as a chain of PyTorch's operators (RMSNorm as `pow`, `mean`,
// `rsqrt`, `mul`): which operators of a trace belong to which chain, forward and backward.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoOperators.h"

namespace planc::calibrate {

/// The chains of a trace. A chain is a run of operators with one parent, as a row of the vocabulary lists them.
/// Operators that launch no kernel may stand between them. Its backward pass are the nodes of autograd whose sequence
/// numbers its operators carry.
class TraceChains {
public:
  explicit TraceChains(const Trace& trace);

  /// The chain that an operator, or one around it, belongs to.
  struct Membership {
    int chain = -1; ///< index for `sample`; -1: none
    bool backward = false;
  };
  Membership of(int op) const;
  /// What a chain is a sample of, without times.
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
  std::vector<bool> silent_;          ///< by operator: it and those inside of it launched no kernel
  std::vector<Membership> members_;   ///< by operator
  std::multimap<int64_t, int> nodes_; ///< chains by sequence number
  std::vector<Chain> chains_;
};

} // namespace planc::calibrate
