#include "engine/store/open_log.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "engine/store/unsaved_options.h"

namespace dynolith {

std::string OpenLog::damaged_file() const {
  absl::MutexLock lock(&mutex_);
  return damaged_file_;
}

void OpenLog::Logv(const char* format, va_list arguments) {
  std::array<char, 1024> text;
  va_list copy;
  va_copy(copy, arguments);
  const int size = std::vsnprintf(text.data(), text.size(), format, copy);
  va_end(copy);
  const std::string_view line(text.data(),
                              size < 0 ? 0 : std::char_traits<char>::length(text.data()));
  if (IsAboutUnsavedOptions(line)) return;
  // RocksDB writes "<level> <file>: dropping <n> bytes; <reason>".
  const size_t end = line.find(": dropping ");
  const size_t begin = line.find('/');
  if (end != std::string_view::npos && begin < end) {
    absl::MutexLock lock(&mutex_);
    damaged_file_ = std::string(line.substr(begin, end - begin));
  }
  if (next_ != nullptr) next_->Logv(format, arguments);
}

}  // namespace dynolith
