#include "engine/store/salvage/known_changes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/rocks_types.h"
#include "rocksdb/write_batch.h"

namespace dynolith {
namespace {

size_t HashOfRow(uint64_t family, std::string_view key, std::string_view value) {
  return std::hash<std::string>()(Concat(family, "/", key.size(), "/", key, value));
}

uint64_t DeletionsOf(const rocksdb::SstFileReader& file) {
  const auto properties = file.GetTableProperties();
  return properties->num_deletions + properties->num_range_deletions;
}

}  // namespace

std::optional<Family> FamilyOfTableFile(const rocksdb::SstFileReader& file) {
  const std::string name = file.GetTableProperties()->column_family_name;
  const auto* const it = std::find(std::begin(kFamilyNames), std::end(kFamilyNames), name);
  if (it == std::end(kFamilyNames)) return std::nullopt;
  return static_cast<Family>(it - std::begin(kFamilyNames));
}

class KnownChanges::LogReader final : public rocksdb::WriteBatch::Handler {
 public:
  explicit LogReader(KnownChanges* known) : known_(known) {}

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    known_->logged_.insert(HashOfRow(family, FromSlice(key), FromSlice(value)));
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(uint32_t family, const rocksdb::Slice&) override {
    if (family < kFamilies) ++known_->deletions_[family];
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteRangeCF(uint32_t family, const rocksdb::Slice&,
                                const rocksdb::Slice&) override {
    if (family < kFamilies) ++known_->deletions_[family];
    return rocksdb::Status::OK();
  }

 private:
  KnownChanges* const known_;
};

void KnownChanges::AddBatch(const std::string& batch) {
  LogReader reader(this);
  // It was iterated when it was taken.
  rocksdb::WriteBatch(batch).Iterate(&reader).PermitUncheckedError();
}

void KnownChanges::AddTableFile(std::unique_ptr<rocksdb::SstFileReader> file) {
  const std::optional<Family> family = FamilyOfTableFile(*file);
  if (!family) return;
  deletions_[static_cast<size_t>(*family)] += DeletionsOf(*file);
  std::unique_ptr<rocksdb::Iterator> rows(file->NewIterator(rocksdb::ReadOptions()));
  files_.push_back({*family, std::move(file), std::move(rows)});
}

absl::StatusOr<KnownChanges::Unknown> KnownChanges::FindUnknown(rocksdb::SstFileReader* file,
                                                                Family family) {
  Unknown unknown;
  const std::unique_ptr<rocksdb::Iterator> rows(file->NewIterator(rocksdb::ReadOptions()));
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_known,
                              Has(family, FromSlice(rows->key()), FromSlice(rows->value())));
    if (!is_known) ++unknown.rows;
  }
  if (!rows->status().ok()) return absl::DataLossError(rows->status().ToString());
  const uint64_t deletions = DeletionsOf(*file);
  if (deletions > deletions_[static_cast<size_t>(family)]) unknown.deletions = deletions;
  return unknown;
}

absl::StatusOr<bool> KnownChanges::Has(Family family, std::string_view key,
                                       std::string_view value) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_there, store_->Get(family, key, &row));
  if (is_there && row.value() == value) return true;
  if (logged_.contains(HashOfRow(static_cast<uint64_t>(family), key, value))) return true;
  return std::any_of(files_.begin(), files_.end(), [&](TableFile& file) {
    if (file.family != family) return false;
    file.rows->Seek(ToSlice(key));
    return file.rows->Valid() && FromSlice(file.rows->key()) == key &&
           FromSlice(file.rows->value()) == value;
  });
}

}  // namespace dynolith
