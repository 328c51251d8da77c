// What one pass makes of a plan: the program as it stands behind the pass, and what was reported up to there.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "passes/Passes.h"
#include "tests/unit/frontend/Compile.h"

#include <sstream>
#include <stdexcept>
#include <string>

namespace planc::test {

/// A small decoder: an embedding, repeated layers of a norm and a gated product, a head, a loss.
inline const std::string kDecoder = R"(model m(layers: int = 4) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 64, 32)
  decoder * layers with x = embed {
    norm = blocks.rms_norm(x)
    mlp  = blocks.swiglu(norm, 128)
    out x + mlp
  }
  head = blocks.lm_head(decoder, 64)
  loss = ops.cross_entropy(head, tokens)
}
)";
/// Routed: two of eight experts.
inline const std::string kExperts = R"(model m {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 64, 32)
  moe = blocks.moe(embed, 8, 2, 64)
  head = blocks.lm_head(moe, 64)
  loss = ops.cross_entropy(head, tokens)
}
)";
/// Sixteen heads of queries, four of keys.
inline const std::string kAttention = R"(model m {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 64, 32)
  attn = blocks.gqa(embed, 16, 4, head = 8)
  head = blocks.lm_head(attn, 64)
  loss = ops.cross_entropy(head, tokens)
}
)";
/// Data parallelism over two devices.
inline const std::string kDp = "  mesh { dp = 2 }\n  place { batch -> dp }\n";
/// Data, sequence and tensor parallelism of kDecoder, two devices each.
inline const std::string kMegatron =
    "  mesh {\n tp = 2\n dp = 2\n }\n  place {\n batch -> dp\n seq -> tp\n decoder.mlp { ffn -> tp }\n head, loss { "
    "vocab -> tp }\n embed { vocab -> replicate }\n }\n";
inline const std::string kTrain = "seq = 16; global_batch = 16; micro_batch = 2; optimizer = optimizers.adam";

struct After {
  std::unique_ptr<ir::Plan> plan;
  std::unique_ptr<ir::ShardedProgram> sharded; ///< the program behind the pass, at its level: one of the two
  std::unique_ptr<ir::Program> comm;
  const ir::ProgramHead* program = nullptr; ///< whichever it is; null if the pass, or one before it, refuses the plan
  std::unique_ptr<ir::Schedule> schedule;
  std::vector<std::string> reports; ///< `PLAN0710 global_batch …`

  /// The plan `p` of these lines, and what else the file holds.
  After(std::string_view pass, const std::string& lines, const std::string& train = kTrain,
        const std::string& models = kDecoder) {
    frontend::Folder folder;
    frontend::Session session;
    std::string error;
    const std::string file =
        folder.write("p.plan", "import std.ops\nimport std.blocks\nimport std.optimizers\nimport std.clusters.hgx\n" +
                                   models + "plan p {\n  model = m\n" + workload(train) + lines + "\n}\n");
    if (!session.load(file, error)) throw std::runtime_error(error);
    auto plans = session.plans();
    for (const std::string& r : frontend::reports(session)) reports.push_back("before the passes: " + r);
    if (plans.size() != 1) return;
    plan = std::move(plans[0]);
    DiagnosticEngine diagnostics;
    bool arrived = false;
    const passes::PassObserver observer = [&](const passes::Passed& passed) {
      if (passed.pass.name != pass) return;
      arrived = true;
      if (passed.sharded)
        program = (sharded = std::make_unique<ir::ShardedProgram>(*passed.sharded)).get();
      else
        program = (comm = std::make_unique<ir::Program>(*passed.comm)).get();
      note(diagnostics);
    };
    const auto whole = passes::lower(*plan, diagnostics, observer);
    if (!arrived) note(diagnostics);
    if (!whole || pass != "schedule-tasks") return;
    program = (comm = std::make_unique<ir::Program>(*whole)).get();
    schedule = passes::schedule(*comm);
  }

  /// Of a plan that arrives.
  const ir::ProgramHead* operator->() const {
    if (!program) throw std::runtime_error(said());
    return program;
  }
  /// What was reported, in one line each.
  std::string said() const {
    std::string text;
    for (const std::string& r : reports) text += r + "\n";
    return text;
  }
  std::string model() const { return program ? ir::print(program->model) : said(); }
  std::string text() const { return sharded ? ir::print(*sharded) : comm ? ir::print(*comm) : said(); }
  /// The lines of the program that begin with a text, and those inside of their braces.
  std::string part(const std::string& begin) const { return partOf(text(), begin); }
  /// Idem of the model.
  std::string modelPart(const std::string& begin) const { return partOf(model(), begin); }

private:
  static std::string workload(const std::string& facts) {
    if (facts.empty()) return "";
    return (facts.find("freeze") == std::string::npos ? "  train { " : "  finetune { ") + facts + " }\n";
  }
  void note(const DiagnosticEngine& diagnostics) {
    reports.clear();
    for (const Diagnostic* d : diagnostics.sorted()) reports.push_back(d->kind->id() + (" " + d->message));
  }
  static std::string partOf(const std::string& text, const std::string& begin) {
    std::string out, indent;
    std::istringstream lines(text);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
      const size_t at = line.find_first_not_of(' ');
      const bool here = at != std::string::npos && line.compare(at, begin.size(), begin) == 0;
      if (here && !inside) indent = line.substr(0, at);
      if (here || inside) out += line + "\n";
      if (here && line.ends_with("{")) inside = true;
      if (inside && line == indent + "}") inside = false;
    }
    return out;
  }
};

} // namespace planc::test
