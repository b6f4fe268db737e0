#include "api/remote/credential_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/time/clock.h"
#include "api/remote/messages.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

extern char** environ;

namespace dynolith::client {
namespace {

constexpr absl::Duration kLookPause = absl::Milliseconds(5);

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// Files, not pipes: a process that writes much or leaves another one behind keeps nobody waiting.
using OutputFile = std::unique_ptr<std::FILE, FileCloser>;

std::string WholeText(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof part, file)) text.append(part, size);
  absl::StripAsciiWhitespace(&text);
  return text;
}

// 0, or an errno.
int StartShell(const std::string& command, std::FILE* output, std::FILE* errors, pid_t* child) {
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  int error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  if (error == 0) {
    error = posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
  }
  if (error == 0) {
    error = posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
  }
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  char* const arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
  if (error == 0) error = posix_spawn(child, "/bin/sh", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Whether it ended by itself, and well.
bool AwaitEnd(pid_t child, absl::Duration time) {
  const absl::Time end = absl::Now() + time;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    // Other code that waits for all children has received its end.
    if (ended < 0 && errno != EINTR) return true;
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (absl::Now() >= end) break;
    absl::SleepFor(kLookPause);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

}  // namespace

absl::StatusOr<Credentials> FetchFromProcess(const std::string& command, absl::Duration time) {
  const OutputFile output(std::tmpfile());
  const OutputFile errors(std::tmpfile());
  pid_t child = 0;
  const int error = output == nullptr || errors == nullptr
                        ? errno
                        : StartShell(command, output.get(), errors.get(), &child);
  if (error != 0) {
    return absl::UnavailableError(messages::ProcessFailed(command, ErrnoReason(error)));
  }
  if (!AwaitEnd(child, time)) {
    return absl::UnavailableError(messages::ProcessFailed(command, WholeText(errors.get())));
  }
  absl::StatusOr<Credentials> credentials = ParseCredentials(WholeText(output.get()));
  if (credentials.ok()) return credentials;
  return absl::UnavailableError(messages::ProcessFailed(command, MessageOf(credentials.status())));
}

}  // namespace dynolith::client
