// Transactions among threads: what one of them reads or moves is never half of another's work, ones
// that share no item do not wait for each other, and a token outlives the process
// (api/facts/operations.md §3).
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "api/write/conflict_table.h"
#include "api/write/transact_write_items.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/key/key_codec.h"
#include "gtest/gtest.h"
#include "tests/unit/api/control_plane.h"

namespace dynolith {
namespace {

constexpr int kAccounts = 5;
constexpr int kStartBalance = 100;

Item KeyOfAccount(int account) { return Item({{"pk", Value::S("a" + std::to_string(account))}}); }

std::unique_ptr<Database> Open(DatabaseOptions options) {
  options.ttl_sweep_period = absl::ZeroDuration();
  auto database = Database::Open(options);
  EXPECT_TRUE(database.ok()) << database.status();
  return *std::move(database);
}

void CreateAccounts(Database* database) {
  CreateTableRequest create;
  create.table_name = "accounts";
  create.attribute_definitions = {{"pk", Type::kString}};
  create.key_schema = {{"pk", KeyType::kHash}};
  create.billing_mode = BillingMode::kPayPerRequest;
  ASSERT_TRUE(database->CreateTable(create).ok());
  for (int i = 0; i < kAccounts; ++i) {
    PutItemRequest put;
    put.table_name = "accounts";
    put.item = Item({{"pk", Value::S("a" + std::to_string(i))}, {"n", Value::N(kStartBalance)}});
    ASSERT_TRUE(database->PutItem(put).ok());
  }
}

TransactWriteItem Adding(int account, int amount, int at_least) {
  TransactAction update;
  update.table_name = "accounts";
  update.item = KeyOfAccount(account);
  update.update_expression = "SET n = n + :d";
  update.condition_expression = "n >= :m";
  update.expression_attribute_values = Item({{":d", Value::N(amount)}, {":m", Value::N(at_least)}});
  TransactWriteItem item;
  item.update = update;
  return item;
}

TransactWriteItemsRequest Transfer(int from, int to, int amount) {
  TransactWriteItemsRequest request;
  request.transact_items = {Adding(from, -amount, amount), Adding(to, amount, 0)};
  return request;
}

TransactGetItemsRequest AllAccounts() {
  TransactGetItemsRequest request;
  for (int i = 0; i < kAccounts; ++i) {
    TransactGet get;
    get.table_name = "accounts";
    get.key = KeyOfAccount(i);
    request.transact_items.push_back(get);
  }
  return request;
}

int64_t NumberIn(const Item& item, std::string_view name) {
  const auto value = item.Find(name);
  return value ? std::stoll(value->number().ToString()) : -1;
}

int64_t SumBalances(const TransactGetItemsOutput& output) {
  int64_t sum = 0;
  for (const std::optional<Item>& item : output.responses) {
    EXPECT_TRUE(item.has_value());
    if (item) sum += NumberIn(*item, "n");
  }
  return sum;
}

// Three threads transfer along different cycles, so that their items overlap in every order, while
// two read all accounts. Returns how many transfers have been done.
int TransferAndWatch(Database* database, bool conflicts_allowed) {
  constexpr int kTransfers = 300;
  std::atomic<int> transferring = 3;
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  const auto is_expected = [conflicts_allowed](const absl::Status& status) {
    for (const CancellationReason& reason : AttachedReasons(status)) {
      if (reason.code == "TransactionConflict" && !conflicts_allowed) return false;
      if (reason.code == "ValidationError") return false;
    }
    return KindOf(status) == ErrorKind::kTransactionCanceled;
  };
  for (int t = 1; t <= 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTransfers; ++i) {
        const auto output =
            database->TransactWriteItems(Transfer(i % kAccounts, (i + t) % kAccounts, 7 * t));
        if (output.ok()) {
          ++done;
        } else {
          EXPECT_TRUE(is_expected(output.status())) << output.status();
        }
      }
      --transferring;
    });
  }
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      do {
        const auto output = database->TransactGetItems(AllAccounts());
        if (output.ok()) {
          EXPECT_EQ(SumBalances(*output), kAccounts * kStartBalance);
        } else {
          EXPECT_TRUE(conflicts_allowed && is_expected(output.status())) << output.status();
        }
      } while (transferring > 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto end = database->TransactGetItems(AllAccounts());
  EXPECT_TRUE(end.ok());
  if (end.ok()) {
    EXPECT_EQ(SumBalances(*end), kAccounts * kStartBalance);
  }
  return done;
}

TEST(Transactions, KeepTheSumWhoeverLooks) {
  const auto database = Open({.in_memory = true});
  CreateAccounts(database.get());
  EXPECT_GT(TransferAndWatch(database.get(), /*conflicts_allowed=*/false), 0);
}

TEST(Transactions, KeepTheSumWithConflicts) {
  const auto database = Open({.in_memory = true, .fail_on_conflict = true});
  CreateAccounts(database.get());
  EXPECT_GT(TransferAndWatch(database.get(), /*conflicts_allowed=*/true), 0);
}

// Read-modify-write without a lost update: every increment that was acknowledged counts.
TEST(Transactions, LoseNoUpdateBesidePlainWrites) {
  const auto database = Open({.in_memory = true});
  CreateAccounts(database.get());
  constexpr int kIncrements = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kIncrements; ++i) {
        TransactWriteItemsRequest request;
        request.transact_items = {Adding(0, 1, 0), Adding(1, 1, 0)};
        EXPECT_TRUE(database->TransactWriteItems(request).ok());
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kIncrements; ++i) {
        UpdateItemRequest update;
        update.table_name = "accounts";
        update.key = KeyOfAccount(1);
        update.update_expression = "ADD n :one";
        update.expression_attribute_values = Item({{":one", Value::N(1)}});
        EXPECT_TRUE(database->UpdateItem(update).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto output = database->TransactGetItems(AllAccounts());
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(NumberIn(*output->responses[0], "n"), kStartBalance + 2 * kIncrements);
  EXPECT_EQ(NumberIn(*output->responses[1], "n"), kStartBalance + 4 * kIncrements);
}

std::vector<size_t> Entered(ConflictTable* table, const std::vector<std::string_view>& keys,
                            ConflictTable::Kind kind, ConflictTable::Entry* entry) {
  std::vector<size_t> taken;
  *entry = table->Enter(keys, kind, &taken);
  return taken;
}

// With fail_on_conflict the loser is told which of its items are taken; whoever shares none is not
// touched.
TEST(Conflicts, AreOfOverlappingItemsOnly) {
  using Kind = ConflictTable::Kind;
  using Taken = std::vector<size_t>;
  ConflictTable table;
  ConflictTable::Entry first;
  ConflictTable::Entry other;
  ASSERT_EQ(Entered(&table, {"a", "b"}, Kind::kTransaction, &first), Taken());
  EXPECT_EQ(Entered(&table, {"c", "b", "a"}, Kind::kTransaction, &other), (Taken{1, 2}));
  EXPECT_EQ(Entered(&table, {"b"}, Kind::kPlain, &other), Taken{0});
  EXPECT_EQ(Entered(&table, {"c", "a"}, Kind::kRead, &other), Taken{1});
  EXPECT_EQ(Entered(&table, {"c", "d"}, Kind::kTransaction, &other), Taken());
  other = ConflictTable::Entry();
  first = ConflictTable::Entry();
  EXPECT_EQ(Entered(&table, {"c", "b", "a"}, Kind::kTransaction, &other), Taken());
}

TEST(Conflicts, PlainWritesShareAndReadsLeaveNothing) {
  using Kind = ConflictTable::Kind;
  using Taken = std::vector<size_t>;
  ConflictTable table;
  ConflictTable::Entry plain;
  ConflictTable::Entry other;
  ASSERT_EQ(Entered(&table, {"a"}, Kind::kPlain, &plain), Taken());
  EXPECT_EQ(Entered(&table, {"a"}, Kind::kPlain, &other), Taken());
  other = ConflictTable::Entry();
  EXPECT_EQ(Entered(&table, {"a"}, Kind::kTransaction, &other), Taken{0});
  EXPECT_EQ(Entered(&table, {"a"}, Kind::kRead, &other), Taken{0});
  plain = ConflictTable::Entry();
  EXPECT_EQ(Entered(&table, {"a"}, Kind::kRead, &other), Taken());
  EXPECT_EQ(Entered(&table, {"a"}, Kind::kTransaction, &plain), Taken());
}

// While someone holds a row, a transaction of other rows goes through; one of that row waits.
class HeldRows : public ControlPlane {
 protected:
  static TransactWriteItemsRequest Puts(const std::vector<std::string>& keys) {
    TransactWriteItemsRequest request;
    for (const std::string& key : keys) {
      TransactAction put;
      put.table_name = "music";
      put.item = Item({{"pk", Value::S(key)}});
      request.transact_items.emplace_back().put = put;
    }
    return request;
  }

  RowLocks::Guard Hold(const std::string& key) {
    const std::shared_ptr<const TableMeta> meta = catalog_->Find("music")->meta();
    const Item item({{"pk", Value::S(key)}});
    std::string row_key;
    AppendRowKey(meta->schema.id, meta->schema.key, item.view(), &row_key);
    return locks_.Lock(row_key);
  }
};

TEST_F(HeldRows, BlockOnlyWhoSharesThem) {
  Create(OnDemand());
  RowLocks::Guard held = Hold("a");
  const auto put = [this](const std::vector<std::string>& keys) {
    EXPECT_TRUE(TransactWriteItems(context_, Puts(keys)).ok());
  };
  absl::Notification done;
  std::thread waiting([&] {
    put({"a", "d"});
    done.Notify();
  });
  std::thread(put, std::vector<std::string>{"b", "c"}).join();
  EXPECT_FALSE(done.WaitForNotificationWithTimeout(absl::Milliseconds(30)));
  std::thread(put, std::vector<std::string>{"e", "f"}).join();
  held = RowLocks::Guard();
  waiting.join();
  EXPECT_TRUE(done.HasBeenNotified());
}

class OnDisk : public ::testing::Test {
 protected:
  OnDisk()
      : path_(std::filesystem::temp_directory_path() /
              ("dynolith_transactions_" + std::to_string(getpid()))),
        clock_(absl::FromUnixSeconds(1'700'000'000)) {
    std::filesystem::remove_all(path_);
  }
  ~OnDisk() override { std::filesystem::remove_all(path_); }

  std::unique_ptr<Database> Reopen() { return Open({.path = path_.string(), .clock = &clock_}); }

  const std::filesystem::path path_;
  ManualClock clock_;
};

// A client that repeats its request after the server was started anew gets the first one's success.
TEST_F(OnDisk, TokensOutliveTheProcess) {
  TransactWriteItemsRequest request = Transfer(0, 1, 10);
  request.client_request_token = "once";
  {
    const auto database = Reopen();
    CreateAccounts(database.get());
    ASSERT_TRUE(database->TransactWriteItems(request).ok());
  }
  {
    const auto database = Reopen();
    ASSERT_TRUE(database->TransactWriteItems(request).ok());
    const auto output = database->TransactGetItems(AllAccounts());
    ASSERT_TRUE(output.ok());
    EXPECT_EQ(NumberIn(*output->responses[0], "n"), kStartBalance - 10);
    TransactWriteItemsRequest changed = Transfer(0, 1, 11);
    changed.client_request_token = "once";
    EXPECT_EQ(KindOf(database->TransactWriteItems(changed).status()),
              ErrorKind::kIdempotentParameterMismatch);
  }
  clock_.Advance(absl::Minutes(10) + absl::Seconds(1));
  const auto database = Reopen();
  ASSERT_TRUE(database->TransactWriteItems(request).ok());
  const auto output = database->TransactGetItems(AllAccounts());
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(NumberIn(*output->responses[0], "n"), kStartBalance - 20);
}

// Many threads with one token: it is done once; whoever comes while it runs is told so.
TEST(Tokens, AreUsedOnceByManyThreads) {
  const auto database = Open({.in_memory = true});
  CreateAccounts(database.get());
  TransactWriteItemsRequest request = Transfer(0, 1, 10);
  request.client_request_token = "once";
  std::atomic<int> succeeded = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto output = database->TransactWriteItems(request);
        if (output.ok()) {
          ++succeeded;
        } else {
          EXPECT_EQ(KindOf(output.status()), ErrorKind::kTransactionInProgress);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(succeeded, 0);
  const auto output = database->TransactGetItems(AllAccounts());
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(NumberIn(*output->responses[0], "n"), kStartBalance - 10);
}

// What the wire's model checks is checked for callers from C++ as well.
TEST(Members, AreCheckedWithoutTheWire) {
  const auto database = Open({.in_memory = true});
  CreateAccounts(database.get());
  TransactWriteItemsRequest request = Transfer(0, 1, 10);
  request.transact_items[1].update->update_expression.reset();
  EXPECT_EQ(MessageOf(database->TransactWriteItems(request).status()),
            "1 validation error detected: Value null at "
            "'transactItems.2.member.update.updateExpression' failed to satisfy constraint: Member "
            "must not be null");
  EXPECT_FALSE(database->TransactWriteItems({}).ok());
  EXPECT_FALSE(database->TransactGetItems({}).ok());
  EXPECT_FALSE(database->ExecuteTransaction({}).ok());
  EXPECT_FALSE(database->BatchExecuteStatement({}).ok());
  request = Transfer(0, 1, 10);
  request.client_request_token = std::string(37, 'x');
  EXPECT_EQ(MessageOf(database->TransactWriteItems(request).status()),
            "1 validation error detected: Value at 'ClientRequestToken' failed to satisfy "
            "constraint: Member must have length less than or equal to 36");
}

}  // namespace
}  // namespace dynolith
