// What an experiment expects is compared with what each of its accesses found.
#include "tools/lab/report/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

using ::testing::HasSubstr;
using testing::OneKey;
using testing::ReadExperiments;
using testing::RunExperiment;

PriceList Prices() {
  auto prices = ParsePriceList("prices.toml", ShippedPrices());
  EXPECT_TRUE(prices.ok()) << prices.status();
  return *std::move(prices);
}

// So many writes a second of one key for a minute, on which this is expected.
Experiment Expecting(std::string_view expect, int rate, std::string_view more = "") {
  std::string text = OneKey("60s", rate) + std::string(more);
  const std::string_view head = "[experiment]\n";
  text.insert(head.size(), Concat("expect = { ", expect, " }\n"));
  return ReadExperiments(text).front();
}

std::vector<std::string> Sentences(const Experiment& experiment) {
  std::vector<std::string> sentences;
  for (const CheckedExpectation& checked : CheckExpectations(RunExperiment(experiment), Prices())) {
    sentences.push_back(checked.sentence);
  }
  return sentences;
}

TEST(ExpectationsTest, EachIsNamedWithWhatWasFound) {
  EXPECT_EQ(Sentences(Expecting("served = 0.9999, cost = { most = 300 }", 500)),
            (std::vector<std::string>{
                "As expected: served of each access at least 99.99 %, found 100 % of write.",
                "NOT as expected: a month at most 300.00 USD, found 821.25 USD."}));
  EXPECT_FALSE(AreExpectationsMet({RunExperiment(Expecting("served = 0.9999", 2'000))}, Prices()));
  EXPECT_TRUE(AreExpectationsMet({RunExperiment(Expecting("served = 0.9999", 500))}, Prices()));
}

// A share below what is wanted does not look like it.
TEST(ExpectationsTest, SharesAreRoundedDown) {
  RunResult run = RunExperiment(Expecting("served = 0.9999", 500));
  run.accesses.front().total.operations = 1'000'000;
  run.accesses.front().total.served = 999'899;
  EXPECT_EQ(CheckExpectations(run, Prices()).front().sentence,
            "NOT as expected: served of each access at least 99.99 %, found 99.9899 % of write.");
}

TEST(ExpectationsTest, WhatMissesHasAllItsDigitsWhereItWouldLookLikeWhatIsWanted) {
  EXPECT_THAT(Sentences(Expecting("cost = { most = 821.2499 }", 500)).front(),
              HasSubstr("NOT as expected: a month at most 821.2499 USD, found 821.25000"));
  Experiment late =
      Expecting("p99 = \"20ms\"", 500, "latency = { p50 = \"4ms\", p99 = \"20ms\" }\n");
  const std::vector<CheckedExpectation> checked = CheckService(RunExperiment(late));
  ASSERT_EQ(checked.size(), 1);
  late.expect.p99 = static_cast<Micros>(*checked.front().found * 1'000) - 1;
  const std::string sentence = Sentences(late).front();
  EXPECT_THAT(sentence, HasSubstr("NOT as expected: p99 of each access at most "));
  const size_t most = sentence.find("at most ") + 8;
  const size_t found = sentence.find("found ") + 6;
  EXPECT_NE(sentence.substr(most, sentence.find(" ms") - most),
            sentence.substr(found, sentence.find(" ms", found) - found));
}

// An access that is small is none that may be given up.
TEST(ExpectationsTest, TheWorstAccessCounts) {
  const std::vector<std::string> sentences = Sentences(
      Expecting("served = 0.5", 900,
                "[[access]]\nname = \"rare\"\noperation = \"GetItem\"\nkey.pk = { distribution = "
                "\"list\", values = [\"two\"] }\nload = { rate = 10000 }\n"));
  ASSERT_EQ(sentences.size(), 1);
  EXPECT_THAT(sentences.front(), HasSubstr(" % of rare."));
}

// Of 500 writes a second none waits; of 1,200 more and more do.
TEST(ExpectationsTest, LatenciesOfASimulationAreWaits) {
  constexpr std::string_view kClient = "[client]\nattempts = 10\nquota = 0\n";
  EXPECT_EQ(Sentences(Expecting("p99 = \"20ms\"", 500, kClient)),
            (std::vector<std::string>{
                "As expected: p99 of each access at most 20.0 ms, found 0 ms of write."}));
  const RunResult run = RunExperiment(Expecting("p99 = \"20ms\"", 1'200, kClient));
  const std::vector<CheckedExpectation> checked = CheckExpectations(run, Prices());
  ASSERT_TRUE(checked.front().found);
  EXPECT_FALSE(checked.front().is_met);
  // Half a second is the mean of a first wait.
  EXPECT_GT(*checked.front().found, 500);
  const double waited = run.accesses.front().waits.mean() * 1e-9 *
                        static_cast<double>(run.accesses.front().waits.count());
  EXPECT_LE(waited, run.accesses.front().waited_seconds);
  // The rest were still waiting in the end, or given up.
  EXPECT_GT(waited, 0.5 * (run.accesses.front().waited_seconds - waited));
}

TEST(ExpectationsTest, WithoutAnotherAttemptThereIsNoLatency) {
  const absl::Status status = CheckExpectable("shop.toml", Expecting("p99 = \"20ms\"", 10));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("shop.toml: experiment.expect.p99: a simulation has no latencies but waits "
                        "for other attempts, and without a [client] nothing is tried again"));
  EXPECT_TRUE(CheckExpectable("", Expecting("p99 = \"20ms\"", 10, "[client]\n")).ok());
  EXPECT_TRUE(CheckExpectable("", Expecting("served = 1", 10)).ok());
}

}  // namespace
}  // namespace dynolith::lab
