// The server's log: one line per event on standard error, for people or for programs.
//
//   text = time " " level " " text (" " name "=" value)*
//          2026-01-31T12:00:00.000Z warning refused a web page: … count=3 cause="two words"
//   json = an object with the members time, level and message, and one for each name:
//          {"time":"2026-01-31T12:00:00.000Z","level":"warning","message":"…","count":3}
#ifndef DYNOLITH_TOOLS_SERVER_LOG_H_
#define DYNOLITH_TOOLS_SERVER_LOG_H_

#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith {

enum class LogLevel : uint8_t {
  kError,    // a call, an import or work in the background failed by the server's own fault
  kWarning,  // somebody should change something
  kInfo      // each request
};

struct LogOptions {
  LogLevel level = LogLevel::kWarning;  // events beyond it are left out
  bool json = false;
};

struct LogField {
  std::string_view name;
  std::variant<std::string_view, int64_t> value;
};

// Without its line break; empty texts are left out. Control characters and invalid UTF-8 are
// replaced, so that no client can forge a line.
std::string LogLine(bool json, absl::Time time, LogLevel level, std::string_view text,
                    std::initializer_list<LogField> fields);

// Thread-safe. Each line is written at once without waiting for the reader: a full pipe loses
// lines, and the next line that fits gives their number.
class Log {
 public:
  // `file` stays the caller's.
  explicit Log(LogOptions options, int file = STDERR_FILENO) : options_(options), file_(file) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();

  bool Shows(LogLevel level) const { return level <= options_.level; }
  // Whether programs read it: they need fields where people read a sentence.
  bool is_json() const { return options_.json; }
  void Write(LogLevel level, std::string_view text, std::initializer_list<LogField> fields = {});

 private:
  // Whether it was written completely.
  bool WriteLine(std::string line) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SayWhatIsLost() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const LogOptions options_;
  const int file_;
  absl::Mutex mutex_;
  int64_t lost_ ABSL_GUARDED_BY(mutex_) = 0;     // lines since the last one that was written
  bool is_cut_ ABSL_GUARDED_BY(mutex_) = false;  // whether the last one was written in part
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_LOG_H_
