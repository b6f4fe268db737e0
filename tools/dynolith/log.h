// The server's log: one line per event on standard error, for people or for programs.
//
//   text = time " " level " " text (" " name "=" value)*
//          2026-01-31T12:00:00.000Z warning refused a web page: … count=3 cause="two words"
//   json =
//   {"time":"2026-01-31T12:00:00.000Z","level":"warning","message":"…","count":3,"cause":"…"}
#ifndef DYNOLITH_TOOLS_DYNOLITH_LOG_H_
#define DYNOLITH_TOOLS_DYNOLITH_LOG_H_

#include <spdlog/logger.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

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

// Without its line break; texts that are empty are left out. Control characters and bytes that are
// no UTF-8 do not get through, so that nobody can write lines of their own.
std::string LogLine(bool json, absl::Time time, LogLevel level, std::string_view text,
                    std::initializer_list<LogField> fields);

// Thread-safe. Each line is written at once; what cannot be written is dropped.
class Log {
 public:
  explicit Log(LogOptions options);

  bool Shows(LogLevel level) const { return level <= options_.level; }
  void Write(LogLevel level, std::string_view text, std::initializer_list<LogField> fields = {});

 private:
  const LogOptions options_;
  spdlog::logger sink_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_LOG_H_
