#include "engine/store/manifest_files.h"

#include <charconv>
#include <initializer_list>
#include <system_error>
#include <vector>

#include "absl/functional/function_ref.h"
#include "engine/base/status_macros.h"
#include "engine/store/log_reader.h"
#include "engine/store/messages.h"

namespace dynolith {
namespace {

// RocksDB's tags. 7, 100 and 102 are new files as older versions wrote them: no store has them.
enum Tag : uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kPrevLogNumber = 9,
  kMinLogNumberToKeep = 10,
  kNewFile = 103,
  kColumnFamily = 200,
  kColumnFamilyAdd = 201,
  kColumnFamilyDrop = 202,
  kMaxColumnFamily = 203,
  kInAtomicGroup = 300,
};
// Tags with this bit may be skipped: bytes follow.
constexpr uint64_t kMayBeSkipped = 1 << 13;
constexpr uint64_t kEndOfCustomFields = 1;
// The order of bytes, which all families have.
constexpr std::string_view kComparatorName = "leveldb.BytewiseComparator";

// Takes fields off the front. Once one is not there, all that follow are nothing.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  bool good() const { return good_; }

  uint64_t Integer() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    good_ = false;
    return 0;
  }
  void SkipBytes() {
    const uint64_t bytes = Integer();
    good_ = good_ && bytes <= rest_.size();
    if (good_) rest_.remove_prefix(bytes);
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void AppendInteger(uint64_t number, std::string* out) {
  for (; number >= 0x80; number >>= 7) out->push_back(static_cast<char>(number | 0x80));
  out->push_back(static_cast<char>(number));
}

void AppendBytes(std::string_view bytes, std::string* out) {
  AppendInteger(bytes.size(), out);
  out->append(bytes);
}

// What one record changes; its family may stand behind its files.
struct Change {
  uint64_t family = 0;
  std::vector<uint64_t> deleted;
  TableFiles files;  // new ones
};

void FollowNewFile(Fields* fields, Change* change) {
  const uint64_t level = fields->Integer();
  const uint64_t number = fields->Integer();
  const uint64_t bytes = fields->Integer();
  fields->SkipBytes();  // smallest key
  fields->SkipBytes();  // largest key
  fields->Integer();    // smallest sequence
  fields->Integer();    // largest sequence
  while (fields->good() && fields->Integer() != kEndOfCustomFields) fields->SkipBytes();
  change->files[number] = {.level = level, .bytes = bytes};
}

// False for a tag that is not known.
bool FollowTag(uint64_t tag, Fields* fields, Change* change) {
  switch (tag) {
    case kDeletedFile:
      fields->Integer();
      change->deleted.push_back(fields->Integer());
      return true;
    case kNewFile:
      FollowNewFile(fields, change);
      return true;
    case kLogNumber:
    case kNextFileNumber:
    case kLastSequence:
    case kPrevLogNumber:
    case kMinLogNumberToKeep:
    case kMaxColumnFamily:
    case kInAtomicGroup:
      fields->Integer();
      return true;
    case kColumnFamily:
      change->family = fields->Integer();
      return true;
    case kCompactCursor:
      fields->Integer();
      fields->SkipBytes();
      return true;
    case kComparator:
    case kColumnFamilyAdd:
      fields->SkipBytes();
      return true;
    case kColumnFamilyDrop:
      return true;
    default:
      if ((tag & kMayBeSkipped) == 0) return false;
      fields->SkipBytes();
      return true;
  }
}

// Calls `follow`, which returns whether it understands the record, with each one from `begin` on.
// Returns where the next one will be.
absl::StatusOr<uint64_t> ForEachRecord(const std::string& file, const StoreKeys* keys,
                                       absl::FunctionRef<bool(std::string_view)> follow,
                                       uint64_t begin = 0) {
  DYNOLITH_ASSIGN_OR_RETURN(LogReader reader, LogReader::Open(file, begin, keys));
  for (;;) {
    DYNOLITH_ASSIGN_OR_RETURN(const LogReader::Outcome outcome, reader.Next());
    if (outcome == LogReader::Outcome::kEnd || outcome == LogReader::Outcome::kTorn) {
      return reader.record_begin();
    }
    if (outcome == LogReader::Outcome::kDamaged || !follow(reader.record())) {
      return absl::DataLossError(messages::StoreRecordDamaged(file, reader.record_begin()));
    }
  }
}

}  // namespace

bool FollowManifestRecord(std::string_view record, TableFiles* files) {
  Fields fields(record);
  Change change;
  while (fields.good() && !fields.empty()) {
    if (!FollowTag(fields.Integer(), &fields, &change)) return false;
  }
  if (!fields.good()) return false;
  // A file that moves to another level is deleted there and new here.
  for (const uint64_t number : change.deleted) files->erase(number);
  for (auto& [number, place] : change.files) {
    place.family = change.family;
    (*files)[number] = place;
  }
  return true;
}

std::string RecordOfLostTableFile(uint64_t number, const TableFileInfo& place) {
  std::string record;
  for (const uint64_t field : {uint64_t{kDeletedFile}, place.level, number}) {
    AppendInteger(field, &record);
  }
  if (place.family != 0) {
    AppendInteger(kColumnFamily, &record);
    AppendInteger(place.family, &record);
  }
  return record;
}

std::string FirstManifest(const std::vector<std::string_view>& families) {
  const auto append = [](std::initializer_list<uint64_t> fields, std::string* record) {
    for (const uint64_t field : fields) AppendInteger(field, record);
  };
  std::string manifest;
  std::string first;
  append({kLogNumber, 0, kNextFileNumber, 2, kLastSequence, 0}, &first);
  AppendLogRecord(first, &manifest);
  // The family of number 0 is always there.
  for (uint64_t number = 1; number < families.size(); ++number) {
    std::string record;
    AppendInteger(kComparator, &record);
    AppendBytes(kComparatorName, &record);
    append({kLogNumber, 0, kColumnFamily, number, kColumnFamilyAdd}, &record);
    AppendBytes(families[number], &record);
    AppendLogRecord(record, &manifest);
  }
  return manifest;
}

absl::StatusOr<TableFiles> ReadTableFiles(const std::string& file, const StoreKeys* keys) {
  TableFiles files;
  DYNOLITH_RETURN_IF_ERROR(ForEachRecord(file, keys, [&](std::string_view record) {
                             return FollowManifestRecord(record, &files);
                           }).status());
  return files;
}

absl::StatusOr<const TableFiles*> GrowingManifest::Read(const std::string& file,
                                                        const StoreKeys* keys) {
  if (file != file_) {
    file_ = file;
    read_to_ = 0;
    files_.clear();
  }
  const auto follow = [this](std::string_view record) {
    return FollowManifestRecord(record, &files_);
  };
  absl::StatusOr<uint64_t> end = ForEachRecord(file, keys, follow, read_to_);
  // Records in front of the failure were followed: next time it begins anew.
  if (!end.ok()) file_.clear();
  DYNOLITH_RETURN_IF_ERROR(end.status());
  read_to_ = *end;
  return &files_;
}

absl::StatusOr<std::set<uint64_t>> EverNamedTableFiles(const std::string& file,
                                                       const StoreKeys* keys) {
  std::set<uint64_t> numbers;
  DYNOLITH_RETURN_IF_ERROR(ForEachRecord(file, keys, [&](std::string_view record) {
                             TableFiles added;
                             if (!FollowManifestRecord(record, &added)) return false;
                             for (const auto& [number, place] : added) numbers.insert(number);
                             return true;
                           }).status());
  return numbers;
}

std::optional<uint64_t> ManifestNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "MANIFEST-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  uint64_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace dynolith
