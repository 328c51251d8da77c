// Tests and policies of a session, and the `allow`s of its files.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/Session.h"
#include "frontend/modules/Deprecated.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <utility>

namespace planc::frontend {

/// Sets the main file. Its `allow`s apply to all reports about the file and its plans; the `allow`s of an import apply
/// only to the import. An exported policy also applies to files that import its file.
void Session::Impl::setMain(Module* loaded) {
  main = loaded;
  if (!main) return;
  for (const auto& allowance : diagnostics.allowances())
    if (allowance->within == main->file) allowance->within = {};
  reportDeprecatedPolicies(*main, diagnostics);
  demands.ofPlans = true;
  for (DeclInfo* policy : main->policies()) demands.add(policy);
}

bool Session::addPolicies(const std::string& path, std::string& ioError) {
  Impl& s = *impl_;
  Module* module = s.loader.loadBeside(path, ioError);
  if (!module) return false;
  const bool some = llvm::any_of(module->decls, [](const DeclInfo& decl) { return decl.kind == DeclKind::Policy; });
  if (!some && module->tree && !module->tree->broken) {
    ioError = fmt::format("{} contains no policy", path);
    return false;
  }
  for (DeclInfo& decl : module->decls) {
    if (decl.kind != DeclKind::Policy) continue;
    if (module == s.main || checkPolicy(s.evaluator, decl))
      s.demands.add(&decl);
    else
      s.demands.drop(&decl);
  }
  return true;
}

/// The plan of one combination of values; null after a report.
std::unique_ptr<ir::Plan> Session::Impl::testedPlan(const syntax::TestDecl& test, Scope& values) {
  const BoundDecl* plan = planOfTest(evaluator, test, values);
  return plan ? buildPlan(evaluator, machines, *plan, test.plan->range, edits, editsOf, {}, demands) : nullptr;
}

/// The first plan of a judged test, with which its assertions are checked. Null for a test that expects an error,
/// because such a test cannot be checked beforehand.
std::unique_ptr<ir::Plan> Session::Impl::checkTest(DeclInfo& decl) {
  const Elaborating passing(*this);
  const auto space = testSpace(evaluator, decl);
  if (!space || space->fails) return nullptr;
  Scope values(main);
  space->bind(0, values);
  demands.test = space->decl, demands.values = &values, demands.name = space->name(values);
  auto made = testedPlan(*space->decl, values);
  demands.test = nullptr, demands.values = nullptr;
  return made;
}

void Session::eachTest(const TestWanted& wanted, const TestUse& use) {
  Impl& s = *impl_;
  if (!s.main || !s.main->tree) return;
  for (DeclInfo& decl : s.main->decls) {
    if (decl.kind != DeclKind::Test) continue;
    s.context.renew();
    const Impl::Elaborating passing(s);
    DiagnosticEngine told = s.diagnostics.take(); // `check` reports errors of the test itself
    const auto space = testSpace(s.evaluator, decl);
    for (size_t i = 0; space && i < space->combinations; ++i) {
      Scope values(s.main);
      space->bind(i, values);
      TestedPlan tested{space->name(values), decl.nameRange, space->fails, {}, nullptr, {}};
      if (!wanted(tested.name)) continue;
      if (space->fails) tested.failsRange = space->decl->fails->range;
      s.context.renew();
      s.diagnostics.take();
      s.demands.test = space->decl, s.demands.values = &values, s.demands.name = tested.name;
      {
        const Impl::Elaborating its(s);
        tested.plan = s.testedPlan(*space->decl, values);
      }
      s.demands.test = nullptr, s.demands.values = nullptr;
      tested.found = s.diagnostics.take();
      use(std::move(tested));
    }
    s.diagnostics = std::move(told);
  }
}

void Session::reportIdleAllowances() {
  if (impl_->main) impl_->loader.allowed.reportIdle(impl_->main->file);
}

} // namespace planc::frontend
