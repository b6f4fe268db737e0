#include "tools/server/log.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "absl/strings/ascii.h"
#include "api/json/item_line.h"
#include "api/service/time_text.h"
#include "engine/text/json_string.h"
#include "tools/server/messages.h"

namespace dynolith {
namespace {

std::string_view LogLevelName(LogLevel level) {
  static constexpr std::string_view kNames[] = {"error", "warning", "info"};
  return kNames[static_cast<size_t>(level)];
}

bool IsControl(char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }

// How many bytes of controls and line breaks beyond ASCII a text begins with: U+0080 to U+009F,
// U+2028 and U+2029.
size_t HiddenBytes(std::string_view text) {
  if (text.starts_with("\xc2") && text.size() > 1 && (text[1] & 0xe0) == 0x80) return 2;
  return text.starts_with("\xe2\x80\xa8") || text.starts_with("\xe2\x80\xa9") ? 3 : 0;
}

// With a question mark for each byte that cannot be shown.
std::string Shown(std::string_view text) {
  std::string shown(text);
  const bool is_utf8 = IsUtf8(text);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_ascii = static_cast<unsigned char>(text[i]) < 0x80;
    const size_t hidden = is_ascii  ? size_t{IsControl(text[i])}
                          : is_utf8 ? HiddenBytes(text.substr(i))
                                    : 1;
    shown.replace(i, hidden, hidden, '?');
    if (hidden > 1) i += hidden - 1;
  }
  return shown;
}

void AppendWord(std::string_view value, std::string* line) {
  const bool is_word = value.find_first_of(" \"=\\") == std::string_view::npos;
  if (is_word) {
    line->append(value);
  } else {
    AppendJsonString(value, line);
  }
}

void AppendField(bool json, const LogField& field, std::string* line) {
  const auto* const text = std::get_if<std::string_view>(&field.value);
  if (text != nullptr && text->empty()) return;
  line->append(json ? ",\"" : " ").append(field.name).append(json ? "\":" : "=");
  if (text == nullptr) {
    line->append(std::to_string(std::get<int64_t>(field.value)));
  } else if (json) {
    AppendJsonString(Shown(*text), line);
  } else {
    AppendWord(Shown(*text), line);
  }
}

}  // namespace

std::string LogLine(bool json, absl::Time time, LogLevel level, std::string_view text,
                    std::initializer_list<LogField> fields) {
  std::string line = json ? "{\"time\":\"" : "";
  line.append(TimeText(time)).append(json ? "\",\"level\":\"" : " ").append(LogLevelName(level));
  if (json) {
    line.append("\",\"message\":");
    AppendJsonString(Shown(text), &line);
  } else {
    line.append(" ").append(Shown(text));
  }
  for (const LogField& field : fields) AppendField(json, field, &line);
  if (json) line.push_back('}');
  return line;
}

Log::~Log() {
  const absl::MutexLock lock(&mutex_);
  SayWhatIsLost();
}

void Log::Write(LogLevel level, std::string_view text, std::initializer_list<LogField> fields) {
  if (!Shows(level)) return;
  std::string line = LogLine(options_.json, absl::Now(), level, text, fields);
  const absl::MutexLock lock(&mutex_);
  SayWhatIsLost();
  if (lost_ > 0 || !WriteLine(std::move(line))) ++lost_;
}

void Log::SayWhatIsLost() {
  if (lost_ == 0) return;
  if (WriteLine(LogLine(options_.json, absl::Now(), LogLevel::kWarning, messages::LogLinesLost(),
                        {{"count", lost_}}))) {
    lost_ = 0;
  }
}

bool Log::WriteLine(std::string line) {
  line.push_back('\n');
  if (is_cut_) line.insert(line.begin(), '\n');
  std::string_view left = line;
  while (!left.empty()) {
    // A pipe that is ready has room for this many bytes.
    pollfd ready = {.fd = file_, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) break;
    const ssize_t written = write(file_, left.data(), std::min<size_t>(left.size(), PIPE_BUF));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    left.remove_prefix(static_cast<size_t>(written));
  }
  if (left.size() < line.size()) is_cut_ = !left.empty();
  return left.empty();
}

}  // namespace dynolith
