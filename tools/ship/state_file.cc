#include "tools/ship/state_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "engine/base/crc32c.h"
#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/strings.h"
#include "tools/backup/file_copy.h"
#include "tools/ship/lines.h"
#include "tools/ship/messages.h"

namespace dynolith::ship {
namespace {

constexpr std::string_view kStateVersion = "1";

// Whether it is the folder `outer`, or lies in it. A folder may have several absolute names, as
// where it is mounted twice.
bool IsWithin(const std::filesystem::path& inner, const std::filesystem::path& outer) {
  for (std::filesystem::path at = inner;; at = at.parent_path()) {
    std::error_code error;
    if (at == outer || std::filesystem::equivalent(at, outer, error)) return true;
    if (at == at.parent_path()) return false;
  }
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReadStateFile(const std::string& file,
                                                         std::string_view magic) {
  const FileText read = ReadFileText(file);
  if (read.error == ENOENT) return std::nullopt;
  if (read.error != 0) {
    return ErrnoStatus(read.error, messages::FileUnread(file, ErrnoReason(read.error)));
  }
  std::string_view end = read.text;
  const size_t end_at = end.rfind("end ");
  const absl::Status unreadable = absl::DataLossError(messages::ShippedUnreadable(file));
  if (end_at == std::string_view::npos) return unreadable;
  std::string_view lines = end.substr(0, end_at);
  end.remove_prefix(end_at);
  if (TakeNumberLine("end", &end) != Crc32c(lines)) return unreadable;
  const std::optional<std::string_view> version = TakeLine(magic, &lines);
  if (!version) return unreadable;
  if (*version != kStateVersion) return absl::FailedPreconditionError(messages::ShippedNewer(file));
  return std::string(lines);
}

absl::Status WriteStateFile(const std::string& file, std::string_view magic,
                            std::string_view lines) {
  const std::string text = Concat(magic, " ", kStateVersion, "\n", lines);
  return PlaceTextFile(Concat(file, ".new"), file, Concat(text, "end ", Crc32c(text), "\n"));
}

std::string CurrentManifest(const std::string& folder) {
  std::string text = ReadFileText(Concat(folder, "/CURRENT")).text;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string RealFolder(const std::string& given) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::absolute(given, error);
  if (!error) real = std::filesystem::weakly_canonical(real, error);
  std::string folder = error ? given : real.lexically_normal().string();
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

std::string RealTarget(const std::string& url) {
  constexpr std::string_view kFile = "file://";
  if (url.starts_with("s3://")) return url;
  return RealFolder(url.starts_with(kFile) ? url.substr(kFile.size()) : url);
}

absl::Status CheckApart(const std::string& url, const std::string& folder) {
  if (url.starts_with("s3://")) return absl::OkStatus();
  const std::string target = RealTarget(url);
  if (IsWithin(target, folder)) {
    return absl::InvalidArgumentError(messages::TargetWithinStore(url, folder));
  }
  if (IsWithin(folder, target)) {
    return absl::InvalidArgumentError(messages::StoreWithinTarget(url, folder));
  }
  return absl::OkStatus();
}

}  // namespace dynolith::ship
