// What clients get of several servers over one store: connections, spread over the servers, of
// which each sends its next request when it has its answer. postgres_servers.py makes the store and
// the servers.
//
//   postgres_servers SECONDS PORT...       ; eight connections: what servers cost each other
//   postgres_servers KIND SECONDS PORT...  ; sixteen: what rows cost that are put at the end of a
//                                          ; range by all of them, see Tail
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/loopback_client.h"
#include "bench/median.h"
#include "bench/require.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr int kClients = 8;
constexpr int kClientsOfTails = 16;
constexpr int kItems = 1000;
constexpr std::string_view kTable = R"({"TableName": "bench", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"}],
  "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}]})";

std::string Key(int h) { return Concat(R"("h": {"N": ")", h, R"("})"); }

std::string Put(int h) {
  return Post("PutItem", Concat(R"({"TableName": "bench", "Item": {)", Key(h), R"(, "s": {"S": ")",
                                std::string(200, 'x'), R"("}}})"));
}
std::string Get(int h) {
  return Post("GetItem",
              Concat(R"({"TableName": "bench", "ConsistentRead": true, "Key": {)", Key(h), "}}"));
}
std::string Count(int h) {
  return Post("UpdateItem", Concat(R"({"TableName": "bench", "Key": {)", Key(h),
                                   R"(}, "UpdateExpression": "ADD n :n",
      "ExpressionAttributeValues": {":n": {"N": "1"}}})"));
}

// `request` of a client and the number of its call.
void Measure(const std::string& name, double seconds, const std::vector<uint16_t>& ports,
             const std::function<std::string(int client, int call)>& request,
             int clients = kClients) {
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> is_over = false;
  std::vector<std::vector<double>> times(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  const auto begin = Clock::now();
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      Client connection(ports[static_cast<size_t>(client) % ports.size()]);
      for (int call = 0; !is_over || call == 0; ++call) {
        const auto sent = Clock::now();
        connection.Call(request(client, call));
        const std::chrono::duration<double, std::milli> taken = Clock::now() - sent;
        times[static_cast<size_t>(client)].push_back(taken.count());
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> whole = Clock::now() - begin;
  std::vector<double> all;
  for (const std::vector<double>& of_client : times) {
    all.insert(all.end(), of_client.begin(), of_client.end());
  }
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(all.size() * 99 / 100);
  std::nth_element(all.begin(), last, all.end());
  const double p99 = *last;
  std::printf("%-28s %6.0f calls/s, median %5.1f ms, p99 %6.1f ms\n", name.c_str(),
              static_cast<double>(all.size()) / whole.count(), Median(all), p99);
}

// Puts of items that no two clients have, each with a row in a range that grows at one end. Beside
// each kind is one whose rows are spread.
struct Tail {
  std::string_view kind;
  std::string_view of_table;  // more members of CreateTable
  bool expires = false;
  int64_t expiries = 0;  // seconds over which the times of expiry are spread
  bool has_token = false;
};
constexpr std::string_view kStream =
    R"(, "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"})";
constexpr Tail kTails[] = {{.kind = "plain", .of_table = ""},
                           {.kind = "expiry", .of_table = "", .expires = true, .expiries = 1},
                           {.kind = "expiry-spread",
                            .of_table = "",
                            .expires = true,
                            .expiries = int64_t{100} * 365 * 86'400},
                           // One shard, or as many as the server's --stream-shards.
                           {.kind = "stream", .of_table = kStream},
                           {.kind = "transaction", .of_table = ""},
                           {.kind = "token", .of_table = "", .has_token = true}};

std::string PutOf(const Tail& tail, int client, int call) {
  constexpr int64_t kYear2100 = 4'102'444'800;
  constexpr int64_t kFactor = 2'654'435'761;
  const int64_t number = int64_t{client} + int64_t{call} * kClientsOfTails;
  const std::string expiry =
      tail.expires
          ? Concat(R"(, "e": {"N": ")",
                   kYear2100 + (tail.expiries == 1 ? call : number * kFactor % tail.expiries),
                   R"("})")
          : std::string();
  const std::string put = Concat(R"({"TableName": "tail", "Item": {"h": {"N": ")", number, R"("})",
                                 expiry, R"(, "s": {"S": ")", std::string(200, 'x'), R"("}}})");
  if (tail.kind != "token" && tail.kind != "transaction") return Post("PutItem", put);
  const std::string token =
      tail.has_token ? Concat(R"("ClientRequestToken": "bench-)", number, R"(", )") : std::string();
  return Post("TransactWriteItems",
              Concat("{", token, R"("TransactItems": [{"Put": )", put, "}]}"));
}

void MeasureTail(const Tail& tail, double seconds, const std::vector<uint16_t>& ports) {
  Client first(ports[0]);
  first.Call(Post("CreateTable", Concat(R"({"TableName": "tail", "BillingMode": "PAY_PER_REQUEST",
      "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"}],
      "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}])",
                                        tail.of_table, "}")));
  if (tail.expires) {
    first.Call(Post("UpdateTimeToLive", R"({"TableName": "tail",
        "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "e"}})"));
  }
  Measure(
      std::string(tail.kind), seconds, ports,
      [&](int client, int call) { return PutOf(tail, client, call); }, kClientsOfTails);
  first.Call(Post("DeleteTable", R"({"TableName": "tail"})"));
}

std::vector<uint16_t> Ports(int argc, char** argv, int first) {
  std::vector<uint16_t> ports;
  for (int i = first; i < argc; ++i) ports.push_back(static_cast<uint16_t>(std::atoi(argv[i])));
  return ports;
}

int Main(int argc, char** argv) {
  Require(argc >= 3, "postgres_servers [KIND] SECONDS PORT...");
  for (const Tail& tail : kTails) {
    if (tail.kind != argv[1]) continue;
    MeasureTail(tail, std::atof(argv[2]), Ports(argc, argv, 3));
    return 0;
  }
  const double seconds = std::atof(argv[1]);
  const std::vector<uint16_t> ports = Ports(argc, argv, 2);
  Client first(ports[0]);
  first.Call(Post("CreateTable", kTable));
  for (int i = 0; i < (seconds > 0 ? kItems : 1); ++i) first.Call(Put(i));
  // Items of which no two clients have one, and one that all have.
  const auto own = [](int client, int call) { return client + kClients * (call % 100); };
  Measure("GetItem", seconds, ports, [&](int client, int call) { return Get(own(client, call)); });
  Measure("PutItem", seconds, ports, [&](int client, int call) { return Put(own(client, call)); });
  Measure("UpdateItem", seconds, ports,
          [&](int client, int call) { return Count(own(client, call)); });
  Measure("UpdateItem of one hot item", seconds, ports, [](int, int) { return Count(kItems); });
  first.Call(Post("DeleteTable", R"({"TableName": "bench"})"));
  return 0;
}

}  // namespace
}  // namespace dynolith

int main(int argc, char** argv) { return dynolith::Main(argc, argv); }
