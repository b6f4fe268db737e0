// A trace that is replayed with real requests: which calls are made of which entries, and that
// units, operations and storage against the library are those of a simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tests/unit/lab/traced_orders.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/load/replay_source.h"
#include "tools/lab/measure/call_json.h"
#include "tools/lab/measure/library_target.h"
#include "tools/lab/measure/measurement.h"
#include "tools/lab/measure/replay_maker.h"

namespace dynolith {
namespace {

using lab::Experiment;
using lab::RunResult;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kBegun;
using testing::MakeTraceFile;
using testing::OrdersBlock;
using ::testing::StartsWith;
using testing::Write;
using trace::Block;
using trace::Operation;
using trace::Use;

constexpr uint64_t kAnn = 0x3000000000000000;
constexpr uint64_t kBob = 0x6000000000000000;
constexpr uint64_t kOpen = 0x7777777777777777;
constexpr uint64_t kDone = 0x9999999999999999;

Use Read(uint32_t resource, uint64_t hash, int64_t half_units, int64_t bytes) {
  Use use = Write(resource, hash, half_units, bytes);
  use.kind = AccessKind::kRead;
  return use;
}
Use All(Use use) {
  use.has_sort = false;
  return use;
}

// One request a second; `together`: its uses are one operation.
class TraceText {
 public:
  TraceText& Add(Operation operation, const std::vector<Use>& uses, bool together = true) {
    trace::Request request = {.at = kBegun + at_, .operation = operation, .uses = {}};
    at_ += kSecond;
    for (const Use& use : uses) {
      request.uses.push_back(use);
      request.uses.back().begins = !together || request.uses.size() == 1;
    }
    block_.requests.push_back(request);
    return *this;
  }
  std::string File() const { return MakeTraceFile(block_); }

 private:
  Block block_ = OrdersBlock();
  Micros at_ = 0;
};

Experiment ReadReplay(const std::string& trace, std::string_view more = "") {
  const auto parsed = lab::ParseExperiment(
      "test.toml", Concat("[experiment]\n[replay]\nfile = \"t\"\n", more),
      [&trace](const std::string&) { return absl::StatusOr<std::string>(trace); });
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? parsed->front() : Experiment();
}

// What goes over the wire, without what all calls have.
std::string CallText(const lab::ServiceCall& call) {
  std::string json = lab::ToJson(call);
  for (const std::string_view all :
       {",\"ReturnConsumedCapacity\":\"INDEXES\"", "\"TableName\":\"orders\","}) {
    for (size_t at = json.find(all); at != std::string::npos; at = json.find(all)) {
      json.erase(at, all.size());
    }
  }
  return Concat(lab::OperationName(call), " ", json);
}

// Of one round, request after request; behind those of one request that go side by side a "|".
std::vector<std::string> ListCalls(const Experiment& experiment) {
  const std::vector<std::string> tables = {"orders"};
  lab::RequestMaker maker(experiment, tables, {}, 1);
  const lab::ReplayMaker replayed(experiment, maker);
  lab::ReplaySource source(*experiment.replay, experiment, 1);
  std::vector<std::string> calls;
  while (source.next() < experiment.duration) {
    std::string line;
    for (const lab::PlannedCall& planned : replayed.Request(&source)) {
      line += Concat(line.empty() ? "" : " | ", CallText(maker.MakeCall(planned)));
    }
    calls.push_back(std::move(line));
  }
  return calls;
}

constexpr std::string_view kAnnsKey =
    "{\"customer\":{\"S\":\"#3000000000000000\"},\"order\":{\"S\":\"1000000000000000\"}}";
constexpr std::string_view kBobsKey =
    "{\"customer\":{\"S\":\"#6000000000000000\"},\"order\":{\"S\":\"2000000000000000\"}}";

TEST(ReplayCalls, ReadsHaveTheirKeysTheirModeAndTheirItems) {
  TraceText text;
  text.Add(Operation::kGetItem, {Read(0, kAnn, 1, 300)})
      .Add(Operation::kGetItem, {Read(0, kBob, 2, 300)})
      .Add(Operation::kBatchGetItem, {Read(0, kAnn, 1, 300), Read(0, kBob, 1, 300)}, false)
      .Add(Operation::kTransactGetItems, {Read(0, kAnn, 4, 300), Read(0, kBob, 4, 300)})
      .Add(Operation::kQuery, {All(Read(0, kAnn, 1, 3'000))})
      .Add(Operation::kQuery, {All(Read(1, kOpen, 1, 600))})
      .Add(Operation::kExecuteStatement, {Read(0, kAnn, 1, 300)});
  const std::string ann = Concat("{\"Key\":", kAnnsKey);
  const std::string bob = Concat("{\"Key\":", kBobsKey);
  const std::string queried = Concat(
      "\"KeyConditionExpression\":\"#p = :p\",\"ExpressionAttributeNames\":{\"#p\":\"customer\"},",
      "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"#3000000000000000\"}}}");
  EXPECT_THAT(
      ListCalls(ReadReplay(text.File())),
      ElementsAre(
          Concat("GetItem ", ann, "}"), Concat("GetItem ", bob, ",\"ConsistentRead\":true}"),
          Concat("BatchGetItem {\"RequestItems\":{\"orders\":{\"Keys\":[", kAnnsKey, ",", kBobsKey,
                 "]}}}"),
          Concat("TransactGetItems {\"TransactItems\":[{\"Get\":", ann,
                 ",\"TableName\":\"orders\"}},{\"Get\":", bob, ",\"TableName\":\"orders\"}}]}"),
          // Items have 300 bytes, so 3,000 are ten.
          Concat("Query {\"Limit\":10,", queried),
          HasSubstr("Query {\"IndexName\":\"by-status\",\"Limit\":2,"),
          Concat("GetItem ", ann, "}")));
}

TEST(ReplayCalls, WritesHaveTheirItemsAndTheirEntries) {
  TraceText text;
  text.Add(Operation::kPutItem, {Write(0, kAnn, 2, 120), Write(1, kOpen, 2, 90)})
      .Add(Operation::kPutItem, {Write(0, kAnn, 2, 130)})
      .Add(Operation::kUpdateItem, {Write(0, kAnn, 2, 130), Write(1, kDone, 4, 90)})
      .Add(Operation::kBatchWriteItem, {Write(0, kAnn, 2, 120), Write(0, kBob, 2, 120)}, false)
      .Add(Operation::kTransactWriteItems, {Write(0, kAnn, 4, 120), Write(0, kBob, 4, 120)})
      .Add(Operation::kDeleteItem, {Write(0, kAnn, 2, 120), Write(1, kDone, 2, 90)})
      .Add(Operation::kPutItem, {Write(0, kAnn, 2, 120)});
  const std::string ann =
      "\"customer\":{\"S\":\"#3000000000000000\"},\"field0\":{\"S\":\"jsrejcklplmpbbjzdfgtocqbevs";
  const std::string order = "\"},\"order\":{\"S\":\"1000000000000000\"}";
  const std::string open = Concat(order, ",\"status\":{\"S\":\"#7777777777777777\"}}");
  const std::string done = Concat(order, ",\"status\":{\"S\":\"#9999999999999999\"}}");
  const std::vector<std::string> calls = ListCalls(ReadReplay(text.File()));
  ASSERT_EQ(calls.size(), 7u);
  EXPECT_THAT(calls[0],
              AllOf(StartsWith(Concat("PutItem {\"Item\":{", ann)), EndsWith(open + "}")));
  // Its entry stays as it is, so the trace does not tell of it, but the put has its key.
  EXPECT_THAT(calls[1], AllOf(StartsWith("PutItem"), EndsWith(open + "}")));
  EXPECT_THAT(
      calls[2],
      StartsWith(Concat("UpdateItem {\"Key\":", kAnnsKey,
                        ",\"UpdateExpression\":\"SET #n0 = :v0, #n1 = :v1\",",
                        "\"ExpressionAttributeNames\":{\"#n0\":\"status\",\"#n1\":\"field0\"},",
                        "\"ExpressionAttributeValues\":{\":v0\":{\"S\":\"#9999999999999999\"}")));
  EXPECT_THAT(calls[3],
              AllOf(StartsWith("BatchWriteItem {\"RequestItems\":{\"orders\":[{\"PutRequest\""),
                    HasSubstr(done), HasSubstr("#6000000000000000")));
  EXPECT_THAT(calls[4],
              AllOf(StartsWith("TransactWriteItems {\"TransactItems\":[{\"Put\":{\"Item\""),
                    HasSubstr(done), HasSubstr("#6000000000000000")));
  EXPECT_EQ(calls[5], Concat("DeleteItem {\"Key\":", kAnnsKey, "}"));
  // With the item its entry was gone.
  EXPECT_THAT(calls[6], AllOf(StartsWith("PutItem"), EndsWith(order + "}}")));
  // Sizes are those of the trace.
  EXPECT_EQ(calls[1].size() - calls[0].size(), 10u);
}

TEST(ReplayCalls, UsersAndShardsHaveKeysOfTheirOwn) {
  TraceText text;
  text.Add(Operation::kPutItem, {Write(0, kAnn, 2, 120), Write(1, kOpen, 2, 90)});
  text.Add(Operation::kQuery, {All(Read(1, kOpen, 1, 600))});
  const std::vector<std::string> calls = ListCalls(
      ReadReplay(text.File(),
                 "users = 2\nspread = 0\nshared_keys = [\"orders/by-status\"]\n[[table]]\nname = "
                 "\"orders\"\n[[table.index]]\nname = \"by-status\"\nshards = 2"));
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_THAT(calls[0], AllOf(HasSubstr("\"#3000000000000000 (user 1)\""),
                              HasSubstr("\"by-status.status\":{\"S\":\"#7777777777777777 shard ")));
  EXPECT_THAT(calls[1], HasSubstr("\"#3000000000000000 (user 2)\""));
  // Each shard is asked.
  EXPECT_THAT(calls[2], AllOf(HasSubstr("#7777777777777777 shard 1\""), HasSubstr(" | Query"),
                              HasSubstr("#7777777777777777 shard 2\"")));
}

// --- against the library

// `connections`: 0 for as many as it needs.
RunResult Measured(const Experiment& experiment, size_t connections = 0) {
  auto target = lab::LibraryTarget::Open({});
  EXPECT_TRUE(target.ok()) << target.status();
  auto result = lab::Measure(
      experiment, {.connections = connections, .warm_up = 0}, target->get(),
      [](uint64_t, uint64_t) { return true; }, [](const lab::RunProgress&) { return true; });
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : RunResult();
}

// But for a hundredth, and for what a busy machine may not come to. One connection: on several the
// deletion of an item may overtake its other writes.
void ExpectSameStorage(const Experiment& experiment) {
  const RunResult simulated = testing::RunExperiment(experiment);
  const RunResult measured = Measured(experiment, 1);
  ASSERT_EQ(simulated.resources.size(), measured.resources.size());
  const auto unsent = static_cast<double>(measured.measured->unsent);
  for (size_t i = 0; i < simulated.resources.size(); ++i) {
    const auto stored = static_cast<double>(simulated.resources[i].moments.back().bytes);
    EXPECT_NEAR(static_cast<double>(measured.resources[i].moments.back().bytes), stored,
                0.01 * stored + unsent * 4'000)
        << simulated.resources[i].name;
  }
}

// Customers that make, change, move and delete orders.
std::string ManyOrders() {
  TraceText text;
  for (uint64_t i = 1; i <= 40; ++i) {
    const uint64_t order = i * 0x0123456789abcdef;
    text.Add(Operation::kPutItem, {Write(0, order, 4, 1'500), Write(1, kOpen + i % 3, 4, 1'500)});
    if (i % 2 == 0) text.Add(Operation::kGetItem, {Read(0, order, 1, 1'500)});
    if (i % 4 == 0) {
      text.Add(Operation::kUpdateItem,
               {Write(0, order, 4, 1'800), Write(1, kDone + i % 3, 8, 1'800)});
    }
    if (i % 5 == 0) {
      text.Add(Operation::kDeleteItem, {Write(0, order, 4, 1'500), Write(1, kOpen, 4, 1'500)});
    }
    if (i % 10 == 9) text.Add(Operation::kQuery, {All(Read(1, kOpen, 1, 1'500))});
  }
  return text.File();
}

TEST(ReplayMeasurement, DoesWhatASimulationDoes) {
  Experiment experiment;
  RunResult measured;
  // Of a busy machine the end cuts off requests, and parts of queries: slower, until it does not.
  for (const int speed : {40, 20, 10, 5}) {
    experiment = ReadReplay(ManyOrders(), Concat("users = 20\nspeed = ", speed,
                                                 "\n[[table]]\nname = \"orders\"\n[[table.index]]\n"
                                                 "name = \"by-status\"\nshards = 3"));
    measured = Measured(experiment);
    if (measured.measured->unsent == 0) break;
  }
  const RunResult simulated = testing::RunExperiment(experiment);
  ASSERT_EQ(simulated.accesses.size(), measured.accesses.size());
  for (size_t i = 0; i < simulated.accesses.size(); ++i) {
    const lab::AccessResult& access = measured.accesses[i];
    const lab::AccessResult& expected = simulated.accesses[i];
    EXPECT_EQ(access.total.requests, expected.total.requests) << access.name;
    for (const auto& [kind, count] : access.errors) {
      EXPECT_TRUE(kind.ends_with("before the end")) << access.name << ": " << count << " " << kind;
    }
    const auto operations = static_cast<double>(expected.total.operations);
    const auto unsent = static_cast<double>(access.total.errors);
    EXPECT_NEAR(static_cast<double>(access.total.served), operations, 0.02 * operations + unsent)
        << access.name;
  }
  // An index in shards is asked in each.
  EXPECT_NEAR(testing::FindAccess(measured, "Query orders/by-status").amplification(), 3, 0.1);
  const double units = simulated.resources[0].units.write;
  const auto unsent = static_cast<double>(measured.measured->unsent);
  EXPECT_NEAR(measured.resources[0].units.write, units, 0.03 * units + 4 * unsent);
}

// Twice as long a round, in which users begin as far apart: half the requests a second.
TEST(ReplayMeasurement, LoadIsSpeed) {
  Experiment experiment = ReadReplay(ManyOrders(), "users = 20\nspeed = 40");
  const RunResult whole = testing::RunExperiment(experiment);
  const Micros period = experiment.replay->period;
  lab::ScaleLoads(0.5, &experiment);
  EXPECT_EQ(experiment.replay->speed, 20);
  EXPECT_EQ(experiment.replay->period, 2 * period);
  const auto requests = static_cast<double>(whole.total().requests);
  EXPECT_NEAR(static_cast<double>(testing::RunExperiment(experiment).total().requests),
              requests / 2, requests / 10);
}

TEST(ReplayMeasurement, StorageIsWhatASimulationSays) {
  ExpectSameStorage(ReadReplay(ManyOrders(), "speed = 40"));
  ExpectSameStorage(ReadReplay(ManyOrders(), "users = 30\nspeed = 40\nspread = 0"));
  ExpectSameStorage(
      ReadReplay(ManyOrders(), "users = 30\nspeed = 40\nspread = 0\nshared_keys = true"));
}

}  // namespace
}  // namespace dynolith
