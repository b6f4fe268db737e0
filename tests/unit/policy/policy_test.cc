// What a policy may be, and what is said about one that is none: file, line, column, path.
#include "tools/server/iam/policy/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dynolith::iam {
namespace {

std::string FaultIn(std::string_view text, PolicyUse use = PolicyUse::kIdentity) {
  const absl::StatusOr<Policy> policy = ParsePolicy(text, "p.json", use);
  return policy.ok() ? "none" : std::string(policy.status().message());
}

TEST(Policy, HasStatements) {
  const auto policy = ParsePolicy(R"({
    "Version": "2012-10-17", "Id": "x",
    "Statement": [
      {"Sid": "One", "Effect": "Allow", "Action": ["dynamodb:Get*", "dynamodb:Query"], "Resource": "*"},
      {"Effect": "Deny", "NotAction": "dynamodb:Scan", "NotResource": ["arn:aws:dynamodb:*:*:table/a"],
       "Condition": {"Bool": {"aws:SecureTransport": false}, "NumericLessThan": {"a:B": [1, "2.5"]}}}
    ]})",
                                  "p.json", PolicyUse::kIdentity);
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(policy->statements.size(), 2u);
  EXPECT_EQ(policy->statements[0].sid, "One");
  EXPECT_TRUE(policy->statements[0].allows);
  EXPECT_EQ(policy->statements[0].actions.size(), 2u);
  EXPECT_EQ(policy->statements[0].line, 4u);
  EXPECT_TRUE(policy->statements[1].excludes_actions);
  EXPECT_TRUE(policy->statements[1].excludes_resources);
  EXPECT_EQ(policy->statements[1].conditions.size(), 2u);
}

TEST(Policy, MayHaveOneStatementWithoutAList) {
  EXPECT_EQ(FaultIn(R"({"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}})"),
            "none");
}

TEST(Policy, FaultsHaveAPlace) {
  EXPECT_EQ(FaultIn("{\n  \"Statement\": [}"), "p.json:2:17: from here on this is no JSON");
  EXPECT_EQ(FaultIn("[]"), "p.json:1:1: must be an object");
  EXPECT_EQ(FaultIn("{}"), "p.json:1:1: the element Statement is missing");
  EXPECT_EQ(FaultIn(R"({"Statement": []})"), "p.json:1:15: Statement: the list is empty");
  EXPECT_EQ(FaultIn(R"({"Statemnt": []})"),
            "p.json:1:2: there is no element \"Statemnt\" here; \"Statement\" resembles it");
  EXPECT_EQ(FaultIn(R"({"Version": "2020-01-01", "Statement": []})"),
            "p.json:1:13: Version: the version must be \"2012-10-17\" or \"2008-10-17\", not "
            "\"2020-01-01\"");
  EXPECT_EQ(FaultIn("{\"Statement\": [\n {\"Effect\": \"Allow\", \"Action\": \"*\", \"Resource\": "
                    "\"*\"},\n {\"Effect\": \"allow\"}]}"),
            "p.json:3:13: Statement[1].Effect: the effect must be Allow or Deny, not \"allow\"");
}

// `rest`: behind the effect and the action of the only statement.
std::string FaultInStatement(std::string_view rest, PolicyUse use = PolicyUse::kIdentity) {
  const std::string fault = FaultIn(
      std::string(R"({"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", )") +
          std::string(rest) + "}}",
      use);
  // Without the place, which differs from case to case and is tested above.
  const size_t path = fault.find(" Statement");
  return path == std::string::npos ? fault : fault.substr(path + 1);
}

TEST(Policy, EachElementIsChecked) {
  EXPECT_EQ(FaultInStatement(R"("Sid": "a b", "Resource": "*")"),
            "Statement.Sid: a Sid has letters and digits only, unlike \"a b\"");
  EXPECT_EQ(FaultInStatement(R"("NotAction": "a:b", "Resource": "*")"),
            "Statement: there may be Action or NotAction, not both");
  EXPECT_EQ(FaultInStatement(R"("Sid": "a")"),
            "Statement: the element Resource or NotResource is missing");
  EXPECT_EQ(FaultInStatement(R"("Resource": "table/a")"),
            "Statement.Resource: resource table/a must be in ARN format or \"*\"");
  EXPECT_EQ(
      FaultInStatement(R"("Resource": ["arn:aws:dynamodb:*:*:table/${aws:username"])"),
      "Statement.Resource: a policy variable in \"arn:aws:dynamodb:*:*:table/${aws:username\" "
      "is not closed or has no name");
  EXPECT_EQ(FaultInStatement(R"("Resource": "*", "Resource": "*")"),
            "Statement: the element \"Resource\" occurs twice");
  EXPECT_EQ(FaultInStatement(R"("Resource": "*", "Principal": "*")"),
            "Statement: Principal belongs to a resource-based policy, not to this one");
  EXPECT_EQ(FaultInStatement(R"("Resource": "*", "Condition": {"StringEqual": {"a:b": "c"}})"),
            "Statement.Condition: there is no condition operator \"StringEqual\"; \"StringEquals\" "
            "resembles it");
  EXPECT_EQ(
      FaultInStatement(
          R"("Resource": "*", "Condition": {"IpAddress": {"aws:SourceIp": "10.0.0.0/33"}})"),
      "Statement.Condition.IpAddress.aws:SourceIp: IpAddress wants a network such as 10.0.0.0/8, "
      "not \"10.0.0.0/33\"");
  EXPECT_EQ(
      FaultInStatement(R"("Resource": "*", "Condition": {"ForAnyValue:Null": {"a:b": "true"}})"),
      "Statement.Condition: the operator Null cannot have ForAllValues: or ForAnyValue:");
  EXPECT_EQ(FaultInStatement(R"("Resource": "*", "Condition": {"Bool": {"a:b": "yes"}})"),
            "Statement.Condition.Bool.a:b: Bool wants true or false, not \"yes\"");
  EXPECT_EQ(FaultIn(R"({"Statement": {"Effect": "Allow", "Action": "GetItem", "Resource": "*"}})"),
            "p.json:1:45: Statement.Action: an action is * or has the form service:Action, unlike "
            "\"GetItem\"");
}

TEST(Policy, ResourceBasedOnesNamePrincipals) {
  constexpr PolicyUse kUse = PolicyUse::kResource;
  EXPECT_EQ(FaultInStatement(R"("Resource": "*")", kUse),
            "Statement: the element Principal or NotPrincipal is missing");
  EXPECT_EQ(FaultInStatement(R"("Resource": "*", "NotPrincipal": "*")", kUse),
            "Statement: NotPrincipal may only deny: with \"Effect\": \"Allow\" it would let in "
            "everybody else");
  EXPECT_EQ(
      FaultInStatement(
          R"("Resource": "*", "Principal": {"AWS": "arn:aws:iam::111122223333:user/*"})", kUse)
          .substr(0, 47),
      "Statement.Principal.AWS: a principal is *, an a");
  EXPECT_EQ(FaultInStatement(R"("Resource": "*", "Principal": {"Nobody": "x"})", kUse),
            "Statement.Principal.Nobody: there is no kind of principal \"Nobody\"; there are AWS, "
            "Service, Federated and CanonicalUser");
  const auto policy = ParsePolicy(
      R"({"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Principal":
          {"AWS": ["111122223333", "arn:aws:iam::444455556666:root", "arn:aws:iam::111122223333:user/ann"],
           "Service": "replication.dynamodb.amazonaws.com"}}})",
      "p.json", kUse);
  ASSERT_TRUE(policy.ok()) << policy.status();
  const auto& principals = policy->statements[0].principals;
  ASSERT_EQ(principals.size(), 4u);
  EXPECT_EQ(principals[0].text, "111122223333");
  EXPECT_EQ(principals[1].kind, PrincipalKind::kAccount);
  EXPECT_EQ(principals[1].text, "444455556666");
  EXPECT_EQ(principals[2].kind, PrincipalKind::kArn);
  EXPECT_EQ(principals[3].kind, PrincipalKind::kForeign);
}

}  // namespace
}  // namespace dynolith::iam
