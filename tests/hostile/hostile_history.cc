// Clients of two databases over one hostile store, and what they did and saw, in the form of
// tests/histories/checker.py.
//
//   hostile_history FILE [--seed=N] [--calls=N] [--store=URL]
//
// --store: over PostgreSQL instead (engine/store/postgres), in an empty database.
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tests/hostile/given_store.h"
#include "tests/hostile/two_databases.h"

namespace dynolith::hostile {
namespace {

constexpr int kClients = 4;
constexpr int kKeys = 6;

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// One call: what it asks for, and its line of the history as far as that is known before.
struct Asked {
  std::string operation;
  std::string body;
  std::string actions;
  std::vector<int> sees;                // keys of the items in the answer
  std::string_view member = "Item";     // of the answer, which one of them is in
  std::string_view told_when = "done";  // the outcome whose answer has them
  bool is_after = false;                // as they are then, not as they were before
};

std::string KeyJson(int key) { return Concat(R"("h": {"N": ")", key, R"("}, "r": {"N": "0"})"); }
std::string Named(int key) { return Concat("\"", key, "\""); }

// Makes calls; every value that it writes is a new one.
class Caller {
 public:
  Caller(int client, uint64_t seed) : client_(client), random_(seed + 1000 * client) {}

  Asked Next() {
    const int key = Draw(kKeys);
    switch (Draw(8)) {
      case 0:
        return Put(key);
      case 1:
        return PutIfAbsent(key);
      case 2:
        return Delete(key);
      case 3:
        return Add(key);
      case 4:
        return Draw(2) == 0 ? Get(key) : GetTwo(key);
      case 5:
        return PutIfStill(key);
      case 6:
        return Draw(2) == 0 ? PutOver(key) : AddAndSee(key);
      default:
        return MoveTwo(key);
    }
  }

 private:
  int Draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  std::string NewValue(int key) {
    return last_[key] = std::to_string(client_ * 1'000'000 + ++values_);
  }

  Asked Put(int key) {
    const std::string value = NewValue(key);
    return {"PutItem",
            Concat(R"({"TableName": "towns", "Item": {)", KeyJson(key), R"(, "v": {"N": ")", value,
                   R"("}}})"),
            Concat("[", Named(key), R"(, null, ["put", {"v": )", value, "}]]"),
            {}};
  }
  // If what this client has last written there, or has tried to, is still there.
  Asked PutIfStill(int key) {
    const std::string last = last_[key];
    const std::string value = NewValue(key);
    return {
        "PutItem",
        Concat(R"({"TableName": "towns", "ConditionExpression": "v = :v",
                   "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                   "ExpressionAttributeValues": {":v": {"N": ")",
               last, R"("}}, "Item": {)", KeyJson(key), R"(, "v": {"N": ")", value, R"("}}})"),
        Concat("[", Named(key), R"(, ["is", "v", )", last, R"(], ["put", {"v": )", value, "}]]"),
        {key},
        "Item",
        "refused"};
  }
  Asked PutOver(int key) {
    Asked put = Put(key);
    put.body.back() = ',';
    put.body += R"("ReturnValues": "ALL_OLD"})";
    put.sees = {key};
    put.member = "Attributes";
    return put;
  }
  Asked AddAndSee(int key) {
    Asked add = Add(key);
    add.body.back() = ',';
    add.body += R"("ReturnValues": "ALL_NEW"})";
    add.sees = {key};
    add.member = "Attributes";
    add.is_after = true;
    return add;
  }
  Asked PutIfAbsent(int key) {
    const std::string value = NewValue(key);
    return {"PutItem",
            Concat(R"j({"TableName": "towns", "ConditionExpression": "attribute_not_exists(h)",
                   "Item": {)j",
                   KeyJson(key), R"(, "v": {"N": ")", value, R"("}}})"),
            Concat("[", Named(key), R"(, ["absent"], ["put", {"v": )", value, "}]]"),
            {}};
  }
  Asked Delete(int key) {
    return {
        "DeleteItem",
        Concat(R"j({"TableName": "towns", "ConditionExpression": "attribute_exists(h)", "Key": {)j",
               KeyJson(key), "}}"),
        Concat("[", Named(key), R"(, ["present"], ["delete"]])"),
        {}};
  }
  static std::string Update(int key, const std::string& value) {
    return Concat(R"("TableName": "towns", "Key": {)", KeyJson(key),
                  R"(}, "UpdateExpression": "SET v = :v ADD n :1",
                  "ExpressionAttributeValues": {":1": {"N": "1"}, ":v": {"N": ")",
                  value, R"("}})");
  }
  static std::string Updated(int key, const std::string& value) {
    return Concat("[", Named(key), R"(, null, ["update", {"set": {"v": )", value,
                  R"(}, "add": {"n": 1}}]])");
  }
  Asked Add(int key) {
    const std::string value = NewValue(key);
    return {"UpdateItem", Concat("{", Update(key, value), "}"), Updated(key, value), {}};
  }
  Asked MoveTwo(int key) {
    const int other = (key + 1) % kKeys;
    const std::string first = NewValue(key);
    const std::string second = NewValue(other);
    return {"TransactWriteItems",
            Concat(R"({"TransactItems": [{"Update": {)", Update(key, first), R"(}}, {"Update": {)",
                   Update(other, second), "}}]}"),
            Concat(Updated(key, first), ", ", Updated(other, second)),
            {}};
  }
  static Asked Get(int key) {
    return {
        "GetItem",
        Concat(R"({"TableName": "towns", "ConsistentRead": true, "Key": {)", KeyJson(key), "}}"),
        "",
        {key}};
  }
  static Asked GetTwo(int key) {
    const int other = (key + 1) % kKeys;
    return {"TransactGetItems",
            Concat(R"({"TransactItems": [{"Get": {"TableName": "towns", "Key": {)", KeyJson(key),
                   R"(}}}, {"Get": {"TableName": "towns", "Key": {)", KeyJson(other), "}}}]}"),
            "",
            {key, other}};
  }

  const int client_;
  std::mt19937_64 random_;
  int values_ = 0;
  std::array<std::string, kKeys> last_ = {"0", "0", "0", "0", "0", "0"};
};

// {"v": 1, "n": 2}, of a response's member of that name; null without one.
std::string SeenItem(const JsonTree& response, std::string_view member_name) {
  const JsonTree* const item = response.Find(member_name);
  if (item == nullptr) return "null";
  std::string text;
  for (const JsonTree::Member& member : item->members) {
    if (member.name == "h" || member.name == "r") continue;
    text +=
        Concat(text.empty() ? "" : ", ", "\"", member.name, "\": ", member.value.Find("N")->text);
  }
  return Concat("{", text, "}");
}

std::string Seen(const Asked& asked, const JsonTree& response) {
  if (asked.sees.size() == 1) {
    return Concat("[", Named(asked.sees[0]), asked.is_after ? ", " : ", null, ",
                  SeenItem(response, asked.member), "]");
  }
  std::string text;
  for (size_t i = 0; i < asked.sees.size(); ++i) {
    text += Concat(i == 0 ? "" : ", ", "[", Named(asked.sees[i]), ", null, ",
                   SeenItem(response.Find("Responses")->elements[i], asked.member), "]");
  }
  return text;
}

// The outcome of a call as the checker names it; empty: a fault.
std::string OutcomeOf(const JsonResponse& response) {
  if (response.http_status == 200) return "done";
  if (response.body.find("ConditionalCheckFailed") != std::string::npos) return "refused";
  // Which a client cannot tell from an answer that was lost.
  return response.cause.find("store did not answer") != std::string::npos ? "unknown" : "";
}

// Calls on one server. Returns its lines; "" at the end: a fault, which is printed.
std::vector<std::string> RunClient(const Server& server, int client, uint64_t seed, int calls) {
  Caller caller(client, seed);
  std::vector<std::string> lines;
  for (int i = 0; i < calls; ++i) {
    const Asked asked = caller.Next();
    const int64_t begin = Now();
    const JsonResponse response = server.Call(asked.operation, asked.body);
    const int64_t end = Now();
    const std::string outcome = OutcomeOf(response);
    if (outcome.empty()) {
      std::cerr << asked.operation << " " << asked.body << "\n"
                << response.body << response.cause << "\n";
      lines.emplace_back();
      return lines;
    }
    std::string sees;
    std::string after;
    if (!asked.sees.empty() && outcome == asked.told_when) {
      (asked.is_after ? after : sees) = Seen(asked, *ParseJson(response.body, 8));
    }
    lines.push_back(Concat(R"({"client": )", client, R"(, "name": ")", asked.operation,
                           R"(", "begin": )", begin, R"(, "end": )", end, R"(, "outcome": ")",
                           outcome, R"(", "actions": [)", asked.actions, R"(], "sees": [)", sees,
                           R"(], "after": [)", after, "]}"));
  }
  return lines;
}

std::unique_ptr<TwoDatabases> OpenTown(uint64_t seed, const std::string& url) {
  if (url.empty()) {
    return std::make_unique<TwoDatabases>(
        HostileOptions{.seed = seed, .aborted = 0.1, .lost = 0.15, .ended = 0.02, .delayed = 0.2});
  }
  EmptyGivenStore(url);
  return std::make_unique<TwoDatabases>([url] { return OpenGivenStore(url); });
}

int Main(int argc, char** argv) {
  uint64_t seed = std::random_device()();
  int calls = 150;
  std::string url;
  if (argc < 2) {
    std::cerr << "hostile_history FILE [--seed=N] [--calls=N] [--store=URL]\n";
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const char* const value = argv[i] + argument.find('=') + 1;
    if (argument.starts_with("--seed=")) seed = std::strtoull(value, nullptr, 10);
    if (argument.starts_with("--calls=")) calls = std::atoi(value);
    if (argument.starts_with("--store=")) url = value;
  }
  std::cout << "hostile_history --seed=" << seed << " --calls=" << calls << std::endl;
  const std::unique_ptr<TwoDatabases> town = OpenTown(seed, url);
  std::vector<std::vector<std::string>> lines(kClients);
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      lines[client] = RunClient(town->server(static_cast<size_t>(client)), client, seed, calls);
    });
  }
  for (std::thread& client : clients) client.join();
  std::ofstream file(argv[1]);
  bool is_whole = true;
  for (const std::vector<std::string>& of_client : lines) {
    for (const std::string& line : of_client) {
      is_whole = is_whole && !line.empty();
      file << line << "\n";
    }
  }
  file.close();
  if (town->rows() != nullptr) {
    const HostileCounts counts = CountsOf(town->rows());
    std::cout << counts.commits << " commits, " << counts.conflicts << " conflicts, "
              << counts.aborted << " aborted, " << counts.lost << " lost, " << counts.late
              << " late, " << counts.ended << " snapshots ended" << std::endl;
  }
  const std::string found = town->Check();
  std::cout << found;
  return is_whole && file.good() && found.empty() ? 0 : 1;
}

}  // namespace
}  // namespace dynolith::hostile

int main(int argc, char** argv) { return dynolith::hostile::Main(argc, argv); }
