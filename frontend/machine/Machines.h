// Elaborates records of machines and their software: device, fabric, cluster and stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/machine/Edits.h"
#include "ir/machine/Machine.h"

#include <map>
#include <memory>
#include <set>

namespace planc::frontend {

/// A record whose facts are merged along `extends`, with the scopes for evaluating them.
struct MergedRecord {
  std::unique_ptr<FactTree> facts;
  std::deque<Scope> scopes;
  bool ok = true;
};
/// A cluster and the clusters that it extends, with bound parameters.
struct OpenCluster {
  std::unique_ptr<FactTree> facts; ///< all facts but the levels
  std::vector<DeclInfo*> layers;   ///< the cluster itself first, its root last
  std::deque<Scope> scopes;        ///< parallel to `layers`
  struct Level {
    const syntax::LevelItem* syntax = nullptr; ///< the last item that gives the count
    Scope* scope = nullptr;                    ///< scope of that item
    int layer = 0;                             ///< index in the chain; 0: the root
    std::unique_ptr<FactTree> facts;
  };
  std::vector<Level> levels;
  bool ok = true;
  DeclInfo& declOf(int layer) const { return *layers[layers.size() - 1 - static_cast<size_t>(layer)]; }
  Scope& scopeOf(int layer) { return scopes[scopes.size() - 1 - static_cast<size_t>(layer)]; }
};

/// Elaborates each record once, and evaluates paths into records: `cluster.device.memory`.
class Machines final : public FactMembers {
public:
  explicit Machines(Evaluator& evaluator) : ev_(evaluator) {}

  /// The record; nothing after errors, which are reported. `use` is the place that uses it.
  std::optional<ir::Device> device(const BoundDecl& decl, SourceRange use);
  std::optional<ir::Fabric> fabric(const BoundDecl& decl, SourceRange use);
  std::optional<ir::Stack> stack(const BoundDecl& decl, SourceRange use);
  std::optional<ir::Cluster> cluster(const BoundDecl& decl, SourceRange use);
  Value member(const BoundDecl& decl, const syntax::Name& name) override;
  bool has(const BoundDecl& decl, Symbol name, SourceRange use) override;
  /// The value of a record's parameter: its argument or its default; nothing if there is no parameter of this name.
  std::optional<Value> parameter(const BoundDecl& decl, const syntax::Name& name);
  /// A copy of a model or record with facts and arguments set from outside of the file; Invalid after a report.
  Value edited(const Value& v, const std::vector<EditBelow>& edits);
  /// Checks a record whose parameters may be unknown.
  void check(DeclInfo& decl);
  /// Drops cached records that use the values of an elaboration. Call it before these values are freed.
  void forgetPassing();
  /// The declaration of a value that is a record of this kind; null after a report.
  const BoundDecl* expect(const Value& v, DeclKind kind, std::string_view what);

private:
  MergedRecord& merged(const BoundDecl& decl, SourceRange use);
  bool chain(const BoundDecl& decl, SourceRange use, std::vector<DeclInfo*>& result);
  OpenCluster& open(const BoundDecl& decl, SourceRange use);
  /// Reports a second kind of device, or a list of clusters instead of one.
  void reportKinds(std::string_view what, SourceRange at, SourceRange first);
  void reportExtendsWhat(const DeclInfo& heir, SourceRange at, const Value& base);
  bool mayExtend(const std::vector<DeclInfo*>& chain, DeclInfo* base, SourceRange at);
  bool openChain(const BoundDecl& decl, SourceRange use, OpenCluster& cluster);
  static OpenCluster::Level* levelOf(OpenCluster& cluster, Symbol name);
  bool noSuchLevel(const OpenCluster& cluster, const syntax::Name& name, int layer);
  bool addLevel(OpenCluster& cluster, const syntax::LevelItem& item, int layer);
  void addItems(OpenCluster& cluster, int layer);
  void checkComplete(const OpenCluster& cluster, const DeclInfo& info);
  bool link(const OpenCluster::Level& level, ir::ClusterLevel& made);
  bool level(const OpenCluster::Level& level, ir::Cluster& cluster);
  void applyEdits(const BoundDecl& decl, OpenCluster& cluster);
  Value missing(const BoundDecl& decl, FactTree& tree, const syntax::Name& name);
  /// The dimensions that the inputs of a model count as tokens, in the order of the inputs.
  Value counted(const DeclInfo& model, SourceRange use);

  Evaluator& ev_;
  std::map<const BoundDecl*, MergedRecord> records_; ///< by BoundDecl, which copies of a value share
  std::map<const BoundDecl*, OpenCluster> clusters_;
  std::map<const BoundDecl*, std::vector<EditBelow>> edits_; ///< edits of the declarations that `edited` made
  std::set<const DeclInfo*> rateless_;                       ///< fabrics with a warning about a missing rate
};

/// The owner of a fact in messages: "device `h100`".
std::string ownerText(const DeclInfo& d);

} // namespace planc::frontend
