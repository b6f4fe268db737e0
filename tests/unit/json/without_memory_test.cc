// Each kind of call, when each of its allocations fails in turn: it answers or throws, the database
// is as before the call or as behind it, in memory and in its store, and goes on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
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
#include "engine/process/memory_reserve.h"
#include "engine/store/local_store.h"
#include "engine/store/memory_store.h"
#include "index/check_all.h"
#include "tests/unit/allocation_counter.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

// More than any call here takes.
constexpr int kMostAllocations = 20'000;

// Allocations that all fail in turn, then one of two, of three and so on, as each takes a database.
// A sanitizer looks at fewer: Release has seen what each of them leaves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kDense = 10;
constexpr int kDenseInFolder = 10;
#else
constexpr int kDense = 50;
constexpr int kDenseInFolder = kMostAllocations;
#endif

// Of calls that are not done in one database of a folder, which takes long to open. What is shown
// advances the clock, and the shards of streams end by it.
constexpr int kUndonePerDatabase = 40;
// Each call that is done takes two databases, so from one to the next some allocations are left
// out.
constexpr int kLeftOutWhenDone = 5;

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
  explicit CalledDatabase(std::unique_ptr<LocalStore> store) {
    DatabaseOptions options;
    options.in_memory = true;
    Open(options, std::move(store));
  }
  explicit CalledDatabase(const std::string& folder) {
    DatabaseOptions options;
    options.path = folder;
    Open(options, LocalStore::Open(DatabaseImpl::ToStoreOptions(options).value()).value());
  }

  JsonResponse Handle(const NamedCall& call) {
    return dispatcher_->Handle(call.operation, call.body);
  }
  std::string Call(const char* operation, const std::string& body) {
    const JsonResponse response = Handle({operation, body});
    EXPECT_EQ(response.http_status, 200) << operation << body << response.body;
    return response.body;
  }
  LocalStore* store() { return database_->local_store(); }
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
  void Open(DatabaseOptions options, std::unique_ptr<LocalStore> store) {
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

std::unique_ptr<LocalStore> MakeFilledStore() {
  CalledDatabase database(MakeMemoryStore());
  FillDatabase(&database);
  return database.store()->Fork().value();
}

// One of each kind, each in its different ways.
std::vector<NamedCall> AllCalls() {
  return {
      {"PutItem", absl::StrCat(R"({"TableName":"music","Item":)", ItemText("new", "y"), "}")},
      {"PutItem", absl::StrCat(R"j({"TableName":"music","ReturnValues":"ALL_OLD",
                      "ConditionExpression":"attribute_exists(a)","Item":)j",
                               ItemText("p1", "y"), "}")},
      {"PutItem", R"({"TableName":"plain","Item":{"pk":{"S":"new"}}})"},
      {"UpdateItem", R"({"TableName":"music","Key":{"pk":{"S":"p1"},"sk":{"S":"s"}},
            "UpdateExpression":"SET a = :y REMOVE b","ReturnValues":"ALL_NEW",
            "ExpressionAttributeValues":{":y":{"S":"y"}}})"},
      {"DeleteItem", R"({"TableName":"music","Key":{"pk":{"S":"p1"},"sk":{"S":"s"}}})"},
      {"DeleteItem", R"({"TableName":"plain","Key":{"pk":{"S":"p1"}}})"},
      {"TransactWriteItems", absl::StrCat(R"({"ClientRequestToken":"token","TransactItems":[
            {"Put":{"TableName":"music","Item":)",
                                          ItemText("new", "y"), R"j(}},
            {"Delete":{"TableName":"music","Key":{"pk":{"S":"p1"},"sk":{"S":"s"}}}},
            {"Update":{"TableName":"plain","Key":{"pk":{"S":"p2"}},"UpdateExpression":"SET n = :n",
              "ExpressionAttributeValues":{":n":{"N":"1"}}}},
            {"ConditionCheck":{"TableName":"plain","Key":{"pk":{"S":"p3"}},
              "ConditionExpression":"attribute_exists(pk)"}}]})j")},
      {"BatchWriteItem",
       R"({"RequestItems":{"plain":[{"PutRequest":{"Item":{"pk":{"S":"new"}}}}]}})"},
      {"ExecuteStatement", R"({"Statement":"UPDATE music SET a='y' WHERE pk='p1' AND sk='s'"})"},
      {"Query", R"j({"TableName":"music","IndexName":"by-a",
            "KeyConditionExpression":"a = :x","FilterExpression":"begins_with(b, :b)",
            "ExpressionAttributeValues":{":x":{"S":"x"},":b":{"S":"b"}}})j"},
      {"Scan", R"({"TableName":"music","ProjectionExpression":"pk, a"})"},
      {"BatchGetItem", R"({"RequestItems":{"plain":{"Keys":[{"pk":{"S":"p1"}},
            {"pk":{"S":"p2"}}]}}})"},
      {"ListStreams", "{}"},
      {"CreateTable", absl::StrCat(R"({"TableName":"other",)", kKeys, "}")},
      {"UpdateTable", R"({"TableName":"plain","AttributeDefinitions":
            [{"AttributeName":"a","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":
            {"IndexName":"new","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
            "Projection":{"ProjectionType":"ALL"}}}]})"},
      {"UpdateTable", R"({"TableName":"music","StreamSpecification":{"StreamEnabled":false}})"},
      {"UpdateTable", R"({"TableName":"plain","StreamSpecification":
            {"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})"},
      {"UpdateTimeToLive", R"({"TableName":"plain","TimeToLiveSpecification":
            {"Enabled":true,"AttributeName":"ttl"}})"},
      {"UpdateContinuousBackups", R"({"TableName":"plain",
            "PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}})"},
      {"TagResource",
       absl::StrCat(R"({"ResourceArn":")", kArn, R"(","Tags":[{"Key":"n","Value":"v"}]})")},
      {"CreateBackup", R"({"TableName":"music","BackupName":"backup"})"},
      {"DeleteTable", R"({"TableName":"music"})"}};
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

TEST_P(CallWithoutMemory, IsDoneOrNot) {
  const NamedCall& call = GetParam();
  const std::unique_ptr<LocalStore> filled = MakeFilledStore();
  const auto make = [](const LocalStore& store) {
    return std::make_unique<CalledDatabase>(store.Fork().value());
  };
  const std::unique_ptr<CalledDatabase> done = make(*filled);
  done->Call(call.operation, call.body);
  const std::string before = make(*filled)->Show();
  const std::string after = done->Show();
  bool had_enough = false;
  for (int allocations = 0; !had_enough; allocations += 1 + allocations / kDense) {
    SCOPED_TRACE(allocations);
    const std::unique_ptr<CalledDatabase> database = make(*filled);
    const Ended ended = TryCall(database.get(), call, allocations, &had_enough);
    const std::string shown = database->Show();
    if (ended == Ended::kAnswered || shown != before) {
      ASSERT_EQ(shown, after);
    }
    database->Check();
    if (shown != after) {
      database->Call(call.operation, call.body);
      ASSERT_EQ(database->Show(), after);
      database->Check();
    }
    ASSERT_EQ(make(*database->store())->Show(), after);
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(allocations, kMostAllocations);
  }
}

// Without what RocksDB allocates in the call, which it would not survive (engine/store/README.md).
class CallInFolderWithoutMemory : public ::testing::TestWithParam<NamedCall> {
 protected:
  static void SetUpTestSuite() {
    // In memory where there is a folder for that: what is synced hundreds of times is not looked
    // at.
    constexpr const char* kInMemory = "/dev/shm";
    folder_ = access(kInMemory, W_OK) == 0 ? std::make_unique<testing::ScratchFolder>(kInMemory)
                                           : std::make_unique<testing::ScratchFolder>();
    FillDatabase(std::make_unique<CalledDatabase>(*folder_ / "filled").get());
  }
  static void TearDownTestSuite() { folder_ = nullptr; }

  void TearDown() override { is_allocation_spared = nullptr; }

  // Opens what SetUpTestSuite has made, as nobody has used it yet.
  void OpenAnew() {
    database_ = nullptr;
    std::filesystem::remove_all(*folder_ / "copy");
    std::filesystem::copy(*folder_ / "filled", *folder_ / "copy");
    OpenAgain();
  }
  void OpenAgain() {
    database_ = nullptr;
    database_ = std::make_unique<CalledDatabase>(*folder_ / "copy");
  }

  std::unique_ptr<CalledDatabase> database_;

 private:
  static inline std::unique_ptr<testing::ScratchFolder> folder_;
};

TEST_P(CallInFolderWithoutMemory, IsDoneOrNot) {
  const NamedCall& call = GetParam();
  OpenAnew();
  const std::string before = database_->Show();
  OpenAnew();
  database_->Call(call.operation, call.body);
  const std::string after = database_->Show();
  is_allocation_spared = MemoryReserve::IsForThisThread;
  bool had_enough = false;
  int undone = 0;
  OpenAnew();
  for (int allocations = 0; !had_enough; allocations += 1 + allocations / kDenseInFolder) {
    SCOPED_TRACE(allocations);
    const Ended ended = TryCall(database_.get(), call, allocations, &had_enough);
    const std::string shown = database_->Show();
    const bool is_done = ended == Ended::kAnswered || shown != before;
    ASSERT_EQ(shown, is_done ? after : before);
    database_->Check();
    ASSERT_FALSE(HasFailure());
    ASSERT_LT(allocations, kMostAllocations);
    // One in which it is not done goes on, and still shows the same when it is opened again.
    if (!is_done && ++undone % kUndonePerDatabase != 0) continue;
    OpenAgain();
    ASSERT_EQ(database_->Show(), shown);
    OpenAnew();
    if (is_done) allocations += kLeftOutWhenDone + allocations / kDense;
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, CallWithoutMemory, ::testing::ValuesIn(AllCalls()));
INSTANTIATE_TEST_SUITE_P(Calls, CallInFolderWithoutMemory, ::testing::ValuesIn(AllCalls()));

}  // namespace
}  // namespace dynolith
