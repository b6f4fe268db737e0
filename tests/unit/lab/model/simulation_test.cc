// What a run counts, held against figures that were worked out by hand: units, refusals, retries,
// what stands in front, samples; and that a seed repeats a run to the byte.
#include "tools/lab/model/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/experiment/client_presets.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/report/result_csv.h"
#include "tools/lab/report/result_json.h"
#include "tools/lab/report/verdict.h"

namespace dynolith {
namespace {

using lab::AccessResult;
using lab::RunResult;
using testing::FindAccess;
using testing::ReadExperiments;
using testing::RunExperiment;
using testing::StoredBytes;

RunResult RunText(std::string_view text) { return RunExperiment(ReadExperiments(text).at(0)); }

constexpr std::string_view kHead = R"(
[experiment]
duration = "100s"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
sort_key = "sk"
item_size = 1500
[[table.index]]
name = "ix"
partition_key = "a"
entry_size = 100
[keys.pk]
distribution = "uniform"
count = 1000
)";

// One operation of each kind a second, 1,500 bytes: 2 blocks to write, 1 to read.
TEST(Simulation, Units) {
  const auto units = [](std::string_view access) {
    const RunResult run =
        RunText(Concat(kHead, "[[access]]\nname = \"x\"\nload = { rate = 1 }\n", access));
    const AccessResult& result = run.accesses.front();
    EXPECT_EQ(result.total.throttled, 0) << access;
    EXPECT_EQ(result.total.requests, 100) << access;
    return (result.units.read + result.units.write) / 100;
  };
  EXPECT_EQ(units("operation = \"GetItem\"\nkey.pk = \"pk\""), 0.5);
  EXPECT_EQ(units("operation = \"GetItem\"\nconsistency = \"strong\"\nkey.pk = \"pk\""), 1);
  EXPECT_EQ(units("operation = \"BatchGetItem\"\nitems = 3\nkey.pk = \"pk\""), 1.5);
  EXPECT_EQ(units("operation = \"TransactGetItems\"\nitems = 3\nkey.pk = \"pk\""), 6);
  // 15,000 bytes are 4 blocks.
  EXPECT_EQ(units("operation = \"Query\"\nitems = 10\nkey.pk = \"pk\""), 2);
  // 1,000 bytes of entries.
  EXPECT_EQ(units("operation = \"Query\"\nindex = \"ix\"\nitems = 10\nkey.a = \"pk\""), 0.5);
  EXPECT_EQ(units("operation = \"PutItem\"\nkey.pk = \"pk\""), 2);
  EXPECT_EQ(units("operation = \"PutItem\"\nkey = { pk = \"pk\", a = \"pk\" }"), 3);
  EXPECT_EQ(
      units(
          "operation = \"UpdateItem\"\nindex_change = \"move\"\nkey = { pk = \"pk\", a = \"pk\" }"),
      4);
  EXPECT_EQ(units("operation = \"DeleteItem\"\nindex_change = \"none\"\nkey = { pk = \"pk\", a = "
                  "\"pk\" }"),
            2);
  EXPECT_EQ(
      units("operation = \"PutItem\"\nindex_change = { ix = \"move\" }\nkey = { pk = \"pk\", a = "
            "\"pk\" }"),
      4);
  EXPECT_EQ(units("operation = \"BatchWriteItem\"\nitems = 25\nkey.pk = \"pk\""), 50);
  EXPECT_EQ(units("operation = \"TransactWriteItems\"\nitems = 2\nkey.pk = \"pk\""), 8);
  EXPECT_EQ(units("operation = \"PutItem\"\nitem_size = 100\nkey.pk = \"pk\""), 1);
}

std::string Hot() { return testing::OneKey("60s", 2000); }

// 1,000 a second, and one second that was saved.
TEST(Simulation, ThrottledAndServedAreAllThereIs) {
  const RunResult run = RunText(Hot());
  const AccessResult& write = run.accesses.front();
  EXPECT_EQ(write.total.operations, 120'000);
  EXPECT_NEAR(static_cast<double>(write.total.served), 61'000, 2);
  EXPECT_EQ(write.total.served + write.total.throttled, write.total.operations);
  EXPECT_EQ(write.total.failed, write.total.throttled);
  EXPECT_EQ(write.limits[static_cast<size_t>(ThroughputLimit::kKeyRange)], write.total.throttled);
  const lab::ResourceResult& table = run.resources.front();
  EXPECT_EQ(table.throttled_by(ThroughputLimit::kKeyRange), write.total.throttled);
  EXPECT_EQ(table.units.write, static_cast<double>(write.total.served));
  ASSERT_EQ(table.hottest.size(), 1);
  EXPECT_EQ(table.hottest.front().key, "one");
  EXPECT_EQ(table.hottest.front().operations, write.total.served);
  EXPECT_EQ(table.hottest.front().throttled.write, write.total.throttled);
}

// An item of 100 KB and its local entry are 204,900 bytes: ten of them fit into the 10 GB that a
// collection may have, of which `begun` are there.
std::string Collection(std::string_view begun, std::string_view more) {
  return Concat(R"([experiment]
duration = "20s"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
sort_key = "sk"
item_size = "100KB"
local_indexes = 1
storage = )",
                begun, R"(
[keys.pk]
distribution = "list"
values = ["one"]
[keys.new]
distribution = "ascending"
[client]
attempts = 4
[[access]]
name = "add"
operation = "PutItem"
key = { pk = "pk", sk = "new" }
load = { rate = 1 }
)",
                more);
}
constexpr std::string_view kTenLeft = "10_735_369_240";

TEST(Simulation, AnItemCollectionBesideLocalIndexesEndsAtTenGigabytes) {
  const RunResult run = RunText(Collection(kTenLeft, R"([[access]]
name = "change"
operation = "UpdateItem"
key.pk = "pk"
load = { rate = 1 }
)"));
  const AccessResult& add = FindAccess(run, "add");
  EXPECT_EQ(add.total.served, 10);
  EXPECT_EQ(add.total.errors, 10);
  EXPECT_EQ(add.total.throttled + add.total.failed, 0);
  EXPECT_EQ(add.units.write, 10 * 200);
  EXPECT_THAT(add.errors,
              ::testing::ElementsAre(std::pair("ItemCollectionSizeLimitExceededException", 10)));
  // What is there already may be written.
  EXPECT_EQ(FindAccess(run, "change").total.served, 20);
  const lab::ResourceResult& table = run.resources.front();
  ASSERT_EQ(table.full_collections.size(), 1);
  EXPECT_EQ(table.full_collections.front().key, "one");
  EXPECT_EQ(table.full_collections.front().at / kSecond, 10);
  EXPECT_EQ(table.full_collections.front().refused, 10);
  EXPECT_EQ(table.moments.back().bytes, 10'735'369'240 + 10 * 204'900);
  EXPECT_EQ(
      lab::MakeVerdict(run).front().sentence,
      "25.0 % of the operations on t (10 of 40) were refused from 00:00:10 on: the item collection "
      "of one has the 10 GB that there may be beside local indexes. What helps: shards of the "
      "partition key, or no local index.");
}

TEST(Simulation, DeletionsMakeRoomInAnItemCollection) {
  const RunResult run = RunText(Collection(kTenLeft, R"([[access]]
name = "remove"
operation = "DeleteItem"
key = { pk = "pk", sk = { distribution = "ascending" } }
load = { rate = 1 }
)"));
  EXPECT_EQ(FindAccess(run, "add").total.served, 20);
}

TEST(Simulation, AnItemCollectionWithoutLocalIndexesHasNoEnd) {
  std::string text = Collection(kTenLeft, "");
  text.replace(text.find("local_indexes = 1"), 17, "local_indexes = 0");
  EXPECT_EQ(FindAccess(RunText(text), "add").total.served, 20);
}

TEST(Simulation, EachItemCollectionHasAnEndOfItsOwn) {
  std::string text = Collection(kTenLeft, "");
  text.replace(text.find("[\"one\"]"), 7, "[\"one\", \"two\"]");
  EXPECT_EQ(FindAccess(RunText(text), "add").total.served, 20);
}

// What they do is in api/facts/capacity.md §9; members of a table change it.
TEST(Simulation, ClientsAreKnownByTheirNames) {
  const auto retry = [](std::string_view client) {
    return ReadExperiments(Concat(client, "\n", Hot())).at(0).retry;
  };
  EXPECT_EQ(retry("").attempts, 1);
  EXPECT_EQ(retry("client = \"boto3 1.44\"").attempts, 4);
  EXPECT_EQ(retry("client = \"legacy boto3 1\"").attempts, 10);
  // Attempts, base in milliseconds, quota.
  using Rule = std::tuple<int64_t, int64_t, int64_t>;
  const auto rule = [&](std::string_view name) {
    const lab::RetryRule is = retry(Concat("client = \"", name, "\""));
    return Rule(is.attempts, is.base / 1'000, is.quota);
  };
  EXPECT_EQ(rule("go 1.48"), Rule(4, 1'000, 500));
  EXPECT_EQ(rule("standard boto3 1"), Rule(3, 1'000, 500));
  EXPECT_EQ(rule("legacy javascript 2"), Rule(11, 50, 0));
  EXPECT_EQ(rule("legacy javascript 3"), Rule(3, 500, 500));
  EXPECT_EQ(rule("legacy go 1"), Rule(11, 50, 0));
  EXPECT_EQ(rule("legacy go 2"), Rule(3, 2'000, 500));
  EXPECT_EQ(rule("legacy dotnet 3"), Rule(11, 50, 500));
  EXPECT_EQ(rule("legacy c++ 1"), Rule(11, 25, 0));
  EXPECT_EQ(rule("legacy java 2"), Rule(9, 500, 0));
  EXPECT_EQ(rule("legacy dotnet 4"), Rule(10, 1'000, 500));
  EXPECT_EQ(rule("legacy kotlin 1"), Rule(3, 10, 500));
  EXPECT_EQ(rule("legacy php 3"), Rule(11, 50, 0));
  EXPECT_EQ(rule("legacy ruby 3"), Rule(11, 25, 0));
  EXPECT_EQ(rule("legacy rust 1"), Rule(3, 1'000, 500));
  const lab::RetryRule java = retry("[client]\nsdk = \"legacy java 1\"\nbase = \"1s\"");
  EXPECT_EQ(java.attempts, 11);
  EXPECT_EQ(java.base, kSecond);
  EXPECT_EQ(java.jitter, lab::Jitter::kEqual);
  EXPECT_EQ(java.quota, 0);
}

// Of each language there is a client before November 2026, and one since, which all do the same.
TEST(Simulation, EachLanguageHasClientsOfBothTimes) {
  std::set<std::string, std::less<>> names;
  const lab::RetryRule since2026;
  for (const auto& [name, rule] : lab::ClientPresets()) {
    EXPECT_TRUE(names.emplace(name).second) << name;
    EXPECT_EQ(rule.is_adaptive, name.find("adaptive ") != name.npos) << name;
  }
  const auto has = [&](std::string_view begin) {
    const auto found = names.lower_bound(begin);
    return found != names.end() && std::string_view(*found).substr(0, begin.size()) == begin;
  };
  for (const std::string_view language :
       {"boto3 ", "aws-cli ", "javascript ", "go ", "dotnet ", "powershell ", "c++ ", "java ",
        "kotlin ", "php ", "ruby ", "rust ", "swift "}) {
    EXPECT_TRUE(has(Concat("legacy ", language))) << language;
    for (const std::string_view mode : {"", "adaptive "}) {
      EXPECT_TRUE(has(Concat(mode, language))) << mode << language;
    }
    for (const auto& [name, rule] : lab::ClientPresets()) {
      if (name.substr(0, language.size()) != language) continue;
      EXPECT_EQ(std::tuple(rule.attempts, rule.base, rule.longest, rule.quota, rule.at_once),
                std::tuple(since2026.attempts, since2026.base, since2026.longest, since2026.quota,
                           since2026.at_once))
          << name;
    }
  }
}

TEST(Simulation, HeatKnowsBytes) {
  const auto run = [](std::string_view access) {
    return RunText(Concat(kHead, "[[access]]\nname = \"x\"\nload = { rate = 1 }\n", access));
  };
  EXPECT_EQ(StoredBytes(run("operation = \"GetItem\"\nkey.pk = \"pk\""), 0), 100 * 1'500);
  EXPECT_EQ(StoredBytes(run("operation = \"Query\"\nitems = 10\nkey.pk = \"pk\""), 0),
            100 * 15'000);
  const RunResult put =
      run("operation = \"PutItem\"\nkey = { pk = \"pk\", a = \"pk\" }\nindex_change = \"move\"");
  EXPECT_EQ(StoredBytes(put, 0), 100 * 1'500);
  EXPECT_EQ(StoredBytes(put, 1), 2 * 100 * 100);
}

TEST(Simulation, MomentsAndHeatAddUpToTheTotals) {
  const RunResult run = RunText(Hot());
  lab::AccessMoment sum;
  for (const lab::AccessMoment& moment : run.accesses.front().moments) sum += moment;
  EXPECT_EQ(run.accesses.front().moments.size(), 60);
  EXPECT_EQ(sum.served, run.accesses.front().total.served);
  const lab::HeatMap& heat = run.resources.front().heat;
  EXPECT_EQ(heat.slots(), 60);
  double served = 0;
  double throttled = 0;
  for (const lab::HeatMap::Cell& cell : heat.cells) {
    served += cell.operations;
    throttled += cell.throttled;
  }
  EXPECT_EQ(served, static_cast<double>(sum.served));
  EXPECT_EQ(throttled, static_cast<double>(sum.throttled));
}

TEST(Simulation, ASampleHasTheSameRatios) {
  const RunResult all = RunText(Hot());
  std::string text = Hot();
  text.insert(text.find("arrivals"), "sample = 10\n");
  const RunResult sample = RunText(text);
  EXPECT_LT(sample.decisions * 9, all.decisions);
  EXPECT_EQ(sample.total().operations, all.total().operations);
  EXPECT_NEAR(sample.accesses.front().served_part(), all.accesses.front().served_part(), 0.001);
  EXPECT_NEAR(sample.resources.front().hottest.front().units.write,
              all.resources.front().hottest.front().units.write, 200);
}

// 1,200 a second for 10 s, then none: what is tried again is served in the end.
TEST(Simulation, ClientsTryAgain) {
  std::string text = Hot();
  text.replace(
      text.find("{ rate = 2000 }"), 15,
      "{ shape = \"steps\", steps = [{ at = \"0s\", rate = 1200 }, { at = \"10s\", rate = 0 }] }");
  const RunResult once = RunText(text);
  EXPECT_NEAR(static_cast<double>(once.total().failed), 1'000, 2);
  const RunResult retried = RunText(text + "[client]\nattempts = 20\nquota = 0\n");
  EXPECT_EQ(retried.total().operations, 12'000);
  EXPECT_EQ(retried.total().served, 12'000);
  EXPECT_EQ(retried.total().failed, 0);
  EXPECT_GT(retried.total().throttled, once.total().throttled);
  EXPECT_GT(retried.accesses.front().waited_seconds, 0);
  const RunResult twice = RunText(text + "[client]\nattempts = 2\nbase = \"1us\"\nquota = 0\n");
  EXPECT_EQ(twice.total().served + twice.total().failed, 12'000);
  // Whoever gave up was throttled twice, and nobody three times.
  EXPECT_GE(twice.total().throttled, 2 * twice.total().failed);
  EXPECT_LE(twice.total().throttled, 2 * (12'000 - twice.total().served) + twice.total().served);
}

TEST(Simulation, AClientGivesUpWhenItsQuotaIsUsedUp) {
  const std::string text = Hot();
  EXPECT_EQ(ReadExperiments(text).at(0).retry.attempts, 1);
  const lab::RetryRule rule = ReadExperiments(text + "[client]\n").at(0).retry;
  EXPECT_EQ(rule.attempts, 4);
  EXPECT_EQ(rule.quota, 500);
  // Half of 2,000 writes a second cannot be served: with a quota few of them are tried again.
  const RunResult without = RunText(text + "[client]\nquota = 0\n");
  const RunResult with = RunText(text + "[client]\n");
  const RunResult once = RunText(text);
  EXPECT_GT(without.total().throttled, 3 * once.total().throttled);
  EXPECT_LT(with.total().throttled, 2 * once.total().throttled);
  EXPECT_GT(with.total().throttled, once.total().throttled);
}

// The write waits for the read, and only what failed is tried again.
TEST(Simulation, AReadIsFollowedByItsWrite) {
  std::string text = Hot();
  text.replace(text.find("operation = \"PutItem\""), 21,
               "operation = \"GetItem\"\nthen = \"UpdateItem\"");
  const RunResult run = RunText(text);
  const AccessResult& access = run.accesses.front();
  const auto requests = static_cast<double>(access.total.requests);
  // The partition reads all and writes a half.
  EXPECT_EQ(access.total.operations, 2 * access.total.requests);
  EXPECT_NEAR(static_cast<double>(access.total.served), 1.5 * requests, 0.01 * requests);
  EXPECT_EQ(access.total.served + access.total.failed, access.total.operations);
  const RunResult retried = RunText(text + "[client]\nattempts = 2\n");
  EXPECT_EQ(retried.accesses.front().units.read, access.units.read);
}

TEST(Simulation, AQueueInFrontMakesOneWriteOfMany) {
  std::string text = Hot();
  text += "aggregate = \"500ms\"\n";
  const RunResult run = RunText(text);
  const lab::AccessMoment total = run.total();
  EXPECT_EQ(total.requests, 120'000);
  EXPECT_NEAR(static_cast<double>(total.operations), 120, 1);
  // The last window is still open at the end.
  EXPECT_LE(total.requests - total.absorbed - total.operations, 1);
}

TEST(Simulation, ACacheAnswersUntilItIsOld) {
  const RunResult run = RunText(Concat(kHead, R"([[access]]
name = "read"
operation = "GetItem"
key.pk = { distribution = "list", values = ["one"] }
load = { rate = 100 }
cache = "10s"
)"));
  EXPECT_EQ(run.total().requests, 10'000);
  EXPECT_NEAR(static_cast<double>(run.total().operations), 10, 1);
}

TEST(Simulation, StorageGrowsByNewItemsAndFullPartitionsSplit) {
  const RunResult run = RunText(R"(
[experiment]
duration = "60s"
sample = 10
[[table]]
name = "t"
partition_key = "pk"
item_size = "400KB"
storage = "39.9GB"
warm = { write = 40_000 }
partitions = 4
[[access]]
name = "new"
operation = "PutItem"
key.pk = { distribution = "random" }
load = { rate = 50 }
)");
  const lab::ResourceResult& table = run.resources.front();
  const auto added = static_cast<double>(table.moments.back().bytes) - 39.9 * (1 << 30);
  EXPECT_NEAR(added, static_cast<double>(run.total().served) * 400 * 1'024, 1e4);
  EXPECT_GT(table.partitions(), 40);
}

// Readers find what writers have made, whatever the sources are called.
TEST(Simulation, TheLatestItemsAreRead) {
  const RunResult run = RunText(R"(
[experiment]
duration = "100s"
[[table]]
name = "t"
partition_key = "pk"
item_size = 100
[keys.latest]
distribution = "latest"
of = "order"
count = 50
[keys.order]
distribution = "ascending"
first = 1000
[[access]]
name = "write"
operation = "PutItem"
key.pk = "order"
load = { rate = 1 }
[[access]]
name = "read"
operation = "GetItem"
key.pk = "latest"
load = { rate = 10 }
[[access]]
name = "read, too"
operation = "GetItem"
key.pk = { distribution = "latest", of = "order", count = 1 }
load = { rate = 10 }
)");
  EXPECT_EQ(run.total().throttled, 0);
  ASSERT_FALSE(run.resources.front().hottest.empty());
  for (const lab::HotKey& key : run.resources.front().hottest) {
    EXPECT_TRUE(key.key.starts_with("order#")) << key.key;
    EXPECT_GE(std::stoi(key.key.substr(6)), 950) << key.key;
  }
}

TEST(Simulation, StopsWhenItIsTold) {
  const lab::Experiment experiment = ReadExperiments(Hot()).at(0);
  const RunResult run = lab::Simulate(experiment, [](const lab::RunProgress& progress) {
    return progress.simulated < 10 * kSecond;
  });
  EXPECT_FALSE(run.is_complete);
  EXPECT_EQ(run.simulated, 10 * kSecond);
  EXPECT_EQ(run.accesses.front().moments.size(), 10);
  EXPECT_EQ(run.total().operations, 20'000);
}

// What a search for advice relies on when it ends a run: no access gets below it later, however its
// requests come, and it comes close.
TEST(Simulation, KnowsHowMuchWillHaveBeenThrottled) {
  for (const std::string_view more :
       {"", "[client]\nattempts = 3\nbase = \"50ms\"\n", "share = 0.3\n"}) {
    const bool is_shared = more.starts_with("share");
    const std::string text = Concat(
        "[experiment]\nduration = \"20s\"\n[[table]]\nname = \"t\"\npartition_key = \"pk\"\n"
        "item_size = 100\n[load]\nrate = 6_000\n[[access]]\nname = \"put\"\n"
        "operation = \"PutItem\"\nkey.pk = { distribution = \"list\", values = [\"one\"] }\n",
        more,
        is_shared ? "[[access]]\nname = \"get\"\noperation = \"BatchGetItem\"\nitems = 2\n"
                    "key.pk = { distribution = \"list\", values = [\"two\"] }\n"
                  : "");
    std::vector<double> least;
    const RunResult run =
        lab::Simulate(ReadExperiments(text).at(0), [&least](const lab::RunProgress& progress) {
          least.push_back(progress.denied_at_least);
          return true;
        });
    double worst = 0;
    for (const lab::AccessResult& access : run.accesses) {
      const auto attempts = static_cast<double>(access.total.served + access.total.throttled);
      worst = std::max(worst, static_cast<double>(access.total.throttled) / attempts);
    }
    EXPECT_TRUE(std::is_sorted(least.begin(), least.end())) << text;
    EXPECT_LE(least.back(), worst) << text;
    EXPECT_GT(least.back(), worst / 2) << text;
  }
}

// Nothing says how many requests there will be.
TEST(Simulation, PollsWithoutAnEnd) {
  const lab::Experiment experiment =
      ReadExperiments(
          dynolith::testing::OneTable(
              "5s",
              "[[access]]\nname = \"get\"\noperation = \"GetItem\"\nconsistency = \"strong\"\n"
              "key.pk = { distribution = \"list\", values = [\"one\"] }\n"
              "load = { shape = \"polling\", workers = 50, interval = \"10ms\" }\n"))
          .at(0);
  double least = 0;
  const RunResult run = lab::Simulate(experiment, [&least](const lab::RunProgress& progress) {
    least = progress.denied_at_least;
    return true;
  });
  EXPECT_GT(run.total().throttled, 0);
  EXPECT_EQ(least, 0);
}

TEST(Simulation, StopsWithinAnInterval) {
  lab::Experiment experiment = ReadExperiments(Hot()).at(0);
  experiment.duration = 3 * 60 * kMinute;
  const RunResult run = lab::Simulate(experiment, [](const lab::RunProgress& progress) {
    return progress.simulated < 90 * kSecond;
  });
  EXPECT_EQ(run.interval, kMinute);
  EXPECT_EQ(run.accesses.front().moments.size(), 2);
  EXPECT_EQ(run.total().operations, 180'000);
  EXPECT_EQ(run.resources.front().units.write, static_cast<double>(run.total().served));
}

TEST(Simulation, ASeedRepeatsARunToTheByte) {
  const auto prices = lab::ParsePriceList("prices.toml", lab::ShippedPrices());
  ASSERT_TRUE(prices.ok());
  lab::Experiment experiment = ReadExperiments(Concat(kHead, R"([load]
rate = 3000
[client]
attempts = 3
[[access]]
name = "read"
operation = "GetItem"
key.pk = { distribution = "zipfian", count = 5000 }
[[access]]
name = "write"
operation = "PutItem"
key.pk = { distribution = "random" }
key.a = { distribution = "hot-set", count = 50 }
)"))
                                   .at(0);
  const auto text = [&] { return lab::ResultJson({RunExperiment(experiment)}, *prices); };
  const std::string first = text();
  EXPECT_EQ(first, text());
  ++experiment.seed;
  EXPECT_NE(first, text());
}

}  // namespace
}  // namespace dynolith
