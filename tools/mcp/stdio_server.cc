#include "tools/mcp/stdio_server.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "engine/process/thread_start.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"

namespace dynolith::mcp {
namespace {

constexpr size_t kReadBytes = 64 << 10;

class StdioServer {
 public:
  StdioServer(const ServerParts& parts, int input, int output)
      : session_(&parts), input_(input), output_(output) {}

  absl::Status Run() {
    std::thread worker;
    DYNOLITH_RETURN_IF_ERROR(StartThread([this] { RunQueue(); }, &worker));
    const absl::Status read = ReadLines();
    {
      const absl::MutexLock lock(&mutex_);
      is_over_ = true;
    }
    worker.join();
    const absl::MutexLock lock(&write_mutex_);
    return read.ok() ? write_error_ : read;
  }

 private:
  absl::Status ReadLines() {
    std::string line;
    bool is_too_long = false;
    std::string block(kReadBytes, '\0');
    for (;;) {
      const ssize_t count = read(input_, block.data(), block.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return ErrnoStatus(errno, messages::McpFailed(ErrnoReason(errno)));
      if (count == 0) break;
      std::string_view rest(block.data(), static_cast<size_t>(count));
      while (!rest.empty()) {
        const size_t end = rest.find('\n');
        const std::string_view piece = rest.substr(0, end);
        is_too_long |= line.size() + piece.size() > kMessageBytesMax;
        if (!is_too_long) line += piece;
        if (end == std::string_view::npos) break;
        TakeLine(std::exchange(line, {}), std::exchange(is_too_long, false));
        rest.remove_prefix(end + 1);
      }
    }
    if (!line.empty() || is_too_long) TakeLine(line, is_too_long);
    return absl::OkStatus();
  }

  void TakeLine(const std::string& line, bool is_too_long) {
    if (is_too_long) {
      return Write(ErrorText(
          WordTree("null"),
          {ErrorCode::kParse, messages::McpMessageTooLarge(kMessageBytesMax), std::nullopt}));
    }
    if (line.find_first_not_of(" \t\r") == std::string::npos) return;
    Session::Work work = session_.Take(line);
    if (work.steps.empty()) return;
    if (work.is_quick()) return Write(session_.Run(work, nullptr).text);
    const absl::MutexLock lock(&mutex_);
    queue_.push_back(std::move(work));
  }

  void RunQueue() {
    for (;;) {
      Session::Work work;
      {
        const auto has_work = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
          return is_over_ || !queue_.empty();
        };
        const absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(&has_work));
        if (queue_.empty()) return;
        work = std::move(queue_.front());
        queue_.pop_front();
      }
      Write(session_.Run(work, [this](const std::string& text) { Write(text); }).text);
    }
  }

  void Write(std::string text) {
    if (text.empty()) return;
    text += '\n';
    const absl::MutexLock lock(&write_mutex_);
    std::string_view rest = text;
    while (!rest.empty() && write_error_.ok()) {
      const ssize_t count = write(output_, rest.data(), rest.size());
      if (count >= 0) {
        rest.remove_prefix(static_cast<size_t>(count));
      } else if (errno != EINTR) {
        write_error_ = ErrnoStatus(errno, messages::McpFailed(ErrnoReason(errno)));
        session_.CancelAll();  // nobody reads the answers
      }
    }
  }

  Session session_;
  const int input_;
  const int output_;
  absl::Mutex mutex_;
  std::deque<Session::Work> queue_ ABSL_GUARDED_BY(mutex_);
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Mutex write_mutex_;
  absl::Status write_error_ ABSL_GUARDED_BY(write_mutex_);
};

}  // namespace

absl::Status ServeStdio(const ServerParts& parts, int input, int output) {
  return StdioServer(parts, input, output).Run();
}

}  // namespace dynolith::mcp
