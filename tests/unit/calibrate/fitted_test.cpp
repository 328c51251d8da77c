// What records say of their own making: digests as sha256sum prints them, and only what the base does not say.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Fitted.h"
#include "ir/facts/StackFacts.h"
#include "support/files/Digest.h"

#include <gtest/gtest.h>

namespace planc::calibrate {
namespace {

/// `printf a | sha256sum`, the same of `b`, and of the two digests a line each, sorted.
const std::string kA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
const std::string kB = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d";
const std::string kBoth = "e31b611bfa25cad7df113c6721feec788606f694069ced6d3d3f738a89d14e2a";

TEST(Fitted, TheDigestOfSamplesIsThatOfTheirFiles) {
  EXPECT_EQ(samplesDigest({digestOf("a")}), "sha256:" + kA);
  EXPECT_EQ(samplesDigest({kA, kB}), "sha256:" + kBoth);
  EXPECT_EQ(samplesDigest({kB, kA}), "sha256:" + kBoth) << "whatever the order";
}

TEST(Fitted, SaysWhatIsKnown) {
  EXPECT_EQ(fittedText({"sha256:00", "0.2.0", "2026-11-28"}, {{"b200", 2}, {"h100", 64}}, {}),
            "  fitted {\n    samples = \"sha256:00\"\n    planc = \"0.2.0\"\n    date = \"2026-11-28\"\n"
            "    on {\n      b200 = 2\n      h100 = 64\n    }\n  }\n");
  EXPECT_EQ(fittedText({}, {}, {}), "");
}

/// An override that changes nothing is an error of plan text.
TEST(Fitted, OverridesWhatTheBaseSaysOtherwise) {
  ir::FactsOf<ir::StackFact> base;
  base.set(ir::StackFact::FittedPlanc, Symbol("0.2.0"), {});
  base.set(ir::StackFact::FittedDate, Symbol("2026-01-01"), {});
  base.set(ir::StackFact::FittedOn, Symbol("h100"), {.value = 64});
  const FittedFacts inherited = fittedFacts(base);
  EXPECT_EQ(inherited,
            (FittedFacts{{"fitted.date", "\"2026-01-01\""}, {"fitted.on.h100", "64"}, {"fitted.planc", "\"0.2.0\""}}));
  EXPECT_EQ(fittedText({"sha256:00", "0.2.0", "2026-11-28"}, {{"h100", 64}, {"h200", 3}}, inherited),
            "  fitted {\n    samples = \"sha256:00\"\n    override date = \"2026-11-28\"\n"
            "    on {\n      h200 = 3\n    }\n  }\n");
}

} // namespace
} // namespace planc::calibrate
