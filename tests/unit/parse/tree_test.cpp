// Every kind of declaration and item arrives in the tree with its parts.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/parse/ParseHelper.h"

using namespace planc;
using namespace planc::syntax;
using planc::test::Parsed;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<std::string> texts(const std::vector<Name>& names) {
  std::vector<std::string> out;
  for (const Name& n : names) out.push_back(n.text.str());
  return out;
}
std::vector<std::string> texts(const std::vector<Selector>& selectors) {
  std::vector<std::string> out;
  for (const Selector& s : selectors) out.push_back(s.str());
  return out;
}
std::vector<std::string> texts(const std::vector<DottedName>& names) {
  std::vector<std::string> out;
  for (const DottedName& n : names) out.push_back(n.str());
  return out;
}

TEST(ParseTree, Imports) {
  Parsed p("import std.models.gpt\nimport \"../x.plan\" as y");
  EXPECT_EQ(p.decl<ImportDecl>(0).path.str(), "std.models.gpt");
  EXPECT_FALSE(p.decl<ImportDecl>(0).file);
  EXPECT_EQ(p.decl<ImportDecl>(1).file, "../x.plan");
  EXPECT_EQ(p.decl<ImportDecl>(1).as->text, "y");
}

TEST(ParseTree, ConstantsFunctionsAndEnums) {
  Parsed p("export let a: list<int> = [1]\nlet f(x: int = 2 where x > 0, y) = x\nenum e { a, b\n c }");
  EXPECT_TRUE(p.file->decls[0].exported);
  EXPECT_EQ(p.decl<LetDecl>(0).type->path.str(), "list");
  EXPECT_EQ(p.decl<LetDecl>(0).type->args[0].path.str(), "int");
  EXPECT_FALSE(p.decl<LetDecl>(0).params);
  const auto& params = *p.decl<LetDecl>(1).params;
  ASSERT_EQ(params.size(), 2u);
  EXPECT_EQ(str(*params[0].defaultValue), "2");
  EXPECT_EQ(str(*params[0].where), "x > 0");
  EXPECT_FALSE(params[1].type);
  EXPECT_THAT(texts(p.decl<EnumDecl>(2).members), ElementsAre("a", "b", "c"));
}

TEST(ParseTree, DocCommentsBelongToWhatStandsBelowThem) {
  Parsed p("/// The file.\n\n/// One.\n///  Two.\nlet a = 1\nlet b = 2 /// no\nlet c = 3\n///x\nexport let d = 4\n");
  EXPECT_EQ(p.file->decls[0].doc, "One.\n Two.");
  EXPECT_EQ(p.file->decls[1].doc, "");
  EXPECT_EQ(p.file->decls[2].doc, "");
  EXPECT_EQ(p.file->decls[3].doc, "x");
  EXPECT_EQ(p.text(p.file->decls[3].range), "export let d = 4");
}

TEST(ParseTree, Operators) {
  Parsed p(R"(op attention(q: [batch, .., head], k: [batch, kv_seq = seq] int32) -> [.., head] {
    kind = attention; mask.bytes = 1B * size(x) : "why"
    save q, k
    reduce kv_seq { values = 2; backward = 1 }
    backward q, k { flops = 2.5 * forward.flops }
    backward
    along group; contest batch
    dim slots = routed(batch, seq)
    require extent(kv_seq) >= 1 : "needs a key"
    let z = 3
  })");
  const auto& op = p.decl<OpDecl>();
  EXPECT_TRUE(op.params[0].type->dims[1].rest);
  EXPECT_EQ(op.params[1].type->dims[1].name.text, "kv_seq");
  EXPECT_EQ(str(*op.params[1].type->dims[1].value), "seq");
  EXPECT_EQ(op.params[1].type->dtype->text, "int32");
  EXPECT_TRUE(op.result.tensor);
  ASSERT_EQ(op.items.size(), 11u);
  EXPECT_THAT(texts(std::get<Fact>(op.items[1]).members), ElementsAre("bytes"));
  EXPECT_EQ(std::get<Fact>(op.items[1]).reason->text, "why");
  EXPECT_THAT(texts(std::get<SaveItem>(op.items[2]).names), ElementsAre("q", "k"));
  EXPECT_EQ(std::get<ReduceItem>(op.items[3]).facts->items.size(), 2u);
  EXPECT_THAT(texts(std::get<BackwardItem>(op.items[4]).names), ElementsAre("q", "k"));
  EXPECT_THAT(texts(std::get<BackwardItem>(op.items[5]).names), IsEmpty());
  EXPECT_THAT(texts(std::get<AlongItem>(op.items[6]).dims), ElementsAre("group"));
  EXPECT_THAT(texts(std::get<ContestItem>(op.items[7]).dims), ElementsAre("batch"));
  EXPECT_EQ(str(*std::get<DimDecl>(op.items[8]).value), "routed(batch, seq)");
  EXPECT_EQ(std::get<Require>(op.items[9]).reason->text, "needs a key");
  EXPECT_EQ(std::get<LetDecl>(op.items[10]).name.text, "z");
}

TEST(ParseTree, BlocksAndModels) {
  Parsed p(R"(export model m(layers: int, out: bool = true) {
    require layers > 0 : "some"
    in tokens: [batch, seq] int32
    frozen param w: [a, b] tied embed.table
    embed = f(tokens)
    out: [.., b] = g(embed)
    decoder * layers + 1 with x = embed, y = w { n = h(x, y); out x + n }
    dim heads = a * b
    if out { r = 1 } else { r = 2 }
  }
  model n = m(layers = 3)
  block b(x: [..]) -> [..] { out x })");
  const Body& body = *p.decl<ModelDecl>(0).body;
  ASSERT_EQ(body.items.size(), 8u);
  EXPECT_EQ(std::get<InItem>(body.items[1].item).type.dims.size(), 2u);
  const auto& param = std::get<ParamItem>(body.items[2].item);
  EXPECT_TRUE(param.frozen);
  EXPECT_EQ(param.tied->str(), "embed.table");
  EXPECT_EQ(str(*std::get<LayerItem>(body.items[3].item).value), "f(tokens)");
  EXPECT_EQ(std::get<LayerItem>(body.items[4].item).name.text, "out");
  const auto& repeat = std::get<RepeatItem>(body.items[5].item);
  EXPECT_EQ(str(*repeat.count), "layers + 1");
  ASSERT_EQ(repeat.bindings.size(), 2u);
  EXPECT_EQ(repeat.bindings[1].name.text, "y");
  EXPECT_EQ(str(*std::get<OutItem>(repeat.body->items[1].item).value), "x + n");
  EXPECT_EQ(p.text(body.items[5].range).substr(0, 9), "decoder *");
  const auto& choice = std::get<IfItem>(body.items[7].item);
  EXPECT_EQ(choice.then->items.size(), 1u);
  EXPECT_EQ(choice.otherwise->items.size(), 1u);
  EXPECT_EQ(str(*p.decl<ModelDecl>(1).value), "m(layers = 3)");
  EXPECT_FALSE(p.decl<ModelDecl>(1).body);
  EXPECT_TRUE(p.decl<BlockDecl>(2).result);
}

TEST(ParseTree, MachinesAndStacks) {
  Parsed p(
      R"(device d(n: int) extends base.a { override memory = 80GB : "sheet"; peak { fp16 = 312TFLOP/s }; require n > 0 }
  fabric f { all_reduce = [{ranks = 2, a = 9us},
    {ranks = 4, a = 10us}] : "fit" }
  stack s { gemm { fp8(x = 1).y = 2 } }
  cluster c(nodes: int) {
    device = d
    let half = nodes / 2
    level node * 8 { link = f; topology = fat_tree(oversubscription = 1) }
    extra { a = 1 }
    require nodes % 4 == 0 : "racks"
  })");
  ASSERT_TRUE(p.file) << p.errors();
  const auto& device = p.decl<RecordDecl>(0);
  EXPECT_EQ(device.kind, RecordKind::Device);
  EXPECT_EQ(device.extends->str(), "base.a");
  EXPECT_TRUE(std::get<Fact>(device.section.items[0]).override_);
  EXPECT_EQ(std::get<Section>(device.section.items[1]).name.text, "peak");
  EXPECT_EQ(str(*std::get<Require>(device.section.items[2]).condition), "n > 0");
  EXPECT_EQ(p.decl<RecordDecl>(1).kind, RecordKind::Fabric);
  EXPECT_EQ(p.decl<RecordDecl>(2).kind, RecordKind::Stack);
  const auto& cluster = p.decl<ClusterDecl>(3);
  ASSERT_EQ(cluster.items.size(), 5u);
  const auto& level = std::get<LevelItem>(cluster.items[2]);
  EXPECT_EQ(str(*level.count), "8");
  EXPECT_EQ(level.section.items.size(), 2u);
  EXPECT_EQ(std::get<Section>(cluster.items[3]).name.text, "extra");
}

TEST(ParseTree, MeshAndPlacement) {
  Parsed p(R"(plan a(n: int = 2) extends b(n = n) {
    override mesh { tp = 8 within node; all = [tp, dp]; dp = 4 across rack; pp = 1 }
    place decoder.attn, *.mlp[0:4:2] {
      heads, seq -> [cp, ep.tp] via ring uneven
      norm[0] { seq -> replicate; inner { x -> y } }
    }
    states { params -> dp }
    states decoder.moe { params -> d_out }
  })");
  ASSERT_TRUE(p.file) << p.errors();
  const auto& plan = p.decl<PlanDecl>();
  EXPECT_EQ(str(*plan.extends), "b(n = n)");
  EXPECT_TRUE(plan.items[0].override_);
  const auto& axes = std::get<MeshBlock>(plan.items[0].item).axes;
  EXPECT_EQ(axes[0].where, AxisItem::Where::Within);
  EXPECT_EQ(axes[2].where, AxisItem::Where::Across);
  EXPECT_EQ(axes[2].level.text, "rack");
  EXPECT_EQ(axes[3].where, AxisItem::Where::Anywhere);
  const auto& place = std::get<PlaceBlock>(plan.items[1].item);
  EXPECT_THAT(texts(place.selectors), ElementsAre("decoder.attn", "*.mlp[0:4:2]"));
  EXPECT_TRUE(place.selectors[1].steps[1].slice);
  const auto& rule = std::get<PlaceRule>(place.items[0].item);
  EXPECT_THAT(texts(rule.dims), ElementsAre("heads", "seq"));
  EXPECT_THAT(texts(rule.targets), ElementsAre("cp", "ep.tp"));
  EXPECT_EQ(rule.via->text, "ring");
  EXPECT_TRUE(rule.uneven);
  const PlaceBlock& norm = *std::get<const PlaceBlock*>(place.items[1].item);
  EXPECT_THAT(texts(norm.selectors), ElementsAre("norm[0]"));
  EXPECT_FALSE(norm.selectors[0].steps[0].slice);
  EXPECT_EQ(std::get<const PlaceBlock*>(norm.items[1].item)->items.size(), 1u);
  EXPECT_THAT(std::get<StatesBlock>(plan.items[2].item).block.selectors, IsEmpty());
  EXPECT_THAT(texts(std::get<StatesBlock>(plan.items[3].item).block.selectors), ElementsAre("decoder.moe"));
}

TEST(ParseTree, RowsOfComparisons) {
  Parsed p("export compare c {\n a = base; b = base(rep = 2)\n\n c = x.y\n}\ncompare compare {}");
  ASSERT_TRUE(p.file) << p.errors();
  EXPECT_TRUE(p.file->decls[0].exported);
  const auto& rows = p.decl<CompareDecl>().rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].name.text, "b");
  EXPECT_EQ(str(*rows[1].value), "base(rep = 2)");
  EXPECT_EQ(str(*rows[2].value), "x.y");
  EXPECT_EQ(p.decl<CompareDecl>(1).name.text, "compare");
  EXPECT_THAT(p.decl<CompareDecl>(1).rows, IsEmpty());
}

TEST(ParseTree, FactsOfRecomputation) {
  Parsed p(
      "plan a {\n recompute decoder.*, x { save = [attn.core]; first = 2 }\n override recompute none\n recompute *\n}");
  ASSERT_TRUE(p.file) << p.errors();
  EXPECT_EQ(p.errors(), "");
  const auto& items = p.decl<PlanDecl>().items;
  ASSERT_EQ(items.size(), 3u);
  const auto& some = std::get<RecomputeStmt>(items[0].item);
  EXPECT_THAT(texts(some.selectors), ElementsAre("decoder.*", "x"));
  ASSERT_TRUE(some.facts);
  EXPECT_EQ(some.facts->items.size(), 2u);
  EXPECT_TRUE(items[1].override_);
  EXPECT_TRUE(std::get<RecomputeStmt>(items[1].item).selectors.empty());
  EXPECT_THAT(texts(std::get<RecomputeStmt>(items[2].item).selectors), ElementsAre("*"));
}

TEST(ParseTree, StatementsOfPlans) {
  Parsed p(R"(plan a {
    model = gpt(attention = unfused) : "why"
    override train { seq = 2048 }
    pipeline [pp, vp] { schedule = gpipe; stage 0 = embed, decoder[0:4]; stage 1 = * }
    recompute decoder.attn.core, decoder.mlp
    keep decoder.norm1 = gathered
    keep x
    let y = 3
    assert step_time < 15s : "budget"
    measured layer("decoder").forward = 1.3ms within 5% : "source"
    search { vary mesh.tp in [1, 2]; vary dense.mlp.ffn -> in [tp]; where a < b : "fit"; minimize step_time
      maximize mfu; keep = 3 }
  })");
  ASSERT_TRUE(p.file) << p.errors();
  const auto& items = p.decl<PlanDecl>().items;
  ASSERT_EQ(items.size(), 10u);
  EXPECT_EQ(std::get<Fact>(items[0].item).reason->text, "why");
  EXPECT_TRUE(std::get<Section>(items[1].item).override_);
  const auto& pipeline = std::get<PipelineBlock>(items[2].item);
  EXPECT_THAT(texts(pipeline.axes), ElementsAre("pp", "vp"));
  EXPECT_THAT(texts(std::get<StageItem>(pipeline.items[1]).selectors), ElementsAre("embed", "decoder[0:4]"));
  EXPECT_THAT(texts(std::get<StageItem>(pipeline.items[2]).selectors), ElementsAre("*"));
  EXPECT_THAT(texts(std::get<RecomputeStmt>(items[3].item).selectors), ElementsAre("decoder.attn.core", "decoder.mlp"));
  EXPECT_FALSE(std::get<RecomputeStmt>(items[3].item).facts);
  EXPECT_EQ(std::get<KeepStmt>(items[4].item).side->text, "gathered");
  EXPECT_FALSE(std::get<KeepStmt>(items[5].item).side);
  EXPECT_EQ(std::get<AssertStmt>(items[7].item).reason->text, "budget");
  const auto& measured = std::get<MeasuredStmt>(items[8].item);
  EXPECT_EQ(str(*measured.metric), "layer(\"decoder\").forward");
  EXPECT_EQ(str(*measured.tolerance), "5%");
  const auto& search = std::get<SearchBlock>(items[9].item);
  ASSERT_EQ(search.items.size(), 6u);
  EXPECT_FALSE(std::get<VaryItem>(search.items[0]).placement);
  EXPECT_TRUE(std::get<VaryItem>(search.items[1]).placement);
  EXPECT_EQ(std::get<VaryItem>(search.items[1]).path.str(), "dense.mlp.ffn");
  EXPECT_EQ(std::get<WhereItem>(search.items[2]).reason->text, "fit");
  EXPECT_FALSE(std::get<GoalItem>(search.items[3]).maximize);
  EXPECT_TRUE(std::get<GoalItem>(search.items[4]).maximize);
}

TEST(ParseTree, KeywordsAreNamesWhereNamesStand) {
  Parsed p(
      "plan plan { mesh { within = 8 within device; out = 2 }; stage = 3; op { import = 1 } }\nlet let = as.in_use");
  EXPECT_EQ(p.errors(), "");
}

TEST(ParseTree, LineBreaksEndStatementsOnlyWhereTheyCan) {
  EXPECT_EQ(Parsed("let a = 1 +\n  2\nlet b = f(\n  x,\n\n  y = 3, // why\n)\nlet c = a\n  .b\n  + 1\n").errors(), "");
  EXPECT_EQ(
      Parsed("plan p {\n assert a < 1\n   and b < 2\n   : \"x\"\n recompute a.*\n recompute *\n x = 1 }").errors(), "");
  EXPECT_EQ(Parsed("model m() {\n if a {\n x = 1\n }\n else {\n x = 2\n }\n}").errors(), "");
  EXPECT_EQ(Parsed("let a = {x = 1\n y = 2,\n z = 3\n}").errors(), "");
}

TEST(ParseTree, ATypeMayEndALine) {
  EXPECT_EQ(Parsed("op f(x: [..]) -> list<list<int>>\nmodel m() {\n  in x: list<int>\n  y = x\n}\n").errors(), "");
  EXPECT_EQ(Parsed("plan p {\n  assert a >\n    b\n}\n").errors(), "");
}

TEST(ParseTree, EmptyFilesAndByteOrderMarks) {
  EXPECT_EQ(Parsed("").errors(), "");
  EXPECT_EQ(Parsed("\n\n  // only a comment").errors(), "");
  EXPECT_EQ(Parsed(";;\n;").errors(), "");
  Parsed p("\xEF\xBB\xBFlet a = 1\r\nlet b = 2\r\n");
  EXPECT_EQ(p.errors(), "");
  EXPECT_EQ(p.text(p.decl<LetDecl>(1).range), "let b = 2");
}

TEST(ParseTree, SeveralDeclarationsOnALine) {
  EXPECT_EQ(Parsed("let a = 1; let b = 2;; plan c { }").file->decls.size(), 3u);
}

} // namespace
