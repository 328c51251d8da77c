// The facts of a stack by name; StackFacts.cpp says what each is.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactStore.h"

namespace planc::ir {

enum class StackFact : uint8_t {
  Platform,
  BackwardRatio,
  Accumulate,
  PassesForward,
  PassesBackward,
  PassesForwardRow,
  PassesBackwardRow,
  Inline,
  Receive,
  Slowdown,
  Optimizer,
  OptimizerTensor,
  TableGradient,
  Grouped,
  GroupedKernel,
  ExchangeCopies,
  ExchangePipelined,
  AttentionFactor,
  AttentionBackward,
  AttentionHead,
  Launch,
  CollectiveLaunch,
  GroupedLaunch,
  Waits,
  Unattributed,
  Step,
  Jitter,
  Algorithm,
  Prefetch,
  Bucket,
  EarlyStop,
  AccuracyRuns,
  AccuracySources,
  AccuracyLow,
  AccuracyHigh,
  AccuracyDerived,
  AccuracyFitted,
  AccuracyNominal,
  AccuracyDistance,
  AccuracyRatioSameMesh,
  AccuracyRatioOtherMesh,
  Workspace,
  Fragmentation,
  Reserved,
  CopiesBuckets,
  CopiesUpdate,
  CopiesGathers,
};

} // namespace planc::ir
