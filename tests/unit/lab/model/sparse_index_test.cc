// An index in which some items have no entry: adding, moving and removing one costs a write only
// where that changes something, and what is stored follows.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith {
namespace {

using lab::RunResult;

constexpr int64_t kEntryStored = 50 + 100;

// A hundred orders in turn, one a second, for 300 s; `entries` of them are open at the start.
std::string OrdersText(std::string_view entries, std::string_view accesses) {
  return Concat(testing::OneTable("300s"),
                "[[table.index]]\nname = \"open\"\npartition_key = \"status\"\nentry_size = 50\n",
                entries, "\n[keys.order]\ndistribution = \"interleaved\"\ncount = 100\n", accesses);
}

std::string UpdateText(std::string_view name, std::string_view more) {
  return Concat("[[access]]\nname = \"", name, "\"\noperation = \"UpdateItem\"\n",
                "key.pk = { distribution = \"interleaved\", count = 100, prefix = \"order#\" }\n",
                "key.status = { distribution = \"list\", values = [\"open\"] }\n", more, "\n");
}

RunResult OneRun(const std::string& text) {
  return testing::RunExperiment(testing::ReadExperiments(text)[0]);
}

int64_t BytesAtTheEnd(const RunResult& run, size_t resource) {
  return run.resources[resource].moments.back().bytes;
}

TEST(SparseIndex, AnEntryIsAddedOnce) {
  const RunResult run = OneRun(
      OrdersText("entries = 0", UpdateText("open", "index_change = \"add\"\nload = { rate = 1 }")));
  EXPECT_EQ(run.resources[0].units.write, 300);
  EXPECT_EQ(run.resources[1].units.write, 100);
  EXPECT_EQ(BytesAtTheEnd(run, 1), 100 * kEntryStored);
  EXPECT_EQ(run.accesses[0].units.write, 400);
}

TEST(SparseIndex, AnEntryIsRemovedOnce) {
  const RunResult run =
      OneRun(OrdersText("", UpdateText("close", "index_change = \"remove\"\nload = { rate = 1 }")));
  EXPECT_EQ(run.resources[0].units.write, 300);
  EXPECT_EQ(run.resources[1].units.write, 100);
}

// In turn: each order is opened, then closed, then opened again.
TEST(SparseIndex, WhatWasRemovedCanBeAddedAgain) {
  const auto steps = [](int from, int to) {
    return Concat("\nload = { shape = \"steps\", steps = [{ at = 0, rate = 0 }, { at = ", from,
                  ", rate = 1 }, { at = ", to, ", rate = 0 }] }");
  };
  const RunResult run = OneRun(OrdersText(
      "entries = 0", Concat(UpdateText("open", "index_change = \"add\"" + steps(0, 100)),
                            UpdateText("close", "index_change = \"remove\"" + steps(100, 200)),
                            UpdateText("again", "index_change = \"add\"" + steps(200, 300)))));
  EXPECT_EQ(run.resources[1].units.write, 300);
  EXPECT_EQ(BytesAtTheEnd(run, 1), 100 * kEntryStored);
  EXPECT_EQ(run.resources[1].moments[199].bytes, 0);
}

// A part of the items has an entry at the start, the same ones for whoever asks.
TEST(SparseIndex, SomeItemsHaveAnEntryAtTheStart) {
  const auto writes = [](std::string_view change) {
    return OneRun(
               OrdersText("entries = 0.3", UpdateText("change", Concat("index_change = \"", change,
                                                                       "\"\nload = { rate = 1 }"))))
        .resources[1]
        .units.write;
  };
  const double removed = writes("remove");
  EXPECT_GT(removed, 15);
  EXPECT_LT(removed, 45);
  EXPECT_EQ(writes("add"), 100 - removed);
  EXPECT_EQ(writes("put"), 300);
  // A new entry is one write, another key two.
  EXPECT_EQ(writes("move"), 300 + 200 + removed);
  EXPECT_EQ(writes("none"), 0);
}

TEST(SparseIndex, ADeletedItemHasNoEntry) {
  std::string text = OrdersText("entries = 0.3", UpdateText("delete", "load = { rate = 1 }"));
  text.replace(text.find("UpdateItem"), 10, "DeleteItem");
  const RunResult run = OneRun(text);
  EXPECT_EQ(run.resources[0].units.write, 300);
  EXPECT_GT(run.resources[1].units.write, 15);
  EXPECT_LT(run.resources[1].units.write, 45);
}

// Of a new item both entries are new, though the first is said to move.
TEST(SparseIndex, AnEntryThatMovesLeavesTheNextIndexAlone) {
  const RunResult run = OneRun(Concat(
      testing::OneTable("100s"),
      "[[table.index]]\nname = \"a\"\npartition_key = \"status\"\nentry_size = 50\n",
      "[[table.index]]\nname = \"b\"\npartition_key = \"status\"\nentry_size = 50\n",
      "[[access]]\nname = \"put\"\noperation = \"PutItem\"\nindex_change = { a = \"move\" }\n",
      "key.pk = { distribution = \"ascending\" }\n",
      "key.status = { distribution = \"list\", values = [\"open\"] }\nload = { rate = 1 }\n"));
  EXPECT_EQ(BytesAtTheEnd(run, 1), 100 * kEntryStored);
  EXPECT_EQ(BytesAtTheEnd(run, 2), 100 * kEntryStored);
}

TEST(SparseIndex, WhatMakesNoSense) {
  const auto error = [](const std::string& text) {
    const auto parsed = lab::ParseExperiment(
        "test.toml", text, [](const std::string&) { return absl::NotFoundError(""); });
    return std::string(MessageOf(parsed.status()));
  };
  EXPECT_NE(error(OrdersText("", UpdateText("x", "index_change = \"add\"\nload = { rate = 1 }")))
                .find("needs table.t.index.open.entries"),
            std::string::npos);
  std::string put =
      OrdersText("", UpdateText("x", "index_change = \"remove\"\nload = { rate = 1 }"));
  put.replace(put.find("UpdateItem"), 10, "PutItem");
  EXPECT_NE(error(put).find("UpdateItem"), std::string::npos);
}

}  // namespace
}  // namespace dynolith
