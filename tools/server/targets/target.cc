#include "tools/server/targets/target.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "api/remote/http_connection.h"
#include "api/remote/server_address.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/targets/command_run.h"
#include "tools/server/targets/messages.h"
#include "tools/server/targets/target_url.h"

namespace dynolith::targets {
namespace {

constexpr std::string_view kFunctionError = "X-Amz-Function-Error";
constexpr int kHttpThrottled = 429;
// Of an answer's body in an error.
constexpr size_t kShownBytesMax = 500;

std::string Shown(std::string_view text) {
  return std::string(designs::WithoutSpaces(text.substr(0, kShownBytesMax)));
}

std::string HeaderOf(const client::HttpAnswer& answer, std::string_view wanted) {
  for (const auto& [name, value] : answer.headers) {
    if (absl::EqualsIgnoreCase(name, ToAbsl(wanted))) return value;
  }
  return "";
}

// How a runtime reports an error in a body, where an emulator sends no header:
// {"errorMessage": …, "errorType": …}.
bool IsErrorReport(std::string_view body) {
  const std::optional<JsonTree> tree = ParseJson(body, designs::kJsonDepthMax);
  return tree && tree->Find("errorMessage") != nullptr && tree->Find("errorType") != nullptr;
}

Invocation Judge(const client::HttpAnswer& answer) {
  Invocation invocation = {.status = answer.status};
  if (answer.status < 200 || answer.status > 299) {
    invocation.result =
        answer.status == kHttpThrottled ? Invocation::Result::kAway : Invocation::Result::kFailed;
    invocation.error = messages::TargetAnswered(answer.status, Shown(answer.body));
    return invocation;
  }
  invocation.function_error = HeaderOf(answer, kFunctionError);
  if (invocation.function_error.empty() && IsErrorReport(answer.body)) {
    invocation.function_error = "Unhandled";
  }
  if (!invocation.function_error.empty()) {
    invocation.result = Invocation::Result::kFailed;
    invocation.error = messages::TargetFunctionError(invocation.function_error, Shown(answer.body));
    return invocation;
  }
  invocation.result = Invocation::Result::kSucceeded;
  invocation.answer = answer.body;
  return invocation;
}

class HttpTarget final : public Target {
 public:
  HttpTarget(TargetUrl url, std::unique_ptr<client::TlsTrust> trust, absl::Duration timeout,
             const std::atomic<bool>* interrupted)
      : url_(std::move(url)),
        trust_(std::move(trust)),
        timeout_(timeout),
        interrupted_(interrupted),
        connection_(client::HttpConnection::Make(
            url_.address, trust_.get(),
            {.answer = std::chrono::seconds(absl::ToInt64Seconds(timeout))})) {}

  Invocation Invoke(std::string_view event) override {
    const client::HttpHeaders headers = {{"Host", url_.address.authority},
                                         {"Content-Type", "application/json"}};
    const absl::Time start = absl::Now();
    const absl::StatusOr<client::HttpAnswer> answer =
        connection_->Send({.target = url_.path,
                           .headers = headers,
                           .body = event,
                           .keeps_headers = true,
                           .interrupted = interrupted_});
    if (answer.ok()) return Judge(*answer);
    Invocation invocation = {.error = std::string(MessageOf(answer.status()))};
    if (absl::Now() - start >= timeout_ && !interrupted_->load()) {
      invocation.result = Invocation::Result::kFailed;
      invocation.error = messages::TargetTimedOut(absl::ToInt64Seconds(timeout_));
    }
    return invocation;
  }

 private:
  const TargetUrl url_;
  const std::unique_ptr<client::TlsTrust> trust_;  // nullptr without TLS
  const absl::Duration timeout_;
  const std::atomic<bool>* const interrupted_;
  const std::unique_ptr<client::HttpConnection> connection_;
};

class CommandTarget final : public Target {
 public:
  CommandTarget(std::string_view command, absl::Duration timeout,
                const std::atomic<bool>* interrupted)
      : command_(command), timeout_(timeout), interrupted_(interrupted) {}

  Invocation Invoke(std::string_view event) override {
    return RunCommand(command_, event, timeout_, interrupted_);
  }

 private:
  const std::string command_;
  const absl::Duration timeout_;
  const std::atomic<bool>* const interrupted_;
};

absl::StatusOr<std::unique_ptr<Target>> MakeHttp(std::string_view address, absl::Duration timeout,
                                                 const std::atomic<bool>* interrupted) {
  std::optional<TargetUrl> url = SplitTargetUrl(address);
  if (!url) return absl::InvalidArgumentError(messages::TargetBadUrl(address));
  std::unique_ptr<client::TlsTrust> trust;
  if (url->address.is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(trust, client::TlsTrust::Load(""));
  }
  return std::make_unique<HttpTarget>(*std::move(url), std::move(trust), timeout, interrupted);
}

// 0 or an errno. The line is in the file whole, or was cut off again.
int AppendDurably(const std::string& file, std::string_view line) {
  constexpr mode_t kMode = 0644;
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (opened < 0) return errno;
  // Others that write to it wait, so that nothing of theirs is cut off.
  while (flock(opened, LOCK_EX) != 0 && errno == EINTR) {
  }
  const off_t before = lseek(opened, 0, SEEK_END);
  int error = 0;
  for (std::string_view rest = line; error == 0 && !rest.empty();) {
    const ssize_t written = write(opened, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fdatasync(opened) != 0 && errno != EINVAL) error = errno;
  if (error != 0 && before >= 0 && ftruncate(opened, before) != 0) error = errno;
  close(opened);
  return error;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Target>> Target::Make(std::string_view target,
                                                     absl::Duration timeout,
                                                     const std::atomic<bool>* interrupted) {
  if (!target.starts_with(kExec)) return MakeHttp(target, timeout, interrupted);
  return std::make_unique<CommandTarget>(target.substr(kExec.size()), timeout, interrupted);
}

absl::Status DeliverLine(const std::string& destination, std::string_view line,
                         const std::atomic<bool>* interrupted) {
  constexpr absl::Duration kTimeout = absl::Seconds(30);
  if (!http::IsServerUrl(destination)) {
    const int error = AppendDurably(destination, line);
    if (error == 0) return absl::OkStatus();
    return absl::UnavailableError(ErrnoReason(error));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Target> target,
                            MakeHttp(destination, kTimeout, interrupted));
  const Invocation invocation = target->Invoke(line);
  if (invocation.result == Invocation::Result::kSucceeded) return absl::OkStatus();
  return absl::UnavailableError(invocation.error);
}

}  // namespace dynolith::targets
