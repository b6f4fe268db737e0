#include "tests/hostile/two_databases.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "engine/store/limits/limited_store.h"
#include "index/check_all.h"
#include "tests/hostile/given_store.h"

namespace dynolith::hostile {
namespace {

constexpr std::string_view kTable = R"({"TableName": "towns", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"},
    {"AttributeName": "r", "AttributeType": "N"}, {"AttributeName": "v", "AttributeType": "N"}],
  "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"},
    {"AttributeName": "r", "KeyType": "RANGE"}],
  "GlobalSecondaryIndexes": [{"IndexName": "global", "Projection": {"ProjectionType": "ALL"},
    "KeySchema": [{"AttributeName": "v", "KeyType": "HASH"},
      {"AttributeName": "r", "KeyType": "RANGE"}]}],
  "LocalSecondaryIndexes": [{"IndexName": "local", "Projection": {"ProjectionType": "ALL"},
    "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"},
      {"AttributeName": "v", "KeyType": "RANGE"}]}]})";

// Of the store that is given, if one is: emptied, for whoever opens it first.
TwoDatabases::Open OpenGiven() {
  const std::string url = GivenStoreUrl();
  if (url.empty()) return nullptr;
  EmptyGivenStore(url);
  return [url] { return OpenGivenStore(url); };
}

}  // namespace

Server::Server(std::unique_ptr<SharedStore> store, ManualClock* clock, const TableDelays& delays) {
  auto opened = DatabaseImpl::Make({.in_memory = true, .clock = clock, .table_delays = delays},
                                   std::move(store));
  if (!opened.ok()) {
    std::cerr << "open: " << opened.status() << "\n";
    std::abort();
  }
  database_ = std::move(*opened);
  dispatcher_ = std::make_unique<Dispatcher>(database_.get(), DispatcherOptions());
}

JsonResponse Server::Call(std::string_view operation, std::string_view body) const {
  return dispatcher_->Handle(operation, body);
}

std::string CheckServer(const Server& server) {
  DatabaseImpl& database = *server.database();
  std::string found;
  const auto checked = CheckAll(database.store(), *database.catalog(),
                                [&](const std::string& line) { found += line + "\n"; });
  if (!checked.ok()) found += checked.status().ToString();
  return found;
}

TwoDatabases::TwoDatabases(const HostileOptions& options, ManualClock* clock)
    : TwoDatabases(GivenStoreUrl().empty() ? MakeHostileRows(options) : nullptr, OpenGiven(),
                   clock) {}

TwoDatabases::TwoDatabases(Open open) : TwoDatabases(nullptr, std::move(open), nullptr) {}

TwoDatabases::TwoDatabases(std::shared_ptr<HostileRows> rows, Open open, ManualClock* clock)
    : rows_(std::move(rows)), clock_(clock), open_(open ? std::move(open) : [this] {
        return WithLongRows(OpenHostileStore(rows_)).value();
      }) {
  const JsonResponse made = Server(open_(), clock_).Call("CreateTable", kTable);
  if (made.http_status != 200) {
    std::cerr << "create: " << made.body << made.cause << "\n";
    std::abort();
  }
  for (size_t i = 0; i < servers_.size(); ++i) Reopen(i);
}

void TwoDatabases::Reopen(size_t i) {
  servers_[i].reset();
  servers_[i] = std::make_unique<Server>(open_(), clock_);
}

void TwoDatabases::Calm() {
  if (rows_ != nullptr) hostile::Calm(rows_.get());
}

std::string TwoDatabases::Check() {
  Calm();
  Reopen(0);
  return CheckServer(server(0));
}

}  // namespace dynolith::hostile
