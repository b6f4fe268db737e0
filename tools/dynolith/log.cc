#include "tools/dynolith/log.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "api/json/item_line.h"
#include "engine/base/json_string.h"
#include "tools/dynolith/time_text.h"

namespace dynolith {
namespace {

std::string_view NameOf(LogLevel level) {
  static constexpr std::string_view kNames[] = {"error", "warning", "info"};
  return kNames[static_cast<size_t>(level)];
}

bool IsControl(char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }

// With a question mark for each byte that cannot be shown.
std::string Shown(std::string_view text) {
  std::string shown(text);
  const bool is_utf8 = IsUtf8(text);
  std::replace_if(
      shown.begin(), shown.end(),
      [&](char c) { return IsControl(c) || (!is_utf8 && static_cast<unsigned char>(c) > 0x7f); },
      '?');
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
  line.append(TimeText(time)).append(json ? "\",\"level\":\"" : " ").append(NameOf(level));
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

Log::Log(LogOptions options)
    : options_(options), sink_("", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
  sink_.set_pattern("%v", spdlog::pattern_time_type::utc);
  sink_.set_level(spdlog::level::trace);
}

void Log::Write(LogLevel level, std::string_view text, std::initializer_list<LogField> fields) {
  if (!Shows(level)) return;
  const std::string line = LogLine(options_.json, absl::Now(), level, text, fields);
  sink_.log(spdlog::level::critical, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace dynolith
