#include "engine/store/soundness.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/decrypted_file.h"
#include "engine/store/log_reader.h"
#include "engine/store/messages.h"
#include "engine/store/own_files.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

absl::Status Missing(const std::string& file) {
  return absl::DataLossError(messages::StoreFileMissing(file));
}

// Compares a length with the one in the integrity manifest.
absl::Status CheckBytes(const std::string& file, uint64_t bytes, uint64_t written, bool is_final) {
  if (bytes < written || (is_final && bytes > written)) {
    return absl::DataLossError(messages::StoreFileCut(file, bytes, written));
  }
  return absl::OkStatus();
}

// The name in CURRENT. Errors: kDataLoss if there is none, or no such file.
absl::StatusOr<std::string> CurrentManifest(const std::string& path,
                                            const std::vector<std::string>& names,
                                            const IntegrityManifest& integrity,
                                            const StoreKeys* keys) {
  const std::string current = Concat(path, "/CURRENT");
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!has("CURRENT")) return Missing(current);
  FileText read = ReadFileText(current);
  if (read.error != 0) return ReadFailure(current, read.error);
  if (keys != nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(read.text, DecryptText(current, read.text, *keys));
  }
  std::string& manifest = read.text;
  if (manifest.empty() || manifest.back() != '\n' || !manifest.starts_with("MANIFEST-")) {
    return absl::DataLossError(messages::StoreFileUnreadable(current));
  }
  manifest.pop_back();
  const bool is_known = std::any_of(
      integrity.manifests.begin(), integrity.manifests.end(),
      [&](const IntegrityManifest::RocksManifest& known) { return known.name == manifest; });
  if (integrity.has_facts && !is_known) {
    return absl::DataLossError(messages::StoreCurrentUnknown(current, manifest));
  }
  if (!has(manifest)) return Missing(Concat(path, "/", manifest));
  return manifest;
}

// The manifest in use, up to its last whole record.
absl::StatusOr<IntegrityManifest::RocksManifest> CheckManifest(const std::string& path,
                                                               const std::string& name,
                                                               const IntegrityManifest& integrity,
                                                               const StoreKeys* keys) {
  const std::string file = Concat(path, "/", name);
  IntegrityManifest::RocksManifest known{.name = name};
  for (const IntegrityManifest::RocksManifest& written : integrity.manifests) {
    if (written.name == name) known = written;
  }
  DYNOLITH_ASSIGN_OR_RETURN(LogReader reader, LogReader::Open(file, known.bytes, keys));
  DYNOLITH_RETURN_IF_ERROR(CheckBytes(file, reader.file_bytes(), known.bytes,
                                      integrity.has_facts && integrity.is_final()));
  DYNOLITH_ASSIGN_OR_RETURN(const uint32_t crc, Crc32cOfFile(file, known.bytes, keys));
  if (crc != known.crc) return absl::DataLossError(messages::StoreFileAltered(file));
  auto outcome = LogReader::Outcome::kRecord;
  while (outcome == LogReader::Outcome::kRecord) {
    DYNOLITH_ASSIGN_OR_RETURN(outcome, reader.Next());
  }
  if (outcome == LogReader::Outcome::kDamaged) {
    return absl::DataLossError(messages::StoreRecordDamaged(file, reader.record_begin()));
  }
  // Later records were not acknowledged, and nothing was deleted because of them.
  known.bytes = reader.record_begin();
  if (known.bytes == 0) return absl::DataLossError(messages::StoreRecordTorn(file, 0));
  DYNOLITH_ASSIGN_OR_RETURN(known.crc, Crc32cOfFile(file, known.bytes, keys));
  return known;
}

// Follows the sequence of changes through all logs.
class LogScan {
 public:
  LogScan(const IntegrityManifest& integrity, const StoreKeys* keys)
      : keys_(keys),
        is_closed_(integrity.has_facts && integrity.state == IntegrityManifest::State::kClosed),
        last_(integrity.sequence) {}

  // Expects an earlier log, none of which is needed, to begin with that change.
  void Expect(const std::string& file, uint64_t sequence) {
    if (least_ && sequence < *least_) return;
    before_the_first_ = file;
    least_ = sequence;
  }

  absl::Status Read(const std::string& file) {
    DYNOLITH_ASSIGN_OR_RETURN(LogReader reader, LogReader::Open(file, 0, keys_));
    before_ = std::exchange(file_, file);
    for (;;) {
      DYNOLITH_ASSIGN_OR_RETURN(const LogReader::Outcome outcome, reader.Next());
      switch (outcome) {
        case LogReader::Outcome::kRecord:
          DYNOLITH_RETURN_IF_ERROR(Follow(reader));
          break;
        case LogReader::Outcome::kEnd:
          return absl::OkStatus();
        case LogReader::Outcome::kTorn:
          return CheckTorn(reader);
        case LogReader::Outcome::kDamaged:
          return absl::DataLossError(messages::StoreRecordDamaged(file, reader.record_begin()));
      }
    }
  }

  // Call after the last log.
  absl::Status Finish() const {
    if (!next_ || !last_ || *next_ == *last_ + 1) return absl::OkStatus();
    return absl::DataLossError(messages::StoreLogsEndEarly(file_, *next_ - 1, *last_));
  }

 private:
  // A torn record of an earlier log is not a hole if this record replaces it.
  absl::Status Follow(const LogReader& reader) {
    const std::string_view record = reader.record();
    if (record.size() < kBatchHeaderBytes) {
      return absl::DataLossError(messages::StoreRecordDamaged(file_, reader.record_begin()));
    }
    const uint64_t sequence = BatchSequence(record);
    if (!next_ && least_ && sequence <= *least_) {
      return absl::DataLossError(
          messages::StoreLogsSwapped(file_, sequence, before_the_first_, *least_));
    }
    if (next_ && sequence != *next_) {
      return absl::DataLossError(
          messages::StoreLogsApart(file_, reader.record_begin(), sequence, before_, *next_));
    }
    next_ = sequence + BatchCount(record);
    return absl::OkStatus();
  }

  // Bytes that never were a record may look like the beginning of one.
  absl::Status CheckTorn(const LogReader& reader) const {
    if (is_closed_) {
      return absl::DataLossError(messages::StoreRecordTorn(file_, reader.record_begin()));
    }
    const std::string_view header = reader.record().substr(0, kBatchHeaderBytes);
    // A loss of power may leave zeros in place of written bytes.
    if (header.size() < kBatchHeaderBytes ||
        header.find_first_not_of('\0') == std::string_view::npos) {
      return absl::OkStatus();
    }
    const uint64_t sequence = BatchSequence(header);
    const bool may_be_next = next_ ? sequence == *next_
                                   : sequence <= kSequenceMax && (!least_ || sequence > *least_) &&
                                         BatchCount(header) <= kBatchCountMax;
    if (may_be_next) return absl::OkStatus();
    return absl::DataLossError(messages::StoreRecordDamaged(file_, reader.record_begin()));
  }

  static constexpr uint64_t kSequenceMax = (uint64_t{1} << 56) - 1;  // RocksDB's
  static constexpr uint32_t kBatchCountMax = 1 << 26;                // no request has as many bytes

  const StoreKeys* const keys_;
  const bool is_closed_;
  const std::optional<uint64_t> last_;
  std::string before_the_first_;
  std::optional<uint64_t> least_;
  std::string before_;
  std::string file_;
  std::optional<uint64_t> next_;
};

// The logs of the folder from the first needed one, with their lengths.
absl::StatusOr<std::map<uint64_t, uint64_t>> ListLogs(const std::string& path,
                                                      const std::vector<std::string>& names,
                                                      const IntegrityManifest& integrity) {
  const uint64_t first = integrity.logs.empty() ? 0 : integrity.logs.begin()->first;
  std::map<uint64_t, uint64_t> logs;
  for (const std::string& name : names) {
    const std::optional<uint64_t> number = LogNumber(name);
    // An earlier log was about to be deleted.
    if (!number || *number < first) continue;
    const std::string file = Concat(path, "/", name);
    std::error_code error;
    const uint64_t bytes = fs::file_size(file, error);
    if (error) return Missing(file);
    logs.emplace(*number, bytes);
  }
  return logs;
}

// Reads the beginnings of logs that were about to be deleted. They need not be whole.
absl::Status ReadEarlierLogs(const std::string& path, const std::vector<std::string>& names,
                             uint64_t first, const StoreKeys* keys, LogScan* scan) {
  for (const std::string& name : names) {
    const std::optional<uint64_t> number = LogNumber(name);
    if (!number || *number >= first) continue;
    const std::string file = Concat(path, "/", name);
    absl::StatusOr<LogReader> reader = LogReader::Open(file, 0, keys);
    if (absl::IsDataLoss(reader.status())) continue;
    DYNOLITH_RETURN_IF_ERROR(reader.status());
    const absl::StatusOr<LogReader::Outcome> outcome = reader->Next();
    if (absl::IsDataLoss(outcome.status())) continue;
    DYNOLITH_RETURN_IF_ERROR(outcome.status());
    const bool begins =
        *outcome == LogReader::Outcome::kRecord && reader->record().size() >= kBatchHeaderBytes;
    if (begins) scan->Expect(file, BatchSequence(reader->record()));
  }
  return absl::OkStatus();
}

absl::Status CheckLogs(const std::string& path, const std::vector<std::string>& names,
                       const std::map<uint64_t, uint64_t>& logs, const IntegrityManifest& integrity,
                       const StoreKeys* keys) {
  const bool is_final = integrity.has_facts && integrity.is_final();
  for (const auto& [number, written] : integrity.logs) {
    const std::string file = Concat(path, "/", LogName(number));
    const auto log = logs.find(number);
    if (log == logs.end()) return Missing(file);
    DYNOLITH_RETURN_IF_ERROR(CheckBytes(file, log->second, written, is_final));
  }
  // A log always exists: it is created before the first write and never deleted before the next one
  // is.
  if (logs.empty() && integrity.state != IntegrityManifest::State::kCopied) {
    return Missing(Concat(path, "/*.log"));
  }
  LogScan scan(integrity, keys);
  if (!logs.empty()) {
    DYNOLITH_RETURN_IF_ERROR(ReadEarlierLogs(path, names, logs.begin()->first, keys, &scan));
  }
  for (const auto& [number, bytes] : logs) {
    const std::string file = Concat(path, "/", LogName(number));
    // The next start may have created one, without writing to it.
    if (is_final && bytes > 0 && !integrity.logs.contains(number)) {
      return absl::DataLossError(messages::StoreFileUnknown(file));
    }
    DYNOLITH_RETURN_IF_ERROR(scan.Read(file));
  }
  return scan.Finish();
}

}  // namespace

absl::StatusOr<IntegrityManifest> CheckSound(const std::string& path,
                                             const std::vector<std::string>& names,
                                             const FoundIntegrityManifest& found,
                                             const StoreKeys* keys) {
  const IntegrityManifest& integrity = found.integrity;
  if (integrity.has_facts && !integrity.is_final() && !found.is_original) {
    return absl::DataLossError(messages::StoreIsCopy(path, Concat(path, "/", kFormatFile)));
  }
  IntegrityManifest facts;
  facts.state = integrity.state == IntegrityManifest::State::kClosed
                    ? integrity.state
                    : IntegrityManifest::State::kRunning;
  DYNOLITH_ASSIGN_OR_RETURN(const std::string manifest,
                            CurrentManifest(path, names, integrity, keys));
  DYNOLITH_ASSIGN_OR_RETURN(const IntegrityManifest::RocksManifest in_use,
                            CheckManifest(path, manifest, integrity, keys));
  facts.manifests.push_back(in_use);
  DYNOLITH_ASSIGN_OR_RETURN(facts.logs, ListLogs(path, names, integrity));
  DYNOLITH_RETURN_IF_ERROR(CheckLogs(path, names, facts.logs, integrity, keys));
  return facts;
}

}  // namespace dynolith
