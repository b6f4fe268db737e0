// A run on several cores gives the bytes of a run on one: of every experiment in the program, and
// of one that has everything that parts of a run might share. What depends on each other is one
// part.
#include "tools/lab/model/run_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/report/result_json.h"

namespace dynolith::lab {
namespace {

using ::testing::UnorderedElementsAre;

PriceList PricesOfProgram() {
  auto prices = ParsePriceList("prices.toml", ShippedPrices());
  EXPECT_TRUE(prices.ok()) << prices.status();
  return *std::move(prices);
}

std::string BytesOf(const Experiment& experiment, size_t threads, const PriceList& prices) {
  const RunResult run = Simulate(
      experiment, [](const RunProgress&) { return true; }, threads);
  return ResultJson({run}, prices);
}

void ExpectSameBytes(const Experiment& experiment, const PriceList& prices) {
  const std::string one = BytesOf(experiment, 1, prices);
  for (const size_t threads : {2, 5}) {
    EXPECT_TRUE(BytesOf(experiment, threads, prices) == one)
        << experiment.title << ", " << experiment.design << ", on " << threads << " threads";
  }
}

// The names of the accesses of each part.
std::vector<std::string> PartsOf(const Experiment& experiment, size_t most = 100) {
  std::vector<std::string> parts;
  std::vector<size_t> times(experiment.accesses.size());
  for (const RunPart& part : DivideRun(experiment, most)) {
    std::string names;
    for (size_t i = 0; i < experiment.accesses.size(); ++i) {
      if (!part.accesses[i]) continue;
      ++times[i];
      names += Concat(names.empty() ? "" : " ", experiment.accesses[i].name);
    }
    parts.push_back(names);
  }
  EXPECT_THAT(times, ::testing::Each(1));
  return parts;
}

TEST(RunPartsTest, EveryExperimentOfTheProgramHasTheSameBytes) {
  const PriceList prices = PricesOfProgram();
  std::vector<std::string_view> texts = {ExampleExperiment()};
  for (const ShippedFile& file : ShippedExperiments()) texts.push_back(file.text);
  for (const std::string_view text : texts) {
    for (Experiment& experiment : testing::ReadExperiments(text)) {
      // Long enough for what happens in seconds; their lessons take longer.
      experiment.duration = std::min(experiment.duration, 5 * kSecond);
      ExpectSameBytes(experiment, prices);
    }
  }
}

// Accesses in `[load]` and of their own loads, workers, keys in common, and what is not divided.
constexpr std::string_view kManyTables = R"(
[[table]]
name = "a"
partition_key = "pk"
sort_key = "sk"
item_size = { from = 100, to = 3000 }
billing = "provisioned"
units = { read = 300, write = 300 }
[[table.index]]
name = "by-status"
partition_key = "status"
entry_size = 100
shards = 2
[[table]]
name = "b"
partition_key = "pk"
item_size = 200
stream = { readers = 2 }
replicas = ["eu-west-1"]
[[table]]
name = "c"
partition_key = "pk"
item_size = 400
storage = "20GB"
[[table.index]]
name = "by-day"
partition_key = "day"
[[table]]
name = "d"
partition_key = "pk"
item_size = 300
[[table]]
name = "nobody"
partition_key = "pk"
item_size = 300
[keys.user]
distribution = "zipfian"
count = 5000
[keys.made]
distribution = "ascending"
[keys.last]
distribution = "latest"
of = "made"
count = 1000
[keys.day]
distribution = "time"
period = "1s"
[load]
rate = 900
[[access]]
name = "order"
operation = "PutItem"
table = "a"
key = { pk = "user", sk = "made", status = { distribution = "list", values = ["new"] } }
[[access]]
name = "orders"
operation = "Query"
table = "a"
index = "by-status"
gather = true
items = 10
key.status = { distribution = "list", values = ["new"] }
load = { shape = "polling", workers = 10, interval = "100ms", jitter = 0.5 }
[[access]]
name = "visit"
operation = "GetItem"
then = "UpdateItem"
table = "b"
key.pk = { distribution = "hot-set", count = 700 }
load = { rate = 3_000 }
[[access]]
name = "read c"
operation = "GetItem"
table = "c"
cache = "1s"
key.pk = { distribution = "uniform", count = 1_000 }
[[access]]
name = "read by day"
operation = "Query"
table = "c"
index = "by-day"
items = 3
key.day = "day"
[[access]]
name = "log"
operation = "PutItem"
table = "d"
key.pk = "day"
aggregate = "20ms"
load = { shape = "polling", workers = 50, interval = "50ms", jitter = 1 }
)";

std::string ManyTables(std::string_view more = "") {
  return Concat("[experiment]\nduration = \"8s\"\n", kManyTables, more);
}

Experiment ReadOne(const std::string& text) {
  const std::vector<Experiment> all = testing::ReadExperiments(text);
  EXPECT_EQ(all.size(), 1);
  return all.empty() ? Experiment() : all.front();
}

TEST(RunPartsTest, TablesAndIndexesThatNothingJoinsAreParts) {
  const Experiment experiment = ReadOne(ManyTables());
  EXPECT_THAT(PartsOf(experiment),
              UnorderedElementsAre("order orders", "visit", "read c", "read by day", "log"));
  EXPECT_EQ(PartsOf(experiment, 2).size(), 2);
  EXPECT_EQ(PartsOf(experiment, 1).size(), 1);
  // Of equal loads together.
  double operations = 0;
  for (const RunPart& part : DivideRun(experiment, 100)) {
    operations = std::max(operations, part.operations);
  }
  EXPECT_EQ(operations, 3'000 * 8);
  ExpectSameBytes(experiment, PricesOfProgram());
}

TEST(RunPartsTest, EachTableAndIndexIsOfOnePart) {
  const std::vector<RunPart> parts = DivideRun(ReadOne(ManyTables()), 3);
  ASSERT_EQ(parts.size(), 3);
  for (size_t i = 0; i < parts.front().resources.size(); ++i) {
    EXPECT_EQ(std::count_if(parts.begin(), parts.end(),
                            [i](const RunPart& part) { return part.resources[i]; }),
              1)
        << i;
  }
}

TEST(RunPartsTest, AWriteJoinsATableAndItsIndexes) {
  const Experiment experiment = ReadOne(ManyTables(R"(
[[access]]
name = "put c"
operation = "PutItem"
table = "c"
key = { pk = { distribution = "uniform", count = 10 }, day = "day" }
)"));
  EXPECT_THAT(PartsOf(experiment),
              UnorderedElementsAre("order orders", "visit", "read c read by day put c", "log"));
  ExpectSameBytes(experiment, PricesOfProgram());
}

TEST(RunPartsTest, ASourceOfKeysAndATransactionJoinTables) {
  const Experiment experiment = ReadOne(ManyTables(R"(
[[access]]
name = "latest c"
operation = "GetItem"
table = "c"
key.pk = "last"
[[access]]
name = "both"
operation = "TransactWriteItems"
[[access.member]]
operation = "PutItem"
table = "b"
key.pk = { distribution = "uniform", count = 10 }
[[access.member]]
operation = "ConditionCheck"
table = "d"
key.pk = "day"
)"));
  EXPECT_THAT(PartsOf(experiment), UnorderedElementsAre("order orders read c latest c",
                                                        "visit log both", "read by day"));
  ExpectSameBytes(experiment, PricesOfProgram());
}

TEST(RunPartsTest, ScansJoinAndItemsThatExpireJoin) {
  const Experiment experiment = ReadOne(ManyTables(R"(
[[access]]
name = "scan b"
operation = "Scan"
table = "b"
load = { shape = "once", at = "1s" }
[[access]]
name = "scan c"
operation = "Scan"
table = "c"
segments = 4
load = { shape = "once", at = "2s" }
[[access]]
name = "session"
operation = "PutItem"
table = "d"
ttl = "1s"
key.pk = { distribution = "random" }
[[access]]
name = "cart"
operation = "PutItem"
table = "a"
ttl = "1s"
key = { pk = { distribution = "random" }, sk = "day" }
)"));
  EXPECT_THAT(PartsOf(experiment),
              UnorderedElementsAre("order orders log session cart", "visit read c scan b scan c",
                                   "read by day"));
  ExpectSameBytes(experiment, PricesOfProgram());
}

// Clients share a quota, waits are drawn in the order of throttles, and nodes serve all tables.
TEST(RunPartsTest, ClientsAndNodesJoinAll) {
  for (const std::string_view client :
       {"", "quota = 0\n", "attempts = 1\nquota = 0\nadaptive = true\n"}) {
    EXPECT_EQ(PartsOf(ReadOne(ManyTables(Concat("[client]\n", client)))).size(), 1) << client;
  }
  Experiment experiment = ReadOne(ManyTables());
  experiment.nodes = 4;
  EXPECT_EQ(PartsOf(experiment).size(), 1);
  const Experiment apart =
      ReadOne(ManyTables("[client]\nattempts = 3\nquota = 0\njitter = \"none\"\n"));
  EXPECT_EQ(PartsOf(apart).size(), 5);
  ExpectSameBytes(apart, PricesOfProgram());
}

// Feedback decides how many random numbers are drawn for the choice of accesses.
TEST(RunPartsTest, ALoadInUnitsJoinsWhatSharesIt) {
  const std::string text = ManyTables();
  const std::string shared = "[load]\nrate = 900\n";
  const size_t at = text.find(shared);
  ASSERT_NE(at, std::string::npos);
  const Experiment experiment = ReadOne(
      std::string(text).replace(at, shared.size(), "[load]\nrate = 900\nunit = \"read units\"\n"));
  EXPECT_THAT(PartsOf(experiment),
              UnorderedElementsAre("order orders read c read by day log", "visit"));
  ExpectSameBytes(experiment, PricesOfProgram());
}

// Parts end together, so that what is shown of a run that was stopped is one moment of it.
TEST(RunPartsTest, AStoppedRunEndsInAllPartsAtOnce) {
  Experiment experiment = ReadOne(ManyTables());
  experiment.duration = 1'000 * kSecond;
  const RunResult run = Simulate(
      experiment, [](const RunProgress&) { return false; }, 3);
  EXPECT_FALSE(run.is_complete);
  EXPECT_LT(run.simulated, experiment.duration);
  for (const AccessResult& access : run.accesses) {
    EXPECT_EQ(access.moments.size(), run.accesses.front().moments.size()) << access.name;
  }
  for (const ResourceResult& resource : run.resources) {
    EXPECT_EQ(resource.moments.size(), run.accesses.front().moments.size());
  }
  experiment.duration = run.simulated;
  const RunResult whole = Simulate(
      experiment, [](const RunProgress&) { return true; }, 1);
  EXPECT_EQ(whole.decisions, run.decisions);
}

}  // namespace
}  // namespace dynolith::lab
