// The files of tests/lit that say `// error[PLAN0201]` behind a line: exactly these reports, on exactly these lines.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace planc::frontend {
namespace {

using Expected = std::multiset<std::string>;

/// `LINE CODE` of every annotation.
Expected annotations(const std::string& path) {
  constexpr std::string_view kCode = "[PLAN"; // no regular expression: g++ 12 warns about its own under sanitizers
  Expected found;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const size_t comment = std::min(line.find("// error["), line.find("// warning["));
    if (comment == std::string::npos) continue;
    for (size_t at = line.find(kCode, comment); at != std::string::npos; at = line.find(kCode, at + 1))
      found.insert(std::to_string(number) + " " + line.substr(at + 1, 8));
  }
  return found;
}

class Annotated : public ::testing::TestWithParam<std::string> {};

TEST_P(Annotated, ReportsWhatItSays) {
  const std::string path = std::string(PLANC_SOURCE_DIR "/tests/lit/") + GetParam();
  Session session;
  std::string error;
  ASSERT_TRUE(session.load(path, error)) << error;
  session.check();
  Expected found;
  std::string all;
  for (const Diagnostic* d : session.diagnostics().sorted()) {
    const std::string line = std::to_string(session.sources().begin(d->range).line);
    if (session.sources().path(d->range.file) == path)
      found.insert(line + " " + d->kind->id());
    else
      all += "(elsewhere) ";
    all += line + " " + d->kind->id() + " " + d->message + "\n";
  }
  EXPECT_EQ(found, annotations(path)) << all;
  EXPECT_FALSE(found.empty() && GetParam().find("error") != std::string::npos);
}

std::vector<std::string> files() {
  std::vector<std::string> found;
  for (const char* folder : {"names", "modules", "types", "model", "records", "plan"}) {
    const auto path = std::filesystem::path(PLANC_SOURCE_DIR) / "tests/lit" / folder;
    if (!std::filesystem::exists(path)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".plan")
        found.push_back(std::string(folder) + "/" + entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

INSTANTIATE_TEST_SUITE_P(Lit, Annotated, ::testing::ValuesIn(files()), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

} // namespace
} // namespace planc::frontend
