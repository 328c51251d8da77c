// Property of reshard on random layouts: every step can be done by its collective inside its group, and the wanted
// layout is reached.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Layout.h"
#include "tests/unit/support/Build.h"

#include <algorithm>
#include <bitset>
#include <gtest/gtest.h>
#include <random>

namespace planc::ir {
namespace {

using test::mesh;

constexpr int64_t kExtent = 24;               // divisible by every axis of both meshes
using Rank = std::vector<int64_t>;            // coordinate per axis
using Cells = std::bitset<kExtent * kExtent>; // of the value that a device holds

int64_t count(const Cells& c) {
  return static_cast<int64_t>(c.count());
}
bool inside(const Cells& a, const Cells& b) {
  return (a & ~b).none();
}

std::vector<Rank> ranksOf(const Mesh& m) {
  std::vector<Rank> all{{}};
  for (AxisId a : m.order) {
    std::vector<Rank> next;
    for (const Rank& r : all)
      for (int64_t i = 0; i < m.axes[a].size; ++i) {
        next.push_back(r);
        next.back().push_back(i);
      }
    all = next;
  }
  return all;
}

/// The indices that a device holds: each axis fixes one digit.
Cells cellsOf(const Mesh& m, const Rank& rank, const Layout& l) {
  auto holds = [&](size_t dim, size_t index) {
    return std::all_of(l.shard[dim].begin(), l.shard[dim].end(), [&](const Digit& d) {
      int64_t size = m.axes[d.axis].size, x = static_cast<int64_t>(index);
      return x / (kExtent / (d.offset(m) * size)) % size == rank[d.axis.index];
    });
  };
  std::bitset<kExtent> rows, columns;
  for (size_t x = 0; x < kExtent; ++x) {
    rows[x] = holds(0, x);
    columns[x] = holds(1, x);
  }
  Cells cells;
  for (size_t x = 0; x < kExtent; ++x)
    for (size_t y = 0; y < kExtent; ++y) cells[x * kExtent + y] = rows[x] && columns[y];
  return cells;
}

/// What all ranks of the group hold together.
Cells unionOf(const std::vector<Rank>& ranks, const std::vector<Cells>& held, const Rank& me, AxisMask axes) {
  Cells all;
  for (size_t r = 0; r < ranks.size(); ++r) {
    bool member = true;
    for (size_t i = 0; i < me.size(); ++i) member &= (axes >> i & 1) || ranks[r][i] == me[i];
    if (member) all |= held[r];
  }
  return all;
}

void checkStep(const Mesh& m, const ReshardStep& s, AxisMask partial, const Cells& own, const Cells& now,
               const Cells& group) {
  switch (s.kind) {
  case CollectiveKind::Slice:
    EXPECT_TRUE(inside(now, own));
    break;
  case CollectiveKind::AllGather:
    EXPECT_EQ(now, group);
    break;
  case CollectiveKind::AllToAll:
    EXPECT_TRUE(inside(now, group));
    EXPECT_EQ(count(now), count(own));
    break;
  case CollectiveKind::ReduceScatter:
    EXPECT_TRUE(inside(now, own));
    EXPECT_EQ(count(now) * m.size(s.axes), count(own));
    EXPECT_EQ(s.axes & partial, s.axes);
    break;
  case CollectiveKind::AllReduce:
    EXPECT_EQ(now, own);
    EXPECT_EQ(s.axes & partial, s.axes);
    break;
  case CollectiveKind::HostCopy:
  case CollectiveKind::SendRecv:
    ADD_FAILURE() << "a reshard never sends to another stage";
  }
  EXPECT_EQ(s.elements, static_cast<double>(std::max(count(own), count(now))));
}

size_t check(const Mesh& m, const Layout& from, const Layout& to) {
  std::vector<Rank> ranks = ranksOf(m);
  auto holdings = [&](const Layout& l) {
    std::vector<Cells> all;
    for (const Rank& r : ranks) all.push_back(cellsOf(m, r, l));
    return all;
  };
  Layout current = from;
  std::vector<Cells> held = holdings(from);
  std::vector<ReshardStep> steps = reshard(m, {kExtent, kExtent}, {false, false}, from, to);
  for (const ReshardStep& s : steps) {
    std::vector<Cells> next = holdings(s.after);
    for (size_t r = 0; r < ranks.size(); ++r)
      checkStep(m, s, current.partial, held[r], next[r], unionOf(ranks, held, ranks[r], s.axes));
    EXPECT_EQ(s.after.partial, s.kind == CollectiveKind::AllReduce || s.kind == CollectiveKind::ReduceScatter
                                   ? current.partial & ~s.axes
                                   : current.partial);
    current = s.after;
    held = next;
  }
  EXPECT_EQ(current, to);
  return steps.size();
}

Layout randomLayout(const Mesh& m, std::mt19937& rng, bool partial) {
  AxisList order = m.order;
  std::shuffle(order.begin(), order.end(), rng);
  std::vector<AxisList> dims(2);
  AxisMask sums = 0;
  for (AxisId a : order) {
    double c = std::uniform_real_distribution<>(0, 1)(rng);
    if (c < .5)
      dims[rng() % 2].push_back(a);
    else if (c < .7 && partial)
      sums |= maskOf(a);
  }
  return Layout::of(m, dims, sums);
}

TEST(ReshardFuzz, EveryStepIsItsCollectiveInsideItsGroup) {
  std::mt19937 rng(1);
  const Mesh meshes[] = {mesh({{"a", 2}, {"b", 2}, {"c", 2}}), mesh({{"a", 2}, {"b", 3}, {"c", 2}})};
  size_t steps = 0;
  for (int i = 0; i < 4000 && !HasFailure(); ++i) {
    const Mesh& m = meshes[rng() % 2];
    Layout from = randomLayout(m, rng, true), to = randomLayout(m, rng, false);
    steps += check(m, from, to);
  }
  EXPECT_GT(steps, 8000u); // the changes are not trivial
}

} // namespace
} // namespace planc::ir
