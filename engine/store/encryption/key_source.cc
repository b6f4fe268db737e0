#include "engine/store/encryption/key_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/messages.h"
#include "engine/store/encryption/secret_key.h"

extern char** environ;

namespace dynolith {
namespace {

// A key service far away may take its time; a command that waits for a person would wait forever.
constexpr absl::Duration kCommandTimeMax = absl::Seconds(60);
constexpr absl::Duration kLookPause = absl::Milliseconds(2);
// No form of a key has as many bytes.
constexpr size_t kOutputBytesMax = 4096;

void Wipe(std::string* text) { OPENSSL_cleanse(text->data(), text->size()); }

absl::Status SourceFailure(const std::string& source, int error) {
  return ErrnoStatus(error, messages::KeyUnread(source, ErrnoReason(error)));
}

// Signals as a shell expects them, whatever this process does about them, and a group of its own,
// so that all that it starts can be ended. 0, or an errno.
int SetAttributes(posix_spawnattr_t* attributes) {
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&defaults, signal);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &defaults);
  if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
  constexpr int kFlags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
  if (error == 0) error = posix_spawnattr_setflags(attributes, kFlags);
  return error;
}

#ifdef __GLIBC_PREREQ
#define DYNOLITH_GLIBC_2_34 __GLIBC_PREREQ(2, 34)
#else
#define DYNOLITH_GLIBC_2_34 0
#endif

// Sockets and files of this process are not for it. 0, or an errno.
int CloseOthers(posix_spawn_file_actions_t* actions) {
#if DYNOLITH_GLIBC_2_34
  return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#else
  // Each that is open now, as older C libraries and musl know no "all".
  DIR* const open_files = opendir("/proc/self/fd");
  if (open_files == nullptr) return errno;
  const auto close_folder = absl::MakeCleanup([open_files] { closedir(open_files); });
  int error = 0;
  while (const dirent* const file = readdir(open_files)) {
    int number = 0;
    if (!absl::SimpleAtoi(file->d_name, &number) || number <= STDERR_FILENO) continue;
    if (error == 0) error = posix_spawn_file_actions_addclose(actions, number);
  }
  return error;
#endif
}

// 0, or an errno.
int StartShell(const std::string& command, int output, pid_t* child) {
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  posix_spawnattr_t attributes;
  int error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  error = SetAttributes(&attributes);
  if (error == 0) {
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (error == 0) error = CloseOthers(&actions);
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  char* const arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
  if (error == 0) error = posix_spawn(child, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// What comes until the pipe's other end is closed. False: not in time, or too much.
bool ReadUntil(absl::Time deadline, int input, std::string* text) {
  std::array<char, 512> part;
  bool has_ended = false;
  for (;;) {
    const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    if (left <= 0 || text->size() > kOutputBytesMax) break;
    pollfd waiting = {.fd = input, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(input, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      has_ended = true;
      break;
    }
    text->append(part.data(), static_cast<size_t>(got));
  }
  OPENSSL_cleanse(part.data(), part.size());
  return has_ended;
}

// Its status as waitpid has it; nullopt: it has not ended in time.
std::optional<int> AwaitEnd(pid_t child, absl::Time deadline) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    // Other code that waits for all children has received its end.
    if (ended < 0 && errno != EINTR) return 0;
    if (absl::Now() >= deadline) return std::nullopt;
    absl::SleepFor(kLookPause);
  }
}

absl::StatusOr<std::string> OutputOf(const std::string& command, const std::string& source) {
  std::array<int, 2> ends;
  // A pipe, as a file would leave the key on a disk.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return SourceFailure(source, errno);
  pid_t child = 0;
  const int error = StartShell(command, ends[1], &child);
  close(ends[1]);
  const auto close_input = absl::MakeCleanup([&] { close(ends[0]); });
  if (error != 0) return SourceFailure(source, error);
  const absl::Time deadline = absl::Now() + kCommandTimeMax;
  std::string text;
  const bool has_ended = ReadUntil(deadline, ends[0], &text);
  const std::optional<int> status = has_ended ? AwaitEnd(child, deadline) : std::nullopt;
  const auto fail = [&](const std::string& reason) {
    Wipe(&text);
    return absl::FailedPreconditionError(messages::KeyUnread(source, reason));
  };
  if (!status) {
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (text.size() > kOutputBytesMax) {
      return absl::InvalidArgumentError(messages::KeyMalformed(source, text.size()));
    }
    return fail(messages::KeyCommandSlow(absl::ToInt64Seconds(kCommandTimeMax)));
  }
  if (WIFSIGNALED(*status)) return fail(messages::KeyCommandKilled(WTERMSIG(*status)));
  if (WEXITSTATUS(*status) != 0) return fail(messages::KeyCommandFailed(WEXITSTATUS(*status)));
  return text;
}

struct Source {
  enum class Kind : uint8_t { kFile, kVariable, kCommand };
  Kind kind = Kind::kFile;
  std::string of;
};

std::optional<Source> Parse(std::string_view text) {
  constexpr std::pair<std::string_view, Source::Kind> kKinds[] = {
      {"file:", Source::Kind::kFile},
      {"env:", Source::Kind::kVariable},
      {"command:", Source::Kind::kCommand}};
  for (const auto& [mark, kind] : kKinds) {
    if (!text.starts_with(mark) || text.size() == mark.size()) continue;
    return Source{.kind = kind, .of = std::string(text.substr(mark.size()))};
  }
  return std::nullopt;
}

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c); });
}

}  // namespace

absl::StatusOr<SecretKey> KeyFromText(std::string_view source, std::string_view text) {
  // Before white space is taken off, as any byte may be one of a key. Hexadecimal digits are half
  // of a key.
  if (text.size() == SecretKey::kBytes && !IsHex(text)) return SecretKey(text);
  const std::string_view written = ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
  std::string bytes;
  if (written.size() == 2 * SecretKey::kBytes && IsHex(written)) {
    bytes = absl::HexStringToBytes(ToAbsl(written));
  } else if (!absl::Base64Unescape(ToAbsl(written), &bytes)) {
    bytes.clear();
  }
  if (bytes.size() != SecretKey::kBytes) {
    return absl::InvalidArgumentError(messages::KeyMalformed(source, text.size()));
  }
  const SecretKey key(bytes);
  Wipe(&bytes);
  return key;
}

bool IsKeySource(std::string_view source) { return Parse(source).has_value(); }

absl::StatusOr<SecretKey> ReadWrappingKey(std::string_view source) {
  const std::optional<Source> parsed = Parse(source);
  if (!parsed) return absl::InvalidArgumentError(messages::NotAKeySource(source));
  std::string name;
  std::string text;
  switch (parsed->kind) {
    case Source::Kind::kFile: {
      name = messages::KeySourceOfFile(parsed->of);
      FileText read = ReadFileText(parsed->of, kOutputBytesMax);
      if (read.error != 0) return SourceFailure(name, read.error);
      text = std::move(read.text);
      break;
    }
    case Source::Kind::kVariable: {
      name = messages::KeySourceOfVariable(parsed->of);
      const char* const value = std::getenv(parsed->of.c_str());
      if (value == nullptr) {
        return absl::FailedPreconditionError(
            messages::KeyUnread(name, messages::KeyVariableUnset()));
      }
      text = value;
      break;
    }
    case Source::Kind::kCommand: {
      name = messages::KeySourceOfCommand(parsed->of);
      DYNOLITH_ASSIGN_OR_RETURN(text, OutputOf(parsed->of, name));
      break;
    }
  }
  absl::StatusOr<SecretKey> key = KeyFromText(name, text);
  Wipe(&text);
  return key;
}

}  // namespace dynolith
