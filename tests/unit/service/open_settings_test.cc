// What a database is opened with, as JSON: an option that is misread, or passed over, would make a
// test pass for the wrong reason.
#include "api/service/open_settings.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/errors.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

OpenSettings Read(std::string_view json) {
  absl::StatusOr<OpenSettings> settings = ReadOpenSettings(json);
  EXPECT_TRUE(settings.ok()) << json << ": " << settings.status();
  return settings.ok() ? *std::move(settings) : OpenSettings();
}

std::string Refusal(std::string_view json) {
  const absl::StatusOr<OpenSettings> settings = ReadOpenSettings(json);
  if (settings.ok()) return "taken";
  EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(MessageOf(settings.status()));
}

TEST(OpenSettings, NothingIsTheDefaults) {
  for (const char* const json : {"", "{}", R"({"path": null, "capacity": null})"}) {
    const OpenSettings settings = Read(json);
    EXPECT_TRUE(settings.database.in_memory);
    EXPECT_FALSE(settings.manual_clock);
    EXPECT_EQ(settings.database.region, DatabaseOptions().region);
    EXPECT_EQ(settings.database.ttl_sweep_period, DatabaseOptions().ttl_sweep_period);
    EXPECT_EQ(settings.database.vector_graph_bytes, DatabaseOptions().vector_graph_bytes);
  }
}

TEST(OpenSettings, AllMembers) {
  const OpenSettings settings = Read(R"({
      "path": "/tmp/music", "read_only": true, "sync": true, "region": "eu-west-1",
      "encryption_key": "env:MUSIC_KEY",
      "account_id": "123456789012", "clock": "manual", "clock_start": "2026-01-31T12:00:00Z",
      "conflicts": "fail", "update_size": "item", "ttl_sweep_seconds": 0.5, "stream_shards": 3, "table_delay_seconds": 20,
      "capacity": {"mode": "enforce", "scale": 0.01, "account_limit": "throttling", "seed": 7,
                   "burst_seconds": 60, "split_delay_seconds": 0.5, "partition_reads": 4500},
      "control_rates": {"changes": 2, "descriptions": 3.5, "stream_descriptions": 0},
      "hot_keys": true, "staleness": ["500ms", "music/by-year=held"], "staleness_seed": 9,
      "vector_search": "approximate", "vector_memory": "4GB", "memory_budget": 67108864,
      "cache": "16MB", "item_cache": 0, "buckets": "/"})");
  const DatabaseOptions& options = settings.database;
  EXPECT_EQ(options.path, "/tmp/music");
  EXPECT_FALSE(options.in_memory);
  EXPECT_TRUE(options.read_only);
  EXPECT_TRUE(options.sync_commits);
  EXPECT_EQ(options.encryption_key, "env:MUSIC_KEY");
  EXPECT_EQ(options.region, "eu-west-1");
  EXPECT_EQ(options.account_id, "123456789012");
  EXPECT_TRUE(settings.manual_clock);
  EXPECT_EQ(settings.clock_start, absl::FromUnixSeconds(1'769'860'800));
  EXPECT_TRUE(options.fail_on_conflict);
  EXPECT_FALSE(options.charge_updates);
  EXPECT_EQ(options.ttl_sweep_period, absl::Milliseconds(500));
  EXPECT_EQ(options.stream_shards, 3);
  EXPECT_EQ(options.table_delays.create, absl::Seconds(20));
  EXPECT_EQ(options.table_delays.index, absl::Seconds(20));
  EXPECT_EQ(options.capacity.mode, CapacityMode::kGlobal);
  EXPECT_EQ(options.capacity.scale, 0.01);
  EXPECT_TRUE(options.capacity.account_limit_throttles);
  EXPECT_EQ(options.capacity.seed, 7u);
  EXPECT_EQ(options.capacity.burst, absl::Minutes(1));
  EXPECT_EQ(options.capacity.split_delay, absl::Milliseconds(500));
  EXPECT_EQ(options.capacity.partition_reads, 4'500);
  EXPECT_EQ(options.control_rates.changes, 2);
  EXPECT_EQ(options.control_rates.descriptions, 3.5);
  EXPECT_EQ(options.control_rates.stream_descriptions, 0);
  EXPECT_TRUE(options.hot_keys);
  ASSERT_EQ(options.staleness.rules.size(), 2u);
  EXPECT_EQ(options.staleness.rules[1].of.index, "by-year");
  EXPECT_EQ(options.staleness.seed, 9u);
  EXPECT_EQ(options.vector_search, VectorSearch::kApproximate);
  EXPECT_EQ(options.vector_graph_bytes, size_t{4} << 30);
  EXPECT_EQ(options.memory_budget_bytes, size_t{64} << 20);
  EXPECT_EQ(options.block_cache_bytes, size_t{16} << 20);
  EXPECT_EQ(options.item_cache_bytes, 0u);
  EXPECT_EQ(settings.buckets_folder, "/");
}

TEST(OpenSettings, WhatIsNoObject) {
  EXPECT_EQ(Refusal("[]"), "the options are no JSON object: line 1, column 1");
  EXPECT_EQ(Refusal("{\n \"sync\": tru}"), "the options are no JSON object: line 2, column 10");
  EXPECT_NE(Refusal("{} {}"), "taken");
}

TEST(OpenSettings, UnknownMembersAreNamedWithTheNearest) {
  EXPECT_EQ(Refusal(R"({"pth": "/tmp"})"), R"(there is no option "pth"; did you mean "path"?)");
  EXPECT_EQ(Refusal(R"({"capacity": {"scle": 1}})"),
            R"(there is no option "capacity.scle"; did you mean "scale"?)");
  EXPECT_EQ(Refusal(R"({"control_rates": {"zzzzzzz": 1}})"),
            R"(there is no option "control_rates.zzzzzzz"; there are changes, descriptions, )"
            "stream_descriptions");
  EXPECT_EQ(Refusal(R"({"sync": true, "sync": true})"), R"(the option "sync" is there twice)");
}

TEST(OpenSettings, WrongValuesAreNamed) {
  for (const char* const member : {R"("path": "")",
                                   R"("path": 1)",
                                   R"("encryption_key": "0123")",
                                   R"("read_only": "true")",
                                   R"("region": "a b")",
                                   R"("account_id": "1234")",
                                   R"("account_id": "12345678901x")",
                                   R"("clock": "manuel")",
                                   R"("clock_start": "noon")",
                                   R"("clock_start": true)",
                                   R"("conflicts": true)",
                                   R"("update_size": "flat")",
                                   R"("ttl_sweep_seconds": -1)",
                                   R"("ttl_sweep_seconds": "1")",
                                   R"("stream_shards": 65)",
                                   R"("stream_shards": 1.5)",
                                   R"("table_delay_seconds": true)",
                                   R"("capacity": "enforce")",
                                   R"("control_rates": [])",
                                   R"("hot_keys": 1)",
                                   R"("staleness": "500ms")",
                                   R"("staleness": ["soon"])",
                                   R"("staleness": [1])",
                                   R"("staleness_seed": -1)",
                                   R"("vector_search": "none")",
                                   R"("vector_memory": "much")",
                                   R"("cache": -1)",
                                   R"("item_cache": true)",
                                   R"("buckets": "/there/is/none")"}) {
    const std::string text = member;
    const std::string name = text.substr(0, text.find(':'));
    EXPECT_TRUE(Refusal("{" + text + "}").starts_with("the option " + name + ": ")) << text;
  }
  EXPECT_EQ(Refusal(R"({"capacity": {"scale": 0}})"),
            R"(the option "capacity.scale": 0 is not a number above 0)");
  EXPECT_EQ(Refusal(R"({"capacity": {"burst_seconds": 0.5}})"),
            R"(the option "capacity.burst_seconds": 0.5 is not a number of seconds, 1 or more)");
  EXPECT_EQ(
      Refusal(R"({"capacity": {"split_delay_seconds": -1}})"),
      R"(the option "capacity.split_delay_seconds": -1 is not a number of seconds, 0 or more)");
  EXPECT_EQ(
      Refusal(R"({"capacity": {"partition_reads": 0}})"),
      R"(the option "capacity.partition_reads": 0 is not a whole number of units, 1 or more)");
  EXPECT_EQ(Refusal(R"({"capacity": {"mode": "hard"}})"),
            R"(the option "capacity.mode": "hard" is not one of )"
            "account|enforce|static|burst|adaptive");
}

TEST(OpenSettings, WhatOnlyTogetherMakesSense) {
  EXPECT_TRUE(Refusal(R"({"clock_start": 5})").starts_with(R"(the option "clock_start": )"));
  EXPECT_TRUE(Refusal(R"({"read_only": true})").starts_with(R"(the option "read_only": )"));
}

TEST(OpenSettings, AnEndpointStandsAlone) {
  const OpenSettings settings =
      Read(R"({"endpoint": "https://x", "endpoint_certificates": "ca.pem", "region": "eu-west-1",)"
           R"( "path": null})");
  EXPECT_EQ(settings.endpoint, "https://x");
  EXPECT_EQ(settings.endpoint_certificates, "ca.pem");
  EXPECT_EQ(settings.endpoint_region, "eu-west-1");
  EXPECT_EQ(Read(R"({"endpoint": "https://x"})").endpoint_region, "");
  for (const char* const name : {"path", "clock", "buckets"}) {
    const std::string value = name == std::string("clock") ? "system" : "/";
    EXPECT_EQ(Refusal(Concat(R"({"endpoint": "https://x", ")", name, R"(": ")", value, "\"}")),
              Concat("the option \"", name,
                     "\": it is an option of a database in this process, and "
                     "\"endpoint\" names a service elsewhere"));
  }
  EXPECT_EQ(Refusal(R"({"endpoint_certificates": "ca.pem"})"),
            R"(the option "endpoint_certificates": there is no "endpoint")");
}

}  // namespace
}  // namespace dynolith
