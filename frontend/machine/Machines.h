// Elaborates records about machines and their software: device, fabric, stack, cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/machine/Edits.h"
#include "ir/machine/Machine.h"

#include <map>
#include <memory>
#include <set>

namespace planc::frontend {

/// A record with its facts merged along `extends`, and the scopes in which they are evaluated.
struct MergedRecord {
  std::unique_ptr<FactTree> facts;
  std::deque<Scope> scopes;
  bool ok = true;
};
/// A cluster and those that it extends, with their parameters bound.
struct OpenCluster {
  std::unique_ptr<FactTree> facts; ///< all but the levels
  std::vector<DeclInfo*> layers;   ///< itself first
  std::deque<Scope> scopes;        ///< parallel to `layers`
  struct Level {
    const syntax::LevelItem* syntax = nullptr; ///< the last one that says its count,
    Scope* scope = nullptr;                    ///< and where that is looked up
    int layer = 0;                             ///< of the chain, the root's is 0
    std::unique_ptr<FactTree> facts;
  };
  std::vector<Level> levels;
  bool ok = true;
  DeclInfo& declOf(int layer) const { return *layers[layers.size() - 1 - static_cast<size_t>(layer)]; }
  Scope& scopeOf(int layer) { return scopes[scopes.size() - 1 - static_cast<size_t>(layer)]; }
};

/// Computes each record once; answers `cluster.device.memory`.
class Machines final : public FactMembers {
public:
  explicit Machines(Evaluator& evaluator) : ev_(evaluator) {}

  /// Nothing after errors (reported). `use` is where the record was asked for.
  std::optional<ir::Device> device(const BoundDecl& decl, SourceRange use);
  std::optional<ir::Fabric> fabric(const BoundDecl& decl, SourceRange use);
  std::optional<ir::Stack> stack(const BoundDecl& decl, SourceRange use);
  std::optional<ir::Cluster> cluster(const BoundDecl& decl, SourceRange use);
  Value member(const BoundDecl& decl, const syntax::Name& name) override;
  bool has(const BoundDecl& decl, Symbol name, SourceRange use) override;
  /// What a parameter of a record comes to, by its argument or its default; nothing where it has none of this name.
  std::optional<Value> parameter(const BoundDecl& decl, const syntax::Name& name);
  /// The same model or record with facts and arguments set beside the file; Invalid after a report.
  Value edited(const Value& v, const std::vector<EditBelow>& edits);
  /// Checks a record whose parameters may be unknown.
  void check(DeclInfo& decl);
  /// Forgets what is known of records that pass with the values of an elaboration; before these are given back.
  void forgetPassing();
  /// The declaration as a record of that kind; null after a report.
  const BoundDecl* expect(const Value& v, DeclKind kind, std::string_view what);

private:
  MergedRecord& merged(const BoundDecl& decl, SourceRange use);
  bool chain(const BoundDecl& decl, SourceRange use, std::vector<DeclInfo*>& result);
  OpenCluster& open(const BoundDecl& decl, SourceRange use);
  /// A second kind of device, or several clusters in the place of one.
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
  /// The dimensions that inputs of a model count as tokens, in the order of the inputs.
  Value counted(const DeclInfo& model, SourceRange use);

  Evaluator& ev_;
  std::map<const BoundDecl*, MergedRecord> records_; ///< values share their BoundDecl, so this finds them again
  std::map<const BoundDecl*, OpenCluster> clusters_;
  std::map<const BoundDecl*, std::vector<EditBelow>> edits_; ///< of those that `edited` made
  std::set<const DeclInfo*> rateless_;                       ///< fabrics that were warned of
};

/// What has a fact, as messages call it: "device `h100`".
std::string ownerText(const DeclInfo& d);

} // namespace planc::frontend
