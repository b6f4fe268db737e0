#include "tools/server/iam/guard.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <map>

#include "api/request/operation_context.h"
#include "api/service/database_instance.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_meta.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/iam/messages.h"
#include "tools/server/wire/messages.h"

namespace dynolith::iam {
namespace {

// Bodies that are deeper are refused by the wire's own reader (api/json).
constexpr int kBodyDepthMax = 1100;

std::string AddressText(const http::AddressBytes& address) {
  constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  const bool is_v4 = std::equal(kMapped.begin(), kMapped.end(), address.begin());
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_v4) {
    inet_ntop(AF_INET, address.data() + kMapped.size(), text.data(), text.size());
  } else if (address != http::AddressBytes{}) {
    inet_ntop(AF_INET6, address.data(), text.data(), text.size());
  }
  return text.data();
}

std::vector<std::string> NamesOf(const std::vector<KeyAttribute>& attributes) {
  std::vector<std::string> names;
  names.reserve(attributes.size());
  for (const KeyAttribute& attribute : attributes) names.push_back(attribute.name);
  return names;
}

TableFacts FactsOf(const TableMeta& meta) {
  TableFacts facts;
  facts.partition_key = NamesOf(meta.schema.key.hash);
  for (const IndexSchema& index : meta.schema.indexes) {
    facts.index_keys[index.name] = NamesOf(index.key.hash);
  }
  facts.tags = {meta.tags.begin(), meta.tags.end()};
  if (meta.policy) facts.policy = meta.policy->document;
  facts.stream_label = meta.stream.label;
  if (meta.stream.policy) facts.stream_policy = meta.stream.policy->document;
  facts.stream_tags = {meta.stream.tags.begin(), meta.stream.tags.end()};
  return facts;
}

// The tables of a call's database, each looked up once.
class TablesOfCall {
 public:
  // nullptr: there is no database.
  explicit TablesOfCall(const OperationContext* context) : context_(context) {}

  const TableFacts* Find(std::string_view name) {
    const auto found = facts_.find(name);
    if (found != facts_.end()) return found->second ? &*found->second : nullptr;
    std::optional<TableFacts>& facts = facts_[std::string(name)];
    const auto table = context_ == nullptr ? nullptr : context_->catalog->Find(name);
    if (table != nullptr) facts = FactsOf(*table->meta());
    return facts ? &*facts : nullptr;
  }

 private:
  const OperationContext* const context_;
  std::map<std::string, std::optional<TableFacts>, std::less<>> facts_;
};

// What holds for a whole call.
RequestContext CommonContext(const Principal& principal, const Connection& connection,
                             std::string_view region, absl::Time now) {
  RequestContext context;
  const auto set = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) context.Set(key, std::string(value));
  };
  const Caller& caller = principal.caller;
  set("aws:PrincipalArn", caller.role_arn.empty() ? caller.arn : caller.role_arn);
  set("aws:PrincipalAccount", caller.account);
  set("aws:PrincipalType", principal.type);
  set("aws:PrincipalIsAWSService", "false");
  set("aws:ViaAWSService", "false");
  set("aws:userid", principal.user_id);
  set("aws:username", principal.user_name);
  set("aws:SourceIdentity", principal.source_identity);
  for (const auto& [key, value] : principal.tags) {
    context.Set(Concat("aws:PrincipalTag/", key), value);
  }
  set("aws:SourceIp", connection.source_ip);
  set("aws:UserAgent", connection.user_agent);
  set("aws:Referer", connection.referer);
  set("aws:SecureTransport", connection.is_secure ? "true" : "false");
  set("aws:RequestedRegion", region);
  set("aws:CurrentTime", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", now, absl::UTCTimeZone()));
  set("aws:EpochTime", std::to_string(absl::ToUnixSeconds(now)));
  return context;
}

// The policy and the tags of a resource: a table's are also those of its indexes.
struct ResourceFacts {
  std::string_view policy;
  const std::vector<std::pair<std::string, std::string>>* tags = nullptr;
};
ResourceFacts FactsFor(const CallNeed& need, const TableFacts& facts) {
  constexpr std::string_view kStream = "/stream/";
  const size_t at = need.resource.find(kStream);
  if (at == std::string::npos) return {facts.policy, &facts.tags};
  if (need.resource.substr(at + kStream.size()) != facts.stream_label) return {};
  return {facts.stream_policy, &facts.stream_tags};
}

AskedNeed Prepare(CallNeed need, const Principal& principal, const RequestContext& common,
                  std::string_view account, const TableFacts* facts) {
  AskedNeed asked{.need = std::move(need), .policies = principal.policies};
  asked.request = {.action = asked.need.action,
                   .resource = asked.need.resource,
                   .resource_account = AccountOfArn(asked.need.resource),
                   .context = common};
  AccessRequest& request = asked.request;
  if (request.resource_account.empty()) request.resource_account = account;
  request.context.Set("aws:ResourceAccount", request.resource_account);
  for (const auto& [key, values] : asked.need.keys.values()) request.context.SetList(key, values);
  if (facts == nullptr || request.resource_account != account) return asked;
  const ResourceFacts resource = FactsFor(asked.need, *facts);
  if (resource.tags != nullptr) {
    for (const auto& [key, value] : *resource.tags) {
      request.context.Set(Concat("aws:ResourceTag/", key), value);
    }
  }
  if (resource.policy.empty()) return asked;
  absl::StatusOr<Policy> policy = ParsePolicy(resource.policy, "policy", PolicyUse::kResource);
  if (policy.ok()) {
    asked.policies.resource.push_back(
        {asked.need.table, std::make_shared<const Policy>(*std::move(policy))});
  } else {
    asked.unreadable = policy.status();
  }
  return asked;
}

}  // namespace

absl::StatusOr<std::vector<AskedNeed>> IamGuard::Ask(const AskedCall& call, bool may_wait) const {
  // In the order in which they are needed: the state must not outlive its database.
  std::shared_ptr<DatabaseInstance> named;
  std::optional<DatabaseInstance::Use> use;
  if (call.database.empty()) {
    use = options_.databases->first().TryBegin();
    if (!use && may_wait) use = options_.databases->first().Begin();
  } else {
    named = options_.databases->FindOpen(call.database);
    if (named == nullptr && may_wait) {
      DYNOLITH_ASSIGN_OR_RETURN(named, options_.databases->Find(call.database));
    }
    if (named != nullptr) use = named->TryBegin();
    if (!use && named != nullptr && may_wait) use = named->Begin();
  }
  if (!use && !may_wait) return absl::UnavailableError("");
  // A database that a call will make has no tables yet.
  const OperationContext* const database = use && *use ? &ContextOf(*use->database()) : nullptr;
  const std::string_view region = database == nullptr ? options_.region : database->region;
  const std::string_view account = database == nullptr ? options_.account : database->account_id;
  const absl::Time now = database == nullptr ? SystemClock().Now() : database->clock->Now();
  if (call.principal->expires && *call.principal->expires <= now) {
    return MakeError(ErrorKind::kUnrecognizedClient, messages::ExpiredToken());
  }
  TablesOfCall tables(database);
  const CallText text{.operation = call.operation,
                      .body = call.body,
                      .region = region,
                      .account = account,
                      .find_table = [&](std::string_view name) { return tables.Find(name); }};
  const RequestContext common = CommonContext(*call.principal, *call.connection, region, now);
  std::vector<AskedNeed> asked;
  // What other services do is on no resource of tables.
  const bool is_other = call.operation.find(':') != call.operation.npos;
  for (CallNeed& need :
       is_other ? std::vector<CallNeed>{{std::string(call.operation), "*"}} : NeedsOfCall(text)) {
    const TableFacts* const facts = need.table.empty() ? nullptr : tables.Find(need.table);
    asked.push_back(Prepare(std::move(need), *call.principal, common, account, facts));
    AskedNeed& last = asked.back();
    last.decision = Evaluate(call.principal->caller, last.policies, last.request);
    if (!last.unreadable.ok()) last.decision = {false, true, PolicyKind::kResource};
  }
  return asked;
}

absl::Status IamGuard::Refusal(const Principal& principal, const AskedNeed& asked) {
  const Decision& decision = asked.decision;
  if (decision.is_allowed) return absl::OkStatus();
  if (!asked.unreadable.ok()) {
    return MakeError(
        ErrorKind::kAccessDenied,
        messages::IamPolicyUnreadable(asked.need.resource, ToStd(asked.unreadable.message())));
  }
  const std::string_view kind = PolicyKindName(decision.kind);
  const std::string why = decision.is_explicit ? messages::ExplicitDeny(kind)
                                               : messages::NoPolicyAllows(kind, asked.need.action);
  return MakeError(
      ErrorKind::kAccessDenied,
      messages::NotAuthorized(principal.caller.arn, asked.need.action, asked.need.resource, why));
}

absl::StatusOr<const Principal*> IamGuard::FindPrincipal(std::string_view access_key) const {
  if (access_key.empty()) {
    return MakeError(ErrorKind::kMissingAuthenticationToken,
                     messages::MissingAuthenticationToken());
  }
  const Principal* const principal = options_.principals.Find(access_key);
  if (principal == nullptr) {
    return MakeError(ErrorKind::kUnrecognizedClient, messages::UnknownKeyId());
  }
  return principal;
}

absl::Status IamGuard::Decide(const http::GuardedCall& call, bool may_wait) const {
  DYNOLITH_ASSIGN_OR_RETURN(const Principal* const principal, FindPrincipal(call.access_key));
  const std::optional<JsonTree> body = ParseJson(call.body, kBodyDepthMax);
  if (!body) return MakeError(ErrorKind::kSerialization, "");
  if (const JsonTree::Member* const twice = designs::NameTwice(*body)) {
    return MakeError(ErrorKind::kAccessDenied, messages::IamBodyAmbiguous(twice->name));
  }
  const Connection connection = {
      .source_ip = AddressText(call.request->peer),
      .user_agent = std::string(call.request->Find("user-agent").value_or("")),
      .referer = std::string(call.request->Find("referer").value_or("")),
      .is_secure = options_.is_secure};
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<AskedNeed> asked, Ask({.principal = principal,
                                                                     .database = call.database,
                                                                     .operation = call.operation,
                                                                     .body = &*body,
                                                                     .connection = &connection},
                                                                    may_wait));
  for (const AskedNeed& each : asked) DYNOLITH_RETURN_IF_ERROR(Refusal(*principal, each));
  return absl::OkStatus();
}

std::optional<absl::Status> IamGuard::Check(const http::GuardedCall& call, bool may_wait) const {
  absl::Status decided = Decide(call, may_wait);
  if (absl::IsUnavailable(decided) && !may_wait) return std::nullopt;
  if (decided.ok() || options_.enforces) return decided;
  // A call that begins on a loop may begin again on a worker: there it is noted, once.
  if (!may_wait) return std::nullopt;
  if (options_.note) options_.note(messages::WouldBeDenied(MessageOf(decided)));
  return absl::OkStatus();
}

}  // namespace dynolith::iam
