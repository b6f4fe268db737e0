#include "engine/store/info_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/strings.h"

namespace dynolith {

InfoLog::InfoLog(const std::string& folder, size_t file_bytes_max)
    : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL),
      file_(Concat(folder, "/LOG")),
      file_bytes_max_(file_bytes_max) {
  absl::MutexLock lock(&mutex_);
  Begin();
}

InfoLog::~InfoLog() {
  absl::MutexLock lock(&mutex_);
  if (descriptor_ >= 0) close(descriptor_);
}

void InfoLog::Begin() {
  if (descriptor_ >= 0) close(descriptor_);
  // This fails if there is no older log, and then there is nothing to keep.
  std::rename(file_.c_str(), (file_ + ".old").c_str());
  descriptor_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  bytes_ = 0;
}

void InfoLog::Logv(const char* format, va_list arguments) {
  std::array<char, 2048> text;
  const int size = std::vsnprintf(text.data(), text.size(), format, arguments);
  if (size < 0) return;
  const size_t length = std::min(static_cast<size_t>(size), text.size() - 1);
  std::string line = absl::FormatTime("%Y/%m/%d-%H:%M:%E6S ", absl::Now(), absl::LocalTimeZone());
  line.append(text.data(), length);
  if (!line.ends_with('\n')) line.push_back('\n');

  absl::MutexLock lock(&mutex_);
  if (bytes_ + line.size() > file_bytes_max_) Begin();
  if (descriptor_ < 0) return;
  const ssize_t written = write(descriptor_, line.data(), line.size());
  if (written > 0) bytes_ += static_cast<size_t>(written);
}

}  // namespace dynolith
