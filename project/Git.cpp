// Runs git, with nameless files for what it reads and writes: no pipe can fill up.
// SPDX-License-Identifier: Apache-2.0
#include "project/Git.h"

#include "support/Files.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace planc::project {

namespace {

/// A file without a name, which ends with this.
class Scratch {
public:
  explicit Scratch(std::string_view text = {}) : file_(std::tmpfile(), &std::fclose) {
    if (!file_) return;
    const bool written = text.empty() || std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
    made_ = written && std::fflush(file_.get()) == 0;
    std::rewind(file_.get());
  }
  bool made() const { return made_; }
  int descriptor() const { return ::fileno(file_.get()); }
  std::string text() const {
    constexpr size_t kMost = size_t(1) << 31;
    ::lseek(descriptor(), 0, SEEK_SET);
    std::string error;
    return readAtMost(Descriptor(::dup(descriptor())), kMost, error).value_or("");
  }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool made_ = false;
};

std::string firstLine(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// Does an entry of the environment name a repository, or a part of one? Others say how it is reached: keys, proxies.
bool namesRepository(std::string_view entry) {
  constexpr std::string_view kNames[] = {
      "GIT_DIR=",
      "GIT_WORK_TREE=",
      "GIT_COMMON_DIR=",
      "GIT_INDEX_FILE=",
      "GIT_NAMESPACE=",
      "GIT_PREFIX=",
      "GIT_OBJECT_DIRECTORY=",
      "GIT_ALTERNATE_OBJECT_DIRECTORIES=",
      "GIT_GRAFT_FILE=",
      "GIT_SHALLOW_FILE=",
      "GIT_REPLACE_REF_BASE=",
      "GIT_NO_REPLACE_OBJECTS=",
      "GIT_QUARANTINE_PATH=",
  };
  return std::any_of(std::begin(kNames), std::end(kNames), [&](auto name) { return entry.starts_with(name); });
}

/// The environment with what makes git's words the same everywhere; with `own` without what names a repository.
std::vector<std::string> environment(bool own) {
  std::vector<std::string> out;
  for (char** at = environ; *at; ++at) {
    const std::string_view entry = *at;
    if (entry.starts_with("LC_ALL=") || entry.starts_with("LANGUAGE=") || (own && namesRepository(entry))) continue;
    out.emplace_back(entry);
  }
  out.emplace_back("LC_ALL=C");
  out.emplace_back("GIT_TERMINAL_PROMPT=0");
  out.emplace_back("GIT_OPTIONAL_LOCKS=0");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// Waits for a child, and ends it when what it writes grows over a bound; zero: there is none. An error number, or
/// zero.
int await(pid_t child, const Scratch& written, size_t mostBytes, int& status) {
  constexpr useconds_t kPause = 1000;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, mostBytes ? WNOHANG : 0);
    if (ended == child) return 0;
    if (ended < 0 && errno != EINTR) return errno;
    if (!mostBytes) continue;
    struct stat info {};
    if (::fstat(written.descriptor(), &info) == 0 && static_cast<size_t>(info.st_size) > mostBytes) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return EFBIG;
    }
    ::usleep(kPause);
  }
}

/// Starts it and waits; returns an error number, or zero with its status.
int spawn(std::vector<std::string>& words, std::vector<std::string>& variables, const Scratch (&files)[3],
          size_t mostBytes, int& status) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, files[i].descriptor(), i);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  return failed ? failed : await(child, files[1], mostBytes, status);
}

} // namespace

std::string GitAnswer::complaint() const {
  std::string first = firstLine(err);
  for (const std::string_view head : {"fatal: ", "error: "})
    if (first.starts_with(head)) first.erase(0, head.size());
  return first.empty() ? "it ended with " + std::to_string(code) : first;
}

std::string GitAnswer::line() const {
  return firstLine(out);
}

GitPlace gitPlaceOf(const std::string& folder) {
  const bool said = std::getenv("GIT_DIR") || std::getenv("GIT_WORK_TREE");
  if (said && runGit({"."}, {"rev-parse", "--git-dir"}).ok()) return {"."};
  return {folder, "", said};
}

GitAnswer runGit(const GitPlace& place, const std::vector<std::string>& words, std::string_view input,
                 size_t mostBytes) {
  std::vector<std::string> all = {"git", "-C", place.folder};
  if (!place.data.empty()) all.push_back("--git-dir=" + place.data);
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables = environment(place.own);
  GitAnswer answer;
  const Scratch files[3] = {Scratch(input), Scratch(), Scratch()};
  if (!files[0].made() || !files[1].made() || !files[2].made()) {
    answer.code = -1;
    answer.err = "no temporary file can be written";
    return answer;
  }
  int status = 0;
  if (const int failed = spawn(all, variables, files, mostBytes, status)) {
    answer.found = failed != ENOENT;
    answer.code = -1;
    answer.err = failed == EFBIG ? "there is more of it than is read" : std::strerror(failed);
    return answer;
  }
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  answer.found = answer.code != 127; // of systems whose spawn tells it this way
  answer.out = files[1].text();
  answer.err = files[2].text();
  return answer;
}

} // namespace planc::project
