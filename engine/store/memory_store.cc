#include "engine/store/memory_store.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/inlined_vector.h"
#include "engine/base/exceptions.h"
#include "engine/process/background_work.h"
#include "engine/store/batched_rows.h"
#include "engine/store/cursor_rep.h"
#include "engine/store/messages.h"
#include "engine/store/row_id.h"
#include "engine/store/rows/read_mostly_lock.h"
#include "engine/store/rows/row_tree.h"
#include "engine/store/work_counters.h"

namespace dynolith {

namespace {

using Trees = std::array<RowTree, kFamilies>;

class MemoryCursor final : public Cursor::Rep {
 public:
  MemoryCursor(RowTree tree, std::string_view begin, std::string_view end, Direction direction)
      : tree_(std::move(tree)),
        bounds_(Joined(begin, end)),
        walk_(tree_, {bounds_.data(), begin.size()}, {bounds_.data() + begin.size(), end.size()}),
        direction_(direction),
        // A range that is turned around is just empty.
        is_empty_(!end.empty() && end <= begin) {}

  bool SeekToStart() override {
    if (is_empty_) return false;
    if (direction_ == Direction::kBackward) {
      walk_.SeekBefore("");
    } else {
      walk_.SeekAtOrAfter("");
    }
    return Arrive();
  }

  bool SeekAfter(std::string_view after) override {
    if (is_empty_) return false;
    if (direction_ == Direction::kBackward) {
      if (after.empty()) return false;
      walk_.SeekBefore(after);
    } else {
      walk_.SeekAtOrAfter(after);
      if (walk_.is_valid() && walk_.key() == after) walk_.Next();
    }
    return Arrive();
  }

  bool Next() override {
    if (direction_ == Direction::kBackward) {
      walk_.Previous();
    } else {
      walk_.Next();
    }
    return Arrive();
  }

  absl::Status status() const override { return absl::OkStatus(); }

 private:
  using Bytes = absl::InlinedVector<char, 256>;

  static Bytes Joined(std::string_view begin, std::string_view end) {
    Bytes bytes(begin.size() + end.size());
    std::copy(begin.begin(), begin.end(), bytes.begin());
    std::copy(end.begin(), end.end(), bytes.begin() + static_cast<ptrdiff_t>(begin.size()));
    return bytes;
  }

  bool Arrive() {
    if (!walk_.is_valid()) return false;
    key = walk_.key();
    value = walk_.value();
    return true;
  }

  const RowTree tree_;
  const Bytes bounds_;
  RowTree::Walk walk_;
  const Direction direction_;
  const bool is_empty_;
};

// The changes of a batch, which all take place or none: those before one without memory are taken
// back, for which there is always enough.
class BatchChanges {
 public:
  BatchChanges(const WriteBatch& batch, Trees* trees) : batch_(batch), trees_(*trees) {
    done_.reserve(batch.count());
  }

  // Requires: nobody else reads or changes the trees.
  void Apply();
  // The parts that were cut out. The rows that were overwritten go with this.
  std::vector<RowTree> TakeRemoved() && { return std::move(removed_); }

 private:
  struct Done {
    WriteBatch::Operation operation;
    Family family;
    std::string_view key;
    SharedRow before = {};  // of a put that was there; of a delete that is to go
    RowTree tree = {};      // of a range before it was cut out
  };

  RowTree& FamilyTree(Family family) { return trees_[static_cast<size_t>(family)]; }
  void ApplyOne(const WriteBatch::Change& change);
  // Removes the rows that the batch deletes, of one family or (nullopt) of all.
  void RemoveDeleted(std::optional<Family> family);
  void TakeBack() noexcept;

  const WriteBatch& batch_;
  Trees& trees_;
  absl::InlinedVector<Done, 8> done_;
  std::vector<RowTree> removed_;
};

void BatchChanges::Apply() {
  absl::Cleanup take_back = [this] { TakeBack(); };
  batch_.ForEach([this](const WriteBatch::Change& change) { ApplyOne(change); });
  std::move(take_back).Cancel();
  // Last, since a row that is gone could not be put back without memory.
  RemoveDeleted(std::nullopt);
}

void BatchChanges::RemoveDeleted(std::optional<Family> family) {
  for (const Done& done : done_) {
    if (done.operation != WriteBatch::Operation::kDelete || !done.before) continue;
    if (!family || done.family == *family) FamilyTree(done.family).RemovePrepared(done.before);
  }
}

void BatchChanges::ApplyOne(const WriteBatch::Change& change) {
  RowTree& tree = FamilyTree(change.family);
  Done done{.operation = change.operation, .family = change.family, .key = change.key};
  switch (change.operation) {
    case WriteBatch::Operation::kPut:
      done.before = SharedRow::Of(change.key, change.value);
      tree.PutRow(&done.before, RowTree::Position(), nullptr);
      break;
    case WriteBatch::Operation::kDelete:
      done.before = tree.PrepareRemoval(change.key);
      break;
    case WriteBatch::Operation::kDeleteRange: {
      done.tree = tree;
      done_.push_back(std::move(done));
      // Behind this copy of the tree, which brings them back, they would take memory.
      RemoveDeleted(change.family);
      std::vector<RowTree> parts = tree.RemoveRange(change.key, change.value);
      std::move(parts.begin(), parts.end(), std::back_inserter(removed_));
      return;
    }
  }
  done_.push_back(std::move(done));
}

void BatchChanges::TakeBack() noexcept {
  // They hold nodes that belong to the trees again.
  removed_.clear();
  for (; !done_.empty(); done_.pop_back()) {
    Done& last = done_.back();
    RowTree& tree = FamilyTree(last.family);
    if (last.operation == WriteBatch::Operation::kDeleteRange) {
      tree = std::move(last.tree);
    } else if (last.operation == WriteBatch::Operation::kPut && last.before) {
      tree.PutRow(&last.before, RowTree::Position(), nullptr);
    } else if (last.operation == WriteBatch::Operation::kPut) {
      tree.Remove(last.key);
    }
  }
}

}  // namespace

class MemoryStore final : public LocalStore {
  class SnapshotReader;

 public:
  MemoryStore() = default;
  explicit MemoryStore(Trees trees) : trees_(std::move(trees)) {}

  bool read_only() const override { return false; }
  absl::Status CheckWritable() const override { return absl::OkStatus(); }

  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    row->Release();
    {
      const ReadMostlyLock::ReadScope lock(lock_);
      row->pin().shared = FamilyTree(family).Find(key);
    }
    return Show(row);
  }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    RowTree tree = [&] {
      const ReadMostlyLock::ReadScope lock(lock_);
      return FamilyTree(family);
    }();
    return Cursor(std::make_unique<MemoryCursor>(std::move(tree), begin, end, direction));
  }
  std::shared_ptr<const Snapshot> TakeSnapshot() const override;
  absl::StatusOr<std::unique_ptr<LocalStore>> Fork() const override {
    return std::make_unique<MemoryStore>(CopyTrees());
  }

  absl::Status Commit(const WriteBatch& batch) override;
  absl::Status CommitOver(std::string_view key, std::optional<std::string_view> value,
                          Look look) override;
  std::unique_ptr<SortedRows> NewSortedRows(int /*beside*/) override {
    return std::make_unique<BatchedRows>(this);
  }
  void SetBeforeCommit(std::function<void()> hook) override { before_commit_ = std::move(hook); }

  void SetLiveIds(std::shared_ptr<const IdIsAlive> is_alive, uint32_t next_id) override;
  void ReclaimId(Family family, uint32_t id) override;
  absl::Status Flush() override { return absl::OkStatus(); }
  absl::Status CompactAll() override {
    background_.Drain();
    return absl::OkStatus();
  }
  absl::Status Checkpoint(const std::string& /*folder*/) override {
    return absl::FailedPreconditionError(messages::StoreNotOnDisk());
  }
  uint64_t ApproximateBytes(Family family, std::string_view begin,
                            std::string_view end) const override {
    const ReadMostlyLock::ReadScope lock(lock_);
    return FamilyTree(family).SumRange(begin, end).bytes;
  }
  StoreStatistics TakeStatistics() const override;
  absl::Status VerifyChecksums() override { return absl::OkStatus(); }

 private:
  // Rows that are given back on the thread of whoever dropped them.
  static constexpr uint64_t kRowsGivenBackAtOnce = 10'000;
  // Expiry rows that are removed under one lock.
  static constexpr size_t kExpiryRowsAtOnce = 256;

  static absl::StatusOr<bool> Show(Row* row);
  const RowTree& FamilyTree(Family family) const { return trees_[static_cast<size_t>(family)]; }
  RowTree& FamilyTree(Family family) { return trees_[static_cast<size_t>(family)]; }
  Trees CopyTrees() const {
    const ReadMostlyLock::ReadScope lock(lock_);
    return trees_;
  }
  // The change of a batch with a single put or delete; nullopt for other batches.
  static std::optional<WriteBatch::Change> OnlyRow(const WriteBatch& batch);
  // Overwrites the row beside readers and other writers, or puts it alone. Whether `may` let it.
  bool PutOne(const WriteBatch::Change& put, const RowTree::May* may);
  // Whether there was such a row, and `may` let it go.
  bool RemoveOne(const WriteBatch::Change& removal, const RowTree::May* may);
  // Calls PutOne or RemoveOne.
  void ChangeOne(const WriteBatch::Change& change, const RowTree::May* may) {
    change.operation == WriteBatch::Operation::kPut ? PutOne(change, may) : RemoveOne(change, may);
  }
  void ApplyTogether(const WriteBatch& batch);
  void Cut(Family family, std::string_view begin, std::string_view end);
  // Ends what `removed` holds, here or in the background.
  void GiveBack(std::vector<RowTree> removed) noexcept;
  void RemoveDeadExpiryRows(const IdIsAlive& is_alive, uint32_t next_id);
  static void CountCommit(size_t changes) {
    WorkCounters& work = ThreadWork();
    ++work.batches;
    work.rows_written += changes;
  }

  ReadMostlyLock lock_;
  Trees trees_;                          // under lock_
  std::function<void()> before_commit_;  // empty: nobody asks
  mutable std::atomic<uint64_t> snapshots_ = 0;
  BackgroundQueue background_{BackgroundThreads::Shared(
      BackgroundThreads::Kind::kInMemory)};  // last: what it does uses the others
};

class MemoryStore::SnapshotReader final : public Snapshot {
 public:
  SnapshotReader(Trees trees, std::atomic<uint64_t>* count)
      : trees_(std::move(trees)), count_(*count) {
    ++count_;
  }
  ~SnapshotReader() override { --count_; }

  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    row->Release();
    row->pin().shared = trees_[static_cast<size_t>(family)].Find(key);
    return Show(row);
  }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return Cursor(
        std::make_unique<MemoryCursor>(trees_[static_cast<size_t>(family)], begin, end, direction));
  }

 private:
  const Trees trees_;
  std::atomic<uint64_t>& count_;  // of the store's snapshots
};

std::shared_ptr<const Snapshot> MemoryStore::TakeSnapshot() const {
  return std::make_shared<const SnapshotReader>(CopyTrees(), &snapshots_);
}

absl::StatusOr<bool> MemoryStore::Show(Row* row) {
  WorkCounters& work = ThreadWork();
  ++work.gets;
  if (!row->pin().shared) return false;
  ++work.rows_read;
  if constexpr (kBreaksStaleViews) row->pin().copy.Hold(row->pin().shared.value());
  row->Show();
  return true;
}

std::optional<WriteBatch::Change> MemoryStore::OnlyRow(const WriteBatch& batch) {
  if (batch.count() != 1) return std::nullopt;
  std::optional<WriteBatch::Change> only;
  batch.ForEach([&only](const WriteBatch::Change& change) {
    if (change.operation != WriteBatch::Operation::kDeleteRange) only = change;
  });
  return only;
}

bool MemoryStore::PutOne(const WriteBatch::Change& put, const RowTree::May* may) {
  RowTree& tree = FamilyTree(put.family);
  RowTree::Position position;
  uint64_t writes_before = 0;
  {
    const ReadMostlyLock::ReadScope lock(lock_);
    const auto overwritten = tree.Overwrite(put.key, put.value, may, &position);
    if (overwritten != RowTree::Overwritten::kNot) {
      return overwritten == RowTree::Overwritten::kDone;
    }
    writes_before = lock_.writes();
  }
  // Keeps the time under the lock short: the row is allocated before, the replaced row is freed
  // after, and the position found above is used again if nobody has written since.
  SharedRow row = SharedRow::Of(put.key, put.value);
  const ReadMostlyLock::WriteScope lock(lock_);
  if (lock_.writes() != writes_before + 1) position.Forget();
  return tree.PutRow(&row, position, may);
}

bool MemoryStore::RemoveOne(const WriteBatch::Change& removal, const RowTree::May* may) {
  RowTree& tree = FamilyTree(removal.family);
  RowTree::Position position;
  uint64_t writes_before = 0;
  {
    const ReadMostlyLock::ReadScope lock(lock_);
    position = tree.FindPosition(removal.key);
    writes_before = lock_.writes();
  }
  // Freed behind the lock, as in PutOne.
  SharedRow removed;
  const ReadMostlyLock::WriteScope lock(lock_);
  if (lock_.writes() != writes_before + 1) position.Forget();
  removed = tree.RemoveRow(removal.key, position, may);
  return static_cast<bool>(removed);
}

absl::Status MemoryStore::Commit(const WriteBatch& batch) {
  if (batch.empty()) return absl::OkStatus();
  if (before_commit_) before_commit_();
  if (const auto change = OnlyRow(batch)) {
    ChangeOne(*change, nullptr);
    CountCommit(batch.count());
    return absl::OkStatus();
  }
  ApplyTogether(batch);
  CountCommit(batch.count());
  return absl::OkStatus();
}

void MemoryStore::ApplyTogether(const WriteBatch& batch) {
  std::vector<RowTree> removed;
  {
    BatchChanges changes(batch, &trees_);
    {
      const ReadMostlyLock::WriteScope lock(lock_);
      changes.Apply();
    }
    removed = std::move(changes).TakeRemoved();
  }
  GiveBack(std::move(removed));
}

absl::Status MemoryStore::CommitOver(std::string_view key, std::optional<std::string_view> value,
                                     Look look) {
  WorkCounters& work = ThreadWork();
  ++work.gets;
  if (before_commit_) before_commit_();
  absl::Status status;
  const auto may = [&](const std::string_view* row) {
    if (row != nullptr) ++work.rows_read;
    status = look(row);
    return status.ok();
  };
  const RowTree::May asks(may);
  ChangeOne({.operation = value ? WriteBatch::Operation::kPut : WriteBatch::Operation::kDelete,
             .family = Family::kTables,
             .key = key,
             .value = value.value_or(std::string_view())},
            &asks);
  if (status.ok()) CountCommit(1);
  return status;
}

void MemoryStore::GiveBack(std::vector<RowTree> removed) noexcept {
  if (removed.empty()) return;
  uint64_t rows = 0;
  for (const RowTree& tree : removed) rows += tree.totals().rows;
  if (rows <= kRowsGivenBackAtOnce) return;
  // Without memory for that they go here.
  CatchThrown([&] {
    background_.Do([kept = std::make_shared<std::vector<RowTree>>(std::move(removed))] {
      kept->clear();
      // Pieces so small the C library keeps for the process, where nobody may ask for them again.
#if defined(__GLIBC__)
      malloc_trim(0);
#endif
    });
    return absl::OkStatus();
  }).IgnoreError();
}

void MemoryStore::Cut(Family family, std::string_view begin, std::string_view end) {
  std::vector<RowTree> removed;
  {
    const ReadMostlyLock::WriteScope lock(lock_);
    removed = FamilyTree(family).RemoveRange(begin, end);
  }
  GiveBack(std::move(removed));
}

void MemoryStore::ReclaimId(Family family, uint32_t id) {
  Cut(family, RowIdPrefix(id), RowIdPrefix(id + 1));
}

void MemoryStore::SetLiveIds(std::shared_ptr<const IdIsAlive> is_alive, uint32_t next_id) {
  // Rows of the other families go by ReclaimId.
  const bool has_expiry_rows = [&] {
    const ReadMostlyLock::ReadScope lock(lock_);
    return FamilyTree(Family::kExpiry).totals().rows > 0;
  }();
  if (!has_expiry_rows) return;
  background_.Do([this, is_alive = std::move(is_alive), next_id] {
    RemoveDeadExpiryRows(*is_alive, next_id);
  });
}

void MemoryStore::RemoveDeadExpiryRows(const IdIsAlive& is_alive, uint32_t next_id) {
  const RowTree expiry = [&] {
    const ReadMostlyLock::ReadScope lock(lock_);
    return FamilyTree(Family::kExpiry);
  }();
  WriteBatch dead;
  const auto remove = [&] {
    ApplyTogether(dead);
    dead.Clear();
  };
  RowTree::Walk walk(expiry, "", "");
  for (walk.SeekAtOrAfter(""); walk.is_valid(); walk.Next()) {
    const std::string_view key = walk.key();
    if (key.size() < kExpiryRowIdAt + kRowIdBytes) continue;
    const uint32_t id = RowIdFromKey(key.substr(kExpiryRowIdAt));
    if (id >= next_id || is_alive(id)) continue;
    dead.Delete(Family::kExpiry, key);
    if (dead.count() == kExpiryRowsAtOnce) remove();
  }
  remove();
}

StoreStatistics MemoryStore::TakeStatistics() const {
  StoreStatistics statistics;
  statistics.snapshots = snapshots_;
  const ReadMostlyLock::ReadScope lock(lock_);
  for (const RowTree& tree : trees_) {
    statistics.rows_estimated += tree.totals().rows;
    statistics.memtable_bytes += tree.totals().bytes;
  }
  return statistics;
}

std::unique_ptr<LocalStore> MakeMemoryStore() { return std::make_unique<MemoryStore>(); }

}  // namespace dynolith
