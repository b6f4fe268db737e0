// Vector indexes and bulk puts, by figures that are worked out by hand (api/facts/newest.md §3 and
// §6), and the calls of a stream's readers.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/price_list.h"

namespace dynolith::lab {
namespace {

using testing::OneTable;
using testing::ReadExperiments;
using testing::RunExperiment;

RunResult RunText(std::string_view text) { return RunExperiment(ReadExperiments(text).front()); }

// Of 100 dimensions: 435 bytes with the keys alone, and of items of 2,000 bytes 2,035.
constexpr std::string_view kIndexes =
    "[[table.vector_index]]\nname = \"keys\"\ndimensions = 100\nprojection = \"KEYS_ONLY\"\n"
    "[[table.vector_index]]\nname = \"all\"\ndimensions = 100\n";

std::string Write(std::string_view more) {
  return Concat("[[access]]\nname = \"write\"\noperation = \"PutItem\"\nitem_size = 2000\n",
                "key.pk = { distribution = \"random\" }\nload = { rate = 10 }\n", more);
}

TEST(VectorsTest, WritesAreChargedByBytes) {
  const RunResult run = RunText(OneTable("10s", Concat(kIndexes, Write(""))));
  const auto writes = static_cast<double>(run.accesses[0].total.served);
  EXPECT_NEAR(writes, 100, 1);
  // An entry is charged for at least 1,024 bytes.
  EXPECT_EQ(run.resources[0].vector_written_bytes, writes * (1'024 + 2'035));
  EXPECT_EQ(run.resources[0].vector_bytes, writes * (435 + 2'035));
  // The vector's bytes are in the item, whose write is charged as any other.
  EXPECT_EQ(run.resources[0].units.write, writes * 2);
}

TEST(VectorsTest, UnchangedEntriesAreFree) {
  const RunResult run =
      RunText(OneTable("10s", Concat(kIndexes, Write("index_change = { all = \"none\" }\n"))));
  const auto writes = static_cast<double>(run.accesses[0].total.served);
  EXPECT_EQ(run.resources[0].vector_written_bytes, writes * 1'024);
}

TEST(VectorsTest, FailedConditionsAndMissingItemsWriteNone) {
  EXPECT_EQ(RunText(OneTable("10s", Concat(kIndexes, Write("fails = 1\n"))))
                .resources[0]
                .vector_written_bytes,
            0);
  const RunResult deleted = RunText(OneTable(
      "10s",
      Concat("storage = \"1MB\"\n", kIndexes,
             "[[access]]\nname = \"delete\"\noperation = \"DeleteItem\"\n",
             "key.pk = { distribution = \"list\", values = [\"a\"] }\nload = { rate = 10 }\n")));
  // The first one finds the item; of 100 bytes, so that both entries are below 1,024.
  EXPECT_EQ(deleted.resources[0].vector_written_bytes, 2 * 1'024);
}

TEST(VectorsTest, SearchesTakeBytesAndNoUnits) {
  const RunResult run = RunText(OneTable(
      "10s", Concat(kIndexes, "[[access]]\nname = \"search\"\noperation = \"SearchVectors\"\n",
                    "index = \"keys\"\nsearched = \"41KB\"\nload = { rate = 100 }\n")));
  const AccessResult& search = run.accesses[0];
  EXPECT_EQ(search.total.served, search.total.requests);
  EXPECT_EQ(search.searched_bytes, static_cast<double>(search.total.requests) * 41 * 1'024);
  EXPECT_EQ(run.resources[0].units.read, 0);
}

std::string Bulk(std::string_view key, std::string_view more = "") {
  return Concat("[[access]]\nname = \"load\"\noperation = \"BulkPutItems\"\nitems = 20000\n",
                "units = 2000\nkey.pk = { ", key, " }\n", more);
}

TEST(BulkPutsTest, TakeAsLongAsTheirLimitSays) {
  const RunResult run =
      RunText(OneTable("30s", Concat("[[table.index]]\nname = \"by\"\npartition_key = \"st\"\n",
                                     Bulk("distribution = \"random\"",
                                          "at = \"1s\"\nkey.st = { distribution = \"uniform\", "
                                          "count = 100000 }\n"))));
  const BulkResult& bulk = run.accesses[0].bulk.value();
  EXPECT_EQ(bulk.items, 20'000);
  // Two units for each item and its entry.
  EXPECT_NEAR(bulk.finished.value(), 20, 0.1);
  EXPECT_EQ(bulk.bytes, 20'000 * (100 + 100));
  EXPECT_EQ(bulk.waited_seconds, 0);
  // Nothing of the table's throughput is taken, and the items are there.
  EXPECT_EQ(run.resources[0].units.write, 0);
  EXPECT_EQ(run.resources[0].moments.back().bytes, 20'000 * 100);
  EXPECT_EQ(run.resources[1].moments.back().bytes, 20'000 * 200);
}

// Sorted input: a partition takes 1,000 units a second, and saves one second.
TEST(BulkPutsTest, WaitForHotPartitions) {
  const RunResult run =
      RunText(OneTable("60s", Bulk("distribution = \"list\", values = [\"a\"]", "adds = true\n")));
  const BulkResult& bulk = run.accesses[0].bulk.value();
  EXPECT_NEAR(bulk.finished.value(), 19, 0.2);
  EXPECT_GT(bulk.waited_seconds, 5);
}

TEST(BulkPutsTest, ThatDoNotFinishSaySo) {
  const RunResult run = RunText(OneTable("5s", Bulk("distribution = \"random\"")));
  EXPECT_NEAR(static_cast<double>(run.accesses[0].bulk->items), 10'000, 10);
  EXPECT_FALSE(run.accesses[0].bulk->finished.has_value());
}

// --- the bill

constexpr std::string_view kPrices =
    "[[prices]]\nregion = \"here\"\ndate = \"2026\"\nhours_month = 100\n"
    "stream_read_million = 0.2\nvector_storage_gb_month = 0.25\nvector_write_gb = 0.5\n"
    "vector_search_gb = 0.002\nbulk_put_gb = 3\nwrite_million = 1\nstorage_gb_month = 1\n";

// The quantity of a position of the bill, which has it once.
double Quantity(const RunResult& run, std::string_view position) {
  const absl::StatusOr<PriceList> prices = ParsePriceList("prices.toml", kPrices);
  EXPECT_TRUE(prices.ok()) << prices.status();
  double quantity = -1;
  for (const BillLine& line : MakeBillLines(run, *prices)) {
    if (line.position != position) continue;
    EXPECT_EQ(quantity, -1) << position;
    EXPECT_TRUE(line.price.has_value()) << position;
    quantity = line.quantity;
  }
  return quantity;
}

TEST(BillTest, HasWhatTheExperimentDoes) {
  const RunResult run = RunText(OneTable(
      "10s", Concat("stream = { readers = 3, functions = 1, interval = \"1s\" }\n", kIndexes,
                    Write(""), "[[access]]\nname = \"search\"\noperation = \"SearchVectors\"\n",
                    "index = \"keys\"\nsearched = \"1MB\"\nload = { rate = 100 }\n",
                    Bulk("distribution = \"random\"", "monthly = 30\n"))));
  constexpr double kSeconds = 100 * 3'600;
  constexpr double kGigabyte = 1 << 30;
  // Two readers that are paid call each of four shards once a second.
  EXPECT_NEAR(Quantity(run, "reads of streams"), 8 * kSeconds / 1e6, 1e-9);
  EXPECT_NEAR(Quantity(run, "vectors written"), 10 * 3'059 * kSeconds / kGigabyte, 0.2);
  EXPECT_NEAR(Quantity(run, "vectors searched"), 100 * kSeconds / 1'024, 200);
  EXPECT_EQ(Quantity(run, "vectors stored"), run.resources[0].vector_bytes / kGigabyte);
  EXPECT_NEAR(Quantity(run, "bulk put"), 30 * 20'000 * 100 / kGigabyte, 1e-9);
}

// Five calls a second of each of four shards are answered, and no more are paid.
TEST(BillTest, HasOnlyAnsweredCallsOfStreams) {
  const RunResult run = RunText(
      OneTable("10s", Concat("stream = { readers = 4, interval = \"250ms\" }\n", Write(""))));
  EXPECT_NEAR(Quantity(run, "reads of streams"), 4 * 5 * 100 * 3'600 / 1e6, 1e-9);
}

// --- adaptive clients

// They wait instead of being throttled, and are served as much.
TEST(AdaptiveClientTest, WaitsInsteadOfBeingThrottled) {
  const auto run = [](std::string_view client) {
    return RunText(Concat("client = \"", client, "\"\n",
                          OneTable("120s",
                                   "billing = \"provisioned\"\nunits = { read = 10, write = 100 }\n"
                                   "[[access]]\nname = \"write\"\noperation = \"PutItem\"\n"
                                   "key.pk = { distribution = \"uniform\", count = 1000 }\n"
                                   "load = { rate = 400 }\n")));
  };
  const RunResult standard = run("boto3 1.44");
  const RunResult adaptive = run("adaptive boto3 1.44");
  EXPECT_GT(adaptive.accesses[0].waited_seconds, standard.accesses[0].waited_seconds);
  EXPECT_LT(adaptive.accesses[0].total.throttled, standard.accesses[0].total.throttled / 2);
  EXPECT_GT(static_cast<double>(adaptive.accesses[0].total.served),
            0.8 * static_cast<double>(standard.accesses[0].total.served));
}

}  // namespace
}  // namespace dynolith::lab
