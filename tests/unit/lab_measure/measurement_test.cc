// Runs in real time, short ones: what is counted, that a slow answer makes later ones late instead
// of fewer, and every access of an experiment against the library. No bound depends on how busy the
// machine is, but for those that are wide.
#include "tools/lab/measure/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/measure/library_target.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/result_json.h"
#include "tools/lab/report/summary.h"

namespace dynolith {
namespace {

using lab::AccessResult;
using lab::CallAnswer;
using lab::RunResult;
using lab::ServiceCall;
using testing::FindAccess;
using testing::ReadExperiments;

std::string HundredPuts() { return testing::OneKey("2s", 100); }

// Answers as it is told to, and always of tables.
class FakeTarget : public lab::MeasuredTarget {
 public:
  using Answer = std::function<CallAnswer(const ServiceCall&)>;
  explicit FakeTarget(Answer answer) : answer_(std::move(answer)) {}

  std::unique_ptr<lab::MeasuredConnection> Connect() override {
    class Connection final : public lab::MeasuredConnection {
     public:
      explicit Connection(FakeTarget* target) : target_(target) {}
      CallAnswer Call(const ServiceCall& call) override { return target_->Ask(call); }

     private:
      FakeTarget* const target_;
    };
    ++connections_;
    return std::make_unique<Connection>(this);
  }
  std::string name() const override { return "a fake"; }
  size_t connections_max() const override { return 16; }

 private:
  CallAnswer Ask(const ServiceCall& call) {
    CallAnswer answer;
    if (std::holds_alternative<CreateTableRequest>(call)) {
      is_there_ = true;
    } else if (std::holds_alternative<DescribeTableRequest>(call)) {
      answer.is_active = is_there_;
      if (!is_there_) {
        answer.outcome = CallAnswer::Outcome::kFailed;
        answer.error = "ResourceNotFoundException";
      }
    } else if (!std::holds_alternative<DeleteTableRequest>(call)) {
      answer = answer_(call);
    }
    answer.at = std::chrono::steady_clock::now();
    return answer;
  }

  const Answer answer_;
  std::atomic<bool> is_there_ = false;
  std::atomic<int> connections_ = 0;
};

RunResult MeasureOne(const lab::Experiment& experiment, lab::MeasurementOptions options,
                     lab::MeasuredTarget* target) {
  const auto loads = [](uint64_t, uint64_t) { return true; };
  const auto go_on = [](const lab::RunProgress&) { return true; };
  auto result = lab::Measure(experiment, options, target, loads, go_on);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : RunResult();
}

RunResult MeasureText(std::string_view text, lab::MeasurementOptions options,
                      lab::MeasuredTarget* target) {
  return MeasureOne(ReadExperiments(text).at(0), options, target);
}

// Runs take real time, in which a busy machine may not come to what they are to do: up to six of
// them, until one has; each makes its requests half as fast as the one before.
template <typename HasDone>
RunResult MeasureUntil(HasDone has_done, std::string_view text, lab::MeasurementOptions options,
                       lab::MeasuredTarget* target) {
  lab::Experiment experiment = ReadExperiments(text).at(0);
  RunResult run = MeasureOne(experiment, options, target);
  for (int i = 1; i < 6 && !has_done(run); ++i) {
    lab::ScaleLoads(0.5, &experiment);
    experiment.duration *= 2;
    run = MeasureOne(experiment, options, target);
  }
  return run;
}

CallAnswer ServedIn(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
  return {};
}

// One connection, 50 ms an answer: 20 a second of 100. Who asked one after the other would see
// 50 ms each; who was due and had to wait sees that.
TEST(Measurement, ASlowTargetMakesRequestsLate) {
  FakeTarget target([](const ServiceCall&) { return ServedIn(std::chrono::milliseconds(50)); });
  const RunResult run = MeasureText(HundredPuts(), {.connections = 1, .warm_up = 0}, &target);
  const AccessResult& access = run.accesses.front();
  EXPECT_EQ(access.total.requests, 200);
  EXPECT_LE(access.total.served, 45);
  EXPECT_EQ(access.total.served + access.total.errors, 200);
  EXPECT_GE(run.measured->unsent, 150);
  EXPECT_EQ(access.latency->all.count(), 200);
  EXPECT_GT(access.latency->all.Percentile(0.5), 5 * access.latency->calls.least());
  EXPECT_GT(access.latency->all.most(), 1'000'000'000);
  // One sentence says what was too slow.
  const std::string& said = run.measured->notes.at(0);
  EXPECT_TRUE(said.starts_with("The schedule was not kept with 1 connection")) << said;
  EXPECT_TRUE(run.measured->notes.at(1).starts_with("Requests that were due")) << said;
}

// The same with as many connections as it takes.
TEST(Measurement, ConnectionsAreFound) {
  FakeTarget target([](const ServiceCall&) { return ServedIn(std::chrono::milliseconds(50)); });
  const auto has_kept_up = [](const RunResult& run) {
    return run.measured->connections >= 5 && run.accesses.front().total.served > 100;
  };
  // Fewer requests a second would need fewer connections.
  RunResult run = MeasureText(HundredPuts(), {.warm_up = kSecond}, &target);
  for (int i = 1; i < 10 && !has_kept_up(run); ++i) {
    run = MeasureText(HundredPuts(), {.warm_up = kSecond}, &target);
  }
  EXPECT_GE(run.measured->connections, 5);
  EXPECT_GT(run.accesses.front().total.served, 100);
  EXPECT_EQ(run.accesses.front().total.requests, 200);
}

TEST(Measurement, WhatIsThrottledIsTriedAgain) {
  std::atomic<int> calls = 0;
  FakeTarget target([&calls](const ServiceCall&) {
    CallAnswer answer;
    if (++calls % 2 == 0) return answer;
    answer.outcome = CallAnswer::Outcome::kThrottled;
    answer.reasons = {{"TableWriteKeyRangeThroughputExceeded",
                       "arn:aws:dynamodb:us-east-1:000000000000:table/lab-t"}};
    return answer;
  });
  const std::string retries =
      "[client]\nattempts = 30\nbase = \"1ms\"\nlongest = \"1ms\"\nquota = 0\n";
  const auto has_kept_up = [](const RunResult& run) {
    const auto& total = run.accesses.front().total;
    return total.served > 150 && total.throttled > 100 && total.failed == 0;
  };
  const RunResult run =
      MeasureUntil(has_kept_up, Concat(HundredPuts(), retries), {.warm_up = 0}, &target);
  const AccessResult& access = run.accesses.front();
  EXPECT_GT(access.total.served, 150);
  EXPECT_GT(access.total.throttled, 100);
  EXPECT_EQ(access.total.failed, 0);
  EXPECT_EQ(access.limits[static_cast<size_t>(ThroughputLimit::kKeyRange)], access.total.throttled);
  EXPECT_EQ(run.resources.front().throttled_by(ThroughputLimit::kKeyRange), access.total.throttled);
  EXPECT_GT(access.waited_seconds, 0);
}

TEST(Measurement, ErrorsAreToldByKind) {
  FakeTarget target([](const ServiceCall&) {
    CallAnswer answer;
    answer.outcome = CallAnswer::Outcome::kFailed;
    answer.error = "InternalServerError";
    return answer;
  });
  const auto has_kept_up = [](const RunResult& run) {
    return run.accesses.front().total.errors > 100;
  };
  const RunResult run = MeasureUntil(has_kept_up, HundredPuts(), {.warm_up = 0}, &target);
  const AccessResult& access = run.accesses.front();
  EXPECT_EQ(access.total.served, 0);
  EXPECT_EQ(access.total.errors, access.total.operations);
  EXPECT_GT(access.errors.at("InternalServerError"), 100);
}

TEST(Measurement, AStoppedRunHasWhatThereIs) {
  std::atomic<int> served = 0;
  FakeTarget target([&served](const ServiceCall&) {
    ++served;
    return CallAnswer();
  });
  // It is stopped when something has been served, however long that takes, and long before its end.
  const lab::Experiment experiment = ReadExperiments(testing::OneKey("600s", 100)).at(0);
  auto run = lab::Measure(
      experiment, {.warm_up = 0}, &target, [](uint64_t, uint64_t) { return true; },
      [&served](const lab::RunProgress&) { return served < 10; });
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_FALSE(run->is_complete);
  EXPECT_LT(run->simulated, experiment.duration);
  EXPECT_GT(run->total().served, 0);
  EXPECT_LT(run->total().requests, 60'000);
}

TEST(Measurement, ASlowGeneratorIsToldFromASlowTarget) {
  const auto all_of = [](int64_t nanoseconds) {
    lab::LatencyHistogram histogram;
    for (int i = 0; i < 1'000; ++i) histogram.Record(nanoseconds);
    return histogram;
  };
  constexpr int64_t kMilli = 1'000'000;
  const auto of = [&](const lab::LatencyHistogram& lag, int64_t latency) {
    return lab::FindHindrance(lag, all_of(kMilli / 10), all_of(latency), 0.01);
  };
  EXPECT_EQ(of(all_of(5 * kMilli), 6 * kMilli), lab::Hindrance::kGenerator);
  EXPECT_EQ(of(all_of(5 * kMilli), 500 * kMilli), lab::Hindrance::kNone);
  EXPECT_EQ(of(all_of(kMilli / 10), kMilli / 5), lab::Hindrance::kNone);
  // A few of a thousand are no rule.
  lab::LatencyHistogram seldom = all_of(kMilli / 10);
  for (int i = 0; i < 5; ++i) seldom.Record(50 * kMilli);
  EXPECT_EQ(of(seldom, 2 * kMilli), lab::Hindrance::kNone);
  // Where requests waited for connections, it is who held these longer.
  const auto waited = [&](int64_t lag, int64_t call) {
    return lab::FindHindrance(all_of(lag), all_of(call), all_of(20 * kMilli), 0.2);
  };
  EXPECT_EQ(waited(5 * kMilli, 2 * kMilli), lab::Hindrance::kGenerator);
  EXPECT_EQ(waited(2 * kMilli, 5 * kMilli), lab::Hindrance::kTarget);
  EXPECT_EQ(waited(kMilli / 100, kMilli / 5), lab::Hindrance::kTarget);
}

// --- against the library

std::unique_ptr<lab::LibraryTarget> Library(CapacityMode mode) {
  auto target = lab::LibraryTarget::Open({.capacity = {.mode = mode}});
  EXPECT_TRUE(target.ok()) << target.status();
  return *std::move(target);
}

constexpr std::string_view kEverything = R"(
[experiment]
duration = "2s"
[[table]]
name = "orders of all"
partition_key = "customer"
sort_key = { name = "order", type = "N" }
item_size = { from = 300, to = 900 }
fields = 4
local_indexes = 1
storage = "200KB"
[[table.index]]
name = "by-status"
partition_key = "status"
sort_key = "order"
entry_size = 100
shards = 3
[keys.customer]
distribution = "zipfian"
count = 50
shards = 2
[keys.order]
distribution = "ascending"
first = 5
[keys.status]
distribution = "list"
values = ["OPEN", "CLOSED"]
[keys.own]
distribution = "uniform"
count = 3
within = "customer"
[load]
rate = 200
)";

std::string AccessText(const std::string& name, const std::string& members) {
  return Concat("[[access]]\nname = \"", name, "\"\n", members, "\n");
}

constexpr std::string_view kSeveralMembers = R"(operation = "TransactWriteItems"
[[access.member]]
operation = "PutItem"
key = { customer = "customer", order = "order", status = "status" }
[[access.member]]
operation = "UpdateItem"
key.customer = "customer"
[[access.member]]
operation = "ConditionCheck"
key.customer = "status"
[[access.member]]
operation = "DeleteItem"
key.customer = "own")";

TEST(Measurement, EveryAccessIsServedByTheLibrary) {
  const std::string key = "key = { customer = \"customer\", order = \"order\" }";
  std::string text(kEverything);
  const std::pair<std::string, std::string> accesses[] = {
      {"get", "operation = \"GetItem\"\nconsistency = \"strong\"\nkey.customer = \"customer\""},
      {"cached", "operation = \"GetItem\"\ncache = \"1s\"\nkey.customer = \"customer\""},
      {"change", "operation = \"GetItem\"\nthen = \"UpdateItem\"\n" + key},
      {"batch get", "operation = \"BatchGetItem\"\nitems = 10\n" + key},
      {"transact get", "operation = \"TransactGetItems\"\nitems = 3\n" + key},
      {"query", "operation = \"Query\"\nitems = { from = 1, to = 9 }\nkey.customer = \"customer\""},
      {"gather", "operation = \"Query\"\ngather = true\nitems = 10\nkey.customer = \"customer\""},
      {"index",
       "operation = \"Query\"\nindex = \"by-status\"\ngather = true\nitems = 9\n"
       "key.status = \"status\""},
      {"put",
       "operation = \"PutItem\"\nkey = { customer = \"customer\", order = \"order\", "
       "status = \"status\" }"},
      {"update",
       "operation = \"UpdateItem\"\nkey = { customer = \"customer\", order = \"order\", "
       "status = \"status\" }"},
      {"queue", "operation = \"UpdateItem\"\naggregate = \"100ms\"\nkey.customer = \"customer\""},
      {"delete", "operation = \"DeleteItem\"\n" + key},
      {"batch write", "operation = \"BatchWriteItem\"\nitems = 5\n" + key},
      {"transact write", "operation = \"TransactWriteItems\"\nitems = 3\n" + key},
      {"fail",
       "operation = \"UpdateItem\"\nfails = 1\nkey = { customer = \"customer\", order = \"order\", "
       "status = \"status\" }"},
      {"cancel", "operation = \"TransactWriteItems\"\nitems = 2\nfails = 1\n" + key},
      {"several", std::string(kSeveralMembers)},
      {"poll",
       "operation = \"GetItem\"\nkey.customer = \"customer\"\nload = { shape = "
       "\"polling\", workers = 5, interval = \"200ms\" }"},
      {"scan",
       "operation = \"Scan\"\nsegments = 2\npage_items = 50\nload = { shape = \"once\", at "
       "= \"500ms\" }"}};
  for (const auto& [name, members] : accesses) text += AccessText(name, members);
  const auto target = Library(CapacityMode::kAccount);
  // Of a busy machine the end cuts off parts of what is gathered, and the scan.
  const auto has_served_all = [](const RunResult& run) {
    return std::all_of(run.accesses.begin(), run.accesses.end(),
                       [](const AccessResult& access) { return access.total.served > 0; }) &&
           std::abs(FindAccess(run, "index").amplification() - 3) < 0.2 &&
           std::abs(FindAccess(run, "gather").amplification() - 2) < 0.2 &&
           FindAccess(run, "cached").total.absorbed > 0 && FindAccess(run, "scan").scans == 1;
  };
  const RunResult run = MeasureUntil(has_served_all, text, {.warm_up = 0}, target.get());
  ASSERT_EQ(run.accesses.size(), std::size(accesses));
  for (const AccessResult& access : run.accesses) {
    for (const auto& [kind, count] : access.errors) {
      // A machine that is very busy may not come to the last ones.
      EXPECT_TRUE(kind.ends_with("before the end") || kind.starts_with("TransactionC"))
          << access.name << ": " << count << " " << kind;
    }
    EXPECT_GT(access.total.served, 0) << access.name;
    EXPECT_GT(access.units.read + access.units.write, 0) << access.name;
    EXPECT_GT(access.latency->all.count(), 0) << access.name;
  }
  EXPECT_GT(FindAccess(run, "cached").total.absorbed, 0);
  for (const char* const name : {"fail", "cancel"}) {
    EXPECT_EQ(FindAccess(run, name).failed_conditions, FindAccess(run, name).total.served);
  }
  EXPECT_NEAR(FindAccess(run, "index").amplification(), 3, 0.2);
  EXPECT_NEAR(FindAccess(run, "gather").amplification(), 2, 0.2);
  EXPECT_EQ(FindAccess(run, "scan").scans, 1);
  EXPECT_GT(run.resources.at(1).units.write, 0);
  EXPECT_FALSE(run.resources.at(0).hottest.empty());
}

// What the library refuses is refused as in a simulation: one key gets a partition. Of items of
// 390 units three a second are too many, which the slowest machine puts.
TEST(Measurement, TheLibraryThrottlesAHotKey) {
  constexpr std::string_view kSmall = "item_size = 100";
  std::string text = HundredPuts();
  text.replace(text.find(kSmall), kSmall.size(), "item_size = 390_000");
  const auto target = Library(CapacityMode::kGlobal);
  const auto has_throttled = [](const RunResult& run) {
    return run.accesses.front().total.throttled > 0;
  };
  const RunResult run = MeasureUntil(has_throttled, text, {.warm_up = kSecond}, target.get());
  const AccessResult& access = run.accesses.front();
  EXPECT_GT(access.total.throttled, 0);
  EXPECT_GT(access.limits[static_cast<size_t>(ThroughputLimit::kKeyRange)], 0);
  EXPECT_EQ(access.total.failed, access.total.throttled);
}

// However little is asked for: 730 hours of 500 write units at 0.00065, and of 20 read units at
// 0.00013.
TEST(Measurement, WhatIsProvisionedIsBilled) {
  std::string text = HundredPuts();
  text.insert(text.find("[[access]]"),
              "billing = \"provisioned\"\nunits = { read = 20, write = 500 }\n");
  const auto target = Library(CapacityMode::kGlobal);
  const RunResult run = MeasureText(text, {.warm_up = 0}, target.get());
  const auto prices = lab::ParsePriceList("prices.toml", lab::ShippedPrices());
  ASSERT_TRUE(prices.ok()) << prices.status();
  double units = 0;
  for (const lab::BillLine& line : lab::MakeBillLines(run, *prices)) {
    if (line.unit == "hours") units += line.amount();
  }
  EXPECT_NEAR(units, 730 * (500 * 0.00065 + 20 * 0.00013), 1e-6);
}

// The library has the quotas of a new account.
TEST(Measurement, WarmThroughputAboveTheQuotaIsCutAndTold) {
  std::string text = HundredPuts();
  text.insert(text.find("[[access]]"), "warm = { read = 120_000, write = 40_000 }\n");
  const auto target = Library(CapacityMode::kAccount);
  const RunResult run = MeasureText(text, {.warm_up = 0}, target.get());
  EXPECT_THAT(run.measured->notes,
              ::testing::Contains("Cut to 40000 units a second, the quota of a table: "
                                  "table.t.warm."));
}

// New items, first and further writes of the same ones, deletions, entries of both kinds of
// indexes.
constexpr std::string_view kStoring = R"(
[experiment]
duration = "2s"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
sort_key = "sk"
item_size = 600
local_indexes = 1
[[table.index]]
name = "by-kind"
partition_key = "kind"
[keys.few]
distribution = "uniform"
count = 150
[keys.kind]
distribution = "uniform"
count = 10
[keys.gone]
distribution = "ordered"
count = 200
[[access]]
name = "same"
load = { rate = 100 }
operation = "PutItem"
key = { pk = "few", kind = "kind" }
[[access]]
name = "new"
load = { rate = 100 }
operation = "BatchWriteItem"
items = 3
key.pk = { distribution = "random" }
[[access]]
name = "delete"
load = { rate = 100 }
operation = "DeleteItem"
key.pk = "gone"
[[access]]
name = "update"
load = { rate = 100 }
operation = "UpdateItem"
key.pk = "gone"
)";

// Other keys are drawn, and the last requests may not be sent on a busy machine: a twentieth. One
// connection, so that deletions and updates of an item stay in their order.
TEST(Measurement, StorageGrowsAsASimulationSays) {
  const RunResult simulated = testing::RunExperiment(ReadExperiments(kStoring).at(0));
  const auto target = Library(CapacityMode::kAccount);
  const RunResult measured = MeasureText(kStoring, {.connections = 1, .warm_up = 0}, target.get());
  for (const size_t resource : {0, 1}) {
    // A simulation begins with nothing, a measurement with what was loaded.
    const auto& moments = measured.resources[resource].moments;
    const auto growth = static_cast<double>(simulated.resources[resource].moments.back().bytes);
    EXPECT_GT(growth, 50'000) << resource;
    EXPECT_NEAR(static_cast<double>(moments.back().bytes - moments.front().bytes), growth,
                growth / 20 + static_cast<double>(measured.measured->unsent) * 4'000)
        << resource;
  }
}

TEST(Measurement, ATableThatIsThereStays) {
  const auto target = Library(CapacityMode::kAccount);
  MeasureText(HundredPuts(), {.warm_up = 0, .keeps_tables = true}, target.get());
  const auto again = lab::Measure(
      ReadExperiments(HundredPuts()).at(0), {.warm_up = 0}, target.get(),
      [](uint64_t, uint64_t) { return true; }, [](const lab::RunProgress&) { return true; });
  EXPECT_EQ(again.status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(Measurement, WhatHasNoMeaningIsRefusedByName) {
  lab::Experiment experiment = ReadExperiments(HundredPuts()).at(0);
  EXPECT_EQ(lab::CheckMeasurable("x.toml", experiment), absl::OkStatus());
  experiment.sample = 100;
  EXPECT_NE(lab::CheckMeasurable("x.toml", experiment).message().find("x.toml: experiment.sample"),
            absl::string_view::npos);
  experiment.sample = 1;
  experiment.tables.front().local_indexes = 1;
  EXPECT_NE(lab::CheckMeasurable("x.toml", experiment).message().find("table.t.local_indexes"),
            absl::string_view::npos);
}

TEST(Measurement, ASimulationHasNoLatencies) {
  const RunResult simulated = testing::RunExperiment(ReadExperiments(HundredPuts()).at(0));
  EXPECT_EQ(lab::ResultJson({simulated}, {}).find("latency"), std::string::npos);
  EXPECT_EQ(lab::SummaryText({simulated}, {}).find("latency"), std::string::npos);
}

}  // namespace
}  // namespace dynolith
