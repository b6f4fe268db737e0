#include "tools/backup/snapshot_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "absl/strings/escaping.h"
#include "engine/base/errno_status.h"
#include "engine/base/strings.h"
#include "tools/backup/file_copy.h"
#include "tools/backup/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kMagic = "dynolith snapshot ";
constexpr std::string_view kVersion = "2";
// Version 1 has no name line.
constexpr std::string_view kFirstVersion = "1";
constexpr size_t kSha256Digits = 64;
constexpr size_t kNumberDigits = 6;
constexpr char kTimeFormat[] = "%E4Y%m%dT%H%M%SZ";

std::optional<uint64_t> ToNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsSha256(std::string_view text) {
  return text.size() == kSha256Digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Removes the text before `mark` from the front of `text`, with the mark; all of it if there is
// none.
std::string_view Take(std::string_view* text, char mark) {
  const size_t at = std::min(text->find(mark), text->size());
  const std::string_view taken = text->substr(0, at);
  text->remove_prefix(std::min(text->size(), at + 1));
  return taken;
}

std::optional<SnapshotFile> ParseFile(std::string_view line) {
  if (Take(&line, ' ') != "file") return std::nullopt;
  const std::string_view sha256 = Take(&line, ' ');
  const auto bytes = ToNumber(Take(&line, ' '));
  const auto inode = ToNumber(Take(&line, ' '));
  const auto modified = ToNumber(Take(&line, ' '));
  // A name with a path in it would make a restore write outside of its folder.
  const bool is_name =
      !line.empty() && line != "." && line != ".." && line.find('/') == std::string_view::npos;
  if (!IsSha256(sha256) || !bytes || !inode || !modified || !is_name) return std::nullopt;
  return SnapshotFile{.name = std::string(line),
                      .sha256 = std::string(sha256),
                      .bytes = *bytes,
                      .origin = {*inode, *modified}};
}

// Parses the lines between the first and the last one.
std::optional<StoreSnapshot> ParseBody(std::string_view body, bool has_name) {
  StoreSnapshot snapshot;
  if (has_name) {
    if (Take(&body, ' ') != "name") return std::nullopt;
    snapshot.name = Take(&body, '\n');
    if (!SnapshotNumber(snapshot.name)) return std::nullopt;
  }
  if (Take(&body, ' ') != "store") return std::nullopt;
  if (!absl::CUnescape(ToAbsl(Take(&body, '\n')), &snapshot.store)) return std::nullopt;
  while (!body.empty()) {
    std::optional<SnapshotFile> file = ParseFile(Take(&body, '\n'));
    if (!file) return std::nullopt;
    snapshot.files.push_back(*std::move(file));
  }
  if (snapshot.files.empty()) return std::nullopt;
  return snapshot;
}

}  // namespace

uint64_t StoreSnapshot::bytes() const {
  uint64_t sum = 0;
  for (const SnapshotFile& file : files) sum += file.bytes;
  return sum;
}

absl::StatusOr<SnapshotFile> LookAt(const std::string& path, const std::string& name) {
  struct stat facts = {};
  if (stat(path.c_str(), &facts) != 0) {
    const int error = errno;
    return ErrnoStatus(error, messages::BackupFileUnread(path, ErrnoReason(error)));
  }
  const auto seconds = static_cast<uint64_t>(facts.st_mtim.tv_sec);
  return SnapshotFile{
      .name = name,
      .bytes = static_cast<uint64_t>(facts.st_size),
      .origin = {.inode = facts.st_ino,
                 .modified_nanoseconds =
                     seconds * 1'000'000'000 + static_cast<uint64_t>(facts.st_mtim.tv_nsec)}};
}

std::string SnapshotName(uint64_t number, absl::Time taken) {
  std::string digits = std::to_string(number);
  if (digits.size() < kNumberDigits) digits.insert(0, kNumberDigits - digits.size(), '0');
  return Concat(digits, "-", absl::FormatTime(kTimeFormat, taken, absl::UTCTimeZone()));
}

absl::Time SnapshotTime(std::string_view name) {
  const size_t dash = std::min(name.find('-'), name.size() - 1);
  absl::Time taken;
  std::string error;
  const std::string text(name.substr(dash + 1));
  return absl::ParseTime(kTimeFormat, text, absl::UTCTimeZone(), &taken, &error)
             ? taken
             : absl::InfinitePast();
}

std::optional<uint64_t> SnapshotNumber(std::string_view name) {
  const size_t dash = name.find('-');
  if (dash == std::string_view::npos || dash < kNumberDigits) return std::nullopt;
  return ToNumber(name.substr(0, dash));
}

std::string SnapshotText(const StoreSnapshot& snapshot) {
  std::string text = Concat(kMagic, kVersion, "\n", "name ", snapshot.name, "\n");
  text += Concat("store ", absl::CEscape(snapshot.store), "\n");
  for (const SnapshotFile& file : snapshot.files) {
    text += Concat("file ", file.sha256, " ", file.bytes, " ", file.origin.inode, " ",
                   file.origin.modified_nanoseconds, " ", file.name, "\n");
  }
  return Concat(text, "end ", Sha256OfText(text), "\n");
}

absl::StatusOr<StoreSnapshot> ParseSnapshot(const std::string& file, std::string_view text) {
  const absl::Status unreadable = absl::DataLossError(messages::BackupFolderUnreadable(file));
  const size_t end_at = text.rfind("end ");
  if (!text.starts_with(kMagic) || end_at == std::string_view::npos) return unreadable;
  const std::string_view covered = text.substr(0, end_at);
  // Checked before the version, because a flipped bit is damage, not a newer version.
  if (text.substr(end_at) != Concat("end ", Sha256OfText(covered), "\n")) return unreadable;
  std::string_view rest = covered.substr(kMagic.size());
  const std::string_view version = Take(&rest, '\n');
  if (version != kVersion && version != kFirstVersion) {
    return absl::FailedPreconditionError(messages::BackupFolderNewer(file));
  }
  std::optional<StoreSnapshot> snapshot = ParseBody(rest, version == kVersion);
  if (!snapshot) return unreadable;
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  if (version == kVersion && snapshot->name != name) {
    return absl::DataLossError(messages::BackupOfOtherName(file, snapshot->name));
  }
  return *std::move(snapshot);
}

}  // namespace dynolith
