// The past against a model that remembers every state: random changes over days, hours and
// milliseconds, restarts in between, keys of all bytes of which one is the beginning of another;
// of all items, of those of one partition key, and of ranges of its sort keys.
#include "engine/history/past_items.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/store/local_store.h"
#include "tests/unit/history/tables.h"

namespace dynolith {
namespace {

using ::dynolith::testing::Change;
using ::dynolith::testing::ItemRowKey;
using ::dynolith::testing::RecoverableTable;
using ::dynolith::testing::Song;

// Row key -> item.
using State = std::map<std::string, std::string>;

class PastItemsTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  PastItemsTest() : random_(GetParam()) {
    table_ = catalog_->Create(RecoverableTable(clock_.Now())).value();
    other_ = catalog_->Create(RecoverableTable(clock_.Now(), "other")).value();
    for (const char* sk : {"a", "ab", "b"}) sort_keys_.emplace_back(sk);
    for (const char byte : {'\x00', '\x01', '\xff'}) {
      sort_keys_.push_back(std::string("a") + byte);
      sort_keys_.push_back(std::string("a") + byte + '\x00');
      sort_keys_.push_back(std::string("a") + byte + '\xff');
      sort_keys_.push_back(std::string(1, byte));
    }
  }

  int Random(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }

  void ChangeSomething() {
    const std::string pk = Random(4) == 0 ? "cold" : "hot";
    const std::string& sk = sort_keys_[static_cast<size_t>(Random(int(sort_keys_.size())))];
    const std::string key = ItemRowKey(*table_->meta(), Song(pk, sk, 0));
    const auto known = state_.find(key);
    std::optional<Item> before;
    if (known != state_.end()) before = Item::Copy(ItemView::Unchecked(known->second));
    std::optional<Item> after;
    if (!before || Random(3) > 0) after = Song(pk, sk, ++plays_);
    Change(history_.get(), store_.get(), *table_->meta(), before, after);
    after ? void(state_[key] = after->bytes()) : void(state_.erase(key));
    changed_[key] = clock_.Now();
    Change(history_.get(), store_.get(), *other_->meta(), std::nullopt, Song(pk, sk, plays_));
  }

  void MoveOn() {
    states_[clock_.Now()] = state_;
    changes_[clock_.Now()] = changed_;
    constexpr int64_t kSteps[] = {1, 1, 2, 1000, 60'000, 3'600'000, 86'400'000, 100'000'000};
    clock_.Advance(absl::Milliseconds(kSteps[Random(8)]));
  }

  // Everything, or what a key condition leaves of it, which may be nothing.
  KeyRange SomeRange() {
    const TableSchema& schema = table_->meta()->schema;
    if (Random(3) == 0) return RangeOfId(schema.id);
    const auto sort_key = [this] {
      return Value::B(sort_keys_[static_cast<size_t>(Random(int(sort_keys_.size())))]);
    };
    const Value hash = Value::S(Random(4) == 0 ? "cold" : "hot");
    const Value low = sort_key();
    const Value high = sort_key();
    KeyCondition condition;
    condition.hash_equals.push_back(hash.view());
    condition.range_operator = static_cast<RangeOperator>(Random(8));
    if (condition.range_operator != RangeOperator::kNone) condition.low = low.view();
    if (condition.range_operator == RangeOperator::kBetween) condition.high = high.view();
    return EncodeKeyRange(schema.id, schema.key, nullptr, condition);
  }
  static bool Contains(const KeyRange& rows, const std::string& key) {
    return key >= rows.begin && (rows.end.empty() || key < rows.end);
  }

  State ItemsAt(absl::Time time, const KeyRange& rows) {
    EXPECT_TRUE(history_->Await(time).ok());
    State items;
    std::string last;
    const auto status = VisitItemsAt(*store_->TakeSnapshot(), rows, time,
                                     [&](std::string_view row_key, ItemView item) {
                                       EXPECT_LT(last, row_key);
                                       last = row_key;
                                       items[last] = item.bytes();
                                       return absl::OkStatus();
                                     });
    EXPECT_TRUE(status.ok()) << status;
    return items;
  }

  // The state at the last remembered time that is not later than `time`.
  const State& Remembered(absl::Time time) {
    static const State kEmpty;
    const auto it = states_.upper_bound(time);
    return it == states_.begin() ? kEmpty : std::prev(it)->second;
  }

  State RememberedWithin(absl::Time time, const KeyRange& rows) {
    State state = Remembered(time);
    std::erase_if(state, [&rows](const auto& item) { return !Contains(rows, item.first); });
    return state;
  }

  void CheckChanges(absl::Time from, absl::Time to, const KeyRange& rows) {
    EXPECT_TRUE(history_->Await(to).ok());
    // Item -> its last change.
    std::map<std::string, absl::Time> wanted;
    const auto at_end = changes_.upper_bound(to);
    if (at_end != changes_.begin()) {
      for (const auto& [key, time] : std::prev(at_end)->second) {
        if (time > from && Contains(rows, key)) wanted[key] = time;
      }
    }
    std::map<std::string, absl::Time> found;
    const auto image = [](const State& state, const std::string& key) {
      const auto it = state.find(key);
      return it == state.end() ? "" : it->second;
    };
    const auto check = [&](const PastChange& change) {
      const std::string key(change.row_key);
      found[key] = change.last_change;
      EXPECT_EQ(change.before ? change.before->bytes() : "", image(Remembered(from), key));
      EXPECT_EQ(change.after ? change.after->bytes() : "", image(Remembered(to), key));
      return absl::OkStatus();
    };
    const auto status = VisitChanges(*store_->TakeSnapshot(), rows, from, to, check);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(found, wanted);
  }

  absl::Time SomeTime() {
    auto it = states_.begin();
    std::advance(it, Random(static_cast<int>(states_.size())));
    return it->first + absl::Microseconds(Random(3) * 400);
  }

  std::mt19937 random_;
  ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<LocalStore> store_ = LocalStore::Open({.in_memory = true}).value();
  std::unique_ptr<Catalog> catalog_ = Catalog::Load(store_.get()).value();
  std::unique_ptr<History> history_ = History::Load(store_.get(), &clock_).value();
  std::shared_ptr<Table> table_;
  std::shared_ptr<Table> other_;
  std::vector<std::string> sort_keys_;
  int64_t plays_ = 0;

  State state_;
  std::map<std::string, absl::Time> changed_;
  std::map<absl::Time, State> states_;
  std::map<absl::Time, std::map<std::string, absl::Time>> changes_;
};

TEST_P(PastItemsTest, AsRemembered) {
  for (int round = 0; round < 60; ++round) {
    const bool is_busy = Random(6) == 0;
    for (int i = Random(is_busy ? 200 : 8); i > 0; --i) ChangeSomething();
    MoveOn();
    if (Random(8) == 0) history_ = History::Load(store_.get(), &clock_).value();
    for (int i = 0; i < 3; ++i) {
      const absl::Time time = SomeTime();
      const KeyRange rows = SomeRange();
      ASSERT_EQ(ItemsAt(time, rows), RememberedWithin(time, rows)) << time;
      const absl::Time other = SomeTime();
      CheckChanges(std::min(time, other), std::max(time, other), rows);
    }
  }
  const absl::Time before_all = states_.begin()->first - absl::Milliseconds(1);
  EXPECT_TRUE(ItemsAt(before_all, RangeOfId(table_->meta()->schema.id)).empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, PastItemsTest, ::testing::Range(1u, 13u));

}  // namespace
}  // namespace dynolith
