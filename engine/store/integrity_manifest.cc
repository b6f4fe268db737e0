#include "engine/store/integrity_manifest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <utility>

#include "engine/base/crc32c.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/statx.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/ciphers.h"
#include "engine/store/encryption/file_format.h"
#include "engine/store/messages.h"
#include "engine/store/own_files.h"

namespace dynolith {
namespace {

constexpr std::string_view kMagic = "dynolith store ";
constexpr std::string_view kStates[] = {"creating", "running", "closed", "copied"};
constexpr uint64_t kIntegrityManifestBytesMax = 1 << 20;
constexpr size_t kSpareBytes = 4096;

std::optional<uint64_t> ToNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// As RocksDB names its files.
std::string NumberedName(uint64_t number, std::string_view suffix) {
  constexpr size_t kDigits = 6;
  std::string digits = std::to_string(number);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return Concat(digits, suffix);
}

std::optional<uint64_t> NumberInName(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return std::nullopt;
  name.remove_suffix(suffix.size());
  return ToNumber(name);
}

// Takes what stands before `mark` off the front of `text`, and the mark; all of it if there is
// none.
std::string_view Take(std::string_view* text, char mark) {
  const size_t at = std::min(text->find(mark), text->size());
  const std::string_view taken = text->substr(0, at);
  text->remove_prefix(std::min(text->size(), at + 1));
  return taken;
}

IntegrityManifest::Origin ReadOrigin(int descriptor) {
  struct statx facts = {};
  if (Statx(descriptor, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, facts) != 0) return {};
  IntegrityManifest::Origin origin{.inode = facts.stx_ino};
  if ((facts.stx_mask & STATX_BTIME) != 0) {
    origin.born_nanoseconds =
        static_cast<uint64_t>(facts.stx_btime.tv_sec) * 1'000'000'000 + facts.stx_btime.tv_nsec;
  }
  return origin;
}

// One line of facts. False if it cannot be understood.
bool ParseFact(std::string_view line, IntegrityManifest* integrity) {
  const std::string_view kind = Take(&line, ' ');
  const std::string_view first = Take(&line, ' ');
  const std::string_view second = Take(&line, ' ');
  if (kind == "manifest") {
    const auto bytes = ToNumber(second);
    const auto crc = ToNumber(line);
    if (!bytes || !crc || !first.starts_with("MANIFEST-")) return false;
    integrity->manifests.push_back({std::string(first), *bytes, static_cast<uint32_t>(*crc)});
    return true;
  }
  const auto number = ToNumber(first);
  if (!number || !line.empty()) return false;
  if (kind == "sequence" && second.empty()) {
    integrity->sequence = number;
    return true;
  }
  if (kind == "sealed") {
    integrity->is_sealed = true;
    return true;
  }
  const auto other = ToNumber(second);
  if (!other) return false;
  if (kind == "file") {
    integrity->origin = {*number, *other};
    return true;
  }
  return kind == "log" && integrity->logs.emplace(*number, *other).second;
}

// What stands behind the first line: facts and their checksum. False if it cannot be understood.
bool ParseFacts(std::string_view text, size_t facts_at, IntegrityManifest* integrity) {
  const size_t end_at = text.rfind("end ");
  if (end_at == std::string_view::npos || end_at < facts_at) return false;
  if (!text.ends_with('\n')) return false;
  std::string_view last_line = text.substr(end_at);
  Take(&last_line, ' ');
  const auto crc = ToNumber(Take(&last_line, '\n'));
  if (!last_line.empty() || !crc || *crc != Crc32c(text.substr(0, end_at))) return false;
  for (std::string_view facts = text.substr(facts_at, end_at - facts_at); !facts.empty();) {
    if (!ParseFact(Take(&facts, '\n'), integrity)) return false;
  }
  return integrity->state == IntegrityManifest::State::kCreating || !integrity->manifests.empty();
}

// Whether the last fact is the seal that the store's keys make of what stands before it.
bool IsSealedBy(const StoreKeys& keys, std::string_view text) {
  const size_t at = text.rfind("\nsealed ");
  if (at == std::string_view::npos) return false;
  const std::string_view sealed = text.substr(0, at + 1);
  std::string_view rest = text.substr(sealed.size());
  std::string_view line = Take(&rest, '\n');
  Take(&line, ' ');
  const auto key = ToNumber(Take(&line, ' '));
  if (!key || !rest.starts_with("end ")) return false;
  return AreSame(line, Hex(TagOfFacts(keys, static_cast<uint32_t>(*key), sealed)));
}

// Takes off what a file has behind its first bytes.
absl::Status CutTo(size_t bytes, int descriptor, const std::string& file) {
  struct stat facts = {};
  if (fstat(descriptor, &facts) != 0) return WriteFailure(file, errno);
  if (facts.st_size <= static_cast<off_t>(bytes)) return absl::OkStatus();
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return WriteFailure(file, errno);
  return absl::OkStatus();
}

// What the next integrity manifest will be written over, as far as there is room for it: nothing is
// deleted before an integrity manifest is written, and on a full disk nothing else makes room.
void MakeSpare(const std::string& file) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (out < 0) return;
  const std::array<char, kSpareBytes> nothing = {};
  [[maybe_unused]] const ssize_t written = write(out, nothing.data(), nothing.size());
  close(out);
}

absl::Status SyncFolder(const std::string& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return WriteFailure(path, errno);
  const int error = fsync(folder) == 0 ? 0 : errno;
  close(folder);
  return error == 0 ? absl::OkStatus() : WriteFailure(path, error);
}

}  // namespace

std::string LogName(uint64_t number) { return NumberedName(number, kLogSuffix); }

std::optional<uint64_t> LogNumber(std::string_view name) { return NumberInName(name, kLogSuffix); }

std::string TableFileName(uint64_t number) { return NumberedName(number, kTableFileSuffix); }

std::optional<uint64_t> TableFileNumber(std::string_view name) {
  return NumberInName(name, kTableFileSuffix);
}

std::string_view NameWithin(std::string_view folder, std::string_view file) {
  if (!file.starts_with(folder)) return {};
  file.remove_prefix(folder.size());
  if (!file.starts_with('/') && !folder.ends_with('/')) return {};
  while (file.starts_with('/')) file.remove_prefix(1);
  return file.find('/') == std::string_view::npos ? file : std::string_view();
}

std::string IntegrityManifestText(const IntegrityManifest& integrity, const StoreKeys* keys) {
  std::string text =
      Concat(kMagic, kFormatVersion, " ", kStates[static_cast<size_t>(integrity.state)], "\n");
  text += Concat("file ", integrity.origin.inode, " ", integrity.origin.born_nanoseconds, "\n");
  for (const IntegrityManifest::RocksManifest& manifest : integrity.manifests) {
    text += Concat("manifest ", manifest.name, " ", manifest.bytes, " ", manifest.crc, "\n");
  }
  for (const auto& [number, bytes] : integrity.logs) {
    text += Concat("log ", number, " ", bytes, "\n");
  }
  if (integrity.sequence) text += Concat("sequence ", *integrity.sequence, "\n");
  if (keys != nullptr) {
    text +=
        Concat("sealed ", keys->newest(), " ", Hex(TagOfFacts(*keys, keys->newest(), text)), "\n");
  }
  const uint32_t crc = Crc32c(text);
  return Concat(text, "end ", crc, "\n");
}

absl::StatusOr<IntegrityManifest> ParseIntegrityManifest(const std::string& file,
                                                         std::string_view text,
                                                         const StoreKeys* keys) {
  const absl::Status unreadable = absl::DataLossError(messages::StoreFileUnreadable(file));
  const size_t line_end = text.find('\n');
  if (!text.starts_with(kMagic) || line_end == std::string_view::npos) return unreadable;
  std::string_view line = text.substr(kMagic.size(), line_end - kMagic.size());
  const auto version = ToNumber(Take(&line, ' '));
  if (!version || *version < 1) return unreadable;
  if (*version > kFormatVersion) {
    return absl::FailedPreconditionError(
        messages::StoreNewer(file, std::to_string(*version), std::to_string(kFormatVersion)));
  }
  IntegrityManifest integrity;
  integrity.has_facts = *version > 1;
  const auto* const state = std::find(std::begin(kStates), std::end(kStates), line);
  if (state != std::end(kStates)) {
    integrity.state = static_cast<IntegrityManifest::State>(state - std::begin(kStates));
  }
  if (integrity.has_facts) {
    if (state == std::end(kStates) || !ParseFacts(text, line_end + 1, &integrity))
      return unreadable;
    if (keys != nullptr && !IsSealedBy(*keys, text)) {
      return absl::DataLossError(messages::StoreFileAltered(file));
    }
    return integrity;
  }
  // No encrypted store was ever of that version.
  if (keys != nullptr) return unreadable;
  if (line.empty()) integrity.state = IntegrityManifest::State::kRunning;
  const bool known = line.empty() || line == "creating" || line == "copied";
  if (!known || line_end + 1 != text.size()) return unreadable;
  return integrity;
}

absl::StatusOr<FoundIntegrityManifest> ReadIntegrityManifest(const std::string& path,
                                                             const StoreKeys* keys) {
  const std::string file = Concat(path, "/", kFormatFile);
  const int in = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return ReadFailure(file, errno);
  const IntegrityManifest::Origin origin = ReadOrigin(in);
  std::string text;
  std::array<char, 4096> part;
  ssize_t got = 0;
  do {
    got = read(in, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<size_t>(got));
  } while ((got > 0 && text.size() <= kIntegrityManifestBytesMax) || (got < 0 && errno == EINTR));
  const int error = errno;
  close(in);
  if (got < 0) return ReadFailure(file, error);
  if (got > 0) return absl::DataLossError(messages::StoreFileUnreadable(file));
  FoundIntegrityManifest found;
  DYNOLITH_ASSIGN_OR_RETURN(found.integrity, ParseIntegrityManifest(file, text, keys));
  found.is_original = found.integrity.origin == origin;
  return found;
}

absl::Status WriteIntegrityManifest(const std::string& path, IntegrityManifest* integrity,
                                    bool syncs_folder, const StoreKeys* keys) {
  const std::string temporary = Concat(path, "/", kFormatTemporary);
  const std::string file = Concat(path, "/", kFormatFile);
  // Over what is there, which needs no room.
  const int out = open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (out < 0) return WriteFailure(temporary, errno);
  integrity->origin = ReadOrigin(out);
  const std::string text = IntegrityManifestText(*integrity, keys);
  absl::Status written = CutTo(text.size(), out, temporary);
  if (written.ok()) written = WriteAndSync(out, temporary, text);
  close(out);
  if (!written.ok()) return written;
  if (rename(temporary.c_str(), file.c_str()) != 0) return WriteFailure(file, errno);
  if (integrity->state == IntegrityManifest::State::kRunning) MakeSpare(temporary);
  return syncs_folder ? SyncFolder(path) : absl::OkStatus();
}

}  // namespace dynolith
