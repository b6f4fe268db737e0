#include "engine/catalog/unowned_ids.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/messages.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/commit_slots.h"

namespace dynolith {
namespace {

// Of one commit.
constexpr size_t kRowsAtOnce = 256;
constexpr size_t kBytesAtOnce = 256 << 10;
// Of one read: of the values nothing is needed, but they come along.
constexpr ScanHints kReadAtOnce = {.rows = kRowsAtOnce, .bytes = 1 << 20};

std::string UnownedKey(const FamilyId& id) {
  return Concat(kUnownedIdKeys.begin, std::string(1, static_cast<char>(id.first)),
                RowIdPrefix(id.second));
}

absl::StatusOr<FamilyId> ParseUnownedKey(std::string_view key) {
  const std::string_view text = key.substr(kUnownedIdKeys.begin.size());
  if (text.size() != 1 + kRowIdBytes || static_cast<unsigned char>(text[0]) >= kFamilies) {
    return absl::DataLossError(messages::CatalogUnownedIdDamaged());
  }
  return FamilyId(static_cast<Family>(text[0]), RowIdFromKey(text.substr(1)));
}

// Whether processes count as ended, each asked once.
class EndedOnes {
 public:
  explicit EndedOnes(const Store& store) : store_(store) {}

  absl::StatusOr<bool> Contain(const std::string& process) {
    const auto known = has_ended_.find(process);
    if (known != has_ended_.end()) return known->second;
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(const bool lives,
                              store_.Get(Family::kMeta, CommitSlots::ProcessKey(process), &row));
    return has_ended_[process] = !lives;
  }

 private:
  const Store& store_;
  std::map<std::string, bool> has_ended_;
};

// Ids that nobody uses. That stays so: no process takes an id that has no owner, and one that
// counts as ended has another name if it lives on.
absl::StatusOr<std::vector<FamilyId>> UnusedIds(const Store& store) {
  std::vector<FamilyId> ids;
  EndedOnes ended(store);
  Cursor cursor =
      store.Scan(Family::kMeta, kUnownedIdKeys.begin, kUnownedIdKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(const FamilyId id, ParseUnownedKey(cursor.key()));
    const std::string process(cursor.value());
    bool is_unused = process.empty();
    if (!is_unused) {
      DYNOLITH_ASSIGN_OR_RETURN(is_unused, ended.Contain(process));
    }
    if (is_unused) ids.push_back(id);
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return ids;
}

// Appends the deletions of rows of the id, as far as there is room for them. Returns whether these
// are all.
absl::StatusOr<bool> DeleteRows(const Store& store, const FamilyId& id, WriteBatch* batch) {
  Cursor cursor = store.ScanPage(id.first, RowIdPrefix(id.second), RowIdPrefix(id.second + 1),
                                 Direction::kForward, kReadAtOnce);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    if (batch->count() >= kRowsAtOnce || batch->bytes() >= kBytesAtOnce) return false;
    batch->Delete(id.first, cursor.key());
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return true;
}

}  // namespace

void PutUnowned(const FamilyId& id, std::string_view process, WriteBatch* batch) {
  batch->Put(Family::kMeta, UnownedKey(id), process);
}

void DeleteUnowned(const FamilyId& id, WriteBatch* batch) {
  batch->Delete(Family::kMeta, UnownedKey(id));
}

absl::StatusOr<bool> IsUsedBy(const ReadView& rows, const FamilyId& id, std::string_view process) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, rows.Get(Family::kMeta, UnownedKey(id), &row));
  return found && row.value() == process;
}

absl::StatusOr<bool> ReclaimUnowned(SharedStore* store, const Lease& lease) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<FamilyId> ids, UnusedIds(*store));
  WriteBatch batch;
  bool has_all = true;
  for (size_t i = 0; i < ids.size() && has_all; ++i) {
    DYNOLITH_ASSIGN_OR_RETURN(has_all, DeleteRows(*store, ids[i], &batch));
    if (has_all) DeleteUnowned(ids[i], &batch);
  }
  if (!batch.empty()) DYNOLITH_RETURN_IF_ERROR(lease.Commit(store, batch));
  return !has_all;
}

}  // namespace dynolith
