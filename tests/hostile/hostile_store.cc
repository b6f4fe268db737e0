#include "tests/hostile/hostile_store.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "engine/base/status_macros.h"
#include "engine/store/cursor_rep.h"
#include "engine/store/memory_store.h"
#include "engine/store/transaction/patience.h"

namespace dynolith::hostile {

constexpr absl::Duration kDelayMax = absl::Microseconds(300);
// How long a commit lets others pass.
constexpr absl::Duration kOvertakenMax = absl::Milliseconds(2);
// Of each look at the rows: whether a commit that is late takes effect now.
constexpr double kLands = 0.2;
// What a scan without hints fetches at once.
constexpr size_t kRowsPerFetch = 8;

using FamilyKey = std::pair<Family, std::string>;

struct RangeOfKeys {
  Family family = Family::kTables;
  std::string begin;
  std::string end;  // empty: none
  bool Has(const FamilyKey& key) const {
    return key.first == family && key.second >= begin && (end.empty() || key.second < end);
  }
};

struct Expectation {
  FamilyKey key;
  std::optional<std::string> value;
  bool is_any_value = false;  // that is there
};

// What a commit depends on.
struct ReadSet {
  uint64_t version = 0;  // of the rows that were read
  std::vector<FamilyKey> keys;
  std::vector<RangeOfKeys> ranges;
  std::vector<Expectation> expectations;
};

struct StampedRow {
  Family family = Family::kLog;
  std::string key;
  uint16_t place = 0;
  std::string value;
};

// All that an attempt commits.
struct Changes {
  ReadSet reads;
  WriteBatch batch;
  std::vector<StampedRow> stamped;
};

namespace {

// The first commit's number: stamps are longer than 64 bits.
constexpr absl::uint128 kFirstCommit = absl::MakeUint128(1 << 4, 0);

absl::Status TooLarge(std::string_view what) {
  return absl::InvalidArgumentError("the store's limit of " + std::string(what));
}

}  // namespace

class HostileRows {
 public:
  explicit HostileRows(const HostileOptions& options)
      : options_(options), rows_(MakeMemoryStore()), random_(options.seed) {}

  const StoreLimits& limits() const { return options_.limits; }

  std::pair<uint64_t, std::shared_ptr<const Snapshot>> Begin() ABSL_LOCKS_EXCLUDED(mutex_) {
    MaybeWait();
    absl::MutexLock lock(&mutex_);
    LandLate();
    return {version_, rows_->TakeSnapshot()};
  }

  // Whether a snapshot ends at this read.
  bool Ends() ABSL_LOCKS_EXCLUDED(mutex_) {
    MaybeWait();
    absl::MutexLock lock(&mutex_);
    CountRoundTrip();
    LandLate();
    if (!Happens(options_.ended)) return false;
    ++counts_.ended;
    return true;
  }

  absl::Status Commit(const Changes& changes) ABSL_LOCKS_EXCLUDED(mutex_) {
    MaybeWait();
    const absl::Status status = TryCommit(changes);
    MaybeWait();
    return status;
  }

  // No stamped commit that is under way has this stamp or a smaller one.
  Stamp StableStamp() ABSL_LOCKS_EXCLUDED(mutex_) {
    MaybeWait();
    absl::MutexLock lock(&mutex_);
    LandLate();
    return MakeStamp(under_way_.empty() ? next_commit_ : *under_way_.begin(), 0) - 1;
  }

  LocalStore* rows() const { return rows_.get(); }

  static void CountRoundTrip() {
    ++RoundTripsOfThread();
    Patience::Renew();
  }

  HostileCounts counts() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return counts_;
  }

  void Calm() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    while (!late_.empty()) LandOne();
    is_calm_ = true;
  }

  void Refuse(std::optional<Family> family) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    refused_ = family;
  }

  // A random order, for reads of several rows.
  template <typename Value>
  void Shuffle(std::vector<Value>* values) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    std::shuffle(values->begin(), values->end(), random_);
  }

 private:
  // A commit that has been taken on, and what the rows were like then.
  struct TakenCommit {
    Changes changes;
    absl::uint128 number = 0;  // 0: nothing has a stamp
    uint64_t version = 0;
  };

  bool Happens(double share) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !is_calm_ && std::uniform_real_distribution<double>(0, 1)(random_) < share;
  }

  void MaybeWait() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::Duration delay;
    {
      absl::MutexLock lock(&mutex_);
      if (!Happens(options_.delayed)) return;
      delay = kDelayMax * std::uniform_real_distribution<double>(0, 1)(random_);
    }
    absl::SleepFor(delay);
  }

  absl::Status TryCommit(const Changes& changes) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    CountRoundTrip();
    LandLate();
    DYNOLITH_RETURN_IF_ERROR(CheckLimits(changes));
    if (IsRefused(changes.batch)) {
      ++counts_.refused;
      return absl::UnavailableError("not now");
    }
    if (Happens(options_.aborted)) {
      ++counts_.aborted;
      return absl::AbortedError("for no reason");
    }
    TakenCommit taken = {.changes = changes, .version = version_};
    if (!changes.stamped.empty()) {
      DYNOLITH_RETURN_IF_ERROR(TakeNumber(&taken));
      if (Happens(options_.overtaken)) LetOthersPass();
    }
    // A commit of nothing has nothing to be lost.
    if (changes.batch.empty() || !Happens(options_.lost)) return Apply(taken);
    ++counts_.lost;
    switch (std::uniform_int_distribution<int>(0, 2)(random_)) {
      case 0:
        Apply(taken).IgnoreError();
        break;
      case 1:
        late_.push_back(std::move(taken));
        break;
      default:
        under_way_.erase(taken.number);
        break;
    }
    return absl::UnknownError("the answer is lost");
  }

  bool IsRefused(const WriteBatch& batch) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    bool is_refused = false;
    batch.ForEach([&](const WriteBatch::Change& change) {
      mutex_.AssertHeld();
      is_refused = is_refused || change.family == refused_;
    });
    return is_refused;
  }

  // Of rows that are so by now: what the commit depends on has a smaller number.
  absl::Status TakeNumber(TakenCommit* taken) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!IsStillSo(taken->changes.reads)) {
      ++counts_.conflicts;
      return absl::AbortedError("a row has changed: " + why_);
    }
    taken->number = next_commit_;
    next_commit_ += std::uniform_int_distribution<int>(1, 3)(random_);
    under_way_.insert(taken->number);
    return absl::OkStatus();
  }

  // Commits with greater numbers may take effect before this one.
  void LetOthersPass() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    ++counts_.overtaken;
    const uint64_t enough = version_ + 2;
    const auto have_passed = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return version_ >= enough;
    };
    mutex_.AwaitWithTimeout(absl::Condition(&have_passed), kOvertakenMax);
  }

  absl::Status CheckLimits(const Changes& changes) const {
    const StoreLimits& limits = options_.limits;
    size_t bytes = changes.batch.bytes();
    absl::Status status;
    const auto count = [&](size_t key_bytes, size_t value_bytes) {
      if (key_bytes > limits.key_bytes) status.Update(TooLarge("keys"));
      if (value_bytes > limits.value_bytes) status.Update(TooLarge("values"));
    };
    changes.batch.ForEach([&](const WriteBatch::Change& change) {
      const bool is_range = change.operation == WriteBatch::Operation::kDeleteRange;
      count(change.key.size(), is_range ? 0 : change.value.size());
      if (is_range) count(change.value.size(), 0);
    });
    for (const StampedRow& row : changes.stamped) {
      count(row.key.size() + kStampBytes, row.value.size());
      bytes += row.key.size() + kStampBytes + row.value.size();
    }
    if (bytes > limits.batch_bytes) status.Update(TooLarge("transactions"));
    return status;
  }

  void LandLate() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!late_.empty() && Happens(kLands)) LandOne();
  }

  void LandOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::swap(late_[std::uniform_int_distribution<size_t>(0, late_.size() - 1)(random_)],
              late_.back());
    const TakenCommit late = std::move(late_.back());
    late_.pop_back();
    if (Apply(late).ok()) ++counts_.late;
  }

  absl::Status Apply(const TakenCommit& taken) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    under_way_.erase(taken.number);
    if (!IsStillSo(taken.changes.reads) || HasChangedSince(taken)) {
      ++counts_.conflicts;
      return absl::AbortedError("a row has changed: " + why_);
    }
    if (taken.changes.batch.empty()) return absl::OkStatus();
    WriteBatch batch = taken.changes.batch;
    for (const StampedRow& row : taken.changes.stamped) {
      std::string key = row.key;
      AppendStamp(MakeStamp(taken.number, row.place), &key);
      batch.Put(row.family, key, row.value);
    }
    ++version_;
    batch.ForEach([&](const WriteBatch::Change& change) {
      mutex_.AssertHeld();
      if (change.operation == WriteBatch::Operation::kDeleteRange) {
        // The deletion of nothing changes nothing.
        Cursor rows = rows_->Scan(change.family, change.key, change.value, Direction::kForward);
        rows.SeekToStart();
        if (!rows.Valid()) return;
        deleted_.push_back(
            {{change.family, std::string(change.key), std::string(change.value)}, version_});
      } else {
        changed_[{change.family, std::string(change.key)}] = version_;
      }
    });
    DYNOLITH_RETURN_IF_ERROR(rows_->Commit(batch));
    ++counts_.commits;
    return absl::OkStatus();
  }

  // Whether a row that a commit with a stamp expects is so only since it got its stamp.
  bool HasChangedSince(const TakenCommit& taken) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (taken.number == 0) return false;
    for (const Expectation& expected : taken.changes.reads.expectations) {
      const auto changed = changed_.find(expected.key);
      if (changed == changed_.end() || changed->second <= taken.version) continue;
      why_ = "changed " + expected.key.second;
      return true;
    }
    return false;
  }

  bool IsStillSo(const ReadSet& reads) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (const Expectation& expected : reads.expectations) {
      Row row;
      const bool found = rows_->Get(expected.key.first, expected.key.second, &row).value();
      const bool is_so = expected.is_any_value ? found
                                               : found == expected.value.has_value() &&
                                                     (!found || row.value() == *expected.value);
      if (!is_so) {
        why_ = "expected " + expected.key.second;
        return false;
      }
    }
    for (const FamilyKey& key : reads.keys) {
      const auto changed = changed_.find(key);
      if (changed != changed_.end() && changed->second > reads.version) {
        why_ = "read " + key.second;
        return false;
      }
      for (const auto& [range, version] : deleted_) {
        if (version > reads.version && range.Has(key)) return false;
      }
    }
    for (const RangeOfKeys& range : reads.ranges) {
      for (auto it = changed_.lower_bound({range.family, range.begin});
           it != changed_.end() && range.Has(it->first); ++it) {
        if (it->second > reads.version) {
          why_ = "scanned " + range.begin + " found " + it->first.second;
          return false;
        }
      }
      for (const auto& [gone, version] : deleted_) {
        const bool is_apart = gone.family != range.family ||
                              (!gone.end.empty() && gone.end <= range.begin) ||
                              (!range.end.empty() && range.end <= gone.begin);
        if (version > reads.version && !is_apart) return false;
      }
    }
    return true;
  }

  const HostileOptions options_;
  const std::unique_ptr<LocalStore> rows_;
  mutable absl::Mutex mutex_;
  std::mt19937_64 random_ ABSL_GUARDED_BY(mutex_);
  std::optional<Family> refused_ ABSL_GUARDED_BY(mutex_);
  bool is_calm_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = 0;  // the number of commits
  std::map<FamilyKey, uint64_t> changed_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<RangeOfKeys, uint64_t>> deleted_ ABSL_GUARDED_BY(mutex_);
  std::vector<TakenCommit> late_ ABSL_GUARDED_BY(mutex_);
  absl::uint128 next_commit_ ABSL_GUARDED_BY(mutex_) = kFirstCommit;
  std::set<absl::uint128> under_way_ ABSL_GUARDED_BY(mutex_);
  HostileCounts counts_ ABSL_GUARDED_BY(mutex_);
  std::string why_ ABSL_GUARDED_BY(mutex_);  // of the last conflict
};

namespace {

absl::Status Ended() { return absl::AbortedError("the snapshot has ended"); }

// Over a cursor of the rows, which it fetches in parts. When its snapshot ends it goes on in the
// newest state (`again`), or fails.
class HostileCursor final : public Cursor::Rep {
 public:
  using Again = std::function<Cursor()>;
  using ReadRow = std::function<absl::Status(RowRead*)>;

  HostileCursor(HostileRows* rows, Cursor cursor, Again again, const ScanHints& hints = {},
                RowRead* with = nullptr, ReadRow read_with = nullptr)
      : rows_(rows),
        cursor_(std::move(cursor)),
        again_(std::move(again)),
        hints_(hints),
        with_(with),
        read_with_(std::move(read_with)) {}

  bool SeekToStart() override {
    if (Fetch()) return false;
    cursor_.SeekToStart();
    return Arrive();
  }
  bool SeekAfter(std::string_view after) override {
    // It may be the view of this cursor's row.
    at_ = std::string(after);
    if (Fetch()) return false;
    cursor_.SeekAfter(at_);
    return Arrive();
  }
  bool Next() override {
    if (rows_left_ > 0 && bytes_left_ > 0) {
      cursor_.Next();
      return Arrive();
    }
    if (Fetch()) return false;
    cursor_.SeekAfter(at_);
    return Arrive();
  }
  absl::Status status() const override { return failure_.ok() ? cursor_.status() : failure_; }

 private:
  // Asks for the next part. Returns whether that failed.
  bool Fetch() {
    if (!failure_.ok()) return true;
    const bool is_hinted = hints_.rows > 0 || hints_.bytes > 0;
    rows_left_ = hints_.rows > 0 ? hints_.rows : is_hinted ? SIZE_MAX : kRowsPerFetch;
    bytes_left_ = hints_.bytes > 0 ? hints_.bytes : SIZE_MAX;
    if (rows_->Ends()) {
      if (!again_) {
        failure_ = Ended();
        return true;
      }
      cursor_ = again_();
    }
    if (with_ != nullptr) failure_ = read_with_(std::exchange(with_, nullptr));
    return !failure_.ok();
  }
  bool Arrive() {
    if (!cursor_.Valid()) return false;
    at_ = std::string(cursor_.key());
    key = cursor_.key();
    value = cursor_.value();
    --rows_left_;
    bytes_left_ -= std::min(bytes_left_, key.size() + value.size());
    return true;
  }

  HostileRows* const rows_;
  Cursor cursor_;
  const Again again_;
  const ScanHints hints_;
  RowRead* with_;  // nullptr: it is read
  const ReadRow read_with_;
  size_t rows_left_ = 0;
  size_t bytes_left_ = 0;
  std::string at_;
  absl::Status failure_;
};

absl::Status ReadFrom(const ReadView& state, RowRead* read) {
  DYNOLITH_ASSIGN_OR_RETURN(read->found, state.Get(read->family, read->key, read->row));
  return absl::OkStatus();
}

class HostileSnapshot final : public Snapshot {
 public:
  explicit HostileSnapshot(std::shared_ptr<HostileRows> rows)
      : rows_(std::move(rows)), snapshot_(rows_->Begin().second) {}

  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    if (rows_->Ends()) return Ended();
    return snapshot_->Get(family, key, row);
  }
  absl::Status MultiGet(absl::Span<RowRead> reads) const override {
    if (rows_->Ends()) return Ended();
    for (RowRead& read : reads) DYNOLITH_RETURN_IF_ERROR(ReadFrom(*snapshot_, &read));
    return absl::OkStatus();
  }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return ScanPage(family, begin, end, direction, {});
  }
  Cursor ScanPage(Family family, std::string_view begin, std::string_view end, Direction direction,
                  const ScanHints& hints, RowRead* with = nullptr) const override {
    return Cursor(std::make_unique<HostileCursor>(
        rows_.get(), snapshot_->Scan(family, begin, end, direction), nullptr, hints, with,
        [this](RowRead* read) { return ReadFrom(*snapshot_, read); }));
  }

 private:
  const std::shared_ptr<HostileRows> rows_;
  const std::shared_ptr<const Snapshot> snapshot_;
};

class HostileAttempt final : public Attempt {
 public:
  explicit HostileAttempt(std::shared_ptr<HostileRows> rows)
      : rows_(std::move(rows)), ends_(absl::Now() + rows_->limits().transaction_time) {
    std::tie(changes_.reads.version, snapshot_) = rows_->Begin();
  }

  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    if (HasEnded()) return Ended();
    changes_.reads.keys.emplace_back(family, std::string(key));
    return snapshot_->Get(family, key, row);
  }
  absl::Status MultiGet(absl::Span<RowRead> reads) const override {
    if (HasEnded()) return Ended();
    std::vector<RowRead*> order;
    for (RowRead& read : reads) order.push_back(&read);
    rows_->Shuffle(&order);
    for (RowRead* const read : order) {
      changes_.reads.keys.emplace_back(read->family, std::string(read->key));
      DYNOLITH_RETURN_IF_ERROR(ReadFrom(*snapshot_, read));
    }
    return absl::OkStatus();
  }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return ScanPage(family, begin, end, direction, {});
  }
  Cursor ScanPage(Family family, std::string_view begin, std::string_view end, Direction direction,
                  const ScanHints& hints, RowRead* with = nullptr) const override {
    changes_.reads.ranges.push_back({family, std::string(begin), std::string(end)});
    if (with != nullptr) changes_.reads.keys.emplace_back(with->family, std::string(with->key));
    return Cursor(std::make_unique<HostileCursor>(
        rows_.get(), snapshot_->Scan(family, begin, end, direction), nullptr, hints, with,
        [this](RowRead* read) { return ReadFrom(*snapshot_, read); }));
  }
  void Expect(Family family, std::string_view key, std::optional<std::string_view> value) override {
    Expectation expected = {.key = {family, std::string(key)}};
    if (value) expected.value = std::string(*value);
    changes_.reads.expectations.push_back(std::move(expected));
  }
  bool ExpectPresent(Family family, std::string_view key) override {
    changes_.reads.expectations.push_back(
        {.key = {family, std::string(key)}, .is_any_value = true});
    return true;
  }
  absl::Status Commit(const WriteBatch& batch) override {
    if (has_ended_ || absl::Now() > ends_) return Ended();
    changes_.batch = batch;
    return rows_->Commit(changes_);
  }
  absl::Status PutStamped(Family family, std::string_view key, uint16_t place,
                          std::string_view value) override {
    changes_.stamped.push_back({family, std::string(key), place, std::string(value)});
    return absl::OkStatus();
  }

 private:
  bool HasEnded() const {
    has_ended_ = has_ended_ || rows_->Ends();
    return has_ended_;
  }

  const std::shared_ptr<HostileRows> rows_;
  const absl::Time ends_;
  std::shared_ptr<const Snapshot> snapshot_;
  // Reads do not change the attempt for those who read.
  mutable Changes changes_;
  mutable bool has_ended_ = false;
};

class HostileStore final : public SharedStore {
 public:
  explicit HostileStore(std::shared_ptr<HostileRows> rows) : rows_(std::move(rows)) {}

  bool read_only() const override { return false; }
  absl::Status CheckWritable() const override { return absl::OkStatus(); }
  const StoreLimits& limits() const override { return rows_->limits(); }
  std::unique_ptr<Attempt> Begin() override { return std::make_unique<HostileAttempt>(rows_); }
  absl::StatusOr<Stamp> StableStamp() const override { return rows_->StableStamp(); }
  std::shared_ptr<const Snapshot> TakeSnapshot() const override {
    return std::make_shared<HostileSnapshot>(rows_);
  }
  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    HostileRows::CountRoundTrip();
    return rows_->Begin().second->Get(family, key, row);
  }
  absl::Status MultiGet(absl::Span<RowRead> reads) const override {
    HostileRows::CountRoundTrip();
    const std::shared_ptr<const Snapshot> state = rows_->Begin().second;
    for (RowRead& read : reads) DYNOLITH_RETURN_IF_ERROR(ReadFrom(*state, &read));
    return absl::OkStatus();
  }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return ScanPage(family, begin, end, direction, {});
  }
  Cursor ScanPage(Family family, std::string_view begin, std::string_view end, Direction direction,
                  const ScanHints& hints, RowRead* with = nullptr) const override {
    auto again = [rows = rows_, family, begin = std::string(begin), end = std::string(end),
                  direction] { return rows->Begin().second->Scan(family, begin, end, direction); };
    Cursor first = again();
    return Cursor(std::make_unique<HostileCursor>(
        rows_.get(), std::move(first), std::move(again), hints, with,
        // It may be newer than the rows.
        [rows = rows_](RowRead* read) { return ReadFrom(*rows->Begin().second, read); }));
  }

 private:
  const std::shared_ptr<HostileRows> rows_;
};

}  // namespace

std::shared_ptr<HostileRows> MakeHostileRows(const HostileOptions& options) {
  return std::make_shared<HostileRows>(options);
}

void Refuse(HostileRows* rows, std::optional<Family> family) { rows->Refuse(family); }

int64_t& RoundTripsOfThread() {
  thread_local int64_t count = 0;
  return count;
}

HostileCounts CountsOf(HostileRows* rows) { return rows->counts(); }

void Calm(HostileRows* rows) { rows->Calm(); }

std::unique_ptr<SharedStore> OpenHostileStore(std::shared_ptr<HostileRows> rows) {
  return std::make_unique<HostileStore>(std::move(rows));
}

}  // namespace dynolith::hostile
