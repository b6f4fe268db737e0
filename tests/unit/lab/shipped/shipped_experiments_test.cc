// The experiments that come with the program show what api/facts/capacity.md §1-§5 say: ratios and
// orders. Who changes the model or an experiment sees here which lesson is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/monthly_bill.h"

namespace dynolith {
namespace {

using lab::RunResult;
using testing::FindAccess;
using testing::RunsOfShipped;
using testing::ServedPart;

using Runs = std::map<std::string, RunResult>;

double Served(const RunResult& run) { return run.accesses.front().served_part(); }
double Served(const RunResult& run, std::string_view access) {
  return FindAccess(run, access).served_part();
}
uint64_t Throttled(const RunResult& run, ThroughputLimit limit) {
  uint64_t sum = 0;
  for (const lab::ResourceResult& resource : run.resources) sum += resource.throttled_by(limit);
  return sum;
}
lab::PriceList Prices() {
  auto prices = lab::ParsePriceList("prices.toml", lab::ShippedPrices());
  EXPECT_TRUE(prices.ok()) << prices.status();
  return *std::move(prices);
}

// §4: the documentation's example of adaptive capacity.
TEST(ShippedExperiments, UnevenPartitions) {
  const Runs runs = RunsOfShipped("01");
  // 50 + 50 + 50 + 100 of 300.
  EXPECT_NEAR(Served(runs.at("static")), 250.0 / 300, 0.005);
  EXPECT_EQ(runs.at("static").total().throttled,
            Throttled(runs.at("static"), ThroughputLimit::kKeyRange));
  // 100 × 300 s that were saved last 600 s at 150.
  const lab::AccessResult& burst = runs.at("burst").accesses.front();
  EXPECT_EQ(ServedPart(burst, 0, 590), 1);
  EXPECT_NEAR(ServedPart(burst, 620, 1'800), 250.0 / 300, 0.01);
  EXPECT_GT(Served(runs.at("adaptive")), 0.98);
  EXPECT_EQ(ServedPart(runs.at("adaptive").accesses.front(), 1'200, 1'800), 1);
  EXPECT_EQ(Served(runs.at("global")), 1);
}

// §4: 150 units idle for 300 s keep 45,000, which is 200 a second for 900 s.
TEST(ShippedExperiments, Burst) {
  const Runs runs = RunsOfShipped("burst");
  const lab::AccessResult& read = runs.at("").accesses.front();
  EXPECT_EQ(ServedPart(read, 300, 1'200), 1);
  EXPECT_NEAR(ServedPart(read, 1'210, 1'800), 150.0 / 200, 0.01);
}

// §3: a partition takes 1,000 writes a second.
TEST(ShippedExperiments, DateKey) {
  const Runs runs = RunsOfShipped("date-key");
  EXPECT_NEAR(Served(runs.at("no suffix"), "new order"), 0.1, 0.005);
  EXPECT_EQ(Served(runs.at("random 1 to 200"), "new order"), 1);
  EXPECT_EQ(Served(runs.at("calculated 1 to 200"), "new order"), 1);
  EXPECT_EQ(FindAccess(runs.at("no suffix"), "read a day").amplification(), 1);
  EXPECT_EQ(FindAccess(runs.at("random 1 to 200"), "read a day").amplification(), 200);
  EXPECT_EQ(FindAccess(runs.at("calculated 1 to 200"), "read a day").amplification(), 200);
  EXPECT_EQ(FindAccess(runs.at("random 1 to 200"), "read one order").amplification(), 200);
  EXPECT_EQ(FindAccess(runs.at("calculated 1 to 200"), "read one order").amplification(), 1);
  // Rounding up in each of 200 shards.
  const auto cost_of_a_day = [&](const char* design) {
    const lab::AccessResult& read = FindAccess(runs.at(design), "read a day");
    return read.units.read / static_cast<double>(read.total.requests);
  };
  EXPECT_NEAR(cost_of_a_day("no suffix"), 24.5, 0.1);
  EXPECT_NEAR(cost_of_a_day("calculated 1 to 200"), 100, 0.1);
}

// §3: one partition after the other.
TEST(ShippedExperiments, BulkUpload) {
  const Runs runs = RunsOfShipped("4");
  EXPECT_NEAR(Served(runs.at("ordered")), 1.0 / 3, 0.03);
  EXPECT_EQ(Served(runs.at("interleaved")), 1);
}

// §4: one hot key gets a partition's maximum.
TEST(ShippedExperiments, Celebrity) {
  const Runs runs = RunsOfShipped("celebrity");
  EXPECT_NEAR(Served(runs.at("one counter")), 0.2, 0.005);
  EXPECT_EQ(Served(runs.at("10 shards")), 1);
  const lab::AccessResult& queue = runs.at("queue of 1 s").accesses.front();
  EXPECT_EQ(queue.served_part(), 1);
  EXPECT_NEAR(static_cast<double>(queue.total.operations), 120, 2);
}

// §2, §4: 4,000 at first, twice the previous peak after 30 minutes, warm throughput at once.
TEST(ShippedExperiments, FromNothing) {
  const Runs runs = RunsOfShipped("from-nothing");
  EXPECT_GT(Served(runs.at("in steps")), 0.99);
  EXPECT_GT(Served(runs.at("all at once, warm")), 0.99);
  // Moments are minutes.
  const lab::AccessResult& at_once = runs.at("all at once").accesses.front();
  EXPECT_NEAR(ServedPart(at_once, 1, 29), 4.0 / 35, 0.01);
  EXPECT_NEAR(ServedPart(at_once, 33, 59), 8.0 / 35, 0.01);
  EXPECT_NEAR(ServedPart(at_once, 63, 89), 16.0 / 35, 0.02);
  EXPECT_NEAR(ServedPart(at_once, 94, 120), 32.0 / 35, 0.02);
  EXPECT_GT(ServedPart(at_once, 130, 175), 0.99);
  EXPECT_EQ(runs.at("in steps").resources.front().partitions_at_start, 4);
  EXPECT_GE(runs.at("in steps").resources.front().partitions(), 40);
  EXPECT_EQ(runs.at("all at once, warm").resources.front().partitions_at_start, 40);
}

// §4, Splitting: not for keys that only rise, nor beside a local index.
TEST(ShippedExperiments, ItemCollection) {
  const Runs runs = RunsOfShipped("item-collection");
  const lab::ResourceResult& random = runs.at("random order").resources.front();
  EXPECT_GE(random.splits.size(), 2);
  for (const lab::SplitEvent& split : random.splits) EXPECT_TRUE(split.within_collection);
  const lab::AccessResult& sent = runs.at("random order").accesses.front();
  EXPECT_NEAR(ServedPart(sent, 60, 300), 1.0 / 3, 0.02);
  EXPECT_GT(ServedPart(sent, 1'500, 1'800), 0.95);
  for (const char* design : {"ascending order", "random, local index"}) {
    EXPECT_TRUE(runs.at(design).resources.front().splits.empty()) << design;
  }
  EXPECT_NEAR(Served(runs.at("ascending order")), 1.0 / 3, 0.01);
  EXPECT_NEAR(Served(runs.at("random, local index")), 1.0 / 6, 0.01);
}

// §5: an index that is hot throttles writes of the table.
TEST(ShippedExperiments, HotIndex) {
  const Runs runs = RunsOfShipped("hot-index");
  const RunResult& plain = runs.at("plain index");
  EXPECT_NEAR(Served(plain, "new order"), 1.0 / 3, 0.01);
  EXPECT_EQ(plain.resources.at(0).throttled_by(ThroughputLimit::kKeyRange), 0);
  EXPECT_GT(plain.resources.at(1).throttled_by(ThroughputLimit::kKeyRange), 0);
  // What the index refuses the table is not charged.
  EXPECT_EQ(plain.resources.at(0).units.write, plain.resources.at(1).units.write);
  EXPECT_EQ(Served(runs.at("16 shards"), "new order"), 1);
  EXPECT_EQ(FindAccess(runs.at("16 shards"), "open orders").amplification(), 16);
}

// §1, §3: pages of 128 units, one partition's maximum for each segment at a time.
TEST(ShippedExperiments, Scan) {
  const Runs runs = RunsOfShipped("scan");
  EXPECT_EQ(Served(runs.at("no scan"), "read"), 1);
  EXPECT_EQ(Served(runs.at("paged scan"), "read"), 1);
  EXPECT_LT(Served(runs.at("full scan"), "read"), 0.95);
  const auto seconds = [&](const char* design) {
    const lab::AccessResult& scan = FindAccess(runs.at(design), "scan");
    EXPECT_EQ(scan.scans, 1) << design;
    return scan.scan_seconds;
  };
  const double one = seconds("on demand, 1 segment");
  const double four = seconds("on demand, 4 segments");
  const double sixteen = seconds("on demand, 16 segments");
  EXPECT_NEAR(one / four, 4, 0.7);
  EXPECT_GT(sixteen / four, 0.8);
  // 2 GB are 262,144 units, and each partition gives 3,000.
  EXPECT_GT(one, 262'144 / 3'000.0 * 0.9);
}

// §1: a deletion costs as much as a write; a table that is dropped nothing.
TEST(ShippedExperiments, TimeSeries) {
  const Runs runs = RunsOfShipped("time-series");
  const lab::PriceList prices = Prices();
  const double lowered = lab::BilledCost(runs.at("a table a month, lowered"), prices);
  const double as_it_was = lab::BilledCost(runs.at("a table a month, as it was"), prices);
  const double big = lab::BilledCost(runs.at("one big table"), prices);
  EXPECT_LT(lowered, big);
  EXPECT_LT(big, as_it_was);
  for (const auto& [design, run] : runs) {
    EXPECT_EQ(run.total().throttled, 0) << design;
  }
}

// §3, §4: 3,000 reads a second of a partition; it splits after minutes, one item never does.
TEST(ShippedExperiments, Scaling) {
  const Runs runs = RunsOfShipped("scaling");
  EXPECT_NEAR(Served(runs.at("one item")), 0.5, 0.01);
  EXPECT_TRUE(runs.at("one item").resources.front().splits.empty());
  const lab::AccessResult& four = runs.at("4 partitions").accesses.front();
  EXPECT_NEAR(ServedPart(four, 10, 300), 0.5, 0.02);
  EXPECT_GT(ServedPart(four, 1'000, 1'200), 0.95);
  EXPECT_GT(Served(runs.at("8 partitions")), 0.9);
  EXPECT_EQ(Served(runs.at("16 partitions")), 1);
}

// §3: who asks less is throttled less.
TEST(ShippedExperiments, Polling) {
  const Runs runs = RunsOfShipped("polling");
  const double all = runs.at("every 250 ms").accesses.front().units.read;
  EXPECT_NEAR(runs.at("every 250 ms").rate_of(all), 3'000, 30);
  EXPECT_GT(runs.at("every 250 ms").total().throttled, 0);
  EXPECT_LT(runs.at("jittered backoff").accesses.front().units.read, all / 10);
  EXPECT_LT(runs.at("cache of 1 s").accesses.front().units.read, all / 500);
  EXPECT_LT(runs.at("stream").accesses.front().units.read, all / 100);
  for (const char* design : {"jittered backoff", "cache of 1 s", "stream"}) {
    EXPECT_EQ(runs.at(design).total().throttled, 0) << design;
  }
}

// §3: each shard has at most a partition, and is one more query.
TEST(ShippedExperiments, WriteSharding) {
  const Runs runs = RunsOfShipped("13");
  double before = 0;
  for (const int shards : {1, 2, 5, 10, 20, 50, 100, 200}) {
    const RunResult& run = runs.at(std::to_string(shards) + (shards == 1 ? " shard" : " shards"));
    const double served = Served(run, "write");
    EXPECT_GE(served, before);
    EXPECT_LE(served, std::min(1.0, shards / 8.0) + 0.03);
    EXPECT_EQ(FindAccess(run, "read").amplification(), shards);
    before = served;
  }
  EXPECT_EQ(before, 1);
}

// §8: two minutes above the target, an alarm and an update; meanwhile what was saved lasts (§4).
TEST(ShippedExperiments, AutoScaling) {
  const Runs runs = RunsOfShipped("auto-scaling");
  const RunResult& scaled = runs.at("auto scaling");
  // Moments are minutes; the spike begins with minute 360.
  for (const lab::AccessResult& access : scaled.accesses) {
    for (size_t i = 0; i < access.moments.size(); ++i) {
      const bool is_late = i >= 362 && i < 368;
      EXPECT_TRUE(is_late || access.moments[i].throttled == 0) << access.name << " " << i;
    }
  }
  EXPECT_LT(ServedPart(FindAccess(scaled, "a campaign"), 363, 365), 0.7);
  EXPECT_EQ(ServedPart(FindAccess(scaled, "a campaign"), 368, 380), 1);
  EXPECT_EQ(Throttled(scaled, ThroughputLimit::kProvisionedThroughput), scaled.total().throttled);
  for (const char* design : {"capacity for the peak", "on demand"}) {
    EXPECT_EQ(runs.at(design).total().throttled, 0) << design;
  }
  const auto cost = [&](const char* design) { return BilledCost(runs.at(design), Prices()); };
  EXPECT_NEAR(cost("on demand") / cost("auto scaling"), 2.2, 0.2);
  EXPECT_GT(cost("capacity for the peak"), cost("on demand"));
  // Four decreases are free, then one an hour: the wave falls for 12 hours.
  int down = 0;
  for (const lab::ScalingEvent& event : scaled.resources.front().scalings) {
    down += event.after < event.before ? 1 : 0;
  }
  EXPECT_GT(down, 4);
  EXPECT_LE(down, 4 + 14);
}

// §1, §3: the core workloads of the Yahoo! Cloud Serving Benchmark; one key gets a partition.
TEST(ShippedExperiments, YcsbUpdatesOfTheHottestRecord) {
  const Runs runs = RunsOfShipped("ycsb-a");
  EXPECT_EQ(Served(runs.at("2,000/s"), "update"), 1);
  EXPECT_EQ(Served(runs.at("20,000/s"), "read"), 1);
  EXPECT_NEAR(Served(runs.at("20,000/s"), "update"), 0.91, 0.03);
  // 1,080 B are half a unit to read and two to write.
  const RunResult& run = runs.at("2,000/s");
  EXPECT_EQ(FindAccess(run, "read").units.read, FindAccess(run, "read").total.operations / 2.0);
  EXPECT_EQ(FindAccess(run, "update").units.write,
            FindAccess(run, "update").total.operations * 2.0);
}

TEST(ShippedExperiments, YcsbReads) {
  const Runs mostly = RunsOfShipped("ycsb-b");
  EXPECT_EQ(Served(mostly.at("20,000/s"), "read"), 1);
  EXPECT_EQ(Served(mostly.at("20,000/s"), "update"), 1);
  const auto reads = static_cast<double>(FindAccess(mostly.at("2,000/s"), "read").total.operations);
  EXPECT_NEAR(reads / static_cast<double>(mostly.at("2,000/s").total().operations), 0.95, 0.005);
  const Runs only = RunsOfShipped("ycsb-c");
  EXPECT_GT(Served(only.at("40,000/s")), 0.98);
  EXPECT_NEAR(Served(only.at("40,000/s, strongly consistent")), 0.84, 0.04);
}

TEST(ShippedExperiments, YcsbLatest) {
  const Runs runs = RunsOfShipped("ycsb-d");
  for (const auto& [design, run] : runs) {
    EXPECT_EQ(run.total().throttled, 0) << design;
    EXPECT_GT(run.resources.front().moments.back().bytes, 0) << design;
  }
}

TEST(ShippedExperiments, YcsbShortRanges) {
  const Runs runs = RunsOfShipped("ycsb-e");
  EXPECT_EQ(Served(runs.at("500/s"), "scan"), 1);
  EXPECT_NEAR(Served(runs.at("5,000/s"), "scan"), 0.8, 0.05);
  EXPECT_EQ(Served(runs.at("5,000/s"), "insert"), 1);
  // 1 to 100 posts are 50.5 on average, and each range is rounded up to 4 KB.
  const lab::AccessResult& scan = FindAccess(runs.at("500/s"), "scan");
  const double each = scan.units.read / static_cast<double>(scan.total.operations);
  EXPECT_NEAR(each, 50.5 * 1'080 / 8'192 + 0.25, 0.15);
}

TEST(ShippedExperiments, YcsbReadModifyWrite) {
  const Runs runs = RunsOfShipped("ycsb-f");
  const lab::AccessResult& both = FindAccess(runs.at("2,000/s"), "read-modify-write");
  EXPECT_EQ(both.total.operations, 2 * both.total.requests);
  EXPECT_EQ(both.units.write, 4 * both.units.read);
  const lab::ResourceResult& table = runs.at("2,000/s").resources.front();
  EXPECT_NEAR(table.units.write / (table.units.read + table.units.write), 2.0 / 3, 0.01);
  // What is throttled are the writes, half of the operations: as in A.
  const RunResult& busy = runs.at("20,000/s");
  EXPECT_EQ(Served(busy, "read"), 1);
  EXPECT_NEAR(1 - Served(busy, "read-modify-write"), 0.09 / 2, 0.015);
  EXPECT_EQ(FindAccess(busy, "read-modify-write").units.read * 2,
            static_cast<double>(FindAccess(busy, "read-modify-write").total.requests));
}

TEST(ShippedExperiments, EachIsTestedAndSaysWhatItExpects) {
  EXPECT_EQ(lab::ShippedExperiments().size(), 20);
  for (const lab::ShippedFile& file : lab::ShippedExperiments()) {
    for (const lab::Experiment& experiment : testing::ReadExperiments(file.text)) {
      EXPECT_FALSE(experiment.title.empty()) << file.name;
      EXPECT_FALSE(experiment.question.empty()) << file.name;
      EXPECT_FALSE(experiment.expected.empty()) << file.name;
    }
  }
}

// Of a line that begins with "# " and a member or a table, what is behind these two characters.
std::string SwitchedOn(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    if (line.substr(0, 2) == "# ") {
      const std::string_view rest = line.substr(2);
      const size_t name = rest.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-\"");
      const bool is_member = name != 0 && name != rest.npos && rest.substr(name, 3) == " = ";
      if (is_member || rest.front() == '[') line = rest;
    }
    all += line;
  }
  return all;
}

// The example of `dynolith lab new` has each member, if only behind a "#", and each may be switched
// on beside the others.
TEST(ShippedExperiments, TheExamplesCommentsCanAllBeSwitchedOn) {
  const std::string text = SwitchedOn(lab::ExampleExperiment());
  for (const std::string_view has : {"expect =",
                                     "month =",
                                     "quota =",
                                     "latency =",
                                     "nodes =",
                                     "stream =",
                                     "replicas =",
                                     "entries =",
                                     "auto_scaling.read =",
                                     "[[table.vector_index]]",
                                     "within =",
                                     "window =",
                                     "ttl =",
                                     "fails =",
                                     "index_change =",
                                     "adds =",
                                     "consistency =",
                                     "cache =",
                                     "aggregate =",
                                     "then =",
                                     "[[access.member]]",
                                     "\"SearchVectors\"",
                                     "\"BulkPutItems\"",
                                     "\"Scan\"",
                                     "adaptive =",
                                     "sdk =",
                                     "jitter =",
                                     "without =",
                                     "--profile",
                                     "--uncertainty",
                                     "--seeds"}) {
    EXPECT_NE(text.find(has), std::string::npos) << has;
  }
  // Of what stands in a comment, nothing else may look like a member.
  EXPECT_EQ(text.find("\n# ["), std::string::npos);
  const auto experiments = lab::ParseExperiment("all.toml", text, [](const std::string& path) {
    return absl::StatusOr<std::string>(path.find("traffic") != path.npos
                                           ? "time,requests\n0,50\n1,80\n2,20\n"
                                           : "product,orders\na,3\nb,1\n");
  });
  ASSERT_TRUE(experiments.ok()) << experiments.status();
  ASSERT_EQ(experiments->size(), 4);
  lab::Experiment experiment = experiments->front();
  EXPECT_EQ(experiment.tables.size(), 3);
  experiment.duration = 125 * kSecond;
  const RunResult run = testing::RunExperiment(experiment);
  for (const lab::AccessResult& access : run.accesses) {
    EXPECT_GT(access.total.operations, 0) << access.name;
  }
}

}  // namespace
}  // namespace dynolith
