// Which calls of a trace a policy would refuse, and the least policy, which refuses none of them.
#include "tools/server/iam/check/trace_check.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith::iam {
namespace {

using trace::Operation;

// A trace of table "songs" (partition key pk: S) and its index "by-year", without plain keys.
class TraceMaker {
 public:
  TraceMaker() {
    trace::Resource table;
    table.table = "songs";
    table.key.hash = {{"pk", Type::kString}};
    trace::Resource index = table;
    index.index = "by-year";
    block_.resources = {table, index};
  }
  struct UseOf {
    uint32_t resource = 0;
    AccessKind kind = AccessKind::kRead;
    bool has_key = true;
  };
  TraceMaker& Add(Operation operation, std::initializer_list<UseOf> uses) {
    trace::Request request;
    request.at = 1'795'867'200'000'000 + static_cast<Micros>(block_.requests.size());
    request.operation = operation;
    for (const UseOf& each : uses) {
      trace::Use use;
      use.resource = each.resource;
      use.kind = each.kind;
      use.has_key = each.has_key;
      use.half_units = 1;
      request.uses.push_back(use);
    }
    block_.requests.push_back(request);
    return *this;
  }
  TraceCheck Check(std::string_view policy_text) const {
    std::string bytes = trace::EncodeHeader({.has_plain_keys = false, .run = 1, .number = 0});
    trace::EncodeBlock(block_, /*plain=*/false, &bytes);
    const auto read = [&](const std::string&) -> absl::StatusOr<std::string> { return bytes; };
    if (policy_text.empty()) return *CheckTrace({.trace_file = "t"}, nullptr, read);
    const auto policy = ParsePolicy(policy_text, "p.json", PolicyUse::kIdentity);
    EXPECT_TRUE(policy.ok()) << policy.status();
    return *CheckTrace({.trace_file = "t"}, &*policy, read);
  }

 private:
  trace::Block block_;
};

constexpr TraceMaker::UseOf kTableRead{0, AccessKind::kRead, true};
constexpr TraceMaker::UseOf kTableScan{0, AccessKind::kRead, false};
constexpr TraceMaker::UseOf kIndexRead{1, AccessKind::kRead, true};
constexpr TraceMaker::UseOf kTableWrite{0, AccessKind::kWrite, true};
constexpr TraceMaker::UseOf kIndexWrite{1, AccessKind::kWrite, true};

// "Query songs/index/by-year 2 calls, 1 refused" for each group.
std::string Shown(const TraceCheck& check) {
  std::string text;
  for (const CheckedGroup& group : check.groups) {
    const std::string_view resource = group.resource;
    text += Concat(group.operation, " ", resource.substr(resource.find('/') + 1), " ", group.calls,
                   "/", group.refused, "/", group.undecided);
    for (const std::string& key : group.missing) text += Concat(" ", key);
    text += "; ";
  }
  return text;
}

std::string OnePolicy(std::string_view action, std::string_view condition = "{}") {
  return Concat(R"({"Statement": {"Effect": "Allow", "Action": )", action,
                R"(, "Resource": "arn:aws:dynamodb:*:*:table/songs", "Condition": )", condition,
                "}}");
}

TEST(TraceChecks, ReadsAndWrites) {
  TraceMaker trace;
  trace.Add(Operation::kGetItem, {kTableRead})
      .Add(Operation::kGetItem, {kTableRead})
      .Add(Operation::kQuery, {kIndexRead})
      .Add(Operation::kPutItem, {kTableWrite, kIndexWrite})
      .Add(Operation::kOther, {kTableRead});
  const TraceCheck check = trace.Check(OnePolicy(R"(["dynamodb:GetItem", "dynamodb:Query"])"));
  EXPECT_EQ(Shown(check),
            "GetItem songs 2/0/0; PutItem songs 1/1/0; Query songs/index/by-year 1/1/0; ");
  EXPECT_EQ(check.others, 1);
}

TEST(TraceChecks, WhatATraceDoesNotHaveIsNotGuessed) {
  TraceMaker trace;
  trace.Add(Operation::kGetItem, {kTableRead}).Add(Operation::kScan, {kTableScan});
  EXPECT_EQ(Shown(trace.Check(OnePolicy(
                "\"*\"", R"({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "x"}})"))),
            "GetItem songs 1/0/1 dynamodb:LeadingKeys; Scan songs 1/0/0; ");
  EXPECT_EQ(Shown(trace.Check(OnePolicy("\"*\"", R"({"Bool": {"aws:SecureTransport": "true"}})"))),
            "GetItem songs 1/0/1 aws:SecureTransport; Scan songs 1/0/1 aws:SecureTransport; ");
  EXPECT_EQ(Shown(trace.Check(
                OnePolicy("\"*\"", R"({"DateGreaterThan": {"aws:CurrentTime": "2027-01-01"}})"))),
            "GetItem songs 1/1/0; Scan songs 1/1/0; ");
}

TEST(TraceChecks, WritesOfUnknownKind) {
  TraceMaker trace;
  trace.Add(Operation::kTransactWriteItems, {kTableWrite, kTableWrite});
  EXPECT_EQ(Shown(trace.Check(OnePolicy("\"dynamodb:PutItem\""))),
            "TransactWriteItems songs 1/0/1; ");
  EXPECT_EQ(Shown(trace.Check(OnePolicy("\"dynamodb:GetItem\""))),
            "TransactWriteItems songs 1/1/0; ");
  EXPECT_EQ(Shown(trace.Check(OnePolicy("\"dynamodb:*Item\"",
                                        R"({"StringEquals": {"dynamodb:EnclosingOperation":
                                            "TransactWriteItems"}})"))),
            "TransactWriteItems songs 1/0/0; ");
}

TEST(TraceChecks, Statements) {
  TraceMaker trace;
  trace.Add(Operation::kExecuteStatement, {kTableScan})
      .Add(Operation::kExecuteStatement, {kTableRead});
  EXPECT_EQ(Shown(trace.Check(OnePolicy("\"dynamodb:PartiQLSelect\"",
                                        R"({"Bool": {"dynamodb:FullTableScan": "false"}})"))),
            "ExecuteStatement songs 2/1/0; ");
}

TEST(TraceChecks, TheLeastPolicyRefusesNothing) {
  TraceMaker trace;
  trace.Add(Operation::kGetItem, {kTableRead})
      .Add(Operation::kQuery, {kIndexRead})
      .Add(Operation::kBatchWriteItem, {kTableWrite, kIndexWrite})
      .Add(Operation::kTransactWriteItems, {kTableWrite});
  const std::string least = LeastPolicy(trace.Check(""));
  EXPECT_EQ(least, R"({
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", )"
                   R"("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
      "Resource": ["arn:aws:dynamodb:us-east-1:000000000000:table/songs"]
    },
    {
      "Effect": "Allow",
      "Action": ["dynamodb:Query"],
      "Resource": ["arn:aws:dynamodb:us-east-1:000000000000:table/songs/index/by-year"]
    }
  ]
}
)");
  for (const CheckedGroup& group : trace.Check(least).groups) {
    EXPECT_EQ(group.refused + group.undecided, 0) << group.operation;
  }
}

}  // namespace
}  // namespace dynolith::iam
