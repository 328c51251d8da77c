// Minimal version selection against a reference that walks every way through a graph, and the lock that follows.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Lock.h"
#include "packages/Select.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace planc::packages {
namespace {

/// What versions of packages ask for: an edge is a name and the least version.
struct Graph {
  std::map<std::pair<std::string, Version>, std::vector<std::pair<std::string, Version>>> asks;
  std::vector<std::pair<std::string, Version>> project;
};

Dependency asked(const std::string& name, const Version& version) {
  return {name, {"", "https://h/" + name, "v" + version.text()}, version, {}};
}

Manifest manifest(const std::string& name, const Version& version,
                  const std::vector<std::pair<std::string, Version>>& asks) {
  Manifest out;
  out.name = name;
  out.version = version;
  for (const auto& [to, least] : asks) out.dependencies.push_back(asked(to, least));
  return out;
}

class GraphRegistry final : public Registry {
public:
  explicit GraphRegistry(const Graph& graph) {
    for (const auto& [node, asks] : graph.asks)
      manifests_[asked(node.first, node.second).origin.text()] = packages::manifest(node.first, node.second, asks);
  }
  const Manifest* manifest(const Origin& origin, const Dependency&) override {
    ++read[origin.text()];
    return &manifests_.at(origin.text());
  }
  std::map<std::string, int> read;

private:
  std::map<std::string, Manifest> manifests_;
};

/// Names point to greater ones only, so that there is no circle; majors are one.
Graph randomGraph(std::mt19937& rng) {
  const auto below = [&](size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(rng); };
  const size_t names = 2 + below(7);
  std::vector<std::vector<Version>> versions(names);
  for (auto& list : versions)
    for (size_t i = 0, count = 1 + below(4); i < count; ++i)
      list.push_back({1, static_cast<uint32_t>(i), static_cast<uint32_t>(below(3)), below(5) == 0 ? "rc.1" : ""});
  const auto name = [](size_t i) { return "p" + std::to_string(i); };
  Graph graph;
  const auto asks = [&](size_t from) {
    std::vector<std::pair<std::string, Version>> out;
    for (size_t to = from; to < names; ++to)
      if (below(3) == 0) out.emplace_back(name(to), versions[to][below(versions[to].size())]);
    return out;
  };
  for (size_t i = 0; i < names; ++i)
    for (const Version& version : versions[i]) graph.asks[{name(i), version}] = asks(i + 1);
  graph.project = asks(0);
  return graph;
}

/// Every way from the project through what somebody asks for, one after the other: no queue, no memory.
void walk(const Graph& graph, const std::vector<std::pair<std::string, Version>>& asks,
          std::map<std::string, Version>& most) {
  for (const auto& [name, least] : asks) {
    const auto [at, first] = most.try_emplace(name, least);
    if (!first) at->second = std::max(at->second, least);
    walk(graph, graph.asks.at({name, least}), most);
  }
}

std::string lockOf(const std::vector<Selected>& selected) {
  std::vector<Locked> packages;
  for (const Selected& s : selected) {
    Digests files{{"planc.toml", std::string(64, 'a')}};
    packages.push_back({s.name, s.version, s.origin, "c", packages::digestOf(files), files, {}});
  }
  return lockText(packages);
}

TEST(Select, ThousandGraphsAsTheReference) {
  std::mt19937 rng(42);
  size_t several = 0;
  for (int i = 0; i < 1000; ++i) {
    Graph graph = randomGraph(rng);
    std::map<std::string, Version> wanted;
    walk(graph, graph.project, wanted);
    std::set<std::string> texts;
    for (int order = 0; order < 4; ++order) {
      GraphRegistry registry(graph);
      DiagnosticEngine diagnostics;
      const auto selected = select(manifest("", {}, graph.project), registry, diagnostics);
      ASSERT_TRUE(selected) << i;
      std::map<std::string, Version> found;
      for (const Selected& s : *selected) found[s.name] = s.version;
      EXPECT_EQ(found, wanted) << i;
      for (const auto& [origin, times] : registry.read) EXPECT_EQ(times, 1) << origin;
      texts.insert(lockOf(*selected));
      std::shuffle(graph.project.begin(), graph.project.end(), rng);
      for (auto& [node, asks] : graph.asks) std::shuffle(asks.begin(), asks.end(), rng);
    }
    EXPECT_EQ(texts.size(), 1u) << "the order of a manifest decides nothing: graph " << i;
    several += wanted.size() > 2;
  }
  EXPECT_GT(several, 300u) << "graphs of which something can be learned";
}

TEST(Select, ChosenVersionsSatisfyAll) {
  std::mt19937 rng(7);
  for (int i = 0; i < 200; ++i) {
    const Graph graph = randomGraph(rng);
    GraphRegistry registry(graph);
    DiagnosticEngine diagnostics;
    const auto selected = select(manifest("", {}, graph.project), registry, diagnostics);
    ASSERT_TRUE(selected);
    std::map<std::string, Version> found;
    for (const Selected& s : *selected) found[s.name] = s.version;
    const auto satisfied = [&](const auto& asks) {
      for (const auto& [name, least] : asks) {
        ASSERT_TRUE(found.contains(name));
        EXPECT_GE(found[name], least);
      }
    };
    satisfied(graph.project);
    for (const Selected& s : *selected) satisfied(graph.asks.at({s.name, s.version}));
  }
}

TEST(Select, NothingNewerThanWhatSomebodyAsksFor) {
  const Version one{1, 0, 0, ""}, two{1, 1, 0, ""}, three{1, 9, 0, ""};
  Graph graph;
  graph.asks = {{{"base", one}, {}},
                {{"base", two}, {}},
                {{"base", three}, {}},
                {{"left", one}, {{"base", one}}},
                {{"right", one}, {{"base", two}}}};
  graph.project = {{"left", one}, {"right", one}};
  GraphRegistry registry(graph);
  DiagnosticEngine diagnostics;
  const auto selected = select(manifest("", {}, graph.project), registry, diagnostics);
  ASSERT_TRUE(selected);
  ASSERT_EQ(selected->size(), 3u);
  EXPECT_EQ((*selected)[0].version, two);
}

TEST(Lock, ReadsWhatItWrites) {
  const Digests files{{"a \"b\\.plan", std::string(64, '1')}, {"planc.toml", std::string(64, '2')}};
  const std::vector<Locked> packages = {
      {"base", {1, 2, 3, "rc.1"}, {"", "https://h/base", "v1.2.3-rc.1"}, "abc", packages::digestOf(files), files, {}},
      {"lab", {}, {"../lab", "", ""}, "", "", {}, {}}};
  SourceManager sources;
  DiagnosticEngine diagnostics;
  const auto lock = packages::lockOf("planc.lock", lockText(packages), sources, diagnostics);
  ASSERT_TRUE(lock);
  ASSERT_EQ(lock->packages.size(), 2u);
  EXPECT_EQ(lock->packages[0].files, files);
  EXPECT_EQ(lock->packages[0].version, packages[0].version);
  EXPECT_EQ(lock->packages[1].origin, packages[1].origin);
  EXPECT_EQ(lockText(lock->packages), lockText(packages));
}

} // namespace
} // namespace planc::packages
