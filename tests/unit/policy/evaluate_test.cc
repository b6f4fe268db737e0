// All kinds of policies together. The cases of the documentation one by one; then a dull second
// evaluator, which shares no code with the first, beside it on random policies and requests.
#include "tools/server/iam/policy/evaluate.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::iam {
namespace {

constexpr std::string_view kAccount = "111122223333";
constexpr std::string_view kTable = "arn:aws:dynamodb:us-east-1:111122223333:table/a";
const std::string kAnn = "arn:aws:iam::111122223333:user/ann";
const std::string kRole = "arn:aws:iam::111122223333:role/ops";
const std::string kSession = "arn:aws:sts::111122223333:assumed-role/ops/today";

std::vector<NamedPolicy> Only(std::string_view text, PolicyUse use) {
  auto policy = ParsePolicy(text, "test", use);
  EXPECT_TRUE(policy.ok()) << policy.status() << text;
  if (!policy.ok()) return {};
  return {{"test", std::make_shared<const Policy>(*std::move(policy))}};
}
std::vector<NamedPolicy> Identity(std::string_view effect, std::string_view action) {
  return Only(Concat(R"({"Statement": {"Resource": "*", "Effect": ")", effect, R"(", "Action": ")",
                     action, "\"}}"),
              PolicyUse::kIdentity);
}
std::vector<NamedPolicy> Resource(std::string_view effect, std::string_view principal,
                                  std::string_view word = "Principal") {
  return Only(Concat(R"({"Statement": {"Resource": "*", "Action": "*", "Effect": ")", effect,
                     "\", \"", word, R"(": {"AWS": ")", principal, "\"}}}"),
              PolicyUse::kResource);
}

Caller Ann() { return {.arn = kAnn, .role_arn = "", .account = std::string(kAccount)}; }
Caller Session() { return {.arn = kSession, .role_arn = kRole, .account = std::string(kAccount)}; }

std::string Decide(const Caller& caller, const PolicySet& policies,
                   std::string_view account = kAccount) {
  const Decision decision = Evaluate(caller, policies,
                                     {.action = "dynamodb:GetItem",
                                      .resource = std::string(kTable),
                                      .resource_account = std::string(account),
                                      .context = {}});
  if (decision.is_allowed) return "allowed";
  return Concat(decision.is_explicit ? "denied by " : "not allowed by ",
                PolicyKindName(decision.kind));
}

TEST(Evaluation, IdentityPolicies) {
  EXPECT_EQ(Decide(Ann(), {}), "not allowed by identity-based policy");
  PolicySet policies{.identity = Identity("Allow", "dynamodb:Get*")};
  EXPECT_EQ(Decide(Ann(), policies), "allowed");
  policies.identity.push_back(Identity("Deny", "dynamodb:getitem")[0]);
  EXPECT_EQ(Decide(Ann(), policies), "denied by identity-based policy");
}

TEST(Evaluation, BoundariesAndSessionsOnlyLimit) {
  PolicySet policies{.identity = {}, .boundary = Identity("Allow", "*")};
  EXPECT_EQ(Decide(Ann(), policies), "not allowed by identity-based policy");
  policies.identity = Identity("Allow", "*");
  EXPECT_EQ(Decide(Ann(), policies), "allowed");
  policies.boundary = Identity("Allow", "dynamodb:Query");
  EXPECT_EQ(Decide(Ann(), policies), "not allowed by permissions boundary");
  policies.boundary = Identity("Deny", "dynamodb:GetItem");
  EXPECT_EQ(Decide(Ann(), policies), "denied by permissions boundary");
  policies.boundary.clear();
  policies.session = Identity("Allow", "dynamodb:Query");
  EXPECT_EQ(Decide(Session(), policies), "not allowed by session policy");
  policies.session.push_back(Identity("Allow", "dynamodb:GetItem")[0]);
  EXPECT_EQ(Decide(Session(), policies), "allowed");
}

TEST(Evaluation, AResourcePolicyIsEnoughWithinTheAccount) {
  EXPECT_EQ(Decide(Ann(), {.resource = Resource("Allow", kAnn)}), "allowed");
  EXPECT_EQ(Decide(Ann(), {.resource = Resource("Allow", "*")}), "allowed");
  EXPECT_EQ(Decide(Ann(), {.resource = Resource("Allow", kRole)}),
            "not allowed by identity-based policy");
  EXPECT_EQ(Decide(Ann(), {.resource = Resource("Allow", kAccount)}),
            "not allowed by identity-based policy")
      << "a grant to the account leaves it to the account's policies";
  EXPECT_EQ(Decide(Ann(), {.identity = Identity("Allow", "*"), .resource = Resource("Deny", kAnn)}),
            "denied by resource-based policy");
}

TEST(Evaluation, WhomAResourcePolicyNamesDecidesWhetherABoundaryLimitsIt) {
  const auto boundary = Identity("Allow", "dynamodb:Query");
  EXPECT_EQ(Decide(Ann(), {.boundary = boundary, .resource = Resource("Allow", kAnn)}), "allowed");
  EXPECT_EQ(Decide(Session(), {.boundary = boundary, .resource = Resource("Allow", kSession)}),
            "allowed");
  EXPECT_EQ(Decide(Session(), {.boundary = boundary, .resource = Resource("Allow", kRole)}),
            "not allowed by permissions boundary");
  EXPECT_EQ(Decide(Session(), {.session = boundary, .resource = Resource("Allow", kRole)}),
            "not allowed by session policy");
  EXPECT_EQ(Decide(Session(), {.resource = Resource("Allow", kRole)}), "allowed");
}

TEST(Evaluation, TwoAccountsMustBothAllow) {
  constexpr std::string_view kOther = "444455556666";
  PolicySet policies{.identity = Identity("Allow", "*")};
  EXPECT_EQ(Decide(Ann(), policies, kOther), "not allowed by resource-based policy");
  policies.resource = Resource("Allow", kAccount);
  EXPECT_EQ(Decide(Ann(), policies, kOther), "allowed");
  policies.identity.clear();
  EXPECT_EQ(Decide(Ann(), policies, kOther), "not allowed by identity-based policy");
  policies.resource = Resource("Allow", kAnn);
  EXPECT_EQ(Decide(Ann(), policies, kOther), "not allowed by identity-based policy");
}

TEST(Evaluation, TheRootMayAllThatNothingDenies) {
  const Caller root{.arn = "arn:aws:iam::111122223333:root",
                    .role_arn = "",
                    .account = std::string(kAccount),
                    .is_root = true};
  EXPECT_EQ(Decide(root, {}), "allowed");
  EXPECT_EQ(Decide(root, {.resource = Resource("Deny", kAccount)}),
            "denied by resource-based policy");
  EXPECT_EQ(Decide(root, {}, "444455556666"), "not allowed by resource-based policy");
}

TEST(Evaluation, NotPrincipal) {
  const auto allow = Identity("Allow", "*");
  const auto all_but_ann = Resource("Deny", kAnn, "NotPrincipal");
  EXPECT_EQ(Decide(Ann(), {.identity = allow, .resource = all_but_ann}), "allowed");
  EXPECT_EQ(Decide(Session(), {.identity = allow, .resource = all_but_ann}),
            "denied by resource-based policy");
  EXPECT_EQ(Decide(Ann(), {.identity = allow, .boundary = allow, .resource = all_but_ann}),
            "denied by resource-based policy")
      << "who has a boundary is always denied";
}

// --- The model: what a statement says as plain data, and evaluation by exhaustive rules.

struct DullStatement {
  bool allows = true;
  bool not_action = false;
  std::set<std::string> actions;  // letters; "*": all
  bool not_resource = false;
  std::set<std::string> resources;
  std::string principal;   // empty: of an identity-based policy
  std::string key_equals;  // empty: no condition; else the value of a:Key
};
using DullPolicy = std::vector<DullStatement>;

struct DullWorld {
  DullPolicy identity, boundary, session, resource;
  bool has_boundary = false, has_session = false, is_session = false, is_other_account = false;
  std::string action, table, key;  // key: empty if absent
};

bool DullMember(const std::set<std::string>& names, const std::string& name) {
  return names.count("*") > 0 || names.count(name) > 0;
}
bool DullCovers(const DullStatement& s, const DullWorld& w) {
  if (DullMember(s.actions, w.action) == s.not_action) return false;
  if (DullMember(s.resources, w.table) == s.not_resource) return false;
  if (!s.key_equals.empty() && s.key_equals != w.key) return false;
  if (s.principal.empty() || s.principal == "*" || s.principal == kAccount) return true;
  return w.is_session ? s.principal == kSession || s.principal == kRole : s.principal == kAnn;
}
bool DullSome(const DullPolicy& policy, const DullWorld& w, bool allows) {
  for (const DullStatement& s : policy) {
    if (s.allows == allows && DullCovers(s, w)) return true;
  }
  return false;
}
bool DullAllowed(const DullWorld& w) {
  for (const DullPolicy* policy : {&w.identity, &w.boundary, &w.session, &w.resource}) {
    if (DullSome(*policy, w, false)) return false;
  }
  const bool limits_allow = (!w.has_boundary || DullSome(w.boundary, w, true)) &&
                            (!w.has_session || DullSome(w.session, w, true));
  const bool by_identity = DullSome(w.identity, w, true) && limits_allow;
  if (w.is_other_account) return by_identity && DullSome(w.resource, w, true);
  for (const DullStatement& s : w.resource) {
    if (!s.allows || !DullCovers(s, w) || s.principal == kAccount) continue;
    const bool names_role = w.is_session && s.principal != kSession;
    if (!names_role || limits_allow) return true;
  }
  return by_identity;
}

std::string DullList(const std::set<std::string>& names, std::string_view prefix) {
  std::string text = "[";
  for (const std::string& name : names) {
    text += Concat(text.size() > 1 ? ", \"" : "\"", name == "*" ? "*" : Concat(prefix, name), "\"");
  }
  return text + "]";
}
std::string DullText(const DullPolicy& policy) {
  std::string text = "{\"Statement\": [";
  for (const DullStatement& s : policy) {
    if (text.back() == '}') text += ",\n";
    text += Concat("{\"Effect\": \"", s.allows ? "Allow" : "Deny", "\", \"",
                   s.not_action ? "NotAction" : "Action", "\": ", DullList(s.actions, "dynamodb:"),
                   ", \"", s.not_resource ? "NotResource" : "Resource",
                   "\": ", DullList(s.resources, "arn:aws:dynamodb:*:*:table/"));
    if (!s.principal.empty()) text += Concat(", \"Principal\": {\"AWS\": \"", s.principal, "\"}");
    if (!s.key_equals.empty()) {
      text += Concat(", \"Condition\": {\"StringEquals\": {\"a:Key\": \"", s.key_equals, "\"}}");
    }
    text += "}";
  }
  return text + "]}";
}

class DullMaker {
 public:
  explicit DullMaker(unsigned seed) : random_(seed) {}
  bool Often(int of) { return static_cast<int>(random_() % 6) < of; }
  std::string Letter() { return std::string(1, static_cast<char>('a' + random_() % 3)); }
  std::set<std::string> Letters() {
    std::set<std::string> letters = {Often(1) ? "*" : Letter()};
    if (Often(2)) letters.insert(Letter());
    return letters;
  }
  DullPolicy MakePolicy(bool with_principals) {
    DullPolicy policy(1 + random_() % 3);
    for (DullStatement& s : policy) {
      s.allows = Often(5);
      s.not_action = Often(1);
      s.actions = Letters();
      s.not_resource = Often(1);
      s.resources = Letters();
      if (Often(1)) s.key_equals = Letter();
      const std::string principals[] = {"*", std::string(kAccount), kAnn, kRole, kSession};
      if (with_principals) s.principal = principals[random_() % 5];
    }
    return policy;
  }
  DullWorld MakeWorld() {
    DullWorld w;
    w.is_session = Often(3);
    w.is_other_account = Often(2);
    w.has_boundary = Often(3);
    w.has_session = w.is_session && Often(3);
    if (Often(5)) w.identity = MakePolicy(false);
    if (w.has_boundary) w.boundary = MakePolicy(false);
    if (w.has_session) w.session = MakePolicy(false);
    if (Often(4)) w.resource = MakePolicy(true);
    w.action = Letter();
    w.table = Letter();
    if (Often(4)) w.key = Letter();
    return w;
  }

 private:
  std::mt19937 random_;
};

TEST(Evaluation, AgreesWithADullModel) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(Concat("seed ", seed));
  DullMaker maker(seed);
  int allowed = 0;
  constexpr int kWorlds = 1000;
  for (int i = 0; i < kWorlds; ++i) {
    const DullWorld w = maker.MakeWorld();
    const auto parsed = [](const DullPolicy& policy, PolicyUse use) {
      return policy.empty() ? std::vector<NamedPolicy>() : Only(DullText(policy), use);
    };
    const PolicySet policies{.identity = parsed(w.identity, PolicyUse::kIdentity),
                             .boundary = parsed(w.boundary, PolicyUse::kIdentity),
                             .session = parsed(w.session, PolicyUse::kIdentity),
                             .resource = parsed(w.resource, PolicyUse::kResource)};
    AccessRequest request{
        .action = Concat("dynamodb:", w.action),
        .resource = Concat("arn:aws:dynamodb:us-east-1:111122223333:table/", w.table),
        .resource_account = std::string(w.is_other_account ? "444455556666" : kAccount),
        .context = {}};
    if (!w.key.empty()) request.context.Set("a:Key", w.key);
    const bool is_allowed =
        Evaluate(w.is_session ? Session() : Ann(), policies, request).is_allowed;
    allowed += is_allowed;
    ASSERT_EQ(is_allowed, DullAllowed(w))
        << "identity " << DullText(w.identity) << "\nboundary " << DullText(w.boundary)
        << "\nsession " << DullText(w.session) << "\nresource " << DullText(w.resource)
        << "\naction " << w.action << ", table " << w.table << ", key " << w.key
        << (w.is_session ? ", a session" : "") << (w.is_other_account ? ", another account" : "");
  }
  // Neither answer is rare.
  EXPECT_GT(allowed, kWorlds / 10);
  EXPECT_LT(allowed, kWorlds * 9 / 10);
}

}  // namespace
}  // namespace dynolith::iam
