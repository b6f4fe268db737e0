// Every reader of what a store holds gets damaged rows: none throws, crashes or reads beyond the
// row, and what it takes it can use. A new reader is one line of kRowReaders or kStoreReaders.
//
//   input = row:u16be way:u8 change*  ; a row of a sound store (tests/formats/every_row.txt)
//   changed
//         | FFFF family:u8 key-bytes:u8 key value   ; a row of its own
//   change = at:u16be byte:u8         ; in key and value, modulo their length
//   way    = 0 changes the bytes | 1 also ends the value at the last place | 2 also the key
//            | 3 also puts the rest of the input behind the value
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/database/latest_time.h"
#include "api/transfer/transfer_records.h"
#include "api/write/idempotency.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/kept_throughput.h"
#include "engine/history/history.h"
#include "engine/history/history_rows.h"
#include "engine/history/past_items.h"
#include "engine/key/key_codec.h"
#include "engine/replica/replica_rows.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/local_store.h"
#include "engine/store/meta_keys.h"
#include "engine/stream/record.h"
#include "engine/stream/stream_log.h"
#include "engine/stream/stream_rows.h"
#include "engine/ttl/expiry.h"
#include "engine/ttl/expiry_index.h"
#include "engine/value/dissect.h"
#include "index/check_all.h"
#include "tests/formats/every_row.h"
#include "tools/backup/snapshot_file.h"

namespace dynolith {
namespace {

using formats::kStart;

void Require(bool holds, const char* what) {
  if (holds) return;
  std::cerr << what << "\n";
  std::abort();
}

// What a caller could do with an item that a reader has let through.
void ReadItem(ItemView item) {
  Require(!DebugString(item).empty(), "an item without a text");
  static_cast<void>(BilledBytes(item));
}

// --- Readers of one row ---

struct RowReader {
  const char* name;
  void (*read)(std::string_view key, std::string_view value);
};

const KeySchema& TableKey() {
  static const KeySchema key{{{"pk", Type::kString}}, {{"sk", Type::kNumber}}};
  return key;
}
const KeySchema& IndexKey() {
  static const KeySchema key{{{"g", Type::kNumber}}, {{"b", Type::kBinary}}};
  return key;
}

constexpr RowReader kRowReaders[] = {
    {"item",
     [](std::string_view, std::string_view value) {
       if (const auto item = ItemView::Parse(value); item.ok()) ReadItem(*item);
       static_cast<void>(DissectItem(value));
       static_cast<void>(DissectValue(value));
     }},
    {"row key",
     [](std::string_view key, std::string_view) {
       if (const auto item = DecodeRowKey(TableKey(), key); item.ok()) ReadItem(item->view());
       static_cast<void>(DissectRowKey(&TableKey(), nullptr, key));
       static_cast<void>(DissectRowKey(nullptr, nullptr, key));
     }},
    {"index row key",
     [](std::string_view key, std::string_view) {
       for (const int shards : {1, 7}) {
         const auto item = DecodeIndexRowKey(IndexKey(), TableKey(), shards, key);
         if (item.ok()) ReadItem(item->view());
       }
       static_cast<void>(DissectRowKey(&IndexKey(), &TableKey(), key));
     }},
    {"stream", [](std::string_view key,
                  std::string_view value) { static_cast<void>(DecodeStream(key, value).ok()); }},
    {"shard", [](std::string_view key,
                 std::string_view value) { static_cast<void>(DecodeShard(key, value).ok()); }},
    {"stream record",
     [](std::string_view key, std::string_view value) {
       static_cast<void>(SequenceOfRecordKey(key).ok());
       const auto record = DecodeRecord(value);
       if (!record.ok()) return;
       static_cast<void>(RecordBytes(*record));
       ReadItem(record->keys);
       if (record->old_image) ReadItem(*record->old_image);
       if (record->new_image) ReadItem(*record->new_image);
     }},
    {"history record",
     [](std::string_view key, std::string_view value) {
       if (const auto parsed = ParseUndoKey(key)) {
         static_cast<void>(RowKeyInTable(parsed->table, parsed->item));
       }
       const auto before = DecodeUndo(value);
       if (before.ok() && *before) ReadItem(**before);
     }},
    {"replica",
     [](std::string_view key, std::string_view value) {
       static_cast<void>(DecodeVersion(value).ok());
       static_cast<void>(ItemInChangeKey(key, ChangePrefix(1, "eu-west-1")));
       const auto change = DecodeChange(value);
       if (change.ok() && change->item) ReadItem(*change->item);
     }},
    {"table",
     [](std::string_view, std::string_view value) {
       const auto meta = DecodeTableMeta(value);
       if (meta.ok()) Require(DecodeTableMeta(EncodeTableMeta(*meta)).ok(), "a table's fields");
     }},
    {"backup",
     [](std::string_view, std::string_view value) {
       const auto meta = DecodeBackupMeta(value);
       if (meta.ok()) Require(DecodeBackupMeta(EncodeBackupMeta(*meta)).ok(), "a backup's fields");
     }},
    {"throughput",
     [](std::string_view, std::string_view value) {
       const auto states = DecodeThroughput(value);
       if (states.ok()) Require(DecodeThroughput(EncodeThroughput(*states)).ok(), "partitions");
     }},
    {"expiry row",
     [](std::string_view key, std::string_view) { static_cast<void>(ParseExpiryKey(key)); }},
    {"integrity_manifest",
     [](std::string_view, std::string_view value) {
       static_cast<void>(ParseIntegrityManifest("file", value).ok());
     }},
    {"backup of a store",
     [](std::string_view, std::string_view value) {
       static_cast<void>(ParseSnapshot("file", value).ok());
     }},
};

// --- Readers of a store ---

// A store that is being opened, as far as that goes.
struct OpenedStore {
  Store* store = nullptr;
  ManualClock clock{kStart + absl::Hours(6)};
  RowLocks locks;
  std::unique_ptr<Catalog> catalog;  // nullptr: refused
  std::unique_ptr<StreamLog> streams;
  std::unique_ptr<History> history;
  // Whether the damaged row is none that reads of items trust because of the store's checksums
  // (engine/value/README.md).
  bool has_sound_items = false;
};

struct StoreReader {
  const char* name;
  absl::Status (*read)(OpenedStore* opened);
};

absl::Status ReadStreams(OpenedStore* opened) {
  StreamLog& log = *opened->streams;
  for (const StreamName& name : log.Names(std::nullopt, std::nullopt, 100)) {
    const auto stream = log.Find(name);
    if (!stream.ok() || !*stream) continue;
    for (const StreamShard& shard : (*stream)->shards) {
      const ShardIterator from{.stream = (*stream)->number, .shard = shard.number};
      const auto sink = [](SequenceNumber, const RecordView& record) { ReadItem(record.keys); };
      static_cast<void>(log.Read(from, 100, 1 << 20, sink).ok());
    }
    if (!(*stream)->closed) static_cast<void>((*stream)->FindOpenShard(~uint64_t{0}));
  }
  return log.LatestTime().status();
}

absl::Status ReadHistory(OpenedStore* opened) {
  const auto snapshot = opened->store->TakeSnapshot();
  for (const std::shared_ptr<Table>& table : opened->catalog->All()) {
    const StorageId id = table->meta()->schema.id;
    const absl::Time time = kStart + absl::Seconds(30);
    static_cast<void>(
        VisitItemsAt(*snapshot, RangeOfId(id), time, [](std::string_view, ItemView item) {
          ReadItem(item);
          return absl::OkStatus();
        }).ok());
    static_cast<void>(VisitChanges(*snapshot, RangeOfId(id), kStart, opened->clock.Now(),
                                   [](const PastChange& change) {
                                     if (change.before) ReadItem(*change.before);
                                     if (change.after) ReadItem(*change.after);
                                     return absl::OkStatus();
                                   })
                          .ok());
  }
  return absl::OkStatus();
}

absl::Status ReadTokens(OpenedStore* opened) {
  IdempotencyTokens tokens(opened->store, &opened->clock);
  WriteBatch batch;
  auto use = tokens.Begin("transaction-token", "fingerprint");
  RowLocks locks;
  if (use.ok()) {
    use->Record(Transaction(opened->store, &locks, {}), &batch).IgnoreError();
  }
  return tokens.LatestTime().status();
}

template <typename Records>
absl::Status ReadTransfers(OpenedStore* opened) {
  const Records records(opened->store);
  static_cast<void>(records.FindByToken("token", kStart).ok());
  return records.ForEach("", [](const auto&) { return true; });
}

absl::Status ReadExpiry(OpenedStore* opened) {
  ExpiryIndex index(opened->store, opened->catalog.get(), &opened->locks);
  std::string position;
  static_cast<void>(index.FindDue(0, absl::ToUnixSeconds(kStart), nullptr, 100).ok());
  static_cast<void>(index.ClearStep(1000, &position).ok());
  return index.FillStep(10).status();
}

absl::Status ReadClock(OpenedStore* opened) {
  IdempotencyTokens tokens(opened->store, &opened->clock);
  OperationContext context;
  context.store = opened->store;
  context.catalog = opened->catalog.get();
  context.tokens = &tokens;
  context.streams = opened->streams.get();
  context.history = opened->history.get();
  return LatestTime(context).status();
}

absl::Status CheckRows(OpenedStore* opened) {
  return CheckAll(opened->store, *opened->catalog, [](const std::string&) {}).status();
}

constexpr StoreReader kItemReaders[] = {{"history", &ReadHistory}, {"expiry", &ReadExpiry}};
constexpr StoreReader kStoreReaders[] = {{"streams", &ReadStreams},
                                         {"tokens", &ReadTokens},
                                         {"exports", &ReadTransfers<ExportRecords>},
                                         {"imports", &ReadTransfers<ImportRecords>},
                                         {"bulk puts", &ReadTransfers<BulkPutRecords>},
                                         {"clock", &ReadClock},
                                         {"check", &CheckRows}};

void ReadStore(OpenedStore* opened) {
  auto catalog = Catalog::Load(opened->store);
  auto streams = StreamLog::Load(opened->store, &opened->clock, {});
  auto history = History::Load(opened->store, &opened->clock);
  if (!catalog.ok() || !streams.ok() || !history.ok()) return;
  opened->catalog = *std::move(catalog);
  opened->streams = *std::move(streams);
  opened->history = *std::move(history);
  for (const StoreReader& reader : kStoreReaders) static_cast<void>(reader.read(opened).ok());
  if (!opened->has_sound_items) return;
  for (const StoreReader& reader : kItemReaders) static_cast<void>(reader.read(opened).ok());
}

// --- Rows ---

struct RowName {
  Family family = Family::kMeta;
  std::string key;
  auto operator<=>(const RowName&) const = default;
};
using Rows = std::map<RowName, std::string>;

constexpr std::array kFamilyList = {Family::kMeta,         Family::kTables, Family::kGlobalIndexes,
                                    Family::kLocalIndexes, Family::kLog,    Family::kExpiry};
static_assert(kFamilyList.size() == kFamilies);

Rows ReadRows(const Store& store) {
  Rows rows;
  for (const Family family : kFamilyList) {
    Cursor cursor = store.Scan(family, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      rows.emplace(RowName{family, std::string(cursor.key())}, cursor.value());
    }
    Require(cursor.status().ok(), "a store that cannot be read");
  }
  return rows;
}

bool HasRow(const Rows& rows, Family family, std::string_view begin) {
  const auto it = rows.lower_bound({family, std::string(begin)});
  return it != rows.end() && it->first.family == family && it->first.key.starts_with(begin);
}

// That no kind of row is forgotten in tests/formats/every_row.txt.
void RequireEveryKind(const Rows& rows) {
  for (const Family family : kFamilyList) Require(HasRow(rows, family, ""), "a family is empty");
  // Some kinds are only in stores of several processes, of which nobody has files.
  constexpr std::array kShared = {kCommitKeys.begin, kProcessKeys.begin, kLeaseKeys.begin,
                                  kUnownedIdKeys.begin};
  for (const MetaPrefix& prefix : kMetaPrefixes) {
    if (std::find(kShared.begin(), kShared.end(), prefix.begin) != kShared.end()) continue;
    Require(HasRow(rows, Family::kMeta, prefix.begin), prefix.begin.data());
  }
  for (const std::string_view key : kMetaKeys) {
    if (key == kCatalogVersionKey) continue;
    Require(HasRow(rows, Family::kMeta, key), key.data());
  }
  for (const std::string_view letter : {"N", "S", "H", "R", "T", "U"}) {
    Require(HasRow(rows, Family::kLog, letter), letter.data());
  }
}

const Rows& SoundRows() {
  static const Rows rows = [] {
    ManualClock clock(kStart);
    const auto database =
        *DatabaseImpl::Make(formats::MakeOptions(&clock), *LocalStore::Open({.in_memory = true}));
    formats::MakeEveryRow(DYNOLITH_EVERY_ROW, database.get(), &clock);
    return ReadRows(*database->store());
  }();
  return rows;
}

// A store that is made sound again after each damage. Now and then a new one, as deleted rows slow
// down what walks over them.
class DamagedStore {
 public:
  void Read(const std::optional<RowName>& replaced, const RowName& name, std::string_view value) {
    if (uses_++ % 200 == 0) Renew();
    WriteBatch damage;
    if (replaced) damage.Delete(replaced->family, replaced->key);
    damage.Put(name.family, name.key, value);
    Require(store_->Commit(damage).ok(), "a damage that was refused");
    {
      OpenedStore opened;
      opened.store = store_.get();
      opened.has_sound_items = name.family == Family::kMeta || name.family == Family::kLog ||
                               name.family == Family::kExpiry;
      ReadStore(&opened);
    }
    Restore();
  }

 private:
  void Renew() {
    store_.reset();
    store_ = *LocalStore::Open({.in_memory = true});
    Restore();
  }
  void Restore() {
    WriteBatch batch;
    const Rows now = ReadRows(*store_);
    for (const auto& [name, value] : now) {
      if (!SoundRows().contains(name)) batch.Delete(name.family, name.key);
    }
    for (const auto& [name, value] : SoundRows()) {
      const auto it = now.find(name);
      if (it == now.end() || it->second != value) batch.Put(name.family, name.key, value);
    }
    Require(store_->Commit(batch).ok(), "rows that were refused");
  }

  std::unique_ptr<LocalStore> store_;
  uint64_t uses_ = 0;
};

// --- Damage ---

constexpr size_t kOwnRow = 0xffff;

// A part of the input, or less.
std::string_view TakeBytes(size_t count, std::string_view* input) {
  const std::string_view taken = input->substr(0, count);
  input->remove_prefix(taken.size());
  return taken;
}
uint8_t TakeByte(std::string_view* input) {
  const std::string_view byte = TakeBytes(1, input);
  return byte.empty() ? 0 : static_cast<uint8_t>(byte[0]);
}

size_t TakeShort(std::string_view* input) {
  const size_t high = TakeByte(input);
  return high << 8 | TakeByte(input);
}

// Changes key and value as the input says.
void Damage(std::string_view input, std::string* key, std::string* value) {
  const uint8_t way = TakeByte(&input) % 4;
  const size_t bytes = key->size() + value->size();
  size_t at = 0;
  for (int i = 0; i < 8 && input.size() >= 3; ++i) {
    at = TakeShort(&input) % bytes;
    const char byte = static_cast<char>(TakeByte(&input));
    (at < key->size() ? (*key)[at] : (*value)[at - key->size()]) = byte;
  }
  if (way == 1 && !value->empty()) value->resize(at % value->size());
  if (way == 2) key->resize(at % key->size());
  if (way == 3) value->append(input);
}

}  // namespace
}  // namespace dynolith

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynolith;
  static const bool has_every_kind = (RequireEveryKind(SoundRows()), true);
  static_cast<void>(has_every_kind);
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t row = TakeShort(&input);
  std::optional<RowName> replaced;
  RowName name;
  std::string value;
  if (row == kOwnRow) {
    name.family = kFamilyList[TakeByte(&input) % kFamilies];
    name.key = TakeBytes(TakeByte(&input), &input);
    value = input;
  } else {
    const auto it = std::next(SoundRows().begin(), row % SoundRows().size());
    name = *(replaced = it->first);
    value = it->second;
    Damage(input, &name.key, &value);
  }
  for (const RowReader& reader : kRowReaders) reader.read(name.key, value);
  // Never destroyed: RocksDB's own objects may be gone before.
  static DamagedStore& store = *new DamagedStore;
  store.Read(replaced, name, value);
  return 0;
}
