// Databases over stores on PostgreSQL: what an operation costs in round trips, and that two of them
// are one. Needs DYNOLITH_STORE_URL, as postgres_test.cc.
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/strings.h"
#include "engine/store/postgres/postgres_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/hostile/two_databases.h"

namespace dynolith::postgres {
namespace {

std::unique_ptr<SharedStore> OpenDatabaseStore() {
  const char* const url = std::getenv("DYNOLITH_STORE_URL");
  auto store = PostgresStore::Open({.url = url == nullptr ? "" : url});
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

TEST(PostgresDatabases, OperationsTakeFewRoundTrips) {
  const hostile::Server server(OpenDatabaseStore());
  ASSERT_EQ(server
                .Call("CreateTable", R"({"TableName": "trips", "BillingMode": "PAY_PER_REQUEST",
                    "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"}],
                    "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}]})")
                .http_status,
            200);
  const auto call = [&](std::string_view operation, std::string_view body, int status = 200) {
    const int64_t before = PostgresStore::ThreadRoundTrips();
    const JsonResponse response = server.Call(operation, body);
    EXPECT_EQ(response.http_status, status) << response.body << response.cause;
    return PostgresStore::ThreadRoundTrips() - before;
  };
  const auto trips_of = [&](std::string_view operation, std::string_view body) {
    call(operation, body);  // connects
    return call(operation, body);
  };
  EXPECT_EQ(trips_of("PutItem", R"({"TableName": "trips", "Item": {"h": {"N": "1"}}})"), 1);
  EXPECT_EQ(trips_of("GetItem", R"({"TableName": "trips", "Key": {"h": {"N": "1"}}})"), 1);
  EXPECT_EQ(trips_of("PutItem", R"j({"TableName": "trips", "Item": {"h": {"N": "1"}},
                     "ConditionExpression": "attribute_exists(h)"})j"),
            1);
  EXPECT_EQ(trips_of("UpdateItem", R"({"TableName": "trips", "Key": {"h": {"N": "1"}},
                     "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}}})"),
            1);
  // If the item that is presumed is another one there are two: nobody waits for the ROLLBACK.
  const auto put_if = [](std::string_view key, std::string_view condition) {
    return Concat(R"({"TableName": "trips", "Item": {"h": {"N": ")", key,
                  R"("}}, "ConditionExpression": ")", condition, R"("})");
  };
  EXPECT_EQ(call("PutItem", put_if("2", "attribute_not_exists(h)")), 1);
  const hostile::Server other(OpenDatabaseStore());
  for (const std::string_view key : {"3", "4"}) {
    EXPECT_EQ(other.Call("PutItem", put_if(key, "attribute_not_exists(h)")).http_status, 200);
  }
  EXPECT_EQ(call("PutItem", put_if("3", "attribute_not_exists(h)"), 400), 2);
  EXPECT_EQ(call("PutItem", put_if("3", "attribute_not_exists(h)"), 400), 1);
  EXPECT_EQ(call("PutItem", put_if("9", "attribute_exists(h)"), 400), 2);
  // Nothing is known of it.
  EXPECT_EQ(call("PutItem", put_if("4", "attribute_not_exists(v)")), 2);
  EXPECT_EQ(call("PutItem", put_if("4", "attribute_not_exists(v)")), 1);
  EXPECT_EQ(trips_of("Query", R"({"TableName": "trips", "KeyConditionExpression": "h = :h",
                     "ExpressionAttributeValues": {":h": {"N": "1"}}})"),
            1);
  EXPECT_EQ(trips_of("TransactGetItems", R"({"TransactItems": [
                     {"Get": {"TableName": "trips", "Key": {"h": {"N": "1"}}}},
                     {"Get": {"TableName": "trips", "Key": {"h": {"N": "3"}}}}]})"),
            1);
  std::string puts;
  for (int i = 0; i < 5; ++i) {
    puts += Concat(i == 0 ? "" : ", ", R"j({"Put": {"TableName": "trips", "Item": {"h": {"N": ")j",
                   i, R"j("}}}})j");
  }
  EXPECT_LE(trips_of("TransactWriteItems", Concat(R"({"TransactItems": [)", puts, "]}")), 3);
}

// As many conditions as a transaction may have are a statement each, and one round trip together.
TEST(PostgresDatabases, AHundredConditionsTakeFewRoundTrips) {
  const hostile::Server server(OpenDatabaseStore());
  ASSERT_EQ(server
                .Call("CreateTable", R"({"TableName": "hundred", "BillingMode": "PAY_PER_REQUEST",
                    "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"}],
                    "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}]})")
                .http_status,
            200);
  const auto puts = [](int first, std::string_view condition) {
    std::string items;
    for (int i = first; i < first + 100; ++i) {
      items += Concat(items.empty() ? "" : ", ",
                      R"({"Put": {"TableName": "hundred", "Item": {"h": {"N": ")", i,
                      R"("}}, "ConditionExpression": ")", condition, R"("}})");
    }
    return Concat(R"({"TransactItems": [)", items, "]}");
  };
  JsonResponse response;
  const auto trips = [&](const hostile::Server& of, const std::string& body) {
    const int64_t before = PostgresStore::ThreadRoundTrips();
    response = of.Call("TransactWriteItems", body);
    return PostgresStore::ThreadRoundTrips() - before;
  };
  trips(server, puts(1000, "attribute_not_exists(h)"));  // connects
  EXPECT_EQ(trips(server, puts(0, "attribute_not_exists(h)")), 1);
  EXPECT_EQ(response.http_status, 200) << response.body << response.cause;
  // One that knows nothing of the items.
  const hostile::Server other(OpenDatabaseStore());
  trips(other, puts(1000, "attribute_exists(h)"));
  EXPECT_EQ(trips(other, puts(0, "attribute_exists(h)")), 1);
  EXPECT_EQ(response.http_status, 200) << response.body << response.cause;
  // Half of them fail: the attempt, the tables, all items by one MultiGet, and the commit that
  // confirms it.
  EXPECT_LE(trips(other, puts(50, "attribute_not_exists(h)")), 4);
  EXPECT_EQ(response.http_status, 400);
  EXPECT_THAT(response.body,
              ::testing::HasSubstr("[ConditionalCheckFailed, ConditionalCheckFailed,"));
  EXPECT_THAT(response.body, ::testing::HasSubstr("None, None]"));
  EXPECT_EQ(server.Call("Scan", R"({"TableName": "hundred", "Select": "COUNT"})").body,
            R"({"Count":200,"ScannedCount":200})");
}

// The longest keys that an item and its row in an index may have, with bytes that are escaped.
TEST(PostgresDatabases, TheLongestKeysAreKept) {
  const hostile::Server server(OpenDatabaseStore());
  ASSERT_EQ(server
                .Call("CreateTable", R"({"TableName": "longest", "BillingMode": "PAY_PER_REQUEST",
                    "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"},
                      {"AttributeName": "r", "AttributeType": "S"},
                      {"AttributeName": "v", "AttributeType": "S"},
                      {"AttributeName": "w", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"},
                      {"AttributeName": "r", "KeyType": "RANGE"}],
                    "GlobalSecondaryIndexes": [{"IndexName": "global",
                      "Projection": {"ProjectionType": "ALL"},
                      "KeySchema": [{"AttributeName": "v", "KeyType": "HASH"},
                        {"AttributeName": "w", "KeyType": "RANGE"}]}]})")
                .http_status,
            200);
  std::string nulls;
  for (int i = 0; i < 1024; ++i) nulls += "\\u0000";
  const std::string hash = Concat("\"", nulls, nulls, "\"");
  const std::string range = Concat("\"", nulls, "\"");
  const JsonResponse put =
      server.Call("PutItem", Concat(R"({"TableName": "longest", "Item": {"h": {"S": )", hash,
                                    R"(}, "r": {"S": )", range, R"(}, "v": {"S": )", hash,
                                    R"(}, "w": {"S": )", range, R"(}, "n": {"N": "7"}}})"));
  ASSERT_EQ(put.http_status, 200) << put.body << put.cause;
  const JsonResponse found =
      server.Call("Query", Concat(R"({"TableName": "longest", "IndexName": "global",
          "KeyConditionExpression": "v = :v AND w = :w", "ProjectionExpression": "n",
          "ExpressionAttributeValues": {":v": {"S": )",
                                  hash, R"(}, ":w": {"S": )", range, "}}}"));
  EXPECT_EQ(found.body, R"({"Items":[{"n":{"N":"7"}}],"Count":1,"ScannedCount":1})") << found.cause;
  EXPECT_EQ(hostile::CheckServer(server), "");
}

TEST(PostgresDatabases, TwoOfThemAreOne) {
  const auto open = [] { return OpenDatabaseStore(); };
  constexpr std::string_view kTable = R"({"TableName": "cities", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"},
      {"AttributeName": "v", "AttributeType": "N"}],
    "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [{"IndexName": "global", "Projection": {"ProjectionType": "ALL"},
      "KeySchema": [{"AttributeName": "v", "KeyType": "HASH"}]}]})";
  ASSERT_EQ(hostile::Server(open()).Call("CreateTable", kTable).http_status, 200);
  const hostile::Server servers[] = {hostile::Server(open()), hostile::Server(open())};
  constexpr int kThreads = 4;
  constexpr int kUpdates = 40;
  std::vector<std::thread> threads;
  const auto update = [&](int thread) {
    for (int i = 0; i < kUpdates; ++i) {
      const JsonResponse response = servers[thread % 2].Call(
          "UpdateItem", Concat(R"({"TableName": "cities", "Key": {"h": {"N": ")", i % 3,
                               R"("}}, "UpdateExpression": "SET v = :v ADD n :n",
                   "ExpressionAttributeValues": {":n": {"N": "1"}, ":v": {"N": ")",
                               thread, R"("}}})"));
      ASSERT_EQ(response.http_status, 200) << response.body << response.cause;
    }
  };
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(update, i);
  for (std::thread& thread : threads) thread.join();
  const JsonResponse all =
      servers[0].Call("Scan", R"({"TableName": "cities", "ConsistentRead": true,
          "ProjectionExpression": "n"})");
  int sum = 0;
  for (size_t at = all.body.find("\"N\":\""); at != std::string::npos;
       at = all.body.find("\"N\":\"", at + 1)) {
    sum += std::atoi(all.body.c_str() + at + 5);
  }
  EXPECT_EQ(sum, kThreads * kUpdates) << all.body;
  EXPECT_EQ(hostile::CheckServer(servers[0]), "");
}

}  // namespace
}  // namespace dynolith::postgres
