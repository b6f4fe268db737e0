// Runs operations so that callgrind counts their instructions: one dump for each operation and
// block of calls (counts_test.py). Without valgrind it runs and counts nothing.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/dispatch.h"
#include "api/service/database_service.h"
#include "api/service/named_databases.h"
#include "dynolith/database.h"
#include "dynolith/dynolith.h"
#include "tools/server/http/request_reader.h"
#include "tools/server/http/response.h"
#include "tools/server/wire/wire.h"

namespace dynolith {
namespace {

constexpr int kItems = 2'000;
constexpr int kHotItems = 8;
constexpr int kBlocks = 5;
constexpr int kCalls = 200;  // of a block
// More than is asked for.
constexpr CapacityOptions kEnough = {.mode = CapacityMode::kGlobal, .scale = 1'000};

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << what << " failed" << std::endl;
  std::exit(1);
}

std::string Pk(int i) { return "user#" + std::to_string(100'000 + i); }

std::string Caption(int turn) {
  std::string caption = std::to_string(turn);
  caption.resize(150, 'x');
  return caption;
}

PutItemRequest MakePut(int i, int turn) {
  return {.table_name = "counts",
          .item = {{"pk", Value::S(Pk(i))}, {"caption", Value::S(Caption(turn))}}};
}

std::string PutText(int i, int turn) {
  return R"({"TableName": "counts", "Item": {"pk": {"S": ")" + Pk(i) + R"("}, "caption": {"S": ")" +
         Caption(turn) + R"("}}})";
}

// `folder`: empty: in memory.
std::unique_ptr<NamedDatabases> Open(const CapacityOptions& capacity, const std::string& folder) {
  auto databases = NamedDatabases::Open(
      {.each = {.database = {.path = folder, .in_memory = folder.empty(), .capacity = capacity}}});
  Require(databases.ok(), "Open");
  return *std::move(databases);
}

void Fill(Database* database) {
  Require(database
              ->CreateTable({.table_name = "counts",
                             .attribute_definitions = {{{"pk"}}},
                             .key_schema = {{{"pk"}}},
                             .billing_mode = BillingMode::kPayPerRequest})
              .ok(),
          "CreateTable");
  for (int i = 0; i < kItems; ++i) Require(database->PutItem(MakePut(i, 0)).ok(), "PutItem");
}

// Ten items a partition key.
void FillTens(Database* database) {
  Require(database
              ->CreateTable({.table_name = "tens",
                             .attribute_definitions = {{{"pk"}, {"sk", Type::kNumber}}},
                             .key_schema = {{{"pk"}, {"sk", KeyType::kRange}}},
                             .billing_mode = BillingMode::kPayPerRequest})
              .ok(),
          "CreateTable");
  for (int i = 0; i < kItems; ++i) {
    PutItemRequest put = MakePut(i / 10, 0);
    put.table_name = "tens";
    put.item.Set("sk", Value::N(i % 10));
    Require(database->PutItem(put).ok(), "PutItem");
  }
}

std::string QueryTenText(int i) {
  return R"({"TableName": "tens", "KeyConditionExpression": "pk = :p", )"
         R"("ExpressionAttributeValues": {":p": {"S": ")" +
         Pk(i / 10) + R"("}}})";
}

std::string GetText(int i) {
  return R"({"TableName": "counts", "Key": {"pk": {"S": ")" + Pk(i) + R"("}}})";
}

// The server without its sockets, and a client with the head that boto3 sends.
class Served {
 public:
  explicit Served(NamedDatabases* databases) : service_(databases), wire_(&service_, {}) {}

  bool Call(std::string_view operation, const std::string& body) {
    std::string text = "POST / HTTP/1.1\r\nHost: localhost:8000\r\nAccept-Encoding: identity\r\n";
    text.append("X-Amz-Target: DynamoDB_20120810.").append(operation);
    text.append(kHeadEnd).append(std::to_string(body.size())).append("\r\n\r\n").append(body);
    const std::span<char> space = reader_.Space();
    Require(text.size() <= space.size(), "room for a request");
    std::copy(text.begin(), text.end(), space.begin());
    reader_.Filled(text.size());
    Require(reader_.Advance() == http::RequestReader::Progress::kRequest, "request");
    http::Response response;
    std::string answer;
    Require(wire_.ChooseLane(reader_.request()) == http::Lane::kLoop, "lane");
    Require(wire_.HandleOnLoop(reader_.request(), &response), "answer");
    http::AppendResponse(response, {.date = "Sun, 06 Nov 1994 08:49:37 GMT"}, &answer);
    reader_.Drop();
    return response.status == 200;
  }

 private:
  static constexpr std::string_view kHeadEnd =
      "\r\nContent-Type: application/x-amz-json-1.0\r\n"
      "User-Agent: Boto3/1.44.5 md/Botocore#1.44.5 ua/2.1 os/linux#6.1 md/arch#x86_64 "
      "lang/python#3.11.2 md/pyimpl#CPython m/Z,b,D cfg/retry-mode#standard Botocore/1.44.5\r\n"
      "X-Amz-Date: 20261123T142000Z\r\n"
      "Authorization: AWS4-HMAC-SHA256 "
      "Credential=AKIDEXAMPLE/20261123/us-east-1/dynamodb/aws4_request, "
      "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
      "Signature=7ece821ec9ac3b6ba9a7a4dcbfb0a3cc0d6b0b5b0f1ad6f4dc6ba4a3dfa0b2c1\r\n"
      "amz-sdk-invocation-id: 5b0c1f2a-1234-4abc-9def-0123456789ab\r\n"
      "amz-sdk-request: attempt=1\r\nContent-Length: ";

  const DatabaseService service_;
  http::Wire wire_;
  http::RequestReader reader_{http::Limits()};
};

// `call` gets the number of an item and of the turn. The first block warms up.
void Count(const std::string& name, const std::function<bool(int item, int turn)>& call) {
  int turn = 0;
  for (int block = 0; block <= kBlocks; ++block) {
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < kCalls; ++i, ++turn) Require(call(turn * 7919 % kItems, turn), name);
    if (block > 0) CALLGRIND_DUMP_STATS_AT(name.c_str());
  }
}

void CountUpdates(const std::string& mode, Database* database) {
  UpdateItemRequest update{.table_name = "counts"};
  update.update_expression = "SET caption = :caption ADD likes :one";
  update.condition_expression = "attribute_exists(pk)";
  Count("UpdateItem with a condition " + mode, [&](int i, int turn) {
    update.key = {{"pk", Value::S(Pk(i))}};
    update.expression_attribute_values =
        Item{{":caption", Value::S(Caption(turn))}, {":one", Value::N(1)}};
    return database->UpdateItem(update).ok();
  });
}

// What one request does to several items.
void CountMany(const std::string& mode, Database* database, Served* served) {
  const auto nth = [](int i, int n) { return (i + n * 397) % kItems; };
  Count("BatchGetItem of 25 in HTTP " + mode, [&](int i, int) {
    std::string keys;
    for (int n = 0; n < 25; ++n) {
      keys.append(n > 0 ? "," : "").append(R"({"pk": {"S": ")" + Pk(nth(i, n)) + R"("}})");
    }
    return served->Call("BatchGetItem",
                        R"({"RequestItems": {"counts": {"Keys": [)" + keys + "]}}}");
  });
  Count("TransactWriteItems of 10 " + mode, [&](int i, int turn) {
    TransactWriteItemsRequest request;
    for (int n = 0; n < 10; ++n) {
      TransactAction put{.table_name = "counts", .item = MakePut(nth(i, n), turn).item};
      request.transact_items.push_back({.put = std::move(put)});
    }
    return database->TransactWriteItems(request).ok();
  });
  const ScanRequest scan{.table_name = "counts", .limit = 100};
  Count("Scan of 100 " + mode, [&](int, int) {
    int rows = 0;
    const auto page = database->Scan(scan, [&rows](ItemView) { ++rows; });
    return page.ok() && rows == 100;
  });
}

// A table with indexes, whose keys a put changes or not.
void CountIndexes(int indexes) {
  const std::unique_ptr<Database> database = Database::Open({.in_memory = true}).value();
  CreateTableRequest table{.table_name = "indexed",
                           .attribute_definitions = {{{"pk"}}},
                           .key_schema = {{{"pk"}}},
                           .billing_mode = BillingMode::kPayPerRequest};
  table.global_secondary_indexes.emplace();
  for (int i = 0; i < indexes; ++i) {
    const std::string attribute = "g" + std::to_string(i);
    table.attribute_definitions->push_back({attribute});
    table.global_secondary_indexes->push_back({.index_name = "index" + std::to_string(i),
                                               .key_schema = {{attribute}},
                                               .projection = {ProjectionType::kAll}});
  }
  Require(database->CreateTable(table).ok(), "CreateTable");
  // Few and small ones: a flush of memtables would be counted, too.
  constexpr int kIndexed = 200;
  const auto put = [&](int i, int turn, int place) {
    PutItemRequest request{
        .table_name = "indexed",
        .item = {{"pk", Value::S(Pk(i % kIndexed))}, {"turn", Value::N(1'000 + turn)}}};
    for (int n = 0; n < indexes; ++n) {
      request.item.Set("g" + std::to_string(n), Value::S("place" + std::to_string(1'000 + place)));
    }
    return database->PutItem(request).ok();
  };
  for (int i = 0; i < kIndexed; ++i) Require(put(i, 0, 0), "PutItem");
  const std::string name = "PutItem, indexes " + std::to_string(indexes);
  Count(name + ", same keys", [&](int i, int turn) { return put(i, turn, 0); });
  Count(name + ", other keys", [&](int i, int turn) { return put(i, turn, turn % 997); });
}

// Of the rows of one partition key a filter keeps one of a hundred.
void CountFilter(Database* database) {
  constexpr int kRows = 100;
  for (int i = 0; i < kRows; ++i) {
    PutItemRequest put = MakePut(kItems, 0);
    put.table_name = "tens";
    put.item.Set("sk", Value::N(i));
    put.item.Set("likes", Value::N(i));
    Require(database->PutItem(put).ok(), "PutItem");
  }
  QueryRequest query{.table_name = "tens"};
  query.key_condition_expression = "pk = :p";
  query.filter_expression = "likes = :n";
  query.expression_attribute_values =
      Item{{":p", Value::S(Pk(kItems))}, {":n", Value::N(kRows - 1)}};
  Count("Query of 100 with a filter", [&](int, int) {
    const auto page = database->Query(query, [](ItemView) {});
    return page.ok() && page->scanned_count == kRows && page->count == 1;
  });
}

void CountAll(const std::string& mode, const CapacityOptions& capacity,
              const std::string& folder = "") {
  const std::unique_ptr<NamedDatabases> databases = Open(capacity, folder);
  const DatabaseInstance::Use use = databases->first().Begin();
  Database* const database = use.database();
  const Dispatcher& dispatcher = use.dispatcher();
  Fill(database);
  Count("GetItem " + mode, [&](int i, int) {
    return database
        ->GetItem({.table_name = "counts", .key = {{"pk", Value::S(Pk(i))}}}, [](ItemView) {})
        .ok();
  });
  Count("GetItem hot " + mode, [&](int i, int) {
    return database
        ->GetItem({.table_name = "counts", .key = {{"pk", Value::S(Pk(i % kHotItems))}}},
                  [](ItemView) {})
        .ok();
  });
  Count("PutItem " + mode,
        [&](int i, int turn) { return database->PutItem(MakePut(i, turn)).ok(); });
  Count("PutItem that reports " + mode, [&](int i, int turn) {
    PutItemRequest put = MakePut(i, -turn);
    put.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
    return database->PutItem(put).ok();
  });
  Count("GetItem in JSON " + mode,
        [&](int i, int) { return dispatcher.Handle("GetItem", GetText(i)).http_status == 200; });
  Count("PutItem in JSON " + mode, [&](int i, int turn) {
    return dispatcher.Handle("PutItem", PutText(i, turn)).http_status == 200;
  });
  Served served(databases.get());
  Count("GetItem hot in HTTP " + mode,
        [&](int i, int) { return served.Call("GetItem", GetText(i % kHotItems)); });
  CountUpdates(mode, database);
  CountMany(mode, database, &served);
  FillTens(database);
  Count("Query of 10 in HTTP " + mode,
        [&](int i, int) { return served.Call("Query", QueryTenText(i)); });
  if (mode == "counted") CountFilter(database);
}

// The same operations in C++, and through the C face as JSON and as bytes.
class Face {
 public:
  Face() {
    Require(dynolith_open(nullptr, 0, &database_) == nullptr, "dynolith_open");
    MakeTable("counts", R"([{"AttributeName":"pk","AttributeType":"S"}])",
              R"([{"AttributeName":"pk","KeyType":"HASH"}])");
    MakeTable("tens",
              R"([{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk",)"
              R"("AttributeType":"N"}])",
              R"([{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk",)"
              R"("KeyType":"RANGE"}])");
    for (int i = 0; i < kItems; ++i) Require(Put("counts", Pk(i), std::nullopt, 0), "dynolith_put");
    for (int i = 0; i < kItems; ++i) Require(Put("tens", Pk(i / 10), i % 10, 0), "dynolith_put");
  }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;
  ~Face() {
    dynolith_builder_free(builder_);
    dynolith_buffer_free(&buffer_);
    dynolith_response_free(&response_);
    dynolith_close(database_);
  }

  bool Call(std::string_view operation, const std::string& body) {
    dynolith_call(database_, operation.data(), operation.size(), body.data(), body.size(),
                  &response_);
    return response_.status == 200;
  }
  bool Put(std::string_view table, const std::string& pk, std::optional<int> sk, int turn) {
    AddText("pk", pk);
    if (sk) {
      dynolith_builder_key(builder_, "sk", 2);
      dynolith_builder_int64(builder_, *sk);
    }
    AddText("caption", Caption(turn));
    const dynolith_item item = Built();
    return dynolith_put(database_, table.data(), table.size(), &item, nullptr, nullptr) == nullptr;
  }
  bool Get(const std::string& pk) {
    AddText("pk", pk);
    const dynolith_item key = Built();
    return dynolith_get(database_, "counts", 6, &key, 0, &buffer_) == nullptr &&
           buffer_.item.data != nullptr;
  }
  bool QueryTen(const std::string& pk) {
    AddText(":p", pk);
    const dynolith_item values = Built();
    dynolith_query_options options{};
    options.struct_size = sizeof options;
    options.table = "tens";
    options.table_size = 4;
    options.key_condition = "pk = :p";
    options.key_condition_size = 7;
    options.values = &values;
    int rows = 0;
    const auto count = [](void* context, const dynolith_item*) {
      ++*static_cast<int*>(context);
      return 0;
    };
    return dynolith_query(database_, &options, count, &rows, nullptr) == nullptr && rows == 10;
  }

 private:
  void MakeTable(std::string_view name, std::string_view attributes, std::string_view keys) {
    std::string body = R"({"BillingMode":"PAY_PER_REQUEST","TableName":")";
    body.append(name).append(R"(","AttributeDefinitions":)").append(attributes);
    body.append(R"(,"KeySchema":)").append(keys).append("}");
    Require(Call("CreateTable", body), "CreateTable");
  }
  void AddText(std::string_view name, std::string_view text) {
    dynolith_builder_key(builder_, name.data(), name.size());
    dynolith_builder_string(builder_, text.data(), text.size());
  }
  dynolith_item Built() {
    dynolith_item item;
    Require(dynolith_builder_finish(builder_, &item) == nullptr, "dynolith_builder_finish");
    return item;
  }

  dynolith_database* database_ = nullptr;
  dynolith_builder* const builder_ = dynolith_builder_new();
  dynolith_buffer buffer_{};
  dynolith_response response_ = DYNOLITH_RESPONSE_INIT;
};

void CountFace() {
  Face face;
  Count("GetItem in C, JSON", [&](int i, int) { return face.Call("GetItem", GetText(i)); });
  Count("GetItem in C, bytes", [&](int i, int) { return face.Get(Pk(i)); });
  Count("PutItem in C, JSON",
        [&](int i, int turn) { return face.Call("PutItem", PutText(i, turn)); });
  Count("PutItem in C, bytes",
        [&](int i, int turn) { return face.Put("counts", Pk(i), std::nullopt, turn); });
  Count("Query of 10 in C, JSON", [&](int i, int) { return face.Call("Query", QueryTenText(i)); });
  Count("Query of 10 in C, bytes", [&](int i, int) { return face.QueryTen(Pk(i / 10)); });
  const std::unique_ptr<Database> database = Database::Open({.in_memory = true}).value();
  FillTens(database.get());
  Count("Query of 10", [&](int i, int) {
    QueryRequest query{.table_name = "tens"};
    query.key_condition_expression = "pk = :p";
    query.expression_attribute_values = Item{{":p", Value::S(Pk(i / 10))}};
    int rows = 0;
    return database->Query(query, [&rows](ItemView) { ++rows; }).ok() && rows == 10;
  });
}

}  // namespace
}  // namespace dynolith

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "dynolith_counts_XXXXXX";
  dynolith::Require(mkdtemp(folder.data()) != nullptr, "mkdtemp");
  dynolith::CountFace();
  dynolith::CountIndexes(1);
  dynolith::CountIndexes(5);
  dynolith::CountAll("counted", {});
  dynolith::CountAll("enforced", dynolith::kEnough);
  dynolith::CountAll("in a folder", {}, folder);
  std::filesystem::remove_all(folder);
}
