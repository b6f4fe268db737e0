// Each kind of call, when each of its allocations fails in turn: it answers or throws, the database
// is as before the call or as behind it, in memory and in its store, and goes on.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/database/database_impl.h"
#include "api/json/dispatch.h"
#include "engine/base/clock.h"
#include "engine/base/memory_reserve.h"
#include "engine/store/memory_store.h"
#include "index/check_all.h"
#include "tests/unit/allocation_counter.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

// More than any call here takes.
constexpr int kMostAllocations = 20'000;

// Opening and closing a folder takes long.
constexpr int kStepInFolder = 5;

struct NamedCall {
  const char* operation;
  std::string body;
};

void PrintTo(const NamedCall& call, std::ostream* out) { *out << call.operation << call.body; }

// Without the values of members that differ from run to run: numbers and ids that are assigned, and
// times.
std::string Masked(std::string text) {
  for (const std::string_view name :
       {"SequenceNumber", "StartingSequenceNumber", "eventID", "TableId", "ShardId", "BackupArn",
        "StreamArn", "StreamLabel", "NextShardIterator", "DateTime"}) {
    const std::string begin = absl::StrCat(std::string(name), "\":");
    for (size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
      at += begin.size();
      text.erase(at, text.find_first_of(",}", at) - at);
    }
  }
  return text;
}

// The texts of a member, in order.
std::vector<std::string> TextsOf(std::string_view member, const std::string& answer) {
  std::vector<std::string> texts;
  const std::string begin = absl::StrCat("\"", std::string(member), "\":\"");
  for (size_t at = 0; (at = answer.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    texts.push_back(answer.substr(at, answer.find('"', at) - at));
  }
  return texts;
}

// A database of a store, with all that is counted and enforced.
class CalledDatabase {
 public:
  explicit CalledDatabase(std::unique_ptr<Store> store) {
    DatabaseOptions options;
    options.in_memory = true;
    Open(options, std::move(store));
  }
  explicit CalledDatabase(const std::string& folder) {
    DatabaseOptions options;
    options.path = folder;
    Open(options, Store::Open(DatabaseImpl::ToStoreOptions(options).value()).value());
  }

  JsonResponse Handle(const NamedCall& call) {
    return dispatcher_->Handle(call.operation, call.body);
  }
  std::string Call(const char* operation, const std::string& body) {
    const JsonResponse response = Handle({operation, body});
    EXPECT_EQ(response.http_status, 200) << operation << body << response.body;
    return response.body;
  }
  Store* store() { return database_->store(); }
  void Await() { EXPECT_TRUE(database_->WaitForBackfills().ok()); }

  // Everything that calls show.
  std::string Show() {
    // What is left to do in the background is done then.
    for (int i = 0; i < 2; ++i) clock_.Advance(absl::Minutes(2));
    Await();
    std::string shown = Call("ListTables", "{}");
    for (const std::shared_ptr<Table>& table : database_->catalog()->All()) {
      const std::shared_ptr<const TableMeta> meta = table->meta();
      const std::string named = absl::StrCat(R"({"TableName":")", meta->schema.name, "\"");
      const std::string described = Call("DescribeTable", named + "}");
      absl::StrAppend(&shown, "\n", described, Call("Scan", named + "}"),
                      Call("DescribeTimeToLive", named + "}"),
                      Call("DescribeContinuousBackups", named + "}"));
      for (const IndexSchema& index : meta->schema.indexes) {
        absl::StrAppend(&shown, "\n",
                        Call("Scan", absl::StrCat(named, R"(,"IndexName":")", index.name, "\"}")));
      }
      const std::string arn = TextsOf("TableArn", described).at(0);
      absl::StrAppend(&shown,
                      Call("ListTagsOfResource", absl::StrCat(R"({"ResourceArn":")", arn, "\"}")));
    }
    absl::StrAppend(&shown, Call("ListBackups", "{}"), ShowStreams());
    return Masked(std::move(shown));
  }

  void Check() {
    const auto report = [](const std::string& line) { ADD_FAILURE() << line; };
    ASSERT_TRUE(CheckAll(database_->store(), *database_->catalog(), report).ok());
  }

 private:
  void Open(DatabaseOptions options, std::unique_ptr<Store> store) {
    options.clock = &clock_;
    options.fail_on_conflict = true;
    options.count_use = true;
    options.hot_keys = true;
    options.capacity.mode = CapacityMode::kGlobal;
    options.vector_search = VectorSearch::kApproximate;
    database_ = DatabaseImpl::Make(options, std::move(store)).value();
    dispatcher_ = std::make_unique<Dispatcher>(database_.get(), DispatcherOptions());
  }
  std::string ShowStreams() {
    std::string shown = "\n";
    for (const std::string& arn : TextsOf("StreamArn", Call("ListStreams", "{}"))) {
      const std::string stream = absl::StrCat(R"({"StreamArn":")", arn, "\"");
      for (const std::string& shard : TextsOf("ShardId", Call("DescribeStream", stream + "}"))) {
        const std::string iterator = TextsOf(
            "ShardIterator",
            Call("GetShardIterator", absl::StrCat(stream, R"(,"ShardId":")", shard,
                                                  R"(","ShardIteratorType":"TRIM_HORIZON"})")))[0];
        const std::string records =
            Call("GetRecords", absl::StrCat(R"({"ShardIterator":")", iterator, "\"}"));
        absl::StrAppend(&shown, records.substr(records.find("\"Records\"")), "\n");
      }
    }
    return shown;
  }

  ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<DatabaseImpl> database_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

std::string ItemText(const std::string& pk, const std::string& a) {
  return absl::StrCat(R"({"pk":{"S":")", pk, R"("},"sk":{"S":"s"},"a":{"S":")", a,
                      R"("},"b":{"S":"b)", pk, R"("},"ttl":{"N":"1900000000"},"text":{"S":")",
                      std::string(40, 't'), "\"}}");
}

constexpr const char* kKeys =
    R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
        {"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"a","AttributeType":"S"},
        {"AttributeName":"b","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
        {"AttributeName":"sk","KeyType":"RANGE"}],
      "BillingMode":"PAY_PER_REQUEST",
      "GlobalSecondaryIndexes":[{"IndexName":"by-a","KeySchema":[
        {"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}],
      "LocalSecondaryIndexes":[{"IndexName":"by-b","KeySchema":[
        {"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}],
        "Projection":{"ProjectionType":"KEYS_ONLY"}}],
      "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},
      "Tags":[{"Key":"k","Value":"v"}])";
constexpr const char* kArn = "arn:aws:dynamodb:us-east-1:000000000000:table/music";

void FillDatabase(CalledDatabase* filled) {
  CalledDatabase& database = *filled;
  database.Call("CreateTable", absl::StrCat(R"({"TableName":"music",)", kKeys, "}"));
  database.Call("CreateTable", R"({"TableName":"plain","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  database.Call("UpdateTimeToLive", R"({"TableName":"music","TimeToLiveSpecification":
      {"Enabled":true,"AttributeName":"ttl"}})");
  database.Call("UpdateContinuousBackups", R"({"TableName":"music",
      "PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}})");
  for (int i = 0; i < 6; ++i) {
    database.Call("PutItem", absl::StrCat(R"({"TableName":"music","Item":)",
                                          ItemText(absl::StrCat("p", i), "x"), "}"));
    database.Call("PutItem",
                  absl::StrCat(R"({"TableName":"plain","Item":{"pk":{"S":"p)", i, R"("}}})"));
  }
  database.Await();
}

std::unique_ptr<Store> MakeFilledStore() {
  CalledDatabase database(MakeMemoryStore());
  FillDatabase(&database);
  return database.store()->Fork().value();
}

std::vector<NamedCall> CallsInFolder() {
  return {{"PutItem", absl::StrCat(R"({"TableName":"music","Item":)", ItemText("p1", "y"), "}")}};
}

class CallWithoutMemory : public ::testing::TestWithParam<NamedCall> {};

// A thread of its own has no memory from earlier calls.
enum class Ended { kAnswered, kFailed, kThrew };
Ended TryCall(CalledDatabase* database, const NamedCall& call, int allocations, bool* had_enough) {
  Ended ended = Ended::kThrew;
  std::thread([&] {
    thread_allocations_left = allocations;
    try {
      const JsonResponse response = database->Handle(call);
      ended = response.http_status == 200 ? Ended::kAnswered : Ended::kFailed;
    } catch (const std::bad_alloc&) {
    }
    *had_enough = thread_allocations_left > 0;
    thread_allocations_left = -1;
  }).join();
  return ended;
}

// Allocations of a call that fail in turn, later ones now and then.
class Attempts {
 public:
  // `step`: from one to the next.
  Attempts(const NamedCall& call, int step, std::string before, std::string after)
      : call_(call), step_(step), before_(std::move(before)), after_(std::move(after)) {}

  bool are_over() const { return had_enough_; }
  // `reopen` returns the database of what the store holds.
  void TryNext(CalledDatabase* database,
               const std::function<std::unique_ptr<CalledDatabase>()>& reopen) {
    SCOPED_TRACE(allocations_);
    const Ended ended = TryCall(database, call_, allocations_, &had_enough_);
    allocations_ += step_ + allocations_ / 50;
    const std::string shown = database->Show();
    if (ended == Ended::kAnswered || shown != before_) {
      ASSERT_EQ(shown, after_);
    }
    database->Check();
    if (shown != after_) {
      database->Call(call_.operation, call_.body);
      ASSERT_EQ(database->Show(), after_);
      database->Check();
    }
    ASSERT_EQ(reopen()->Show(), after_);
    ASSERT_LT(allocations_, kMostAllocations);
  }

 private:
  const NamedCall& call_;
  const int step_;
  const std::string before_;
  const std::string after_;
  int allocations_ = 0;
  bool had_enough_ = false;
};

TEST_P(CallWithoutMemory, IsDoneOrNot) {
  const std::unique_ptr<Store> filled = MakeFilledStore();
  const auto make = [](const Store& store) {
    return std::make_unique<CalledDatabase>(store.Fork().value());
  };
  const std::unique_ptr<CalledDatabase> done = make(*filled);
  done->Call(GetParam().operation, GetParam().body);
  Attempts attempts(GetParam(), 1, make(*filled)->Show(), done->Show());
  while (!attempts.are_over() && !HasFailure()) {
    const std::unique_ptr<CalledDatabase> database = make(*filled);
    attempts.TryNext(database.get(), [&] { return make(*database->store()); });
  }
}

// Without what RocksDB allocates in the call, which it would not survive (engine/store/README.md).
TEST(CallInFolderWithoutMemory, IsDoneOrNot) {
  const testing::ScratchFolder folder;
  FillDatabase(std::make_unique<CalledDatabase>(folder / "filled").get());
  int number = 0;
  const auto copy = [&] {
    std::string path = folder / std::to_string(++number);
    std::filesystem::copy(folder / "filled", path);
    return path;
  };
  for (const NamedCall& call : CallsInFolder()) {
    const auto done = std::make_unique<CalledDatabase>(copy());
    done->Call(call.operation, call.body);
    const auto undone = std::make_unique<CalledDatabase>(copy());
    Attempts attempts(call, kStepInFolder, undone->Show(), done->Show());
    is_allocation_spared = MemoryReserve::IsForThisThread;
    while (!attempts.are_over() && !HasFailure()) {
      const std::string path = copy();
      auto database = std::make_unique<CalledDatabase>(path);
      attempts.TryNext(database.get(), [&] {
        database = nullptr;
        return std::make_unique<CalledDatabase>(path);
      });
      std::filesystem::remove_all(path);
    }
    is_allocation_spared = nullptr;
    ASSERT_FALSE(HasFailure()) << call.operation;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, CallWithoutMemory,
    ::testing::Values(
        NamedCall{"PutItem",
                  absl::StrCat(R"({"TableName":"music","Item":)", ItemText("new", "y"), "}")},
        NamedCall{"PutItem", absl::StrCat(R"j({"TableName":"music","ReturnValues":"ALL_OLD",
                      "ConditionExpression":"attribute_exists(a)","Item":)j",
                                          ItemText("p1", "y"), "}")},
        NamedCall{"PutItem", R"({"TableName":"plain","Item":{"pk":{"S":"new"}}})"},
        NamedCall{"UpdateItem", R"({"TableName":"music","Key":{"pk":{"S":"p1"},"sk":{"S":"s"}},
            "UpdateExpression":"SET a = :y REMOVE b","ReturnValues":"ALL_NEW",
            "ExpressionAttributeValues":{":y":{"S":"y"}}})"},
        NamedCall{"DeleteItem", R"({"TableName":"music","Key":{"pk":{"S":"p1"},"sk":{"S":"s"}}})"},
        NamedCall{"DeleteItem", R"({"TableName":"plain","Key":{"pk":{"S":"p1"}}})"},
        NamedCall{"TransactWriteItems",
                  absl::StrCat(R"({"ClientRequestToken":"token","TransactItems":[
            {"Put":{"TableName":"music","Item":)",
                               ItemText("new", "y"), R"j(}},
            {"Delete":{"TableName":"music","Key":{"pk":{"S":"p1"},"sk":{"S":"s"}}}},
            {"Update":{"TableName":"plain","Key":{"pk":{"S":"p2"}},"UpdateExpression":"SET n = :n",
              "ExpressionAttributeValues":{":n":{"N":"1"}}}},
            {"ConditionCheck":{"TableName":"plain","Key":{"pk":{"S":"p3"}},
              "ConditionExpression":"attribute_exists(pk)"}}]})j")},
        NamedCall{"BatchWriteItem",
                  R"({"RequestItems":{"plain":[{"PutRequest":{"Item":{"pk":{"S":"new"}}}}]}})"},
        NamedCall{"ExecuteStatement",
                  R"({"Statement":"UPDATE music SET a='y' WHERE pk='p1' AND sk='s'"})"},
        NamedCall{"Query", R"j({"TableName":"music","IndexName":"by-a",
            "KeyConditionExpression":"a = :x","FilterExpression":"begins_with(b, :b)",
            "ExpressionAttributeValues":{":x":{"S":"x"},":b":{"S":"b"}}})j"},
        NamedCall{"Scan", R"({"TableName":"music","ProjectionExpression":"pk, a"})"},
        NamedCall{"BatchGetItem", R"({"RequestItems":{"plain":{"Keys":[{"pk":{"S":"p1"}},
            {"pk":{"S":"p2"}}]}}})"},
        NamedCall{"ListStreams", "{}"},
        NamedCall{"CreateTable", absl::StrCat(R"({"TableName":"other",)", kKeys, "}")},
        NamedCall{"UpdateTable", R"({"TableName":"plain","AttributeDefinitions":
            [{"AttributeName":"a","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":
            {"IndexName":"new","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
            "Projection":{"ProjectionType":"ALL"}}}]})"},
        NamedCall{"UpdateTable",
                  R"({"TableName":"music","StreamSpecification":{"StreamEnabled":false}})"},
        NamedCall{"UpdateTable", R"({"TableName":"plain","StreamSpecification":
            {"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})"},
        NamedCall{"UpdateTimeToLive", R"({"TableName":"plain","TimeToLiveSpecification":
            {"Enabled":true,"AttributeName":"ttl"}})"},
        NamedCall{"UpdateContinuousBackups", R"({"TableName":"plain",
            "PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}})"},
        NamedCall{"TagResource", absl::StrCat(R"({"ResourceArn":")", kArn,
                                              R"(","Tags":[{"Key":"n","Value":"v"}]})")},
        NamedCall{"CreateBackup", R"({"TableName":"music","BackupName":"backup"})"},
        NamedCall{"DeleteTable", R"({"TableName":"music"})"}));

}  // namespace
}  // namespace dynolith
