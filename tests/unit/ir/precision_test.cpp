// Element types as their keys set them, and what holds wherever it was stated.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/Precision.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

TEST(IrPrecision, EveryKeyChangesWhatHolds) {
  EXPECT_EQ(precisionKeys().size(), 8u);
  for (const PrecisionKey key : precisionKeys()) {
    Precision before, after;
    after.set({key, {}, DType::fp16, {}});
    EXPECT_NE(before.holding(), after.holding()) << name(key);
    before.set({key, {}, DType::fp16, SourceRange{FileId(0), 3, 7}}); // wherever it was stated
    EXPECT_EQ(before.holding(), after.holding()) << name(key);
    EXPECT_EQ(PrecisionFact({key, {}, DType::fp16, {}}).str(), name(key));
  }
}

// A state of the type that all states have says nothing more, until they have another.
TEST(IrPrecision, AStateAsTheOthersIsNone) {
  Precision precision;
  precision.set({PrecisionKey::State, Symbol("m"), DType::fp32, {}});
  EXPECT_EQ(precision.holding(), Precision().holding());
  precision.set({PrecisionKey::Optimizer, {}, DType::bf16, {}});
  EXPECT_EQ(precision.stateType(Symbol("m")), DType::fp32);
  EXPECT_EQ(precision.stateType(Symbol("v")), DType::bf16);
  EXPECT_EQ(precision.holding().states.size(), 1u);
}

} // namespace
} // namespace planc::ir
