// Which moment a read sees, against a list of all versions that there were: a test that says "half
// a second old" has to get that, and never less than it was promised.
#include "api/staleness/stale_reads.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "dynolith/client_scope.h"
#include "engine/partition/random_numbers.h"
#include "engine/store/local_store.h"

namespace dynolith {
namespace {

using Mode = StaleReads::Mode;

constexpr std::string_view kKey = "\0\0\0\1key";
constexpr absl::Duration kBound = absl::Seconds(16);
const ReadScope kMusic = {.table = "music"};

// One row whose value is the number of its version; version 0 is its absence.
class StaleReadsTest : public ::testing::Test {
 protected:
  void Open(std::vector<StalenessRule> rules, uint64_t seed = 1) {
    reads_.reset();
    clock_.Set(absl::FromUnixSeconds(1'700'000'000));
    written_ = {absl::InfinitePast()};
    store_ = LocalStore::Open({.in_memory = true}).value();
    reads_ = StaleReads::Make(store_.get(), nullptr, &clock_, {std::move(rules), seed}).value();
  }
  ~StaleReadsTest() override { reads_.reset(); }

  static StalenessRule Rule(ReadScope of, Staleness kind, bool monotonic = false) {
    return {std::move(of), kind, kBound, monotonic};
  }
  void Write() {
    WriteBatch batch;
    batch.Put(Family::kTables, kKey, std::to_string(written_.size()));
    ASSERT_TRUE(store_->Commit(batch).ok());
    written_.push_back(clock_.Now());
  }
  size_t Newest() const { return written_.size() - 1; }
  size_t Read(const ReadScope& scope = kMusic, Mode mode = Mode::kEventual) {
    const MomentPointer moment = reads_->any() ? reads_->Choose(scope, mode) : nullptr;
    Row row;
    if (!store_->At(moment != nullptr ? moment->snapshot.get() : nullptr)
             .Get(Family::kTables, kKey, &row)
             .value())
      return 0;
    return std::stoul(std::string(row.value()));
  }
  // A version that was overwritten so long ago that no read may see it.
  bool IsTooOld(size_t version) const {
    return version < Newest() && written_[version + 1] <= clock_.Now() - kBound;
  }
  // What was the newest at that time.
  size_t VersionAt(absl::Time time) const {
    size_t version = Newest();
    while (written_[version] > time) --version;
    return version;
  }

  ManualClock clock_{absl::UnixEpoch()};
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<StaleReads> reads_;
  std::vector<absl::Time> written_;  // when, by version
};

TEST_F(StaleReadsTest, NothingIsStaleUnlessAskedFor) {
  Open({});
  Write();
  EXPECT_FALSE(reads_->any());
  EXPECT_EQ(Read(), 1u);
  EXPECT_EQ(store_->TakeStatistics().snapshots, 0u);
}

TEST_F(StaleReadsTest, FixedLag) {
  Open({Rule({}, Staleness::kFixed)});
  EXPECT_EQ(Read(), 0u);
  Write();
  EXPECT_EQ(Read(), 0u);
  EXPECT_EQ(Read(kMusic, Mode::kStrong), 1u);
  clock_.Advance(kBound - absl::Nanoseconds(1));
  EXPECT_EQ(Read(), 0u);
  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_EQ(Read(), 1u) << "as old as the lag";
}

TEST_F(StaleReadsTest, FixedLagIsExactForWritesThatAreFarEnoughApart) {
  Open({Rule({}, Staleness::kFixed)});
  for (int i = 0; i < 100; ++i) {
    Write();
    clock_.Advance(kBound / SnapshotHistory::kSpacings);
    ASSERT_EQ(Read(), VersionAt(clock_.Now() - kBound)) << i;
    ASSERT_EQ(Read(kMusic, Mode::kStrong), Newest());
  }
}

// Random programs of writes, reads and steps in time.
class StaleProgramTest : public StaleReadsTest {
 protected:
  // Between any two reads.
  void Step() {
    clock_.Advance(kBound * (static_cast<double>(NextRandom(&random_) % 1000) / 16'000));
    for (uint64_t writes = NextRandom(&random_) % 4; writes > 0; --writes) Write();
  }
  uint64_t random_ = 7;
};

TEST_F(StaleProgramTest, NeverOlderThanTheBoundNorMuchNewerThanTheLag) {
  Open({Rule({}, Staleness::kFixed), Rule({.table = "random"}, Staleness::kRandom),
        Rule({.table = "same"}, Staleness::kRandom, /*monotonic=*/true)});
  for (int i = 0; i < 3000; ++i) {
    Step();
    const size_t fixed = Read();
    ASSERT_FALSE(IsTooOld(fixed)) << i;
    const absl::Time newest_allowed = clock_.Now() - kBound + kBound / SnapshotHistory::kSpacings;
    ASSERT_LE(written_[fixed], newest_allowed) << i;
    for (const char* table : {"random", "same"}) {
      ASSERT_FALSE(IsTooOld(Read({.table = table}))) << i;
    }
    ASSERT_EQ(Read({.table = "random"}, Mode::kStrong), Newest());
    ASSERT_EQ(Read({.table = "same"}, Mode::kStrong), Newest());
  }
}

TEST_F(StaleProgramTest, MonotonicReadsNeverGoBackAndOthersDo) {
  Open({Rule({}, Staleness::kRandom), Rule({.table = "same"}, Staleness::kRandom, true)});
  size_t before = 0;
  int back = 0;
  std::vector<size_t> seen(2, 0);
  int apart = 0;
  for (int i = 0; i < 3000; ++i) {
    Step();
    const size_t version = Read();
    if (version < before) ++back;
    before = version;
    for (const size_t client : {0, 1}) {
      const ClientScope scope(client == 0 ? "first" : "second");
      const Mode mode = i % 64 == 0 && client == 0 ? Mode::kStrong : Mode::kEventual;
      const size_t own = Read({.table = "same"}, mode);
      ASSERT_GE(own, seen[client]) << "client " << client << ", read " << i;
      seen[client] = own;
    }
    if (seen[1] < seen[0]) ++apart;
  }
  EXPECT_GT(back, 100);
  EXPECT_GT(apart, 100) << "clients do not bind each other";
}

TEST_F(StaleProgramTest, ASeedGivesTheSameStatesAgain) {
  const auto run = [&](uint64_t seed) {
    Open({Rule({}, Staleness::kRandom), Rule({.table = "other"}, Staleness::kRandom)}, seed);
    random_ = 7;
    std::vector<size_t> versions;
    for (int i = 0; i < 200; ++i) {
      Step();
      versions.push_back(Read());
      // Another rule's reads change nothing.
      if (seed == 3 && i % 3 == 0) Read({.table = "other"});
    }
    return versions;
  };
  const std::vector<size_t> first = run(3);
  EXPECT_EQ(run(3), first);
  EXPECT_NE(run(4), first);
}

TEST_F(StaleProgramTest, FewSnapshotsLive) {
  Open({Rule({}, Staleness::kRandom),
        {.of = {.table = "short"}, .kind = Staleness::kFixed, .bound = absl::Milliseconds(10)}});
  uint64_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    clock_.Advance(absl::Milliseconds(i % 11));
    Write();
    if (i % 7 == 0) Read();
    const uint64_t snapshots = store_->TakeStatistics().snapshots;
    most = std::max(most, snapshots);
    ASSERT_EQ(static_cast<uint64_t>(reads_->Describe().snapshots), snapshots);
  }
  EXPECT_GT(most, 16u);
  EXPECT_LE(most, 2u * (SnapshotHistory::kSpacings + 1));
  clock_.Advance(kBound);
  Read();
  Read({.table = "short"});
  EXPECT_EQ(store_->TakeStatistics().snapshots, 0u);
}

// Why: what each client has seen is remembered, and there may be as many clients as requests.
TEST_F(StaleReadsTest, MonotonicWithManyClients) {
  Open({Rule({}, Staleness::kFixed, /*monotonic=*/true)});
  const auto read = [&](int client) {
    const std::string name = std::to_string(client);
    const ClientScope scope(name);
    return Read();
  };
  Write();
  clock_.Advance(kBound);
  EXPECT_EQ(read(0), 1u);
  Write();
  for (int client = 1; client < 5000; ++client) ASSERT_EQ(read(client), 1u);
  {
    const ClientScope scope("0");
    EXPECT_EQ(Read(kMusic, Mode::kStrong), 2u);
  }
  for (int client = 5000; client < 10'000; ++client) ASSERT_EQ(read(client), 1u);
  EXPECT_EQ(read(0), 2u);
}

TEST_F(StaleReadsTest, TheMostSpecialRuleCounts) {
  Open({Rule({}, Staleness::kFixed), Rule({.table = "fresh"}, Staleness::kNone),
        Rule({.table = "fresh", .index = "late"}, Staleness::kFixed),
        Rule({.table = "fresh", .stream = true}, Staleness::kFixed)});
  Write();
  EXPECT_EQ(Read({.table = "any"}), 0u);
  EXPECT_EQ(Read({.table = "any", .index = "late"}), 0u);
  EXPECT_EQ(Read({.table = "any", .stream = true}), 0u);
  EXPECT_EQ(Read({.table = "fresh"}), 1u);
  EXPECT_EQ(Read({.table = "fresh", .index = "other"}), 1u);
  EXPECT_EQ(Read({.table = "fresh", .index = "late"}), 0u);
  EXPECT_EQ(Read({.table = "fresh", .stream = true}), 0u);
}

TEST_F(StaleReadsTest, HoldsUntilReleased) {
  Open({});
  Write();
  reads_->Hold({.table = "music", .index = "by-year"});
  Write();
  reads_->Hold(kMusic);
  Write();
  clock_.Advance(absl::Hours(1000));
  EXPECT_EQ(Read({.table = "music", .index = "by-year"}), 1u);
  EXPECT_EQ(Read(kMusic), 2u);
  EXPECT_EQ(Read({.table = "music", .index = "other"}), 2u);
  EXPECT_EQ(Read({.table = "other"}), 3u);
  EXPECT_EQ(Read(kMusic, Mode::kStrong), 3u);
  reads_->Hold(kMusic);
  EXPECT_EQ(Read(kMusic), 3u) << "held anew";
  EXPECT_EQ(reads_->Describe().holds.size(), 2u);
  EXPECT_TRUE(reads_->Release({.table = "music", .index = "by-year"}).ok());
  EXPECT_EQ(Read({.table = "music", .index = "by-year"}), 3u) << "as its table";
  EXPECT_TRUE(reads_->Release(kMusic).ok());
  EXPECT_FALSE(reads_->any());
  EXPECT_EQ(reads_->Release(kMusic), absl::NotFoundError("the reads of music are not held"));
  EXPECT_EQ(store_->TakeStatistics().snapshots, 0u);
}

TEST_F(StaleReadsTest, HeldFromTheStart) {
  Open({Rule({}, Staleness::kHeld)});
  Write();
  EXPECT_EQ(Read(), 0u);
  EXPECT_EQ(Read(kMusic, Mode::kStrong), 1u);
  EXPECT_TRUE(reads_->Release({}).ok());
  EXPECT_EQ(Read(), 1u);
}

// Why: otherwise a client that read what was held would go back to before it.
TEST_F(StaleReadsTest, MonotonicAcrossAHold) {
  Open({Rule({}, Staleness::kFixed, /*monotonic=*/true)});
  Write();
  clock_.Advance(kBound / 2);
  reads_->Hold(kMusic);
  EXPECT_EQ(Read(), 1u);
  Write();
  EXPECT_EQ(Read(), 1u);
  EXPECT_TRUE(reads_->Release(kMusic).ok());
  {
    const ClientScope other("other");
    EXPECT_EQ(Read(), 0u);
  }
  EXPECT_EQ(Read(), 1u) << "as old as can be";
  clock_.Advance(kBound);
  EXPECT_EQ(Read(), 2u);
}

// Why: what an index had been before it moved to other rows is gone; half of it would be worse.
TEST_F(StaleReadsTest, NoReadSeesAnIndexFromBeforeItsMove) {
  const ReadScope index = {.table = "music", .index = "by-year"};
  Open({Rule({}, Staleness::kFixed)});
  Write();
  clock_.Advance(kBound);
  Write();
  EXPECT_EQ(Read(index), 1u);
  reads_->NoteReshard(index);
  EXPECT_EQ(Read(index), 2u);
  EXPECT_EQ(Read(kMusic), 1u) << "the table has not moved";
  clock_.Advance(kBound / 2);
  Write();
  EXPECT_EQ(Read(index), 2u) << "a moment behind the move";
  clock_.Advance(kBound / 2);
  EXPECT_EQ(Read(index), 2u);
  EXPECT_EQ(Read(kMusic), 2u) << "that of the move is an ordinary one by now";
  clock_.Advance(kBound);
  EXPECT_EQ(Read(index), 3u);
}

TEST_F(StaleReadsTest, AHoldThatIsOlderThanAMoveShowsTheMove) {
  const ReadScope index = {.table = "music", .index = "by-year"};
  Open({});
  Write();
  reads_->Hold(kMusic);
  Write();
  reads_->NoteReshard(index);
  Write();
  EXPECT_EQ(Read(index), 2u);
  EXPECT_EQ(Read(kMusic), 1u);
  EXPECT_EQ(reads_->Describe().snapshots, 2);
  reads_->Hold(index);
  EXPECT_EQ(Read(index), 3u) << "held anew";
  EXPECT_TRUE(reads_->Release(index).ok());
  EXPECT_EQ(Read(index), 2u) << "as its table, but for the move";
  EXPECT_TRUE(reads_->Release(kMusic).ok());
  EXPECT_EQ(Read(index), 3u);
  EXPECT_EQ(store_->TakeStatistics().snapshots, 0u);
  reads_->Hold(kMusic);
  Write();
  EXPECT_EQ(Read(index), 3u) << "a hold that came later";
  EXPECT_TRUE(reads_->Release(kMusic).ok());
}

// Why: the machine's clock may be corrected, and an hour's worth of reads would stand still.
TEST_F(StaleReadsTest, AClockThatIsSetBackLosesTheMoments) {
  Open({Rule({}, Staleness::kFixed)});
  Write();
  EXPECT_EQ(Read(), 0u);
  clock_.Set(clock_.Now() - absl::Hours(1));
  EXPECT_EQ(Read(), 1u);
  Write();
  EXPECT_EQ(Read(), 1u) << "and new ones are taken at once";
  clock_.Advance(kBound);
  EXPECT_EQ(Read(), 2u);
}

TEST_F(StaleReadsTest, RulesThatMakeNoSense) {
  const auto outcome = [&](std::vector<StalenessRule> rules) {
    const auto store = LocalStore::Open({.in_memory = true}).value();
    return StaleReads::Make(store.get(), nullptr, &clock_, {std::move(rules)}).status();
  };
  const auto with_bound = [](absl::Duration bound) {
    return StalenessRule{.of = kMusic, .kind = Staleness::kFixed, .bound = bound};
  };
  EXPECT_TRUE(outcome({with_bound(absl::Hours(24))}).ok());
  for (const absl::Duration bound :
       {absl::ZeroDuration(), -absl::Seconds(1), absl::Hours(24) + absl::Nanoseconds(1),
        absl::InfiniteDuration()}) {
    EXPECT_EQ(outcome({with_bound(bound)}),
              absl::InvalidArgumentError(
                  "the staleness of music has to be above 0 and at most 24 hours"));
  }
  EXPECT_EQ(outcome({Rule(kMusic, Staleness::kFixed), Rule(kMusic, Staleness::kNone)}),
            absl::InvalidArgumentError("there are two rules of staleness for music"));
  EXPECT_EQ(outcome({Rule({}, Staleness::kHeld, /*monotonic=*/true)}),
            absl::InvalidArgumentError("only a fixed or random staleness can be monotonic, not "
                                       "that of everything"));
  for (const ReadScope& scope :
       {ReadScope{.index = "i"}, ReadScope{.stream = true}, ReadScope{"t", "i", true}}) {
    EXPECT_EQ(outcome({Rule(scope, Staleness::kFixed)}),
              absl::InvalidArgumentError("staleness is of everything, or of a table, and then of "
                                         "one index or of the stream"));
  }
}

}  // namespace
}  // namespace dynolith
