#include "tools/server/targets/command_run.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>

#include "absl/time/clock.h"
#include "engine/base/errno_status.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/targets/messages.h"

extern char** environ;

namespace dynolith::targets {
namespace {

constexpr absl::Duration kExitLookPause = absl::Milliseconds(5);
// Of what a command has written to its standard error, the end.
constexpr size_t kErrorBytesMax = 500;
// Of its answer, as of one over HTTP.
constexpr size_t kAnswerBytesMax = 64 << 20;

struct FileEnd {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// Files, not pipes: a process that reads nothing, writes much or leaves another one behind keeps
// nobody waiting.
using ScratchFile = std::unique_ptr<std::FILE, FileEnd>;

std::string TextOf(std::FILE* file, size_t bytes_max) {
  std::string text;
  std::rewind(file);
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof part, file)) {
    text.append(part, std::min(size, bytes_max - text.size()));
    if (text.size() == bytes_max) break;
  }
  return text;
}

std::string LastErrors(std::FILE* file) {
  const std::string text = TextOf(file, kAnswerBytesMax);
  const std::string_view end =
      std::string_view(text).substr(text.size() - std::min(text.size(), kErrorBytesMax));
  return std::string(designs::WithoutSpaces(end));
}

struct Streams {
  ScratchFile input{std::tmpfile()};
  ScratchFile output{std::tmpfile()};
  ScratchFile errors{std::tmpfile()};
};

// Signals as a shell expects them: the server blocks those that end it. 0, or an errno.
int SetAttributes(posix_spawnattr_t* attributes) {
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &defaults);
  if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
  constexpr int kFlags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
  if (error == 0) error = posix_spawnattr_setflags(attributes, kFlags);
  return error;
}

// 0, or an errno.
int SpawnShell(const std::string& command, const Streams& streams, pid_t* child) {
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  posix_spawnattr_t attributes;
  int error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  error = SetAttributes(&attributes);
  const std::pair<std::FILE*, int> ends[] = {{streams.input.get(), STDIN_FILENO},
                                             {streams.output.get(), STDOUT_FILENO},
                                             {streams.errors.get(), STDERR_FILENO}};
  for (const auto& [file, number] : ends) {
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, fileno(file), number);
  }
  // Sockets, which are not closed by themselves: a command may live longer than a server that was
  // killed, whose port would stay taken.
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  char* const arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
  if (error == 0) error = posix_spawn(child, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// The status of waitpid; nullopt: it was killed, since it took too long or must end.
std::optional<int> AwaitExit(pid_t child, absl::Duration timeout,
                             const std::atomic<bool>* interrupted) {
  const absl::Time end = absl::Now() + timeout;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (absl::Now() >= end || interrupted->load()) break;
    absl::SleepFor(kExitLookPause);
  }
  kill(-child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

Invocation NotStarted(int error) {
  return {.error = messages::CommandNotStarted(ErrnoReason(error))};
}

}  // namespace

Invocation RunCommand(const std::string& command, std::string_view event, absl::Duration timeout,
                      const std::atomic<bool>* interrupted) {
  const Streams streams;
  if (!streams.input || !streams.output || !streams.errors) return NotStarted(errno);
  const bool is_written =
      std::fwrite(event.data(), 1, event.size(), streams.input.get()) == event.size() &&
      std::fflush(streams.input.get()) == 0;
  if (!is_written) return NotStarted(errno);
  std::rewind(streams.input.get());
  pid_t child = 0;
  if (const int error = SpawnShell(command, streams, &child); error != 0) return NotStarted(error);
  const std::optional<int> status = AwaitExit(child, timeout, interrupted);
  if (!status && interrupted->load()) return {.error = messages::DeliveryInterrupted()};
  Invocation invocation = {.result = Invocation::Result::kFailed};
  if (!status) {
    invocation.error = messages::TargetTimedOut(absl::ToInt64Seconds(timeout));
  } else if (WIFSIGNALED(*status)) {
    invocation.error = messages::CommandKilled(WTERMSIG(*status), LastErrors(streams.errors.get()));
  } else if (*status != 0) {
    invocation.error =
        messages::CommandEnded(WEXITSTATUS(*status), LastErrors(streams.errors.get()));
  } else {
    invocation.result = Invocation::Result::kSucceeded;
    invocation.answer = TextOf(streams.output.get(), kAnswerBytesMax);
  }
  return invocation;
}

}  // namespace dynolith::targets
