// The C face makes the answers of the wire, gives everything back, and lets no failure out. Whether
// it can be used from C, and what it exports, is for tests/package.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/json/dispatch.h"
#include "api/service/checksum.h"
#include "dynolith/database.h"
#include "dynolith/dynolith.h"

namespace dynolith {
namespace {

constexpr std::string_view kTable =
    R"({"TableName":"songs","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})";
constexpr std::string_view kPut =
    R"({"TableName":"songs","Item":{"pk":{"S":"a"},"n":{"N":"007"}}})";
constexpr std::string_view kGet = R"({"TableName":"songs","Key":{"pk":{"S":"a"}}})";

// "InvalidArgument: ...", or nothing.
std::string ReleaseErrorText(dynolith_error* error) {
  if (error == nullptr) return "";
  const std::string text =
      std::string(dynolith_error_kind(error)) + ": " + dynolith_error_message(error);
  dynolith_error_free(error);
  return text;
}

class CFace : public ::testing::Test {
 protected:
  void TearDown() override {
    dynolith_response_free(&response_);
    dynolith_close(database_);
  }

  void Open(std::string_view options) {
    ASSERT_EQ(ReleaseErrorText(dynolith_open(options.data(), options.size(), &database_)), "");
    ASSERT_NE(database_, nullptr);
  }

  std::string_view Call(std::string_view target, std::string_view body) {
    dynolith_call(database_, target.data(), target.size(), body.data(), body.size(), &response_);
    return {response_.body, response_.body_size};
  }

  std::string_view Admin(const char* method, std::string_view path, std::string_view body) {
    dynolith_admin(database_, method, path.data(), path.size(), body.data(), body.size(),
                   &response_);
    return {response_.body, response_.body_size};
  }

  dynolith_database* database_ = nullptr;
  dynolith_response response_ = DYNOLITH_RESPONSE_INIT;
};

TEST_F(CFace, AnswersAreTheDispatchers) {
  Open(R"({"clock": "manual", "clock_start": 1000})");
  ManualClock clock(absl::FromUnixSeconds(1000));
  const auto other = *Database::Open({.in_memory = true, .clock = &clock});
  const Dispatcher dispatcher(other.get(), {.endpoint_address = "localhost"});
  const std::pair<std::string_view, std::string_view> calls[] = {
      {"CreateTable", kTable},
      {"PutItem", kPut},
      {"GetItem", kGet},
      {"CreateTable", kTable},
      {"GetItem", R"({"TableName":"none","Key":{}})"},
      {"Query", R"({"TableName":7})"},
      {"ListStreams", "{}"},
      {"DescribeEndpoints", "{}"}};
  for (const auto& [operation, body] : calls) {
    JsonResponse expected = dispatcher.Handle(operation, body);
    std::string answer(Call(operation, body));
    // Each table has an id of its own.
    for (std::string* const text : {&expected.body, &answer}) {
      const size_t id = text->find(R"("TableId":")");
      if (id != std::string::npos) text->erase(id, 48);
    }
    EXPECT_EQ(answer, expected.body);
    EXPECT_EQ(response_.status, expected.http_status) << operation;
    EXPECT_EQ(response_.error != nullptr, expected.error.has_value()) << operation;
    EXPECT_STREQ(response_.content_type, "application/x-amz-json-1.0");
    EXPECT_EQ(response_.delay_nanoseconds, 0);
    EXPECT_EQ(response_.is_dropped, 0);
  }
}

TEST_F(CFace, ErrorsBeforeAnOperation) {
  Open("");
  const std::string serialization =
      R"({"__type":"com.amazon.coral.service#SerializationException"})";
  const std::string unknown = R"({"__type":"com.amazon.coral.service#UnknownOperationException"})";
  EXPECT_EQ(Call("ListTables", ""), serialization);
  EXPECT_EQ(response_.crc32, 3948637019u);
  EXPECT_STREQ(response_.error, "SerializationException");
  EXPECT_EQ(Call("ListTables", "{"), serialization);
  EXPECT_EQ(Call("Nothing", "{"), serialization);
  EXPECT_EQ(Call("Nothing", "{}"), unknown);
  EXPECT_EQ(response_.status, 400);
  EXPECT_EQ(Call("", "{}"), unknown);
  EXPECT_EQ(Call(std::string_view(), "{}"), unknown);
  EXPECT_EQ(Call("DynamoDB_20111205.ListTables", "{}"), unknown);
  EXPECT_EQ(Call("DynamoDB_20120810.ListTables", "{}"), R"({"TableNames":[]})");
  EXPECT_EQ(response_.error, nullptr);
  EXPECT_EQ(Call("ListTables", std::string(16'777'217, ' ')), "");
  EXPECT_EQ(response_.status, 413);
}

TEST_F(CFace, IdsAndChecksums) {
  Open("");
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    const std::string_view body = Call("ListTables", "{}");
    EXPECT_EQ(response_.crc32, Crc32(body));
    ids.insert(response_.request_id);
  }
  EXPECT_EQ(ids.size(), 100u);
  for (const std::string& id : ids) EXPECT_EQ(id.size(), 52u);
}

TEST_F(CFace, MemoryOfAResponseIsUsedAgain) {
  Open("");
  Call("CreateTable", kTable);
  Call("PutItem", kPut);
  Call("GetItem", kGet);
  const char* const body = response_.body;
  for (int i = 0; i < 3; ++i) {
    Call("GetItem", kGet);
    EXPECT_EQ(response_.body, body);
  }
  dynolith_response_free(&response_);
  EXPECT_EQ(response_.body, nullptr);
  EXPECT_EQ(response_.memory, nullptr);
  dynolith_response_free(&response_);
  dynolith_response_free(nullptr);
}

TEST_F(CFace, AdminMovesTheClock) {
  Open(R"({"clock": "manual", "clock_start": 1000})");
  for (const char* const path : {"/_dynolith/clock", "/clock", "clock"}) {
    EXPECT_EQ(Admin("GET", path, ""), R"({"now":1000,"mode":"manual"})");
    EXPECT_STREQ(response_.content_type, "application/json");
    EXPECT_EQ(response_.crc32, Crc32(R"({"now":1000,"mode":"manual"})"));
  }
  EXPECT_EQ(Admin("POST", "clock/advance", R"({"seconds": 60})"),
            R"({"now":1060,"mode":"manual"})");
  EXPECT_EQ(Admin("POST", "ttl/sweep", ""), R"({"deleted":0})");
  Call("CreateTable", kTable);
  EXPECT_EQ(Admin("GET", "hot-keys?table=songs", "").substr(0, 16), R"({"table":"songs")");
  EXPECT_EQ(Admin("GET", "clock/advance", "").substr(0, 10), R"({"error":")");
  EXPECT_EQ(response_.status, 405);
  EXPECT_EQ(Admin("GET", "metrics", "").substr(0, 45),
            R"({"error":"there is no /_dynolith/metrics; the)");
  EXPECT_EQ(response_.status, 404);
}

TEST_F(CFace, TheMachinesClockIsNotMoved) {
  Open("");
  Admin("POST", "clock/advance", R"({"seconds": 60})");
  EXPECT_EQ(response_.status, 409);
}

TEST_F(CFace, FaultsAreReportedAndNotWaitedFor) {
  Open("");
  Call("CreateTable", kTable);
  Admin("POST", "faults", R"({"fault": "latency", "latency": 0.5, "hits_max": 1})");
  EXPECT_EQ(response_.status, 200);
  Call("PutItem", kPut);
  EXPECT_EQ(response_.delay_nanoseconds, 500'000'000);
  Admin("POST", "faults", R"({"fault": "answer_lost", "hits_max": 1})");
  Call("PutItem", kPut);
  EXPECT_EQ(response_.is_dropped, 1);
  Admin("POST", "faults", R"({"fault": "internal_error", "hits_max": 1})");
  Call("PutItem", kPut);
  EXPECT_EQ(response_.status, 500);
  EXPECT_STREQ(response_.error, "InternalServerError");
  Call("PutItem", kPut);
  EXPECT_EQ(response_.status, 200);
  EXPECT_EQ(response_.delay_nanoseconds, 0);
  EXPECT_EQ(response_.is_dropped, 0);
}

TEST_F(CFace, Checkpoints) {
  Open("");
  const std::string folder = ::testing::TempDir() + "/c_face_checkpoint";
  EXPECT_TRUE(ReleaseErrorText(dynolith_checkpoint(database_, folder.data(), folder.size()))
                  .starts_with("FailedPrecondition: "));
  dynolith_close(database_);
  const std::string data = ::testing::TempDir() + "/c_face_data";
  std::filesystem::remove_all(data);
  std::filesystem::remove_all(folder);
  Open(R"({"path": ")" + data + R"("})");
  Call("CreateTable", kTable);
  Call("PutItem", kPut);
  EXPECT_EQ(ReleaseErrorText(dynolith_checkpoint(database_, folder.data(), folder.size())), "");
  dynolith_close(database_);
  Open(R"({"path": ")" + folder + R"("})");
  EXPECT_EQ(Call("GetItem", kGet), R"({"Item":{"n":{"N":"7"},"pk":{"S":"a"}}})");
}

TEST_F(CFace, WhoCallsAndByWhichName) {
  Open("");
  const std::string_view host = "db.example:8000";
  dynolith_call_as(database_, "DescribeEndpoints", 17, "{}", 2, "AKID", 4, host.data(), host.size(),
                   &response_);
  const std::string_view body(response_.body, response_.body_size);
  EXPECT_NE(body.find(R"("Address":"db.example:8000")"), std::string_view::npos) << body;
}

TEST_F(CFace, ManyThreads) {
  Open("");
  Call("CreateTable", kTable);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      dynolith_response response = DYNOLITH_RESPONSE_INIT;
      for (int i = 0; i < 50; ++i) {
        const std::string put = R"({"TableName":"songs","Item":{"pk":{"S":")" +
                                std::to_string(t * 1000 + i) + R"("}}})";
        dynolith_call(database_, "PutItem", 7, put.data(), put.size(), &response);
        EXPECT_EQ(response.status, 200);
      }
      dynolith_response_free(&response);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string_view body = Call("Scan", R"({"TableName":"songs","Select":"COUNT"})");
  EXPECT_NE(body.find(R"("Count":200)"), std::string_view::npos) << body;
}

TEST_F(CFace, AFolderIsKept) {
  const std::string folder = ::testing::TempDir() + "/c_face_folder";
  std::filesystem::remove_all(folder);
  const std::string options = R"({"path": ")" + folder + R"("})";
  Open(options);
  Call("CreateTable", kTable);
  Call("PutItem", kPut);
  dynolith_database* second = nullptr;
  EXPECT_TRUE(ReleaseErrorText(dynolith_open(options.data(), options.size(), &second))
                  .starts_with("Unavailable: "));
  EXPECT_EQ(second, nullptr);
  dynolith_close(database_);
  database_ = nullptr;
  Open(options);
  EXPECT_EQ(Call("GetItem", kGet), R"({"Item":{"n":{"N":"7"},"pk":{"S":"a"}}})");
}

TEST_F(CFace, StatesComeBackWhileOthersCall) {
  Open("");
  Call("CreateTable", kTable);
  ASSERT_EQ(ReleaseErrorText(dynolith_snapshot(database_, "empty", 5)), "");
  std::atomic<bool> stop = false;
  std::thread caller([&] {
    dynolith_response response = DYNOLITH_RESPONSE_INIT;
    while (!stop) {
      dynolith_call(database_, "PutItem", 7, kPut.data(), kPut.size(), &response);
      EXPECT_EQ(response.status, 200);
    }
    dynolith_response_free(&response);
  });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(ReleaseErrorText(dynolith_restore(database_, "empty", 5)), "");
  stop = true;
  caller.join();
  EXPECT_EQ(ReleaseErrorText(dynolith_restore(database_, "empty", 5)), "");
  EXPECT_EQ(Call("GetItem", kGet), "{}");
}

TEST_F(CFace, AForkOutlivesWhatItCameFrom) {
  Open(R"({"clock": "manual", "clock_start": 1000})");
  Call("CreateTable", kTable);
  Call("PutItem", kPut);
  dynolith_database* fork = nullptr;
  ASSERT_EQ(ReleaseErrorText(dynolith_fork(database_, nullptr, 0, nullptr, 0, &fork)), "");
  dynolith_close(database_);
  database_ = fork;
  EXPECT_EQ(Call("GetItem", kGet), R"({"Item":{"n":{"N":"7"},"pk":{"S":"a"}}})");
  dynolith_admin(database_, "GET", "snapshots", 9, nullptr, 0, &response_);
  EXPECT_EQ(std::string_view(response_.body, response_.body_size), R"({"snapshots":[]})");
  EXPECT_TRUE(ReleaseErrorText(dynolith_fork(database_, nullptr, 0, "/tmp/x", 6, &fork))
                  .starts_with("InvalidArgument: "));
}

TEST(CFaceOpen, RefusesInWords) {
  const std::string_view options = R"({"pth": "/tmp"})";
  char anything = 0;
  auto* database = reinterpret_cast<dynolith_database*>(&anything);
  EXPECT_EQ(ReleaseErrorText(dynolith_open(options.data(), options.size(), &database)),
            R"(InvalidArgument: there is no option "pth"; did you mean "path"?)");
  EXPECT_EQ(database, nullptr);
  EXPECT_TRUE(ReleaseErrorText(dynolith_open("", 0, nullptr)).starts_with("InvalidArgument: "));
  dynolith_close(nullptr);
  dynolith_error_free(nullptr);
}

}  // namespace
}  // namespace dynolith
