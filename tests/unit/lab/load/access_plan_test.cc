// Which keys the parts of a request have in common: keys within others, and what the members of a
// transaction share.
#include "tools/lab/load/access_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

constexpr std::string_view kTenants = R"(
[experiment]
duration = "10s"
[[table]]
name = "users"
partition_key = "tenant"
sort_key = "user"
item_size = 100
[[table.index]]
name = "by-user"
partition_key = "user"
[[table]]
name = "logins"
partition_key = "user"
item_size = 100
[keys.tenant]
distribution = "celebrity"
count = 7
hot_share = 0.9
[keys.user]
distribution = "uniform"
count = 10
within = "tenant"
[load]
rate = 1
)";

// The keys of each item of some requests, by attribute, as numbers.
std::vector<std::map<std::string, int>> DrawKeys(std::string_view access) {
  const Experiment experiment = testing::ReadExperiments(Concat(kTenants, access)).at(0);
  const KeyGenerators generators = MakeGenerators(experiment.sources, 1);
  AccessPlan plan(experiment, experiment.accesses.front(), generators, 1);
  std::vector<std::map<std::string, int>> keys;
  for (int i = 0; i < 1'000; ++i) {
    LabUses uses;
    plan.EachItem(0, &uses, [&](const AccessPlan& of) {
      std::map<std::string, int>& own = keys.emplace_back();
      for (const KeyValue& key : of.drawn().keys) {
        int number = -1;
        EXPECT_TRUE(absl::SimpleAtoi(key.text.substr(key.text.find('#') + 1), &number)) << key.text;
        own[key.attribute] = number;
      }
    });
  }
  return keys;
}

int CountOfFirst(const std::vector<std::map<std::string, int>>& keys) {
  int first = 0;
  for (const auto& own : keys) first += own.at("user") < 10 ? 1 : 0;
  return first;
}

TEST(AccessPlan, ATenantHasUsersOfItsOwn) {
  const auto keys = DrawKeys(R"([[access]]
name = "read"
operation = "GetItem"
table = "users"
key = { tenant = "tenant", user = "user" }
)");
  ASSERT_EQ(keys.size(), 1'000);
  for (const auto& own : keys) EXPECT_EQ(own.at("user") / 10, own.at("tenant"));
  EXPECT_NEAR(CountOfFirst(keys), 900, 50);
}

// The tenant is drawn though nobody writes it.
TEST(AccessPlan, AKeyIsWithinWhatIsNotWritten) {
  const auto keys = DrawKeys(R"([[access]]
name = "read"
operation = "Query"
table = "users"
index = "by-user"
key.user = "user"
)");
  ASSERT_EQ(keys.size(), 1'000);
  EXPECT_EQ(keys.front().size(), 1);
  EXPECT_NEAR(CountOfFirst(keys), 900, 50);
}

// A source that two members name is drawn once; one that a single member names for each item.
TEST(AccessPlan, MembersOfATransactionShareKeys) {
  const auto keys = DrawKeys(R"([[access]]
name = "login"
operation = "TransactWriteItems"
[[access.member]]
operation = "PutItem"
table = "logins"
key.user = "user"
[[access.member]]
operation = "UpdateItem"
table = "users"
key = { tenant = "tenant", user = "user" }
[[access.member]]
operation = "ConditionCheck"
table = "users"
items = 2
key = { tenant = "tenant", user = { distribution = "uniform", count = 1000, prefix = "user#" } }
)");
  ASSERT_EQ(keys.size(), 4'000);
  int differ = 0;
  for (size_t i = 0; i < keys.size(); i += 4) {
    EXPECT_EQ(keys[i].at("user"), keys[i + 1].at("user"));
    EXPECT_EQ(keys[i + 1].at("user") / 10, keys[i + 1].at("tenant"));
    EXPECT_EQ(keys[i + 2].at("tenant"), keys[i + 1].at("tenant"));
    differ += keys[i + 2].at("user") != keys[i + 3].at("user") ? 1 : 0;
  }
  EXPECT_GT(differ, 900);
}

TEST(AccessPlan, KeysWithinThemselvesAreRefused) {
  const auto parsed =
      ParseExperiment("x.toml",
                      Concat(kTenants, "[keys.a]\ndistribution = \"uniform\"\ncount = 2\n",
                             "within = \"b\"\n[keys.b]\ndistribution = \"uniform\"\ncount = 2\n",
                             "within = \"a\"\n[[access]]\nname = \"x\"\noperation = \"Scan\"\n",
                             "table = \"users\"\n"),
                      [](const std::string& path) {
                        return absl::StatusOr<std::string>(absl::NotFoundError(path));
                      });
  EXPECT_THAT(parsed.status().message(), ::testing::HasSubstr("leads to itself"));
}

}  // namespace
}  // namespace dynolith::lab
