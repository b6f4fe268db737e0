#include "tools/server/iam/check/trace_check.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/server/iam/policy/evaluate.h"
#include "tools/server/trace/trace_reader.h"

namespace dynolith::iam {
namespace {

using trace::Operation;
using trace::Use;

// A policy without the conditions that a trace cannot decide.
struct DecidablePolicy {
  struct Part {
    Statement statement;
    std::vector<std::string> unknown_keys;
  };
  std::vector<Part> parts;
};

// Keys that depend on a request alone, as far as a trace has it.
bool IsDecidable(std::string_view key, bool has_leading_key) {
  const auto is = [&](std::string_view name) {
    return absl::EqualsIgnoreCase(ToAbsl(key), ToAbsl(name));
  };
  if (is("dynamodb:LeadingKeys") || is("dynamodb:FirstPartitionKeyValues")) return has_leading_key;
  return is("dynamodb:EnclosingOperation") || is("dynamodb:FullTableScan") ||
         is("aws:CurrentTime") || is("aws:EpochTime") || is("aws:RequestedRegion") ||
         is("aws:ResourceAccount");
}

DecidablePolicy Decidable(const Policy& policy, bool has_leading_key) {
  DecidablePolicy decidable;
  for (const Statement& statement : policy.statements) {
    DecidablePolicy::Part part{statement, {}};
    part.statement.conditions.clear();
    for (const Condition& condition : statement.conditions) {
      if (IsDecidable(condition.key, has_leading_key)) {
        part.statement.conditions.push_back(condition);
      } else {
        part.unknown_keys.push_back(condition.key);
      }
    }
    decidable.parts.push_back(std::move(part));
  }
  return decidable;
}

enum class Verdict { kAllowed, kUndecided, kRefused };

Verdict Judge(const DecidablePolicy& policy, const AccessRequest& request,
              std::set<std::string>* missing) {
  const Caller nobody;
  bool may_allow = false;
  bool allows = false;
  bool may_deny = false;
  std::set<std::string> keys;
  for (const auto& [statement, unknown_keys] : policy.parts) {
    const StatementMatch match = MatchStatement(statement, nobody, false, request);
    if (match.mismatch != StatementPart::kNone) continue;
    keys.insert(unknown_keys.begin(), unknown_keys.end());
    if (!statement.allows && unknown_keys.empty()) return Verdict::kRefused;
    if (!statement.allows) may_deny = true;
    if (statement.allows) may_allow = true;
    if (statement.allows && unknown_keys.empty()) allows = true;
  }
  if (!may_allow) return Verdict::kRefused;
  if (allows && !may_deny) return Verdict::kAllowed;
  missing->insert(keys.begin(), keys.end());
  return Verdict::kUndecided;
}

// The actions that a call of that operation may need for a use. None: the use needs none of its
// own, as one of an index by a write.
std::vector<std::string> ActionsFor(Operation operation, bool is_read, bool is_index) {
  const std::string name(trace::OperationName(operation));
  switch (operation) {
    case Operation::kOther:
      return {};
    case Operation::kGetItem:
    case Operation::kBatchGetItem:
    case Operation::kQuery:
    case Operation::kScan:
      return {name};
    case Operation::kTransactGetItems:
      return {"GetItem"};
    case Operation::kPutItem:
    case Operation::kUpdateItem:
    case Operation::kDeleteItem:
    case Operation::kBatchWriteItem:
      if (is_index) return {};
      return {name};
    case Operation::kTransactWriteItems:
      if (is_index) return {};
      return {"ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"};
    case Operation::kExecuteStatement:
    case Operation::kBatchExecuteStatement:
    case Operation::kExecuteTransaction:
      if (is_read) return {"PartiQLSelect"};
      if (is_index) return {};
      return {"PartiQLDelete", "PartiQLInsert", "PartiQLUpdate"};
  }
  return {};
}

// The calls of one trace, one by one.
class Checker {
 public:
  Checker(const TraceCheckOptions& options, const Policy* policy)
      : options_(options), has_policy_(policy != nullptr) {
    if (policy == nullptr) return;
    with_keys_ = Decidable(*policy, true);
    without_keys_ = Decidable(*policy, false);
  }

  // `resources`: of the trace. Counts each need once a call.
  void Add(const trace::Request& request, const std::vector<trace::Resource>& resources,
           bool has_plain_keys);
  TraceCheck Take();

 private:
  using GroupKey = std::tuple<std::string, std::string, std::vector<std::string>>;

  AccessRequest RequestOf(const trace::Request& request, const Use& use, const std::string& arn,
                          const std::optional<std::string>& key) const;
  // The verdict about all actions that it may need.
  Verdict JudgeAll(AccessRequest request, const std::vector<std::string>& actions, bool has_key,
                   std::set<std::string>* missing) const;

  const TraceCheckOptions& options_;
  const bool has_policy_;
  DecidablePolicy with_keys_;
  DecidablePolicy without_keys_;
  std::map<GroupKey, CheckedGroup> groups_;
  int64_t others_ = 0;
};

AccessRequest Checker::RequestOf(const trace::Request& request, const Use& use,
                                 const std::string& arn,
                                 const std::optional<std::string>& key) const {
  AccessRequest made{
      .action = "", .resource = arn, .resource_account = options_.account, .context = {}};
  const absl::Time at = absl::FromUnixMicros(request.at);
  made.context.Set("aws:CurrentTime",
                   absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", at, absl::UTCTimeZone()));
  made.context.Set("aws:EpochTime", std::to_string(absl::ToUnixSeconds(at)));
  made.context.Set("aws:RequestedRegion", options_.region);
  made.context.Set("aws:ResourceAccount", options_.account);
  if (key) {
    made.context.Set("dynamodb:LeadingKeys", *key);
    made.context.Set("dynamodb:FirstPartitionKeyValues", *key);
  }
  const bool is_enclosed = request.operation == Operation::kTransactGetItems ||
                           request.operation == Operation::kTransactWriteItems ||
                           request.operation == Operation::kExecuteTransaction;
  if (is_enclosed) {
    made.context.Set("dynamodb:EnclosingOperation",
                     std::string(trace::OperationName(request.operation)));
  }
  const bool is_statement = request.operation == Operation::kExecuteStatement ||
                            request.operation == Operation::kBatchExecuteStatement ||
                            request.operation == Operation::kExecuteTransaction;
  if (is_statement && use.kind == AccessKind::kRead) {
    made.context.Set("dynamodb:FullTableScan", use.has_key ? "false" : "true");
  }
  return made;
}

Verdict Checker::JudgeAll(AccessRequest request, const std::vector<std::string>& actions,
                          bool has_key, std::set<std::string>* missing) const {
  if (!has_policy_) return Verdict::kAllowed;
  size_t allowed = 0;
  size_t refused = 0;
  for (const std::string& action : actions) {
    request.action = action;
    const Verdict verdict = Judge(has_key ? with_keys_ : without_keys_, request, missing);
    allowed += verdict == Verdict::kAllowed;
    refused += verdict == Verdict::kRefused;
  }
  if (allowed == actions.size()) return Verdict::kAllowed;
  return refused == actions.size() ? Verdict::kRefused : Verdict::kUndecided;
}

void Checker::Add(const trace::Request& request, const std::vector<trace::Resource>& resources,
                  bool has_plain_keys) {
  if (request.operation == Operation::kOther) {
    ++others_;
    return;
  }
  // A call is refused by one of its needs, and undecided only if none is refused.
  std::map<GroupKey, std::pair<Verdict, std::string>> verdicts;
  std::map<GroupKey, std::set<std::string>> missing;
  for (const Use& use : request.uses) {
    const trace::Resource& resource = resources[use.resource];
    std::vector<std::string> actions =
        ActionsFor(request.operation, use.kind == AccessKind::kRead, !resource.index.empty());
    if (actions.empty()) continue;
    for (std::string& action : actions) action.insert(0, "dynamodb:");
    std::string arn = Concat("arn:aws:dynamodb:", options_.region, ":", options_.account, ":table/",
                             resource.table);
    if (!resource.index.empty()) arn += Concat("/index/", resource.index);
    std::optional<std::string> key;
    // Of bytes, and of several attributes, the text is not what policies compare.
    const bool is_plain = has_plain_keys && use.has_key && resource.key.hash.size() == 1 &&
                          resource.key.hash[0].type != Type::kBinary;
    if (is_plain) key = trace::PartitionKeyText(resource, use);
    // A part of a scan has no key, which is known.
    const bool is_decided = key.has_value() || !use.has_key;
    const GroupKey group(trace::OperationName(request.operation), arn, actions);
    const Verdict verdict =
        JudgeAll(RequestOf(request, use, arn, key), actions, is_decided, &missing[group]);
    const auto [found, is_new] = verdicts.try_emplace(group, verdict, key.value_or(""));
    if (!is_new && verdict > found->second.first) found->second = {verdict, key.value_or("")};
  }
  for (const auto& [key, verdict] : verdicts) {
    CheckedGroup& group = groups_[key];
    std::tie(group.operation, group.resource, group.actions) = key;
    ++group.calls;
    if (verdict.first == Verdict::kRefused && group.refused++ == 0) {
      group.refused_key = verdict.second;
    }
    if (verdict.first != Verdict::kUndecided) continue;
    ++group.undecided;
    group.missing.insert(missing[key].begin(), missing[key].end());
  }
}

TraceCheck Checker::Take() {
  TraceCheck check;
  for (auto& [key, group] : groups_) check.groups.push_back(std::move(group));
  check.others = others_;
  return check;
}

std::string JsonList(const std::set<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    if (list.size() > 1) list += ", ";
    AppendJsonString(text, &list);
  }
  return list + "]";
}

}  // namespace

absl::StatusOr<TraceCheck> CheckTrace(
    const TraceCheckOptions& options, const Policy* policy,
    const std::function<absl::StatusOr<std::string>(const std::string& path)>& read) {
  // The resources are complete only at the end. A first pass finds them.
  DYNOLITH_ASSIGN_OR_RETURN(
      trace::TraceContents contents,
      trace::ReadTrace(options.trace_file, read, [](const trace::Request&) {}));
  Checker checker(options, policy);
  DYNOLITH_ASSIGN_OR_RETURN(
      const trace::TraceContents again,
      trace::ReadTrace(options.trace_file, read, [&](const trace::Request& request) {
        // A server may have written more meanwhile.
        const bool is_known =
            std::all_of(request.uses.begin(), request.uses.end(),
                        [&](const Use& use) { return use.resource < contents.resources.size(); });
        if (is_known) checker.Add(request, contents.resources, contents.has_plain_keys);
      }));
  TraceCheck check = checker.Take();
  check.warnings = again.warnings;
  return check;
}

std::string LeastPolicy(const TraceCheck& check) {
  std::map<std::string, std::set<std::string>> by_resource;
  for (const CheckedGroup& group : check.groups) {
    by_resource[group.resource].insert(group.actions.begin(), group.actions.end());
  }
  std::map<std::set<std::string>, std::set<std::string>> by_actions;
  for (const auto& [resource, actions] : by_resource) by_actions[actions].insert(resource);
  std::string text = "{\n  \"Version\": \"2012-10-17\",\n  \"Statement\": [";
  std::string_view separator = "\n";
  for (const auto& [actions, resources] : by_actions) {
    text += Concat(separator,
                   "    {\n      \"Effect\": \"Allow\",\n      \"Action\": ", JsonList(actions),
                   ",\n      \"Resource\": ", JsonList(resources), "\n    }");
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace dynolith::iam
