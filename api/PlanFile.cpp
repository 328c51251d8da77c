// Connects the frontend with the rest: its sessions produce compilations.
// SPDX-License-Identifier: Apache-2.0
#include "api/PlanFile.h"

#include "frontend/Frontend.h"
#include "packages/Resolver.h"
#include "support/files/DiskFiles.h"

namespace planc::api {

namespace {

/// A session with the files, packages and modules that it reads.
struct SessionOver {
  std::shared_ptr<const FileTree> files;
  packages::Resolver packages;
  frontend::LibraryBeside modules;
  frontend::Session session;
  explicit SessionOver(std::shared_ptr<const FileTree> from)
      : files(std::move(from)), packages(*files), modules(*files, packages), session(modules) {}
};

std::shared_ptr<frontend::Session> sessionOver(std::shared_ptr<const FileTree> files) {
  const auto made = std::make_shared<SessionOver>(std::move(files));
  return {made, &made->session};
}

} // namespace

PlanFile::PlanFile(std::shared_ptr<const FileTree> files) : session_(sessionOver(std::move(files))) {}
PlanFile::PlanFile() : PlanFile(std::shared_ptr<const FileTree>(&diskFiles(), [](const FileTree*) {})) {}
PlanFile::~PlanFile() = default;
PlanFile::PlanFile(PlanFile&&) noexcept = default;

bool PlanFile::load(const std::string& path, std::string& error) {
  return session_->load(path, error);
}

void PlanFile::loadText(const std::string& path, std::string text) {
  session_->loadText(path, std::move(text));
}

bool PlanFile::check(const CompilationUse& use) {
  frontend::PlanUse take;
  if (use)
    take = [&](std::unique_ptr<ir::Plan> plan) {
      PlanRequest asked{plan->name.str(), {}, plan->range};
      use(std::make_unique<Compilation>(std::move(*plan), std::move(asked), heldSources()));
    };
  session_->check(take, [&](std::unique_ptr<ir::Plan> tested) {
    verdict::check(*tested, session_->diagnostics());
  }); // an error in one declaration must not hide errors in others
  return !session_->diagnostics().hasErrors();
}

bool PlanFile::addPolicies(const std::string& path, std::string& error) {
  return session_->addPolicies(path, error);
}

void PlanFile::eachTest(const TestWanted& wanted, const TestUse& use) {
  session_->eachTest(wanted, [&](frontend::TestedPlan tested) {
    auto test = std::make_unique<Test>();
    test->name = std::move(tested.name);
    test->range = tested.range;
    test->fails = tested.fails;
    test->failsRange = tested.failsRange;
    test->found = std::move(tested.found);
    if (tested.plan) {
      PlanRequest asked{tested.plan->name.str(), {}, tested.plan->range};
      test->plan = std::make_unique<Compilation>(std::move(*tested.plan), std::move(asked), heldSources());
    }
    use(std::move(test));
  });
}

void PlanFile::reportIdleAllowances() {
  session_->reportIdleAllowances();
}

bool PlanFile::set(const std::vector<ir::FactEdit>& facts) {
  edit_.facts.insert(edit_.facts.end(), facts.begin(), facts.end());
  return session_->set({.facts = facts});
}

/// Returns the sources, sharing ownership of the session. If `choice` is valid, its text is given back to the session
/// when the returned pointer is released.
std::shared_ptr<const SourceManager> PlanFile::heldSources(FileId choice) const {
  if (!choice.valid()) return {session_, &session_->sources()};
  return {&session_->sources(), [session = session_, choice](const SourceManager*) { session->giveBack(choice); }};
}

std::unique_ptr<Compilation> PlanFile::bind(const std::string& choice) {
  auto found = plans({choice});
  return found.empty() ? nullptr : std::move(found.front());
}

std::vector<std::unique_ptr<Compilation>> PlanFile::plans(const std::vector<std::string>& choices) {
  std::vector<std::unique_ptr<Compilation>> out;
  const auto add = [&](ir::Plan& plan, std::string named, FileId text = {}) {
    PlanRequest asked{std::move(named), {}, plan.range};
    out.push_back(std::make_unique<Compilation>(std::move(plan), std::move(asked), heldSources(text)));
  };
  for (const std::string& choice : choices)
    if (const frontend::ChosenPlan chosen = session_->choose({choice}); chosen.plan)
      add(*chosen.plan, choice, chosen.text);
  if (choices.empty())
    for (const std::unique_ptr<ir::Plan>& plan : session_->plans()) add(*plan, plan->name.str());
  return out;
}

std::vector<Comparison> PlanFile::comparisons(const std::optional<std::string>& choice) {
  std::vector<Comparison> out;
  const auto named = choice ? std::optional(frontend::PlanChoice{*choice}) : std::nullopt;
  for (frontend::PlanComparison& comparison : session_->comparisons(named)) {
    Comparison& to = out.emplace_back();
    to.name = comparison.name;
    to.failed = std::move(comparison.failed);
    for (frontend::PlanComparison::Row& row : comparison.rows)
      to.plans.push_back(
          std::make_unique<Compilation>(std::move(*row.plan), PlanRequest{{}, row.label, row.range}, heldSources()));
  }
  return out;
}

Searched PlanFile::searched(const std::string& choice, const ir::SearchWords& words) {
  frontend::SearchedPlan found = session_->searched({choice}, words);
  if (!found.plan || !found.space) return {};
  PlanRequest asked{found.plan->name.str(), {}, found.plan->range};
  return {std::make_unique<Compilation>(std::move(*found.plan), std::move(asked), heldSources()),
          std::move(found.space)};
}

std::unique_ptr<ir::Plan> PlanFile::candidate(std::span<const uint32_t> digits, std::optional<int64_t> filled) {
  return session_->candidate(digits, filled);
}

std::optional<std::string> PlanFile::written(std::span<const uint32_t> digits, std::optional<int64_t> filled,
                                             const frontend::PlanPlace& place) {
  return session_->written(digits, filled, place);
}

void PlanFile::eachPlan(const CompilationUse& use) {
  check(use);
  for (Comparison& comparison : comparisons())
    for (std::unique_ptr<Compilation>& plan : comparison.plans) use(std::move(plan));
}

std::optional<ir::Cluster> PlanFile::cluster(std::string_view constant) {
  return session_->cluster(constant);
}

std::optional<ir::PlanReference> PlanFile::planReference(std::string_view constant) {
  return session_->planReference(constant);
}

std::vector<std::pair<std::string, std::string>> PlanFile::parameterValues(std::string_view constant) {
  return session_->parameterValues(constant);
}

std::vector<std::string> PlanFile::openPlans() {
  return session_->openPlans();
}

DiagnosticEngine& PlanFile::diagnostics() {
  return session_->diagnostics();
}

const SourceManager& PlanFile::sources() const {
  return session_->sources();
}

size_t PlanFile::libraryBytes() const {
  return session_->libraryBytes();
}

} // namespace planc::api
