// Who is in a folder, with which policies; and what is said of files that are wrong.
#include "tools/server/iam/principals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::iam {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kPolicy =
    R"({"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}})";

class PrincipalFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              Concat("iam-", ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    Write("policies/all.json", kPolicy);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, std::string_view text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  absl::StatusOr<Principals> Load() { return LoadPrincipals(folder_.string(), "000000000000"); }
  // Without the folder.
  std::string Fault() {
    const auto loaded = Load();
    if (loaded.ok()) return "none";
    std::string text(loaded.status().message());
    const std::string prefix = folder_.string() + "/";
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }

  std::filesystem::path folder_;
};

TEST_F(PrincipalFiles, UsersHavePoliciesOfGroupsAndTheirOwn) {
  Write(
      "groups/devs.json",
      R"({"AttachedManagedPolicies": [{"PolicyName": "all", "PolicyArn": "arn:aws:iam::aws:policy/all"}]})");
  Write("users/ann.json", Concat(R"({"Path": "/team/", "UserId": "AIDA1", "GroupList": ["devs"],
      "UserPolicyList": [{"PolicyName": "own", "PolicyDocument": )",
                                 kPolicy, R"(}],
      "PermissionsBoundary": {"PermissionsBoundaryType": "Policy",
                              "PermissionsBoundaryArn": "arn:aws:iam::000000000000:policy/all"},
      "Tags": [{"Key": "team", "Value": "x"}],
      "AccessKeyMetadata": [{"AccessKeyId": "K1"}, {"AccessKeyId": "K2", "Status": "Inactive"}]})"));
  const auto loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Principal* const ann = loaded->Find("K1");
  ASSERT_NE(ann, nullptr);
  EXPECT_EQ(ann->caller.arn, "arn:aws:iam::000000000000:user/team/ann");
  EXPECT_EQ(ann->caller.account, "000000000000");
  EXPECT_EQ(ann->user_name, "ann");
  EXPECT_EQ(ann->user_id, "AIDA1");
  EXPECT_EQ(ann->policies.identity.size(), 2u);
  EXPECT_EQ(ann->policies.boundary.size(), 1u);
  EXPECT_EQ(ann->tags.at("team"), "x");
  EXPECT_EQ(loaded->Find("K2"), nullptr) << "an inactive key";
  EXPECT_EQ(loaded->Find("K3"), nullptr);
}

TEST_F(PrincipalFiles, SessionsAreOfRoles) {
  Write("roles/ops.json", Concat(R"({"RoleId": "AROA1", "Arn": "arn:aws:iam::111122223333:role/ops",
      "Tags": [{"Key": "team", "Value": "x"}, {"Key": "stage", "Value": "dev"}],
      "RolePolicyList": [{"PolicyName": "own", "PolicyDocument": )",
                                 kPolicy, "}]}"));
  Write("sessions/today.json",
        R"({"Credentials": {"AccessKeyId": "ASIA1", "SecretAccessKey": "s", "SessionToken": "t",
                           "Expiration": "2026-11-28T12:00:00Z"},
           "AssumedRoleUser": {"Arn": "arn:aws:sts::111122223333:assumed-role/ops/today"},
           "Policy": "{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"*\", \"Resource\": \"*\"}}",
           "PolicyArns": [{"arn": "arn:aws:iam::111122223333:policy/all"}],
           "Tags": [{"Key": "team", "Value": "y"}]})");
  const auto loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Principal* const session = loaded->Find("ASIA1");
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->caller.arn, "arn:aws:sts::111122223333:assumed-role/ops/today");
  EXPECT_EQ(session->caller.role_arn, "arn:aws:iam::111122223333:role/ops");
  EXPECT_EQ(session->user_id, "AROA1:today");
  EXPECT_EQ(session->policies.session.size(), 2u);
  EXPECT_EQ(session->tags.at("team"), "y") << "a session's tag replaces its role's";
  EXPECT_EQ(session->tags.at("stage"), "dev");
  EXPECT_EQ(session->expires, absl::FromUnixSeconds(1795867200));
  EXPECT_EQ(loaded->session_secrets.at("ASIA1").session_token, "t");
}

TEST_F(PrincipalFiles, FaultsNameFileAndPlace) {
  EXPECT_THAT(Fault(), HasSubstr("has an access key"));
  Write("users/ann.json",
        "{\"UserPolicyList\": [\n{\"PolicyName\": \"p\", \"PolicyDocument\": "
        "{\"Statement\": {\"Effect\": \"Allow\"}}}]}");
  EXPECT_EQ(
      Fault(),
      "users/ann.json:2:53: UserPolicyList[0].PolicyDocument.Statement: the element Action or "
      "NotAction is missing");
  Write("users/ann.json", R"({"UserNam": "x"})");
  EXPECT_EQ(Fault(),
            "users/ann.json:1:2: there is no element \"UserNam\" here; \"UserName\" resembles it");
  Write("users/ann.json", R"({"GroupList": ["nobody"]})");
  EXPECT_THAT(Fault(),
              HasSubstr("users/ann.json:1:16: GroupList[0]: there is no group \"nobody\""));
  Write("users/ann.json",
        R"({"AttachedManagedPolicies": [{"PolicyArn": "arn:aws:iam::aws:policy/none"}]})");
  EXPECT_THAT(Fault(), HasSubstr("there is no policy arn:aws:iam::aws:policy/none, which would be "
                                 "in policies/none.json"));
  Write("users/ann.json", R"({"AccessKeyMetadata": [{"AccessKeyId": "K"}]})");
  EXPECT_EQ(Fault(), "none");
  Write("root.json", R"({"AccessKeyMetadata": [{"AccessKeyId": "K"}]})");
  EXPECT_EQ(Fault(),
            "root.json:1:24: AccessKeyMetadata[0]: the access key K is also in users/ann.json");
  Write("root.json", R"({"AccessKeyMetadata": [{"AccessKeyId": "R"}]})");
  EXPECT_EQ(Fault(), "none");
  Write("sessions/s.json",
        R"({"Credentials": {"AccessKeyId": "S"},
           "AssumedRoleUser": {"Arn": "arn:aws:sts::000000000000:assumed-role/none/s"}})");
  EXPECT_THAT(Fault(), HasSubstr("there is no role \"none\""));
  std::filesystem::remove(folder_ / "sessions/s.json");
  Write("user/bob.json", "{}");
  EXPECT_THAT(Fault(), HasSubstr("user is none of the parts of --iam-folder"));
}

}  // namespace
}  // namespace dynolith::iam
