// Runs git with unnamed temporary files for its input and output, because a pipe could fill up and block.
// SPDX-License-Identifier: Apache-2.0
#include "project/Git.h"

#include "support/files/Files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
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

/// An unnamed temporary file that closes with this object.
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

/// Whether an environment entry names a repository or a part of one. Other variables of git configure access: keys,
/// proxies.
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

/// The environment for git, with the language fixed to make its output uniform; with `own`, without variables that name
/// a repository.
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
  out.emplace_back("GIT_NO_LAZY_FETCH=1");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

bool isLarger(const Scratch& written, size_t bytes) {
  struct stat info {};
  return ::fstat(written.descriptor(), &info) == 0 && static_cast<size_t>(info.st_size) > bytes;
}

/// Waits for a child, and kills it when it exceeds a limit. Returns an error number, or zero.
int await(pid_t child, const Scratch (&files)[3], const GitBounds& bounds, int& status) {
  constexpr useconds_t kPause = 1000;
  const auto begin = std::chrono::steady_clock::now();
  const bool bounded = bounds.bytes || bounds.seconds;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, bounded ? WNOHANG : 0);
    if (ended == child) return 0;
    if (ended < 0 && errno != EINTR) return errno;
    if (!bounded) continue;
    const bool large = bounds.bytes && (isLarger(files[1], bounds.bytes) || isLarger(files[2], bounds.bytes));
    const bool late = bounds.seconds && std::chrono::steady_clock::now() - begin > std::chrono::seconds(bounds.seconds);
    if (large || late) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return large ? EFBIG : ETIME;
    }
    ::usleep(kPause);
  }
}

/// Settings that no repository may change: a bare repository inside another is not used, and no protocol is allowed.
/// Callers that need a protocol allow it in later arguments.
const std::vector<std::string>& settings() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> out = {"-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never"};
    for (const char* protocol : {"https", "http", "ssh", "file", "git", "ext"}) {
      out.emplace_back("-c");
      out.push_back(std::string("protocol.") + protocol + ".allow=never");
    }
    return out;
  }();
  return words;
}

/// Starts git and waits for it. Returns an error number, or zero with the exit status in `status`.
int spawn(std::vector<std::string>& words, std::vector<std::string>& variables, const Scratch (&files)[3],
          const GitBounds& bounds, int& status) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, files[i].descriptor(), i);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  return failed ? failed : await(child, files, bounds, status);
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
                 const GitBounds& bounds) {
  std::vector<std::string> all = {"git", "-C", place.folder};
  all.insert(all.end(), settings().begin(), settings().end());
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
  if (const int failed = spawn(all, variables, files, bounds, status)) {
    answer.found = failed != ENOENT;
    answer.code = -1;
    answer.err = failed == EFBIG   ? "it exceeds the size limit"
                 : failed == ETIME ? "it takes too long"
                                   : std::strerror(failed);
    return answer;
  }
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  answer.found = answer.code != 127; // some systems report a failed spawn by this code
  answer.out = files[1].text();
  answer.err = files[2].text();
  return answer;
}

} // namespace planc::project
