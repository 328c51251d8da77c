// Hosts of logs become units that network cards serve.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Units.h"
#include "tests/unit/calibrate/Made.h"

#include <gmock/gmock.h>

using namespace planc;
using namespace planc::calibrate;
using namespace planc::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Nodes that a group of so many ranks and hosts lies in; `uneven`: they hold different numbers of its ranks.
double nodesOf(Made& made, double ranks, double hosts, double ranksOnHost = 0, bool uneven = false) {
  made.samples.samples.clear();
  const uint32_t series = made.series("all_reduce", {"bytes", "nodes"});
  Sample& s = made.add(series, Kind::Collective, "all_reduce",
                       {{Extent::Bytes, 1e9}, {Extent::Ranks, ranks}, {Extent::Nodes, hosts}}, 1e-3);
  s.at = {1e9, hosts};
  s.ranksOnHost = ranksOnHost;
  countUnits(made.samples, "", made.part);
  EXPECT_EQ(s.at[1], s[Extent::Nodes]);
  EXPECT_EQ(s.uneven, uneven) << ranks << " ranks on " << hosts << " hosts";
  return s[Extent::Nodes];
}

TEST(CountUnits, HostsOfARackAreOneUnit) {
  Made made;
  made.part.unit = 72;
  made.part.host = 4;
  EXPECT_EQ(nodesOf(made, 72, 18), 1);
  EXPECT_EQ(nodesOf(made, 8, 2), 1);
  EXPECT_EQ(nodesOf(made, 18, 18), 1) << "one rank on each host";
  EXPECT_EQ(nodesOf(made, 144, 36), 2);
  EXPECT_EQ(nodesOf(made, 76, 19, 0, true), 2) << "72 and 4";
  EXPECT_EQ(nodesOf(made, 144, 2), 2) << "no host has 72 devices: units were counted";
  EXPECT_EQ(nodesOf(made, 2, 36, 4), 2) << "a pair of a run that spans two racks";
  EXPECT_EQ(nodesOf(made, 2, 36, 1), 2) << "the host's devices count, used or not";
  EXPECT_THAT(made.samples.notes, testing::Contains(HasSubstr("36 hosts in 2 units of 72 devices")));
}

TEST(CountUnits, WithoutAUnitOfThePartHostsAreUnits) {
  Made made;
  EXPECT_EQ(nodesOf(made, 16, 2), 2);
  EXPECT_EQ(nodesOf(made, 2, 2), 2);
  EXPECT_EQ(nodesOf(made, 2, 9, 8), 2) << "a pair lies in two at most";
  EXPECT_EQ(nodesOf(made, 9, 2, 0, true), 2) << "five and four";
  EXPECT_THAT(made.samples.notes, IsEmpty());
}

/// Without the number of devices on a host, ranks fill units.
TEST(CountUnits, AsAsked) {
  Made made;
  made.part.unit = 4;
  EXPECT_EQ(nodesOf(made, 8, 1), 2) << "units smaller than a host";
  EXPECT_EQ(nodesOf(made, 8, 4), 2);
  EXPECT_EQ(nodesOf(made, 2, 16, 1), 2);
  EXPECT_EQ(nodesOf(made, 2, 4, 1), 1);
  EXPECT_EQ(nodesOf(made, 6, 1, 0, true), 2) << "four and two";
  EXPECT_EQ(nodesOf(made, 3, 1), 1) << "inside of one";
}

} // namespace
