// Runs the frontend on a text: what it reports, and the plans it makes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/Frontend.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace planc::frontend {

/// A library made of texts.
class TextLibrary final : public ModuleSource {
public:
  explicit TextLibrary(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  std::optional<std::string_view> library(std::string_view path) const override {
    auto found = files_.find(std::string(path));
    return found == files_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }
  std::vector<std::string> libraryFolder(std::string_view folder) const override {
    std::vector<std::string> found;
    const std::string prefix = std::string(folder) + "/";
    for (const auto& [path, text] : files_)
      if (path.starts_with(prefix) && path.find('/', prefix.size()) == std::string::npos) found.push_back(path);
    return found;
  }

private:
  std::map<std::string, std::string> files_;
};

/// A folder of its own for the files of one test.
class Folder {
public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::path(::testing::TempDir()) /
            ("planc_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

private:
  std::filesystem::path path_;
};

/// The diagnostics of a session as `LINE PLAN0201 message`.
inline std::vector<std::string> reports(Session& session) {
  std::vector<std::string> found;
  for (const Diagnostic* d : session.diagnostics().sorted())
    found.push_back(std::to_string(session.sources().begin(d->range).line) + " " + d->kind->id() + " " + d->message);
  return found;
}

/// What `check` says about a text.
inline std::vector<std::string> check(std::string_view text, const ModuleSource& library = embeddedLibrary()) {
  Folder folder;
  Session session(library);
  std::string error;
  EXPECT_TRUE(session.load(folder.write("test.plan", text), error)) << error;
  session.check();
  return reports(session);
}

/// The plans of a text, which must have no errors.
inline std::vector<std::unique_ptr<ir::Plan>> plansOf(std::string_view text,
                                                      const std::optional<PlanChoice>& choice = std::nullopt) {
  Folder folder;
  Session session;
  std::string error;
  EXPECT_TRUE(session.load(folder.write("test.plan", text), error)) << error;
  auto plans = session.plans(choice);
  EXPECT_EQ(reports(session), std::vector<std::string>{});
  return plans;
}

/// The model of a text `model m(…) { … }` with all defaults, under `train { seq = 8; … }`.
inline std::shared_ptr<const ir::Model> modelOf(const std::string& text, const std::string& train = "seq = 8; ") {
  auto plans = plansOf("import std.ops\nimport std.blocks\nimport std.optimizers\n" + text +
                       "\nplan p {\n model = m\n train { " + train +
                       "global_batch = 4; micro_batch = 2; optimizer = optimizers.adam }\n}\n");
  EXPECT_EQ(plans.size(), 1u);
  return plans.empty() ? nullptr : plans[0]->model;
}

} // namespace planc::frontend
