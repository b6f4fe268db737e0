// What advice finds for loads of which the answer is known (api/facts/capacity.md §2 to §4, §8),
// that it says why other designs do not serve, and that it does not depend on threads.
#include "tools/lab/advise/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tests/unit/lab/traced_orders.h"
#include "tools/lab/advise/advice_text.h"
#include "tools/lab/advise/design_change.h"
#include "tools/lab/experiment/open_members.h"

namespace dynolith::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

PriceList Prices() {
  auto prices = ParsePriceList("prices.toml", ShippedPrices());
  EXPECT_TRUE(prices.ok()) << prices.status();
  return *std::move(prices);
}

// `trace`: what any file that it names holds.
Experiment BaseExperiment(std::string_view text, const std::string& trace = "") {
  auto base = ParseWithoutDesigns("test.toml", text, [&](const std::string& path) {
    if (!trace.empty()) return absl::StatusOr<std::string>(trace);
    return absl::StatusOr<std::string>(absl::NotFoundError(path));
  });
  EXPECT_TRUE(base.ok()) << base.status();
  return *std::move(base);
}

Advice AdviceFor(std::string_view text, size_t threads = 2) {
  const Experiment base = BaseExperiment(text);
  const AdviceRequest request =
      base.advice ? *base.advice : DefaultAdvice(base, dynolith::testing::ExperimentsOf(text));
  return FindAdvice(base, request, Prices(), threads, [](const AdviceProgress&) { return true; });
}

// An experiment, but only so long.
std::string Lasting(std::string_view duration, std::string text) {
  const size_t begin = text.find("\nduration = ");
  return text.replace(begin, text.find('\n', begin + 1) - begin,
                      Concat("\nduration = \"", duration, "\""));
}

// A shipped one of which nothing takes minutes.
std::string Shortened(std::string_view name, std::string_view duration) {
  return Lasting(duration, std::string(FindShippedExperiment(name)->text));
}

// The cheapest that serves and is paid for in this way.
const AdvisedDesign& Serving(const Advice& advice, BillingKind billing) {
  for (const AdvisedDesign& design : advice.designs) {
    if (design.serves && BillingOf(design.run.experiment.tables.front()) == billing) return design;
  }
  ADD_FAILURE() << AdviceText(advice, Prices(), false);
  return advice.designs.front();
}

const AdvisedDesign& Refused(const Advice& advice) {
  for (const AdvisedDesign& design : advice.designs) {
    if (!design.serves) return design;
  }
  ADD_FAILURE() << AdviceText(advice, Prices(), false);
  return advice.designs.front();
}

// Puts of many keys; how many a second follows.
std::string Steady() {
  return dynolith::testing::OneTable("40m", R"([keys.pk]
distribution = "uniform"
count = 100_000
[[access]]
name = "put"
operation = "PutItem"
key.pk = "pk"
)");
}

TEST(Advice, SteadyLoadIsProvisioned) {
  const Advice advice = AdviceFor(Concat(Steady(), "load = { rate = 40 }\n"));
  const AdvisedDesign& best = advice.designs.front();
  EXPECT_TRUE(best.serves);
  EXPECT_EQ(BillingOf(best.run.experiment.tables.front()), BillingKind::kProvisioned);
  // No fewer than are asked for, though what was saved before would last for a while.
  const int64_t units = best.run.experiment.tables.front().throughput.units.write.value_or(0);
  EXPECT_GE(units, 40);
  EXPECT_LE(units, 42);
  EXPECT_EQ(best.run.experiment.tables.front().throughput.units.read, 1);
  // 40 × 730 hours × 0.00065, and 0.625 for each million of 40 a second.
  EXPECT_NEAR(best.cost, 19, 1);
  EXPECT_NEAR(Serving(advice, BillingKind::kOnDemand).cost, 65.7, 0.2);
  const AdvisedDesign& scaled = Serving(advice, BillingKind::kScaled);
  EXPECT_GT(scaled.cost, best.cost);
}

TEST(Advice, RareSpikesAreOnDemand) {
  const Advice advice = AdviceFor(Concat(Steady(),
                                         "load = { shape = \"spikes\", base = 0.1, peak = 1_000, "
                                         "every = \"30m\", lasting = \"20s\" }\n"));
  const AdvisedDesign& best = advice.designs.front();
  EXPECT_EQ(BillingOf(best.run.experiment.tables.front()), BillingKind::kOnDemand);
  // Saved for 300 s, 67 units a second are 20,000.
  const AdvisedDesign& provisioned = Serving(advice, BillingKind::kProvisioned);
  const int64_t units =
      provisioned.run.experiment.tables.front().throughput.units.write.value_or(0);
  EXPECT_NEAR(static_cast<double>(units), 63, 6);
  EXPECT_GT(provisioned.cost, 1.5 * best.cost);
}

// One key is served at 1,000 a second, whatever the table is given.
TEST(Advice, CelebrityNeedsShards) {
  const Advice advice = AdviceFor(Shortened("celebrity", "20s"));
  EXPECT_TRUE(advice.designs.front().serves);
  const int64_t shards =
      Serving(advice, BillingKind::kOnDemand).run.experiment.sources.front().shards;
  EXPECT_GE(shards, 5);
  EXPECT_LE(shards, 25);
  const AdvisedDesign& refused = Refused(advice);
  EXPECT_EQ(refused.run.experiment.sources.front().shards, 1);
  EXPECT_THAT(refused.why, StartsWith("79."));
  EXPECT_THAT(refused.why,
              HasSubstr(" of like throttled from 00:00:00 on: key post#1 of posts "
                        "(100 % of it) met its partition's 1,000 write units a second"));
  // The next number of shards below was tried, and did not serve.
  const AdvisedDesign& on_demand = Serving(advice, BillingKind::kOnDemand);
  ASSERT_EQ(on_demand.less.size(), 1);
  EXPECT_THAT(on_demand.less.front().first, HasSubstr(Concat(shards - 1, " shards of post")));
  EXPECT_THAT(on_demand.less.front().second, HasSubstr("1,000 write units a second"));

  AdviceRequest without;
  for (const OpenMember& member : advice.request.open) {
    if (member.kind != OpenMember::Kind::kShards) without.open.push_back(member);
  }
  const Advice none =
      FindAdvice(advice.base, without, Prices(), 2, [](const AdviceProgress&) { return true; });
  for (const AdvisedDesign& design : none.designs) EXPECT_FALSE(design.serves);
  EXPECT_THAT(AdviceText(none, Prices(), true), HasSubstr("No design within what is open serves"));
}

// A tenth of 10,000 writes a second without shards; a suffix that readers can calculate is cheaper.
TEST(Advice, DateKey) {
  const Advice advice = AdviceFor(Shortened("date-key", "15s"));
  const AdvisedDesign& on_demand = Serving(advice, BillingKind::kOnDemand);
  const KeySource& day = on_demand.run.experiment.sources.at(0);
  EXPECT_EQ(day.name, "day");
  EXPECT_GE(day.shards, 10);
  EXPECT_LE(day.shards, 200);
  EXPECT_EQ(day.calculated_from, "order");
  EXPECT_THAT(Refused(advice).why, HasSubstr("key 2026-01-01 of orders (100 % of it)"));
  // A suffix that is drawn has to be searched for.
  bool has_random = false;
  for (const AdvisedDesign& design : advice.designs) {
    if (!design.serves || design.run.experiment.sources.at(0).is_calculated()) continue;
    has_random = true;
    EXPECT_EQ(design.run.experiment.accesses.at(2).operation, Operation::kQuery);
    EXPECT_TRUE(design.run.experiment.accesses.at(2).gathers);
  }
  EXPECT_TRUE(has_random);
}

// Two tables, each in its own way.
TEST(Advice, EachTableIsPaidForInItsWay) {
  const Advice advice = AdviceFor(Concat(R"([advise]
open = ["table.t.billing", "table.t.units", "table.rare.billing", "table.rare.units"]
)",
                                         Steady(), R"(table = "t"
load = { rate = 20 }
[[table]]
name = "rare"
partition_key = "pk"
item_size = 100
[[access]]
name = "put rarely"
table = "rare"
operation = "PutItem"
key.pk = "pk"
load = { shape = "spikes", base = 0.1, peak = 500, every = "30m", lasting = "20s" }
)"));
  const AdvisedDesign& best = advice.designs.front();
  EXPECT_TRUE(best.serves);
  EXPECT_FALSE(best.run.experiment.tables.at(0).throughput.on_demand);
  EXPECT_TRUE(best.run.experiment.tables.at(1).throughput.on_demand);
}

TEST(Advice, LimitsOtherThanKeys) {
  const Advice warm = AdviceFor(
      Lasting("20s", Concat("[advise]\nopen = []\n", Steady(), "load = { rate = 6_000 }\n")));
  ASSERT_EQ(warm.designs.size(), 1);
  EXPECT_THAT(warm.designs.front().why,
              HasSubstr("t was warm for 4,000 write units a second only"));
  const Advice fixed = AdviceFor(dynolith::testing::OneTable("20m", R"(billing = "provisioned"
units = { read = 1, write = 100 }
[[access]]
name = "put"
operation = "PutItem"
key.pk = { distribution = "uniform", count = 100_000 }
load = { rate = 200 }
[advise]
throttled = 0.01
open = []
)"));
  ASSERT_EQ(fixed.designs.size(), 1);
  EXPECT_FALSE(fixed.designs.front().serves);
  // What was saved for 300 s lasts as long again.
  EXPECT_THAT(fixed.designs.front().why,
              ::testing::ContainsRegex("of put throttled from 00:0[45]:..? on: t had used up its "
                                       "100 write units a second"));
}

// The [[design]] that is printed, pasted into the file, is the design that was found.
TEST(Advice, DesignsCanBePasted) {
  for (const std::string_view name : {"hot-index", "date-key"}) {
    const std::string text = Shortened(name, "15s");
    const Advice advice = AdviceFor(text);
    for (const AdvisedDesign& design : advice.designs) {
      if (design.run.experiment.design.empty()) continue;
      const auto runs = dynolith::testing::ExperimentsOf(
          text + "\n" + DesignText(advice.base, design.run.experiment));
      const RunResult again = dynolith::testing::RunOf(runs.back());
      EXPECT_EQ(runs.back().design, design.run.experiment.design);
      EXPECT_EQ(again.total().served, design.run.total().served) << runs.back().design;
      EXPECT_EQ(again.total().throttled, design.run.total().throttled) << runs.back().design;
      EXPECT_DOUBLE_EQ(BilledCost(again, Prices()), design.cost) << runs.back().design;
    }
  }
}

// Who reads asks each shard, so fewer shards ask for fewer units: that a probe with fewer shards
// was the last one does not make what it asked for enough.
TEST(Advice, NeverLessThanTheMean) {
  const Advice advice = AdviceFor(dynolith::testing::OneTable("20s", R"(
[keys.pk]
distribution = "list"
values = ["hot"]
[[access]]
name = "put"
operation = "PutItem"
item_size = 100_000
key.pk = "pk"
load = { rate = 30 }
[[access]]
name = "get"
operation = "GetItem"
key.pk = "pk"
load = { rate = 10 }
[advise]
open = ["table.t.units", "table.t.billing"]
"keys.pk.shards" = { to = 64 }
)"));
  size_t provisioned = 0;
  for (const AdvisedDesign& design : advice.designs) {
    const Throughput& given = design.run.experiment.tables.front().throughput;
    if (!design.serves || given.on_demand) continue;
    ++provisioned;
    PerKind<double> asked;
    for (const ResourceMoment& moment : design.run.resources.front().moments) {
      for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
        asked[kind] += moment.asked[kind];
      }
    }
    EXPECT_GE(given.units.read.value_or(0), design.run.rate_of(asked.read))
        << design.run.experiment.design;
    EXPECT_GE(given.units.write.value_or(0), design.run.rate_of(asked.write))
        << design.run.experiment.design;
  }
  EXPECT_GT(provisioned, 0) << AdviceText(advice, Prices(), false);
}

// Each user makes an order a second, and all orders are OPEN; a Query asks for them once.
TEST(Advice, ReplayedWritesAreWrites) {
  trace::Block block = dynolith::testing::OrdersBlock();
  for (int i = 0; i < 10; ++i) {
    trace::Request put = {
        .at = dynolith::testing::kBegun + i * kSecond,
        .operation = i % 2 == 0 ? trace::Operation::kPutItem : trace::Operation::kExecuteStatement,
        .uses = {}};
    put.uses.push_back(
        dynolith::testing::Write(0, 0x1111111111111111 * static_cast<uint64_t>(i + 1), 4));
    put.uses.push_back(dynolith::testing::Write(1, 0x7777777777777777, 2));
    put.uses.back().begins = false;
    block.requests.push_back(put);
  }
  block.requests.push_back({.at = dynolith::testing::kBegun + 9 * kSecond + 500'000,
                            .operation = trace::Operation::kQuery,
                            .uses = {{.resource = 1,
                                      .half_units = 4,
                                      .bytes = 4 * 4'096,
                                      .hash = 0x7777777777777777,
                                      .has_key = true}}});
  const Experiment base = BaseExperiment(R"([experiment]
[replay]
file = "orders.trace"
users = 1_500
shared_keys = ["orders/by-status"]
[advise]
open = ["table.orders.billing", "table.orders.units"]
"table.orders.index.by-status.shards" = { to = 64 }
)",
                                         dynolith::testing::FileOf(block));
  const Advice advice =
      FindAdvice(base, *base.advice, Prices(), 2, [](const AdviceProgress&) { return true; });
  const std::string text = AdviceText(advice, Prices(), false);
  EXPECT_TRUE(advice.designs.front().serves) << text;
  EXPECT_GT(advice.designs.front().run.experiment.tables.front().indexes.front().shards, 1) << text;
  EXPECT_THAT(text, ::testing::Not(HasSubstr("nan")));
  EXPECT_THAT(Refused(advice).why, HasSubstr(" of orders/by-status (100 % of it) met its "
                                             "partition's"));
  EXPECT_THAT(Refused(advice).why, HasSubstr("write units a second"));
}

TEST(Advice, CandidatesOfTheFile) {
  const std::string text =
      Concat(Shortened("celebrity", "20s"),
             "\n[advise]\nthrottled = 0.05\n\"keys.post.shards\" = [1, 30, 40]\n");
  const Advice advice = AdviceFor(text);
  EXPECT_EQ(advice.request.throttled, 0.05);
  ASSERT_FALSE(advice.designs.empty());
  EXPECT_TRUE(advice.designs.front().serves);
  EXPECT_EQ(advice.designs.front().run.experiment.sources.front().shards, 30);
}

TEST(Advice, ThreadsDoNotMatter) {
  const std::string text = Shortened("celebrity", "10s");
  const Advice one = AdviceFor(text, 1);
  const Advice four = AdviceFor(text, 4);
  EXPECT_EQ(AdviceText(one, Prices(), true), AdviceText(four, Prices(), true));
  EXPECT_EQ(AdviceJson(one, Prices()), AdviceJson(four, Prices()));
}

// What was found until then is told.
TEST(Advice, CanBeEnded) {
  const Experiment base = BaseExperiment(Shortened("celebrity", "10s"));
  const AdviceRequest request = DefaultAdvice(base, {});
  const Advice advice = FindAdvice(base, request, Prices(), 1, [](const AdviceProgress& progress) {
    return progress.kinds_done < 1;
  });
  EXPECT_FALSE(advice.is_complete);
  EXPECT_FALSE(advice.designs.empty());
  const Advice none =
      FindAdvice(base, request, Prices(), 2, [](const AdviceProgress&) { return false; });
  EXPECT_TRUE(none.designs.empty());
  EXPECT_THAT(AdviceText(none, Prices(), true), HasSubstr("Stopped before its end"));
}

}  // namespace
}  // namespace dynolith::lab
