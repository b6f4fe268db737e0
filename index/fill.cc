#include "index/fill.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/process/processors.h"
#include "engine/process/thread_start.h"
#include "engine/store/batched_rows.h"
#include "engine/store/local_store.h"
#include "index/entry.h"
#include "index/projection.h"

namespace dynolith {
namespace {

constexpr size_t kBytesBetweenLooks = 1 << 20;
constexpr std::chrono::milliseconds kBetweenLooks(20);
// Bytes of rows for one thread: with fewer, starting the thread costs more than it gains.
constexpr uint64_t kSegmentBytesMin = 4 << 20;

// Makes entries in memory that it uses again and again. Not thread-safe.
class EntryAdder {
 public:
  EntryAdder(const TableSchema& schema, SortedRows* entries) : schema_(schema), entries_(entries) {
    for (const IndexSchema& index : schema.indexes) projectors_.emplace_back(index, schema.key);
  }

  // Adds the entries of one row.
  absl::Status Add(std::string_view row_key, std::string_view value) {
    DYNOLITH_ASSIGN_OR_RETURN(const ItemView item, ItemOfRow(schema_, row_key, value));
    for (size_t i = 0; i < projectors_.size(); ++i) {
      const IndexSchema& index = schema_.indexes[i];
      if (HasEntry(index, item)) DYNOLITH_RETURN_IF_ERROR(Add(index, projectors_[i], item));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Add(const IndexSchema& index, const Projector& projector, ItemView item) {
    row_key_.clear();
    AppendIndexRowKey(index.layout(), index.key, schema_.key, item, &row_key_);
    const ItemView entry = ProjectsWholeItem(index) ? item : projector.Build(item, &builder_);
    return entries_->Put(IndexFamily(index.kind), row_key_, entry.bytes());
  }

  const TableSchema& schema_;
  SortedRows* const entries_;
  std::vector<Projector> projectors_;  // of each index
  std::string row_key_;
  ItemBuilder builder_;
};

// Adds the entries of the rows of one range.
absl::Status AddEntriesInRange(const Store& store, const TableSchema& schema, const KeyRange& range,
                               absl::FunctionRef<absl::Status()> may_go_on, SortedRows* entries) {
  Cursor cursor = store.ScanOnce(Family::kTables, range.begin, range.end);
  EntryAdder adder(schema, entries);
  size_t bytes = 0;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    bytes += cursor.key().size() + cursor.value().size();
    if (bytes >= kBytesBetweenLooks) {
      bytes = 0;
      DYNOLITH_RETURN_IF_ERROR(may_go_on());
    }
    DYNOLITH_RETURN_IF_ERROR(adder.Add(cursor.key(), cursor.value()));
  }
  return cursor.status();
}

// One thread for each, as far as there are processors and enough rows.
int ChooseSegmentCount(LocalStore* store, const TableSchema& schema) {
  // Of rows elsewhere nobody knows without counting them.
  if (store == nullptr) return 1;
  const KeyRange range = RangeOfId(schema.id);
  const uint64_t bytes = store->ApproximateBytes(Family::kTables, range.begin, range.end);
  const uint64_t segments = std::max<uint64_t>(1, bytes / kSegmentBytesMin);
  return static_cast<int>(std::min<uint64_t>(segments, UsableProcessors()));
}

// Fills from segments of a table's rows, each on a thread of its own, the first one on the
// caller's.
class SegmentsFiller {
 public:
  SegmentsFiller(Store* store, const TableSchema& schema, int segments)
      : store_(store), schema_(schema), statuses_(static_cast<size_t>(segments)) {
    for (int i = 0; i < segments; ++i) entries_.push_back(NewBulkRows(store, segments));
  }

  absl::Status Fill(absl::FunctionRef<absl::Status()> may_go_on) {
    std::vector<std::future<void>> others;
    for (size_t i = 1; i < entries_.size(); ++i) {
      others.push_back(RunBeside([this, i] { FillSegment(i, [] { return absl::OkStatus(); }); }));
    }
    FillSegment(0, may_go_on);
    for (std::future<void>& other : others) {
      while (other.wait_for(kBetweenLooks) != std::future_status::ready) {
        if (const absl::Status may = may_go_on(); !may.ok()) Fail(0, may);
      }
      other.get();
    }
    return Failure();
  }
  // Requires: filled.
  absl::Status Commit(absl::FunctionRef<absl::Status()> may_go_on) {
    for (size_t i = 1; i < entries_.size(); ++i) {
      DYNOLITH_RETURN_IF_ERROR(may_go_on());
      DYNOLITH_RETURN_IF_ERROR(entries_[0]->Join(std::move(entries_[i])));
    }
    return entries_[0]->Commit(may_go_on);
  }

 private:
  void FillSegment(size_t i, absl::FunctionRef<absl::Status()> may_go_on) {
    const auto look = [&] { return has_failed_ ? absl::CancelledError() : may_go_on(); };
    const auto segments = static_cast<int64_t>(entries_.size());
    const KeyRange range = RangeOfSegment(schema_.id, static_cast<int64_t>(i), segments);
    // A status instead of an exception: the other segments end first.
    const absl::Status filled = CatchThrown(
        [&] { return AddEntriesInRange(*store_, schema_, range, look, entries_[i].get()); });
    if (!filled.ok()) Fail(i, filled);
  }
  void Fail(size_t i, const absl::Status& status) {
    statuses_[i].Update(status);
    has_failed_ = true;
  }
  // The failure that is a cause: a thread that stops since another one failed reports kCancelled.
  absl::Status Failure() const {
    absl::Status failure;
    for (const absl::Status& status : statuses_) {
      if (failure.ok() || (absl::IsCancelled(failure) && !status.ok())) failure = status;
    }
    return failure;
  }

  Store* const store_;
  const TableSchema& schema_;
  std::vector<std::unique_ptr<SortedRows>> entries_;
  std::vector<absl::Status> statuses_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace

absl::Status FillIndexes(Store* store, const TableSchema& schema,
                         absl::FunctionRef<absl::Status()> may_go_on, int segments) {
  if (schema.indexes.empty()) return absl::OkStatus();
  SegmentsFiller filler(store, schema,
                        segments > 0 ? segments : ChooseSegmentCount(store->local(), schema));
  DYNOLITH_RETURN_IF_ERROR(filler.Fill(may_go_on));
  return filler.Commit(may_go_on);
}

}  // namespace dynolith
