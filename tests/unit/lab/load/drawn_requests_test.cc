// Requests that are drawn ahead are those that would be drawn each at its time: of loads that are
// held by feedback, of sources that depend on each other's order, of batches, transactions, polling
// and Scans.
#include "tools/lab/load/drawn_requests.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

constexpr std::string_view kMixed = R"(
[experiment]
duration = "3s"
[[table]]
name = "t"
partition_key = "pk"
sort_key = "sk"
item_size = { from = 100, to = 3000 }
[keys.pk]
distribution = "zipfian"
count = 1000
[keys.made]
distribution = "ascending"
[keys.last]
distribution = "latest"
of = "made"
count = 1000
[load]
rate = 500
[[access]]
name = "put"
operation = "PutItem"
key = { pk = "pk", sk = "made" }
fails = 0.3
[[access]]
name = "read"
operation = "GetItem"
then = "UpdateItem"
key = { pk = "pk", sk = "last" }
[[access]]
name = "batch"
operation = "BatchWriteItem"
items = 10
key = { pk = "pk", sk = "made" }
load = { rate = 300, unit = "write units" }
[[access]]
name = "transaction"
operation = "TransactWriteItems"
items = 3
key = { pk = "pk", sk = "last" }
[[access]]
name = "scan"
operation = "Scan"
load = { shape = "once", at = "1s" }
[[access]]
name = "poll"
operation = "GetItem"
key = { pk = "pk", sk = "last" }
load = { shape = "polling", workers = 5, interval = "200ms", factor = 2, longest = "5s", jitter = 0.5 }
)";

struct Seen {
  Micros at = 0;
  size_t access = 0;
  std::vector<uint64_t> positions;
  std::vector<Tokens> tokens;

  friend bool operator==(const Seen&, const Seen&) = default;
};

struct Source {
  explicit Source(const Experiment& experiment)
      : generators(MakeGenerators(experiment.sources, 1)), schedule(experiment, 2) {
    for (size_t i = 0; i < experiment.accesses.size(); ++i) {
      plans.emplace_back(experiment, experiment.accesses[i], generators, i);
    }
  }

  KeyGenerators generators;
  RequestSchedule schedule;
  std::vector<AccessPlan> plans;
};

// Notes an operation, and reports what it consumes.
void See(const LabUses& uses, RequestSchedule* schedule, Seen* seen) {
  for (const LabUse& use : uses) {
    seen->positions.push_back(use.position.mixed());
    seen->tokens.push_back(use.tokens);
    schedule->Consumed(seen->access, use.kind,
                       static_cast<double>(use.tokens) / static_cast<double>(kTokensPerUnit));
  }
}

std::vector<Seen> EachAtItsTime(const Experiment& experiment) {
  Source source(experiment);
  std::vector<Seen> all;
  DrawnOperations operations;
  for (Micros second = 0; second < experiment.duration; second += kSecond) {
    source.schedule.BeginSecond(second);
    while (source.schedule.next() < second + kSecond) {
      Seen& seen = all.emplace_back(Seen{.at = source.schedule.next()});
      seen.access = source.schedule.Take();
      operations.Clear();
      AccessPlan& plan = source.plans[seen.access];
      if (plan.access().operation != Operation::kScan) plan.Request(seen.at, &operations);
      for (size_t i = 0; i < operations.size(); ++i) See(operations[i], &source.schedule, &seen);
    }
  }
  return all;
}

std::vector<Seen> DrawnAhead(const Experiment& experiment) {
  Source source(experiment);
  std::vector<Seen> all;
  DrawnRequests drawn;
  for (Micros second = 0; second < experiment.duration; second += kSecond) {
    source.schedule.BeginSecond(second);
    while (true) {
      if (drawn.is_empty()) {
        drawn.Draw(second + kSecond, &source.schedule,
                   [&source](size_t access) -> AccessPlan* { return &source.plans[access]; });
      }
      if (drawn.is_empty()) break;
      Seen& seen = all.emplace_back(Seen{.at = drawn.next().at, .access = drawn.next().access});
      drawn.Take([&](LabUses* uses) { See(*uses, &source.schedule, &seen); });
    }
  }
  return all;
}

TEST(DrawnRequestsTest, AreThoseOfTheirTimes) {
  const Experiment experiment = testing::ReadExperiments(kMixed).at(0);
  const std::vector<Seen> each = EachAtItsTime(experiment);
  EXPECT_GT(each.size(), 1'500);
  EXPECT_TRUE(DrawnAhead(experiment) == each);
}

}  // namespace
}  // namespace dynolith::lab
