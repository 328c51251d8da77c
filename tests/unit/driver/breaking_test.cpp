// What a new version of a library breaks: 40 changes that break something, and 20 that nobody is to hear of.
// SPDX-License-Identifier: Apache-2.0
#include "driver/lib/Breaking.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

namespace planc::driver {
namespace {

using Files = std::map<std::string, std::string>;

/// Texts as files.
class TextTree final : public FileTree {
public:
  explicit TextTree(Files files) : files_(std::move(files)) {}
  std::optional<std::string> plan(const std::string& path, std::string& error) const override {
    const auto found = files_.find(normal(path));
    if (found == files_.end()) error = "there is none";
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }
  bool exists(const std::string& path) const override { return files_.contains(normal(path)); }
  std::optional<std::string> real(const std::string& path, std::string& error) const override {
    return plan(path, error) ? std::optional(normal(path)) : std::nullopt;
  }
  std::optional<std::string> imported(const std::string& path, std::string& error) const override {
    return plan(path, error);
  }
  std::vector<std::string> plansOf(const std::string&) const override { return {}; }
  std::optional<std::string> text(const std::string& path, std::string& error) const override {
    return plan(path, error);
  }
  std::vector<FileEntry> below(const std::string& folder, size_t, std::string&) const override {
    std::vector<FileEntry> out;
    for (const auto& [name, text] : files_)
      if (const std::string path = name.substr(folder.size() + 1);
          name.starts_with(folder + "/") && !isPassedOver(path))
        out.push_back({path, FileEntry::Kind::File, text.size()});
    return out;
  }

private:
  static std::string normal(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().generic_string();
  }
  Files files_;
};

const Files kLibrary{{"lib/clusters/pod.plan", R"(/// The machines of Acme.
import std.devices
import std.fabrics
import "limits.plan"

let cards = 8
enum hall { north, south }

/// The card that Acme buys, at the power that its halls can cool.
export device card extends devices.h100_sxm5_80gb {
  override power = 600W     : "Acme, limit of the halls"
  override price = 4.2USD/h : "Acme, contract of 2026"
}

export fabric wires extends fabrics.ndr {
}

/// Eight cards a node.
export cluster pod(nodes: int = 2 where nodes >= 1, place: hall = north, rate: bandwidth = limits.line) {
  device = card                 : "Acme, hall list"
  level node * cards {
    link      = fabrics.nvlink4 : "NVIDIA HGX H100 datasheet"
    bandwidth = 450GB/s         : "NVIDIA H100 datasheet, per direction"
    latency   = 2us             : "nominal"
    topology  = switch          : "NVIDIA HGX H100 datasheet"
  }
  level nodes * nodes {
    link      = wires           : "Acme, hall list"
    bandwidth = rate            : "Acme, one card per device"
    latency   = 5us             : "nominal"
    topology  = fat_tree(oversubscription = 1) : "Acme"
  }
}
)"},
                     {"lib/clusters/limits.plan", R"(/// Limits of the halls.
export let line = 50GB/s
)"},
                     {"lib/models/small.plan", R"(/// The models of Acme.
import std.blocks
import std.ops

export enum size { little, large }
export let words = 51200
/// The width of the feed-forward part.
export let wide(hidden: int, times: int = 4) = times * hidden

model shape(layers: int, hidden: int, heads: int, vocab: int = words) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, vocab, hidden)
  decoder * layers with x = embed {
    norm1 = blocks.rms_norm(x)
    attn  = blocks.gqa(norm1, heads, heads, head = hidden / heads)
    mid   = x + attn
    norm2 = blocks.rms_norm(mid)
    mlp   = blocks.swiglu(norm2, wide(hidden))
    out mid + mlp
  }
  norm = blocks.rms_norm(decoder)
  head = blocks.lm_head(norm, vocab)
  loss = ops.cross_entropy(head, tokens)
}

/// One billion parameters.
export model acme_1b = shape(layers = 16, hidden = 2048, heads = 16)

/// Two matrices.
export block two(x: [.., hidden], inner: int, gate: bool = false) -> [.., hidden] {
  up   = blocks.to_width(x, inner)
  down = blocks.to_width(up, hidden)
  out down
}

/// The same product under a name of Acme.
export op product(x: [.., hidden], w: [hidden, inner]) -> [.., inner] {
  kind = gemm
}
)"},
                     {"lib/tests/run.plan", R"(import "../clusters/pod.plan"
import "../models/small.plan"
import std.stacks.te
import std.optimizers

/// As Acme trains it.
plan run {
  model    = small.acme_1b
  cluster  = pod.pod(nodes = 2)
  software = te.te_2602
  train {
    seq          = 2048
    global_batch = 64
    micro_batch  = 1
    optimizer    = optimizers.adam
  }
  precision { compute = bf16; grads = fp32; optimizer = fp32 }
  mesh { dp = 16 }
  place { batch -> dp }
  states { optimizer -> dp }
}

test fits of run {
  assert memory.fits
}
)"}};

struct Edit {
  std::string file, from, to;
};
struct Case {
  std::string what;
  std::vector<Edit> edits;
  api::ChangeKind kind = api::ChangeKind::Removed;
};

Files edited(const Case& of) {
  Files files = kLibrary;
  for (const Edit& edit : of.edits) {
    const std::string path = "lib/" + edit.file + ".plan";
    if (edit.from.empty()) {
      files[path] += edit.to;
      continue;
    }
    std::string& text = files.at(path);
    const size_t at = text.find(edit.from);
    EXPECT_NE(at, std::string::npos) << of.what << ": " << edit.from;
    if (at != std::string::npos) text.replace(at, edit.from.size(), edit.to);
  }
  return files;
}

BreakingReport compare(const Files& before, const Files& after) {
  const auto side = [](const char* version, const Files& files) {
    return PackageSide{version, std::make_shared<TextTree>(files), "lib", "acme", {"clusters", "models"}};
  };
  return breaking(side("v1.0.0", before), side("v1.1.0", after), 2);
}

constexpr const char *kPod = "clusters/pod", *kSmall = "models/small", *kRun = "tests/run",
                     *kLimits = "clusters/limits";
using K = api::ChangeKind;

/// A change that breaks something, and what must be said of it.
const std::vector<Case> kBreaking{
    {"a cluster is not exported any more",
     {{kPod, "export cluster pod", "cluster pod"}, {kRun, "pod.pod(nodes = 2)", "pod.pod"}},
     K::Removed},
    {"a device is removed", {{kPod, "export device card", "device card"}}, K::Removed},
    {"a model is removed", {{kSmall, "export model acme_1b", "model acme_1b"}}, K::Removed},
    {"a constant is removed", {{kSmall, "export let words", "let words"}}, K::Removed},
    {"a function is removed", {{kSmall, "export let wide", "let wide"}}, K::Removed},
    {"a block is removed", {{kSmall, "export block two", "block two"}}, K::Removed},
    {"an operator is removed", {{kSmall, "export op product", "op product"}}, K::Removed},
    {"an enum is removed", {{kSmall, "export enum size { little, large }\n", ""}}, K::Removed},
    {"a cluster is renamed",
     {{kPod, "export cluster pod", "export cluster hall_pod"}, {kRun, "pod.pod(", "pod.hall_pod("}},
     K::Renamed},
    {"a device is renamed",
     {{kPod, "export device card", "export device gpu"}, {kPod, "device = card", "device = gpu"}},
     K::Renamed},
    {"a fabric is renamed",
     {{kPod, "export fabric wires", "export fabric rails"}, {kPod, "= wires ", "= rails "}},
     K::Renamed},
    {"a model is renamed",
     {{kSmall, "acme_1b =", "house_1b ="}, {kRun, "small.acme_1b", "small.house_1b"}},
     K::Renamed},
    {"a block is renamed", {{kSmall, "block two", "block pair"}}, K::Renamed},
    {"an export moves to another folder",
     {{kSmall, "export enum size { little, large }\n", ""}, {kLimits, "", "export enum size { little, large }\n"}},
     K::Moved},
    {"an export moves to another file of its folder",
     {{kSmall, "export enum size { little, large }\n", ""},
      {"models/words", "", "export enum size { little, large }\n"}},
     K::Moved},
    {"a constant becomes an enum",
     {{kSmall, "export let words = 51200", "export enum words { few }"}, {kSmall, "int = words", "int = 51200"}},
     K::Kind},
    {"a fabric becomes a constant",
     {{kPod, "export fabric wires extends fabrics.ndr {\n}", "export let wires = fabrics.ndr"}},
     K::Kind},
    {"a parameter of a cluster is removed", {{kPod, ", place: hall = north", ""}}, K::ParameterRemoved},
    {"a parameter of a function is removed",
     {{kSmall, ", times: int = 4) = times * hidden", ") = 4 * hidden"}},
     K::ParameterRemoved},
    {"a parameter of a hidden base is removed",
     {{kSmall, "heads: int, vocab: int = words", "heads: int"},
      {kSmall, "tokens, vocab,", "tokens, words,"},
      {kSmall, "norm, vocab", "norm, words"}},
     K::ParameterRemoved},
    {"a parameter of a block is removed", {{kSmall, ", gate: bool = false", ""}}, K::ParameterRemoved},
    {"a parameter of a cluster is renamed", {{kPod, "place: hall", "site: hall"}}, K::ParameterRenamed},
    {"a parameter of a function is renamed",
     {{kSmall, "times: int = 4) = times", "factor: int = 4) = factor"}},
     K::ParameterRenamed},
    {"a parameter of an operator is renamed", {{kSmall, "product(x:", "product(y:"}}, K::ParameterRenamed},
    {"a parameter without a default is added",
     {{kPod, "rate: bandwidth = limits.line", "rate: bandwidth = limits.line, power: power"},
      {kRun, "nodes = 2", "nodes = 2, power = 10W"}},
     K::ParameterAdded},
    {"a block takes a parameter more",
     {{kSmall, "gate: bool = false", "gate: bool = false, bias: bool"}},
     K::ParameterAdded},
    {"a default is taken away", {{kPod, "nodes: int = 2", "nodes: int"}}, K::ParameterDefault},
    {"a type changes", {{kSmall, "times: int = 4", "times: float = 4"}}, K::ParameterType},
    {"a shape changes", {{kSmall, "two(x: [.., hidden]", "two(x: [batch, seq, hidden]"}}, K::ParameterType},
    {"a word of a hidden enum goes", {{kPod, "north, south", "north"}}, K::ParameterType},
    {"a default changes", {{kPod, "nodes: int = 2", "nodes: int = 4"}}, K::ParameterDefault},
    {"the constant behind a default changes", {{kLimits, "50GB/s", "25GB/s"}}, K::ParameterDefault},
    {"what a model is made of changes", {{kSmall, "layers = 16", "layers = 18"}}, K::ParameterDefault},
    {"a condition becomes narrower", {{kPod, "nodes >= 1", "nodes >= 2"}}, K::ParameterCondition},
    {"parameters change places",
     {{kPod, "nodes: int = 2 where nodes >= 1, place: hall = north",
       "place: hall = north, nodes: int = 2 where nodes >= 1"}},
     K::ParameterOrder},
    {"the result of a block changes",
     {{kSmall, "-> [.., hidden] {", "-> [.., inner] {"}, {kSmall, "out down", "out up"}},
     K::Result},
    {"a word of an enum goes", {{kSmall, "little, large", "little"}}, K::Member},
    {"a level is renamed", {{kPod, "level node *", "level board *"}}, K::Part},
    {"a fact moves the step",
     {{kPod, "override power = 600W", "override bandwidth = 1TB/s : \"Acme\"\n  override power = 600W"}},
     K::Estimate},
    {"a fact of a level moves the step", {{kPod, "5us             : \"nominal\"", "5ms : \"measured\""}}, K::Estimate},
    {"a body takes more memory", {{kSmall, "wide(hidden))", "wide(hidden, times = 6))"}}, K::Estimate},
    {"a plan does not compile any more", {{kRun, "dp = 16", "dp = 24"}}, K::PlanBroken},
    {"a plan is gone",
     {{kRun, "plan run {", "plan run(micro: int) {"},
      {kRun, "micro_batch  = 1", "micro_batch  = micro"},
      {kRun, "test fits of run {\n  assert memory.fits\n}\n", ""}},
     K::PlanGone},
};

/// A change that nobody is to hear of as one that breaks.
const std::vector<Case> kHarmless{
    {"comments", {{kPod, "/// Eight cards a node.", "/// Eight cards a node; the halls are cold.\n/// They hum."}}},
    {"a comment inside", {{kPod, "nodes: int = 2", "nodes: int = 2 /* two */"}}},
    {"layout",
     {{kPod, "pod(nodes: int = 2 where nodes >= 1, place", "pod(\n    nodes : int=2 where nodes>=1,\n    place"}}},
    {"layout of a body", {{kSmall, "norm1 = blocks.rms_norm(x)", "norm1  =  blocks.rms_norm( x )"}}},
    {"the order of declarations",
     {{kSmall, "export enum size { little, large }\n", ""}, {kSmall, "", "\nexport enum size { little, large }\n"}}},
    {"a new export", {{kPod, "", "\nexport cluster big extends pod(nodes = 8) {\n}\n"}}},
    {"a new file", {{"clusters/more", "", "export let racks = 4\n"}}},
    {"a new parameter with a default",
     {{kPod, "rate: bandwidth = limits.line)", "rate: bandwidth = limits.line, spare: int = 0 where spare >= 0)"}}},
    {"a new parameter of a function", {{kSmall, "times: int = 4)", "times: int = 4, more: int = 0)"}}},
    {"a hidden constant is renamed", {{kPod, "let cards", "let per_node"}, {kPod, "node * cards", "node * per_node"}}},
    {"a hidden enum is renamed", {{kPod, "enum hall", "enum room"}, {kPod, "place: hall", "place: room"}}},
    {"a hidden model is renamed",
     {{kSmall, "model shape(", "model llama_like("}, {kSmall, "= shape(", "= llama_like("}}},
    {"a constant takes the place of a number",
     {{kSmall, "layers = 16", "layers = deep"}, {kSmall, "model shape", "let deep = 16\n\nmodel shape"}}},
    {"another unit", {{kLimits, "50GB/s", "0.05TB/s"}}},
    {"a test goes", {{kRun, "test fits of run {\n  assert memory.fits\n}\n", ""}}},
    {"a test comes", {{kRun, "", "\ntest fast of run {\n  assert step_time < 1h\n}\n"}}},
    {"a fact that moves nothing", {{kPod, "4.2USD/h", "4.4USD/h"}}},
    {"a source", {{kPod, "Acme, contract of 2026", "Acme, contract of 2027"}}},
    {"a word more in an enum", {{kSmall, "little, large", "little, large, huge"}}},
    {"a word more in a hidden enum", {{kPod, "north, south", "north, south, east"}}},
    {"a type less", {{kSmall, "times: int = 4)", "times = 4)"}}},
    {"a plan of a test is another", {{kRun, "micro_batch  = 1", "micro_batch  = 2"}}},
    {"a default for a parameter without one", {{kSmall, "inner: int, gate", "inner: int = 64, gate"}}},
    {"another name of an import",
     {{kPod, "import std.fabrics\n", "import std.fabrics as links\n"},
      {kPod, "fabrics.ndr", "links.ndr"},
      {kPod, "fabrics.nvlink4", "links.nvlink4"}}},
    {"a hidden plan is renamed", {{kRun, "plan run {", "plan train_1b {"}, {kRun, "fits of run", "fits of train_1b"}}},
};

TEST(Breaking, TheLibraryItselfIsPricedAndUnchanged) {
  const BreakingReport same = compare(kLibrary, kLibrary);
  EXPECT_TRUE(same.rows.empty()) << breakingText(same);
  EXPECT_EQ(same.plans, 1u);
}

TEST(Breaking, FindsWhatBreaks) {
  EXPECT_GE(kBreaking.size(), 40u);
  for (const Case& one : kBreaking) {
    const BreakingReport report = compare(kLibrary, edited(one));
    EXPECT_TRUE(report.breaks()) << one.what;
    EXPECT_TRUE(std::any_of(report.rows.begin(), report.rows.end(),
                            [&](const auto& row) { return row.breaking && row.kind == one.kind; }))
        << one.what << " is no `" << api::name(one.kind) << "`\n"
        << breakingText(report);
  }
}

TEST(Breaking, LeavesAloneWhatDoesNot) {
  EXPECT_GE(kHarmless.size(), 20u);
  for (const Case& one : kHarmless) {
    const BreakingReport report = compare(kLibrary, edited(one));
    EXPECT_FALSE(report.breaks()) << one.what << "\n" << breakingText(report);
    EXPECT_EQ(report.plans, 1u) << one.what;
  }
}

TEST(Breaking, AnotherNameOfAnImportIsNoChangeAtAll) {
  const auto renamed = std::find_if(kHarmless.begin(), kHarmless.end(),
                                    [](const Case& one) { return one.what == "another name of an import"; });
  ASSERT_NE(renamed, kHarmless.end());
  const BreakingReport report = compare(kLibrary, edited(*renamed));
  EXPECT_TRUE(report.rows.empty()) << breakingText(report);
}

TEST(Breaking, AFileThatIsGoneBreaksItsImports) {
  Files after = kLibrary;
  after["lib/models/words.plan"] = after.extract("lib/models/small.plan").mapped();
  after["lib/tests/run.plan"].replace(after["lib/tests/run.plan"].find("models/small.plan\""), 18,
                                      "models/words.plan\" as small");
  const BreakingReport report = compare(kLibrary, after);
  ASSERT_TRUE(report.breaks());
  const auto says = [&](std::string_view text) {
    return std::count_if(report.rows.begin(), report.rows.end(),
                         [&](const auto& row) { return row.breaking && row.text == text; });
  };
  EXPECT_EQ(says("there is no file for `import acme.models.small`"), 1) << breakingText(report);
  EXPECT_EQ(says("`size` is in acme.models.words"), 1) << breakingText(report);
}

TEST(Breaking, ADeprecationIsWorthKnowing) {
  api::Catalogue catalogue;
  catalogue.add("acme.a", "a.plan", "export let pod = 1\n");
  const std::vector<api::Export> before = catalogue.exports();
  std::vector<api::Export> after = before;
  after[0].deprecated = "use pod2";
  const auto rows = api::exportChanges(before, after);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, api::ChangeKind::Deprecated);
  EXPECT_FALSE(rows[0].breaking);
  EXPECT_TRUE(api::exportChanges(after, after).empty());
}

TEST(Breaking, AModuleThatDoesNotParseIsToldWithItsPlace) {
  Files after = kLibrary;
  after["lib/clusters/limits.plan"] += "export let = 3\n";
  const BreakingReport report = compare(kLibrary, after);
  EXPECT_TRUE(std::any_of(report.rows.begin(), report.rows.end(), [](const auto& row) {
    return row.kind == api::ChangeKind::Unreadable && row.breaking && row.afterPlace == "lib/clusters/limits.plan:3";
  })) << breakingText(report);
}

TEST(Breaking, TellsBothSides) {
  const BreakingReport report =
      compare(kLibrary, edited({"", {{kPod, "nodes: int = 2", "nodes: int = 4"}, {kPod, "600W", "650W"}}}));
  const std::string text = breakingText(report);
  EXPECT_NE(text.find("breaking\n  acme.clusters.pod.pod: parameter `nodes` of `pod` has another default\n"
                      "    nodes: int = 2 where nodes >= 1 → nodes: int = 4 where nodes >= 1\n"
                      "    lib/clusters/pod.plan:19\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("worth knowing\n  acme.clusters.pod.card: fact `power` of `card` has changed\n    600W → 650W\n"),
            std::string::npos)
      << text;
}

} // namespace
} // namespace planc::driver
