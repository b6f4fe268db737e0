#include "engine/store/salvage/salvage.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/thread_start.h"
#include "engine/store/encryption/decrypted_file.h"
#include "engine/store/encryption/encrypted_file_system.h"
#include "engine/store/encryption/folder_keys.h"
#include "engine/store/folder.h"
#include "engine/store/info_log.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/local_store.h"
#include "engine/store/log_reader.h"
#include "engine/store/manifest_files.h"
#include "engine/store/messages.h"
#include "engine/store/own_files.h"
#include "engine/store/rocks_types.h"
#include "engine/store/salvage/flipped_bit.h"
#include "engine/store/salvage/known_changes.h"
#include "engine/store/salvage/messages.h"
#include "engine/store/salvage/new_folder.h"
#include "engine/store/table_file_check.h"
#include "engine/store/unsaved_options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

// RocksDB's timer, two for background work, and one that opens files.
constexpr int kThreadsToAssemble = 4;
// Logs, manifests and others that are open at the same time.
constexpr size_t kFilesBesideTables = 24;

// A batch of RocksDB as one of ours. A store's families have their numbers in the order of Family.
class BatchCopier final : public rocksdb::WriteBatch::Handler {
 public:
  const WriteBatch& batch() const { return batch_; }

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    if (family < kFamilies)
      batch_.Put(static_cast<Family>(family), FromSlice(key), FromSlice(value));
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(uint32_t family, const rocksdb::Slice& key) override {
    if (family < kFamilies) batch_.Delete(static_cast<Family>(family), FromSlice(key));
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteRangeCF(uint32_t family, const rocksdb::Slice& begin,
                                const rocksdb::Slice& end) override {
    if (family < kFamilies && HasRangeDeletions(static_cast<Family>(family))) {
      batch_.DeleteRange(static_cast<Family>(family), FromSlice(begin), FromSlice(end));
    }
    return rocksdb::Status::OK();
  }

 private:
  WriteBatch batch_;
};

class StoreSalvage {
 public:
  StoreSalvage(std::string from, std::string to, std::string key_source,
               absl::FunctionRef<void(const std::string&)> report)
      : from_(std::move(from)),
        to_(std::move(to)),
        key_source_(std::move(key_source)),
        report_(report) {}

  absl::StatusOr<SalvageSummary> Run() {
    DYNOLITH_RETURN_IF_ERROR(ListFiles());
    DYNOLITH_RETURN_IF_ERROR(CheckMayOpenFiles());
    DYNOLITH_ASSIGN_OR_RETURN(keys_, KeysOfFolder(from_, key_source_));
    own_env_ = EnvToRead(keys_);
    Look();
    DYNOLITH_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Make(to_));
    if (keys_) DYNOLITH_RETURN_IF_ERROR(CopyKeys(*keys_, to_));
    DYNOLITH_RETURN_IF_ERROR(TakeTableFiles());
    DYNOLITH_RETURN_IF_ERROR(TakeLogs());
    if (named_tables_) DYNOLITH_RETURN_IF_ERROR(Assemble());
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<LocalStore> store,
                              LocalStore::Open({.path = to_, .encryption_key = key_source_}));
    if (!named_tables_) DYNOLITH_RETURN_IF_ERROR(WriteAnew(store.get()));
    if (!newer_tables_.empty()) DYNOLITH_RETURN_IF_ERROR(NameWhatIsNewer(store.get()));
    for (TableFile& file : damaged_) {
      DYNOLITH_RETURN_IF_ERROR(TakeReadableRows(&file, store.get()));
    }
    if (!keys_) DYNOLITH_RETURN_IF_ERROR(CopyIdentity(from_, to_));
    // The old folder may be thrown away after this.
    sync();
    folder.Keep();
    return summary_;
  }

 private:
  struct TableFile {
    std::string name;
    std::unique_ptr<rocksdb::SstFileReader> reader;
  };

  rocksdb::Env* env() const {
    return own_env_ == nullptr ? rocksdb::Env::Default() : own_env_.get();
  }
  rocksdb::Options ReadingOptions() const {
    rocksdb::Options options;
    options.env = env();
    return options;
  }
  std::string In(std::string_view name) const { return Concat(from_, "/", name); }
  std::string Out(std::string_view name) const { return Concat(to_, "/", name); }
  void Lose(const std::string& line) { report_(line); }
  // What may have had rows of any family.
  void LoseAny(const std::string& line) {
    summary_.may_lack_meta = true;
    Lose(line);
  }
  void LoseTableFile(uint64_t number, const std::string& line) {
    const bool is_known = named_tables_ && named_tables_->contains(number);
    if (!is_known || named_tables_->at(number).family == static_cast<uint64_t>(Family::kMeta)) {
      summary_.may_lack_meta = true;
    }
    lost_tables_.insert(number);
    Lose(line);
  }

  absl::Status ListFiles() {
    std::error_code error;
    for (fs::directory_iterator it(from_, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      DYNOLITH_RETURN_IF_ERROR(CheckIsNoDevice(*it));
      DYNOLITH_RETURN_IF_ERROR(CheckMayRead(name));
      if (const auto number = TableFileNumber(name)) found_tables_.insert(*number);
      if (const auto number = LogNumber(name)) found_logs_.insert(*number);
    }
    if (error == std::errc::no_such_file_or_directory) {
      return absl::NotFoundError(messages::StoreFolderMissing(from_));
    }
    if (error) return Unread(from_, error.value());
    if (found_tables_.empty() && found_logs_.empty()) {
      return absl::NotFoundError(messages::RepairNothingToSave(from_));
    }
    return absl::OkStatus();
  }

  // What this user may not read, or not all at once, is not damaged.
  static absl::Status Unread(const std::string& file, int error) {
    if (error == EMFILE || error == ENFILE) return FolderFailure(file, error);
    return ErrnoStatus(error, messages::StoreFileUnread(file, ErrnoReason(error)));
  }
  absl::Status CheckMayRead(const std::string& name) const {
    const bool is_read = TableFileNumber(name) || LogNumber(name) || ManifestNumber(name) ||
                         name == "CURRENT" || name.starts_with(kFormatFile);
    if (!is_read || access(In(name).c_str(), R_OK) == 0 || errno != EACCES) {
      return absl::OkStatus();
    }
    return Unread(In(name), EACCES);
  }
  // The new store has all of its table files open.
  absl::Status CheckMayOpenFiles() const {
    std::vector<int> opened;
    int error = 0;
    while (error == 0 && opened.size() < found_tables_.size() + kFilesBesideTables) {
      const int file = open(from_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (file >= 0) opened.push_back(file);
      if (file < 0) error = errno;
    }
    for (const int file : opened) close(file);
    return error == 0 ? absl::OkStatus() : Unread(from_, error);
  }

  // What should be there.
  void Look() {
    if (const auto found = ReadIntegrityManifest(from_, keys_.get()); !found.ok()) {
      LoseAny(messages::RepairFormatLost(found.status().ToString()));
    } else {
      integrity_ = found->integrity;
      const bool is_final = integrity_.is_final() || !integrity_.has_facts;
      if (!is_final && !found->is_original) Lose(messages::RepairIsCopy());
    }
    LookAtManifest();
  }

  void LookAtManifest() {
    FileText current = ReadFileText(In("CURRENT"));
    if (keys_ != nullptr) current.text = DecryptText("CURRENT", current.text, *keys_).value_or("");
    const std::string& name = current.text;
    const auto known = [&](const IntegrityManifest::RocksManifest& manifest) {
      return name == manifest.name + "\n";
    };
    const auto it = std::find_if(integrity_.manifests.begin(), integrity_.manifests.end(), known);
    if (it == integrity_.manifests.end() && !integrity_.manifests.empty()) {
      Lose(current.error == ENOENT
               ? messages::RepairFileMissing("CURRENT")
               : messages::RepairFileUnread(
                     "CURRENT",
                     current.error != 0
                         ? std::string(ReadFailure(In("CURRENT"), current.error).message())
                         : messages::StoreFileUnreadable(In("CURRENT"))));
    }
    const IntegrityManifest::RocksManifest manifest =
        it != integrity_.manifests.end() ? *it
        : integrity_.manifests.empty()
            ? IntegrityManifest::RocksManifest{name.substr(0, name.find('\n')), 0, 0}
            : integrity_.manifests.back();
    absl::StatusOr<TableFiles> files = ReadTableFiles(In(manifest.name), keys_.get());
    const absl::StatusOr<uint32_t> crc =
        Crc32cOfFile(In(manifest.name), manifest.bytes, keys_.get());
    uint64_t bytes = 0;
    const bool is_whole = crc.ok() && *crc == manifest.crc &&
                          env()->GetFileSize(In(manifest.name), &bytes).ok() &&
                          bytes >= manifest.bytes;
    if (files.ok() && is_whole) {
      named_tables_ = *std::move(files);
      manifest_ = manifest.name;
      FindNewerTables();
      return;
    }
    LoseAny(messages::RepairManifestLost(files.ok()
                                             ? messages::StoreFileAltered(In(manifest.name))
                                             : std::string(ToStd(files.status().message()))));
  }

  // Files that the manifest has never named. RocksDB gives numbers in the order in which files are
  // made, and deletes earlier ones that no manifest needs.
  void FindNewerTables() {
    const std::optional<uint64_t> own = ManifestNumber(manifest_);
    const absl::StatusOr<std::set<uint64_t>> ever = EverNamedTableFiles(In(manifest_), keys_.get());
    if (!own || !ever.ok()) return;
    for (const uint64_t number : found_tables_) {
      if (number > *own && !ever->contains(number)) newer_tables_.insert(number);
    }
  }

  absl::Status TakeTableFiles() {
    std::set<uint64_t> wanted = found_tables_;
    if (named_tables_) {
      wanted.clear();
      for (const auto& [number, place] : *named_tables_) wanted.insert(number);
    }
    for (const uint64_t number : wanted) {
      const std::string name = TableFileName(number);
      if (!found_tables_.contains(number)) {
        LoseTableFile(number, messages::RepairFileMissing(name));
        continue;
      }
      TableFile file{name, std::make_unique<rocksdb::SstFileReader>(ReadingOptions())};
      bool is_open = false;
      const rocksdb::Status status =
          CheckTableFile(env(), In(name), TableFileDepth::kBlocks, file.reader.get(), &is_open);
      if (status.ok()) {
        ++summary_.table_files;
        if (named_tables_) DYNOLITH_RETURN_IF_ERROR(Link(name));
        if (!named_tables_) whole_.push_back(std::move(file));
        continue;
      }
      if (is_open) {
        LoseTableFile(number, messages::RepairFileUnread(name, status.ToString()));
        damaged_.push_back(std::move(file));
        continue;
      }
      bool is_mended = false;
      // One bit of an encrypted chunk makes all of it unreadable.
      if (named_tables_ && keys_ == nullptr) {
        DYNOLITH_ASSIGN_OR_RETURN(is_mended, CopyWithoutFlippedBit(In(name), Out(name)));
      }
      if (is_mended) {
        ++summary_.table_files;
        Lose(messages::RepairFlippedBack(name, status.ToString()));
      } else {
        LoseTableFile(number, messages::RepairTableFileLost(name, status.ToString()));
      }
    }
    return absl::OkStatus();
  }

  // By a link where possible, as nobody ever writes to a table file again.
  absl::Status Link(const std::string& name) {
    return LinkFile(In(name), Out(name)) == 0 ? absl::OkStatus() : CopyFile(In(name), Out(name));
  }

  absl::Status TakeLogs() {
    for (const auto& [number, bytes] : integrity_.logs) {
      if (!found_logs_.contains(number)) LoseAny(messages::RepairFileMissing(LogName(number)));
    }
    first_log_ = integrity_.logs.empty() ? 0 : integrity_.logs.begin()->first;
    std::vector<LogPart> parts;
    for (const uint64_t number : found_logs_) {
      LogPart part = ReadLog(number);
      if (part.whole > 0) parts.push_back(std::move(part));
    }
    DYNOLITH_RETURN_IF_ERROR(TakeInOrder(std::move(parts)));
    if (integrity_.sequence && next_ && *next_ <= *integrity_.sequence) {
      LoseAny(messages::RepairChangesMissing("the end", *next_, *integrity_.sequence));
    }
    return absl::OkStatus();
  }

  // The front of a log, as far as its records are whole.
  struct LogPart {
    uint64_t number = 0;
    uint64_t whole = 0;  // bytes
    uint64_t first = 0;  // changes [first, next)
    uint64_t next = 0;
    uint64_t changes = 0;
    std::vector<std::pair<uint64_t, uint64_t>> holes;  // [first, last] that are missing in between
    std::vector<std::string> batches;                  // without a manifest
  };

  bool KeepsBatches() const { return !named_tables_ || !newer_tables_.empty(); }

  // Others are in table files, and will be deleted.
  bool IsNeeded(uint64_t number) const { return number >= first_log_; }

  LogPart ReadLog(uint64_t number) {
    const std::string name = LogName(number);
    LogPart part{.number = number};
    absl::StatusOr<LogReader> reader = LogReader::Open(In(name), 0, keys_.get());
    if (!reader.ok()) {
      if (IsNeeded(number)) {
        LoseAny(messages::RepairFileUnread(name, ToStd(reader.status().message())));
      }
      return part;
    }
    uint64_t records = 0;
    bool is_damaged = false;
    for (;; ++records) {
      const auto outcome = reader->Next();
      is_damaged = !outcome.ok() || *outcome == LogReader::Outcome::kDamaged;
      if (is_damaged || *outcome != LogReader::Outcome::kRecord) break;
      // What is no batch has come from another kind of file.
      if (!IsBatch(reader->record())) break;
      const uint64_t sequence = BatchSequence(reader->record());
      if (records == 0) part.first = sequence;
      if (records > 0 && sequence < part.next) break;
      if (records > 0 && sequence > part.next) part.holes.emplace_back(part.next, sequence - 1);
      part.next = sequence + BatchCount(reader->record());
      part.changes += BatchCount(reader->record());
      if (KeepsBatches()) part.batches.emplace_back(reader->record());
    }
    part.whole = reader->record_begin();
    const auto written = integrity_.logs.find(number);
    // On the disk, also of an encrypted one.
    const absl::StatusOr<uint64_t> bytes = BytesOfFile(In(name));
    if (IsNeeded(number) && part.whole < reader->file_bytes()) {
      LoseAny(messages::RepairLogEndLost(name, part.whole, reader->file_bytes()));
    } else if (IsNeeded(number) && is_damaged) {
      // The text of an encrypted file ends before its damage.
      LoseAny(messages::RepairLogEndLost(name, part.whole, bytes.value_or(part.whole)));
    }
    if (written != integrity_.logs.end() && bytes.ok() && *bytes < written->second) {
      LoseAny(messages::RepairLogCut(name, *bytes, written->second));
    }
    if (records == 0) part.whole = 0;
    return part;
  }

  static bool IsBatch(std::string_view record) {
    if (record.size() < kBatchHeaderBytes) return false;
    BatchCopier copier;
    return rocksdb::WriteBatch(std::string(record)).Iterate(&copier).ok();
  }

  // RocksDB asserts when a later log has earlier changes, as logs that were exchanged have. Which
  // log is which is told by its changes.
  absl::Status TakeInOrder(std::vector<LogPart> parts) {
    const auto order = [](const LogPart& part) {
      return std::tuple(part.first, ~part.next, part.number);
    };
    std::sort(parts.begin(), parts.end(), [&](const LogPart& left, const LogPart& right) {
      return order(left) < order(right);
    });
    std::vector<LogPart> taken;
    std::set<uint64_t> numbers;
    for (auto it = parts.begin(); it != parts.end();) {
      const auto end = std::find_if(it, parts.end(),
                                    [&](const LogPart& other) { return other.first >= it->next; });
      LogPart& part = *FindRightful(it, end, numbers.empty() ? 0 : *numbers.rbegin());
      for (; it != end; ++it) {
        if (&*it != &part && IsNeeded(it->number)) {
          LoseAny(messages::RepairLogTwice(LogName(it->number)));
        }
      }
      numbers.insert(part.number);
      taken.push_back(std::move(part));
    }
    auto number = numbers.begin();
    for (LogPart& part : taken) DYNOLITH_RETURN_IF_ERROR(TakeLog(&part, *number++));
    return absl::OkStatus();
  }

  // Of logs that hold the same changes, the first of them the most, the one whose number goes on
  // from those of earlier changes.
  static std::vector<LogPart>::iterator FindRightful(std::vector<LogPart>::iterator begin,
                                                     std::vector<LogPart>::iterator end,
                                                     uint64_t last_number) {
    const auto found = std::find_if(begin, end, [&](const LogPart& part) {
      return part.next == begin->next && part.first == begin->first && part.number > last_number;
    });
    return found != end ? found : begin;
  }

  absl::Status TakeLog(LogPart* part, uint64_t number) {
    const std::string name = LogName(part->number);
    if (number != part->number) LoseAny(messages::RepairLogMoved(name, LogName(number)));
    if (!IsNeeded(number)) return absl::OkStatus();
    if (next_ && part->first > *next_)
      part->holes.emplace(part->holes.begin(), *next_, part->first - 1);
    for (const auto& [first, last] : part->holes) {
      LoseAny(messages::RepairChangesMissing(name, first, last));
    }
    next_ = part->next;
    summary_.changes += part->changes;
    ++summary_.logs;
    std::move(part->batches.begin(), part->batches.end(), std::back_inserter(batches_));
    if (!named_tables_) return absl::OkStatus();
    const std::string copy = Out(LogName(number));
    if (keys_ != nullptr) return CopyEncryptedLog(In(name), part->whole, copy);
    return CopyFile(In(name), copy, part->whole);
  }

  // The first bytes of the text.
  absl::Status CopyEncryptedLog(const std::string& from, uint64_t bytes, const std::string& to) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<DecryptedFile> file,
                              DecryptedFile::Open(from, *keys_));
    std::string text(bytes, '\0');
    for (size_t done = 0; done < text.size();) {
      DYNOLITH_ASSIGN_OR_RETURN(const size_t got,
                                file->Read(done, text.size() - done, &text[done]));
      done += got;
    }
    DYNOLITH_ASSIGN_OR_RETURN(const std::string sealed, EncryptFrames(text, *keys_));
    return WriteWholeFile(to, sealed);
  }
  // The two small files of Assemble.
  absl::Status WriteManifest(std::string manifest) {
    std::string current = Concat(manifest_, "\n");
    if (keys_ != nullptr) {
      DYNOLITH_ASSIGN_OR_RETURN(manifest, EncryptFrames(manifest, *keys_));
      DYNOLITH_ASSIGN_OR_RETURN(current, EncryptText(current, *keys_));
    }
    DYNOLITH_RETURN_IF_ERROR(WriteWholeFile(Out(manifest_), manifest));
    return WriteWholeFile(Out("CURRENT"), current);
  }

  // Table files and logs become a store by their own manifest, without what was lost. RocksDB takes
  // the logs into table files of its own, whether they join or not.
  absl::Status Assemble() {
    std::string manifest;
    DYNOLITH_ASSIGN_OR_RETURN(LogReader reader, LogReader::Open(In(manifest_), 0, keys_.get()));
    for (;;) {
      DYNOLITH_ASSIGN_OR_RETURN(const LogReader::Outcome outcome, reader.Next());
      if (outcome != LogReader::Outcome::kRecord) break;
      AppendLogRecord(reader.record(), &manifest);
    }
    for (const uint64_t number : lost_tables_) {
      AppendLogRecord(RecordOfLostTableFile(number, named_tables_->at(number)), &manifest);
    }
    DYNOLITH_RETURN_IF_ERROR(WriteManifest(std::move(manifest)));
    rocksdb::BlockBasedTableOptions table;
    table.format_version = kTableFileFormat;
    rocksdb::ColumnFamilyOptions column;
    column.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string_view name : kFamilyNames) {
      families.emplace_back(std::string(name), column);
    }
    std::shared_ptr<rocksdb::FileSystem> files = rocksdb::FileSystem::Default();
    if (keys_ != nullptr) files = std::make_shared<EncryptedFileSystem>(files, keys_);
    const std::unique_ptr<rocksdb::Env> assembling =
        rocksdb::NewCompositeEnv(std::make_shared<UnsavedOptions>(files));
    DYNOLITH_RETURN_IF_ERROR(FindRoomForThreads(kThreadsToAssemble));
    rocksdb::DBOptions options;
    options.env = assembling.get();
    options.create_missing_column_families = true;
    options.max_file_opening_threads = 1;
    options.info_log = std::make_shared<InfoLog>(to_);
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    std::unique_ptr<rocksdb::DB> db;
    DYNOLITH_RETURN_IF_ERROR(
        FromRocks(to_, OpenRocks(options, to_, families, RocksUse::kWrite, &handles, &db)));
    for (rocksdb::ColumnFamilyHandle* handle : handles) {
      DYNOLITH_RETURN_IF_ERROR(FromRocks(to_, db->DestroyColumnFamilyHandle(handle)));
    }
    DYNOLITH_RETURN_IF_ERROR(FromRocks(to_, db->Close()));
    return Folder::MarkCopied(to_, keys_.get());
  }

  // Without a manifest: the rows of all table files, those with the oldest rows first, and then
  // what the logs say.
  absl::Status WriteAnew(Store* store) {
    const auto age = [](const TableFile& file) {
      const auto properties = file.reader->GetTableProperties();
      return std::pair(properties->creation_time, properties->orig_file_number);
    };
    std::sort(whole_.begin(), whole_.end(), [&](const TableFile& left, const TableFile& right) {
      return age(left) < age(right);
    });
    for (const TableFile& file : whole_) {
      const std::optional<Family> family = FamilyOfTableFile(*file.reader);
      if (!family) continue;
      const std::unique_ptr<rocksdb::Iterator> rows(
          file.reader->NewIterator(rocksdb::ReadOptions()));
      for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
        DYNOLITH_RETURN_IF_ERROR(PutRow(*family, *rows, store));
      }
      // It was whole when it was taken, but the disk may have read it only that once.
      if (!rows->status().ok()) {
        Lose(messages::RepairFileUnread(file.name, rows->status().ToString()));
      }
    }
    for (std::string& batch : batches_) {
      BatchCopier copier;
      const rocksdb::WriteBatch read(std::move(batch));
      DYNOLITH_RETURN_IF_ERROR(FromRocks(from_, read.Iterate(&copier)));
      DYNOLITH_RETURN_IF_ERROR(store->Commit(copier.batch()));
    }
    return absl::OkStatus();
  }

  static absl::Status PutRow(Family family, const rocksdb::Iterator& row, Store* store) {
    WriteBatch batch;
    batch.Put(family, FromSlice(row.key()), FromSlice(row.value()));
    return store->Commit(batch);
  }

  // A killed process leaves files that it had not named yet. They hold nothing of their own; any
  // other newer file is of a later state than the manifest, in which its rows may be deleted.
  absl::Status NameWhatIsNewer(Store* store) {
    KnownChanges known(store);
    for (const std::string& batch : batches_) known.AddBatch(batch);
    for (const auto& [number, place] : *named_tables_) {
      auto reader = std::make_unique<rocksdb::SstFileReader>(ReadingOptions());
      if (lost_tables_.contains(number) || !reader->Open(In(TableFileName(number))).ok()) continue;
      known.AddTableFile(std::move(reader));
    }
    for (const uint64_t number : newer_tables_) {
      DYNOLITH_RETURN_IF_ERROR(NameIfNewer(TableFileName(number), &known));
    }
    return absl::OkStatus();
  }

  absl::Status NameIfNewer(const std::string& name, KnownChanges* known) {
    rocksdb::SstFileReader reader(ReadingOptions());
    bool is_open = false;
    const rocksdb::Status status =
        CheckTableFile(env(), In(name), TableFileDepth::kBlocks, &reader, &is_open);
    if (!status.ok()) {
      // One that was never finished, unless the store was closed.
      if (is_open || integrity_.is_final()) {
        LoseAny(messages::RepairNewerUnread(name, manifest_, status.ToString()));
      }
      return absl::OkStatus();
    }
    const std::optional<Family> family = FamilyOfTableFile(reader);
    if (!family) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(const KnownChanges::Unknown unknown,
                              known->FindUnknown(&reader, *family));
    if (unknown.rows == 0 && unknown.deletions == 0) return absl::OkStatus();
    if (*family == Family::kMeta) summary_.may_lack_meta = true;
    Lose(messages::RepairNewerLeftOut(name, manifest_, unknown.rows, unknown.deletions));
    return absl::OkStatus();
  }

  // Reads a damaged table file from both of its ends.
  absl::Status TakeReadableRows(TableFile* file, Store* store) {
    const std::optional<Family> family = FamilyOfTableFile(*file->reader);
    if (!family) return absl::OkStatus();
    const std::unique_ptr<rocksdb::Iterator> rows(
        file->reader->NewIterator(rocksdb::ReadOptions()));
    uint64_t read = 0;
    uint64_t added = 0;
    std::string last;
    const auto add = [&]() -> absl::Status {
      ++read;
      Row row;
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_there,
                                store->Get(*family, FromSlice(rows->key()), &row));
      if (is_there) return absl::OkStatus();
      ++added;
      return PutRow(*family, *rows, store);
    };
    for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
      last = rows->key().ToString();
      DYNOLITH_RETURN_IF_ERROR(add());
    }
    for (rows->SeekToLast(); rows->Valid() && (read == 0 || rows->key().compare(last) > 0);
         rows->Prev()) {
      DYNOLITH_RETURN_IF_ERROR(add());
    }
    report_(messages::RepairTableFilePart(file->name, read,
                                          file->reader->GetTableProperties()->num_entries, added));
    return absl::OkStatus();
  }

  const std::string from_;
  const std::string to_;
  const std::string key_source_;
  std::shared_ptr<const StoreKeys> keys_;  // nullptr: it is not encrypted
  std::unique_ptr<rocksdb::Env> own_env_;  // the same
  const absl::FunctionRef<void(const std::string&)> report_;
  SalvageSummary summary_;
  IntegrityManifest integrity_;
  std::set<uint64_t> found_tables_;
  std::set<uint64_t> found_logs_;
  uint64_t first_log_ = 0;  // that is needed
  std::string manifest_;
  std::optional<TableFiles> named_tables_;  // nullopt: the manifest was lost
  std::set<uint64_t> lost_tables_;
  std::set<uint64_t> newer_tables_;   // than the manifest, which has never named them
  std::vector<TableFile> whole_;      // without a manifest
  std::vector<std::string> batches_;  // the same, and to know what newer table files repeat
  std::vector<TableFile> damaged_;
  std::optional<uint64_t> next_;  // change
};

}  // namespace

absl::StatusOr<SalvageSummary> Salvage(const std::string& from, const std::string& to,
                                       absl::FunctionRef<void(const std::string&)> report,
                                       const std::string& encryption_key) {
  DYNOLITH_ASSIGN_OR_RETURN(const Folder held, Folder::Hold(from));
  return StoreSalvage(from, to, encryption_key, report).Run();
}

}  // namespace dynolith
