// size-tables: rows of lookup tables that a micro-batch reads and updates, where a plan optimizes tables apart.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::test::size_tables {
namespace {

/// `elements of a row, touched elements, stored elements` of the tables of a plan.
std::string tables(const std::string& lines, const std::string& train) {
  const std::string models = R"(model m(tables: int = 4, rows: int = 100, emb_dim: int = 16) {
  in ids: [batch, tables, pool] int64
  param table: [tables, rows, emb_dim]
  param w:     [tables, emb_dim]
  bags          = ops.embedding_bag(ids, table)
  loss: [batch] = ops.matmul(bags, w)
}
)";
  const After a("size-tables", lines, train, models);
  if (!a.program) return a.said();
  std::string text;
  for (const ir::LayerClass& c : a.comm->classes)
    for (const ir::ParamState& p : c.params)
      text += fmt::format("{} row {} touched {:.4f} of {}\n", a->model->pathOf(p.param), p.rowElements, p.touched,
                          p.elements);
  return text;
}
const std::string kApart = "global_batch = 64; micro_batch = 8; pool = 2; optimizer = optimizers.adam; table_optimizer "
                           "= optimizers.rowwise_adagrad";

TEST(SizeTables, CountsTheDistinctRowsThatAreRead) {
  EXPECT_EQ(tables("", kApart), R"(table row 16 touched 950.6703 of 6400
w row 0 touched 0.0000 of 64
)");
}

TEST(SizeTables, TablesAreSplitByTableAndByColumn) {
  EXPECT_EQ(tables("  mesh { dp = 2 }\n  place { tables -> dp }", kApart), R"(table row 16 touched 475.3351 of 3200
w row 0 touched 0.0000 of 32
)");
  EXPECT_EQ(tables("  mesh { dp = 2 }\n  place { emb_dim -> dp }", kApart), R"(table row 8 touched 475.3351 of 3200
w row 0 touched 0.0000 of 32
)");
}

TEST(SizeTables, LeavesATableAloneWhoseGradientIsSummed) {
  EXPECT_EQ(tables("  mesh { dp = 2 }\n  place { batch -> dp }", kApart), R"(table row 16 touched 0.0000 of 6400
w row 0 touched 0.0000 of 64
)");
}

TEST(SizeTables, LeavesPlansAloneWithoutAnOptimizerForTables) {
  EXPECT_EQ(tables("", "global_batch = 64; micro_batch = 8; pool = 2; optimizer = optimizers.adam"),
            R"(table row 0 touched 0.0000 of 6400
w row 0 touched 0.0000 of 64
)");
}

TEST(SizeTables, LeavesFrozenTablesAlone) {
  EXPECT_EQ(tables("", kApart + "; freeze = [table]"), R"(table row 0 touched 0.0000 of 6400
w row 0 touched 0.0000 of 64
)");
}

} // namespace
} // namespace planc::test::size_tables
