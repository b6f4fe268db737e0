#include "tools/server/iam/policy/policy.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/server/iam/policy/messages.h"

namespace dynolith::iam {
namespace {

using Kind = JsonTree::Kind;

// Policies are six levels deep, a file with one a few more; the bound keeps the recursion small.
constexpr int kPolicyDepthMax = 32;
constexpr std::string_view kVersionWithVariables = "2012-10-17";
constexpr std::string_view kVersionWithout = "2008-10-17";
constexpr size_t kAccountDigits = 12;
constexpr int kArnColons = 5;

std::string_view WantedKind(Kind kind) {
  return kind == Kind::kMap ? "an object" : kind == Kind::kList ? "a list" : "a text";
}

bool IsAccount(std::string_view text) {
  return text.size() == kAccountDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string Member(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : Concat(path, ".", name);
}

// Reads one policy; the first fault ends it.
class PolicyReader {
 public:
  PolicyReader(std::string_view name, PolicyUse use) : name_(name), use_(use) {}

  absl::StatusOr<Policy> Read(const JsonTree& tree, std::string_view path);

 private:
  absl::Status Fault(const JsonTree& at, std::string_view path, std::string_view reason) const {
    return PolicyErrorAt(at, name_, path, reason);
  }
  absl::Status Want(const JsonTree& tree, Kind kind, std::string_view path) const {
    if (tree.kind == kind) return absl::OkStatus();
    return Fault(tree, path, messages::PolicyWants(WantedKind(kind)));
  }
  // Whether all members are known, and none of them occurs twice.
  absl::Status CheckMembers(const JsonTree& tree, const std::vector<std::string>& known,
                            std::string_view path) const;
  absl::Status CheckVersion(const JsonTree& tree, std::string_view path);
  // A text or a list of texts, or of numbers and words where `scalars`.
  absl::StatusOr<std::vector<const JsonTree*>> Texts(const JsonTree& tree, std::string_view path,
                                                     bool scalars = false) const;
  // The one of two members that is there; nullptr: none, unless it `must`.
  absl::StatusOr<const JsonTree*> OneOf(const JsonTree& tree, std::string_view name, bool must,
                                        std::string_view path, bool* is_not) const;
  absl::StatusOr<Statement> ReadStatement(const JsonTree& tree, std::string_view path);
  absl::Status ReadSid(const JsonTree& tree, std::string_view path, Statement* statement);
  absl::Status ReadEffect(const JsonTree& tree, std::string_view path, Statement* statement) const;
  absl::Status ReadActions(const JsonTree& tree, std::string_view path, Statement* statement) const;
  absl::Status ReadResources(const JsonTree& tree, std::string_view path,
                             Statement* statement) const;
  absl::Status ReadPrincipals(const JsonTree& tree, std::string_view path,
                              Statement* statement) const;
  absl::Status ReadPrincipal(std::string_view kind, const JsonTree& tree, std::string_view path,
                             Statement* statement) const;
  absl::Status ReadConditions(const JsonTree& tree, std::string_view path,
                              Statement* statement) const;
  absl::Status ReadCondition(const ConditionOperator& compare, const JsonTree::Member& member,
                             std::string_view path, Statement* statement) const;

  const std::string name_;
  const PolicyUse use_;
  bool variables_ = false;
  std::set<std::string> sids_;
};

absl::Status PolicyReader::CheckMembers(const JsonTree& tree, const std::vector<std::string>& known,
                                        std::string_view path) const {
  std::set<std::string_view> seen;
  for (const JsonTree::Member& member : tree.members) {
    JsonTree at;
    at.line = member.value.name_line;
    at.column = member.value.name_column;
    if (!known.empty() && std::find(known.begin(), known.end(), member.name) == known.end()) {
      return Fault(at, path,
                   messages::PolicyUnknownElement(member.name, NearestWord(member.name, known)));
    }
    if (!seen.insert(member.name).second) {
      return Fault(at, path, messages::PolicyElementTwice(member.name));
    }
  }
  return absl::OkStatus();
}

absl::Status PolicyReader::CheckVersion(const JsonTree& tree, std::string_view path) {
  const JsonTree* const version = tree.Find("Version");
  if (version == nullptr) return absl::OkStatus();
  const std::string at = Member(path, "Version");
  DYNOLITH_RETURN_IF_ERROR(Want(*version, Kind::kString, at));
  variables_ = version->text == kVersionWithVariables;
  if (variables_ || version->text == kVersionWithout) return absl::OkStatus();
  return Fault(*version, at, messages::PolicyVersionUnknown(version->text));
}

absl::StatusOr<std::vector<const JsonTree*>> PolicyReader::Texts(const JsonTree& tree,
                                                                 std::string_view path,
                                                                 bool scalars) const {
  const auto is_text = [scalars](const JsonTree& each) {
    return each.kind == Kind::kString ||
           (scalars && each.kind == Kind::kOther && each.text != "null");
  };
  if (is_text(tree)) return std::vector<const JsonTree*>{&tree};
  if (tree.kind != Kind::kList) {
    return Fault(tree, path, messages::PolicyWants("a text or a list of texts"));
  }
  if (tree.elements.empty()) return Fault(tree, path, messages::PolicyEmptyList());
  std::vector<const JsonTree*> texts;
  for (const JsonTree& element : tree.elements) {
    if (!is_text(element)) {
      return Fault(element, Concat(path, "[", texts.size(), "]"), messages::PolicyWants("a text"));
    }
    texts.push_back(&element);
  }
  return texts;
}

absl::StatusOr<const JsonTree*> PolicyReader::OneOf(const JsonTree& tree, std::string_view name,
                                                    bool must, std::string_view path,
                                                    bool* is_not) const {
  const std::string other = Concat("Not", name);
  const JsonTree* const plain = tree.Find(name);
  const JsonTree* const negated = tree.Find(other);
  if (plain != nullptr && negated != nullptr) {
    return Fault(*negated, path, messages::PolicyElementExcluded(name, other));
  }
  *is_not = negated != nullptr;
  if (plain == nullptr && negated == nullptr && must) {
    return Fault(tree, path, messages::PolicyElementMissing(Concat(name, " or ", other)));
  }
  return *is_not ? negated : plain;
}

absl::Status PolicyReader::ReadSid(const JsonTree& tree, std::string_view path,
                                   Statement* statement) {
  const JsonTree* const sid = tree.Find("Sid");
  if (sid == nullptr) return absl::OkStatus();
  const std::string at = Member(path, "Sid");
  DYNOLITH_RETURN_IF_ERROR(Want(*sid, Kind::kString, at));
  const auto is_plain = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  // Those of resource-based policies may have other characters (api/facts/iam.md §1).
  if (use_ == PolicyUse::kIdentity && !std::all_of(sid->text.begin(), sid->text.end(), is_plain)) {
    return Fault(*sid, at, messages::PolicySidInvalid(sid->text));
  }
  if (!sid->text.empty() && !sids_.insert(sid->text).second) {
    return Fault(*sid, at, messages::PolicySidTwice(sid->text));
  }
  statement->sid = sid->text;
  return absl::OkStatus();
}

absl::Status PolicyReader::ReadEffect(const JsonTree& tree, std::string_view path,
                                      Statement* statement) const {
  const JsonTree* const effect = tree.Find("Effect");
  if (effect == nullptr) return Fault(tree, path, messages::PolicyElementMissing("Effect"));
  const std::string at = Member(path, "Effect");
  DYNOLITH_RETURN_IF_ERROR(Want(*effect, Kind::kString, at));
  statement->allows = effect->text == "Allow";
  if (statement->allows || effect->text == "Deny") return absl::OkStatus();
  return Fault(*effect, at, messages::PolicyEffectUnknown(effect->text));
}

absl::Status PolicyReader::ReadActions(const JsonTree& tree, std::string_view path,
                                       Statement* statement) const {
  DYNOLITH_ASSIGN_OR_RETURN(
      const JsonTree* const actions,
      OneOf(tree, "Action", /*must=*/true, path, &statement->excludes_actions));
  const std::string at = Member(path, statement->excludes_actions ? "NotAction" : "Action");
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<const JsonTree*> texts, Texts(*actions, at));
  for (const JsonTree* const action : texts) {
    const size_t colon = action->text.find(':');
    const bool has_both =
        colon != std::string::npos && colon > 0 && colon + 1 < action->text.size();
    if (action->text != "*" && !has_both) {
      return Fault(*action, at, messages::PolicyActionInvalid(action->text));
    }
    // Names of actions are compared without case.
    statement->actions.push_back(*Pattern::Parse(action->text, {.ignores_case = true}));
  }
  return absl::OkStatus();
}

absl::Status PolicyReader::ReadResources(const JsonTree& tree, std::string_view path,
                                         Statement* statement) const {
  DYNOLITH_ASSIGN_OR_RETURN(
      const JsonTree* const resources,
      OneOf(tree, "Resource", /*must=*/true, path, &statement->excludes_resources));
  const std::string at = Member(path, statement->excludes_resources ? "NotResource" : "Resource");
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<const JsonTree*> texts, Texts(*resources, at));
  for (const JsonTree* const resource : texts) {
    if (resource->text != "*" && !resource->text.starts_with("arn:")) {
      return Fault(*resource, at, messages::PolicyResourceInvalid(resource->text));
    }
    std::optional<Pattern> pattern = Pattern::Parse(resource->text, {.variables = variables_});
    if (!pattern) return Fault(*resource, at, messages::PolicyVariableOpen(resource->text));
    statement->resources.push_back(*std::move(pattern));
  }
  return absl::OkStatus();
}

absl::Status PolicyReader::ReadPrincipal(std::string_view kind, const JsonTree& tree,
                                         std::string_view path, Statement* statement) const {
  if (kind == "Service" || kind == "Federated" || kind == "CanonicalUser") {
    statement->principals.push_back({PrincipalKind::kForeign, tree.text});
    return absl::OkStatus();
  }
  if (kind != "AWS") return Fault(tree, path, messages::PolicyPrincipalKind(kind));
  const std::string_view text = tree.text;
  if (text == "*") {
    statement->principals.push_back({PrincipalKind::kEverybody, "*"});
    return absl::OkStatus();
  }
  if (IsAccount(text)) {
    statement->principals.push_back({PrincipalKind::kAccount, tree.text});
    return absl::OkStatus();
  }
  const bool is_arn = text.starts_with("arn:") &&
                      std::count(text.begin(), text.end(), ':') >= kArnColons &&
                      text.find_first_of("*?") == std::string_view::npos;
  if (!is_arn) return Fault(tree, path, messages::PolicyPrincipalInvalid(text));
  if (text.ends_with(":root")) {
    std::string_view account = text.substr(0, text.size() - std::string_view(":root").size());
    account.remove_prefix(account.rfind(':') + 1);
    if (!IsAccount(account)) return Fault(tree, path, messages::PolicyPrincipalInvalid(text));
    statement->principals.push_back({PrincipalKind::kAccount, std::string(account)});
    return absl::OkStatus();
  }
  statement->principals.push_back({PrincipalKind::kArn, tree.text});
  return absl::OkStatus();
}

absl::Status PolicyReader::ReadPrincipals(const JsonTree& tree, std::string_view path,
                                          Statement* statement) const {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree* const principals,
                            OneOf(tree, "Principal", use_ == PolicyUse::kResource, path,
                                  &statement->excludes_principals));
  if (principals == nullptr) return absl::OkStatus();
  const std::string_view name = statement->excludes_principals ? "NotPrincipal" : "Principal";
  const std::string at = Member(path, name);
  if (use_ == PolicyUse::kIdentity) {
    return Fault(*principals, path, messages::PolicyElementElsewhere(name));
  }
  if (statement->excludes_principals && statement->allows) {
    return Fault(*principals, path, messages::PolicyNotPrincipalAllows());
  }
  statement->has_principals = true;
  if (principals->kind == Kind::kString) return ReadPrincipal("AWS", *principals, at, statement);
  if (principals->kind != Kind::kMap) {
    return Fault(*principals, at, messages::PolicyWants("\"*\" or an object"));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(*principals, {}, at));
  for (const auto& [kind, value] : principals->members) {
    const std::string of_kind = Member(at, kind);
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<const JsonTree*> texts, Texts(value, of_kind));
    for (const JsonTree* const text : texts) {
      DYNOLITH_RETURN_IF_ERROR(ReadPrincipal(kind, *text, of_kind, statement));
    }
  }
  if (!statement->principals.empty()) return absl::OkStatus();
  return Fault(*principals, at, messages::PolicyEmptyList());
}

absl::Status PolicyReader::ReadCondition(const ConditionOperator& compare,
                                         const JsonTree::Member& member, std::string_view path,
                                         Statement* statement) const {
  Condition condition{.compare = compare, .key = member.name};
  const size_t colon = member.name.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == member.name.size()) {
    return Fault(member.value, path, messages::PolicyKeyInvalid(member.name));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<const JsonTree*> texts,
                            Texts(member.value, path, /*scalars=*/true));
  for (const JsonTree* const text : texts) {
    absl::StatusOr<ConditionValue> value = ParseConditionValue(compare, text->text);
    if (!value.ok()) return Fault(*text, path, ToStd(value.status().message()));
    condition.values.push_back(*std::move(value));
  }
  statement->conditions.push_back(std::move(condition));
  return absl::OkStatus();
}

absl::Status PolicyReader::ReadConditions(const JsonTree& tree, std::string_view path,
                                          Statement* statement) const {
  const JsonTree* const conditions = tree.Find("Condition");
  if (conditions == nullptr) return absl::OkStatus();
  const std::string at = Member(path, "Condition");
  DYNOLITH_RETURN_IF_ERROR(Want(*conditions, Kind::kMap, at));
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(*conditions, {}, at));
  for (const auto& [name, keys] : conditions->members) {
    const std::string of_operator = Member(at, name);
    absl::StatusOr<ConditionOperator> compare = ParseOperator(name, variables_);
    if (!compare.ok()) return Fault(keys, at, ToStd(compare.status().message()));
    DYNOLITH_RETURN_IF_ERROR(Want(keys, Kind::kMap, of_operator));
    DYNOLITH_RETURN_IF_ERROR(CheckMembers(keys, {}, of_operator));
    for (const JsonTree::Member& key : keys.members) {
      DYNOLITH_RETURN_IF_ERROR(
          ReadCondition(*compare, key, Member(of_operator, key.name), statement));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Statement> PolicyReader::ReadStatement(const JsonTree& tree, std::string_view path) {
  DYNOLITH_RETURN_IF_ERROR(Want(tree, Kind::kMap, path));
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(tree,
                                        {"Sid", "Effect", "Principal", "NotPrincipal", "Action",
                                         "NotAction", "Resource", "NotResource", "Condition"},
                                        path));
  Statement statement{.line = tree.line};
  DYNOLITH_RETURN_IF_ERROR(ReadSid(tree, path, &statement));
  DYNOLITH_RETURN_IF_ERROR(ReadEffect(tree, path, &statement));
  DYNOLITH_RETURN_IF_ERROR(ReadPrincipals(tree, path, &statement));
  DYNOLITH_RETURN_IF_ERROR(ReadActions(tree, path, &statement));
  DYNOLITH_RETURN_IF_ERROR(ReadResources(tree, path, &statement));
  DYNOLITH_RETURN_IF_ERROR(ReadConditions(tree, path, &statement));
  return statement;
}

absl::StatusOr<Policy> PolicyReader::Read(const JsonTree& tree, std::string_view path) {
  DYNOLITH_RETURN_IF_ERROR(Want(tree, Kind::kMap, path));
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(tree, {"Version", "Id", "Statement"}, path));
  DYNOLITH_RETURN_IF_ERROR(CheckVersion(tree, path));
  const JsonTree* const statements = tree.Find("Statement");
  if (statements == nullptr) return Fault(tree, path, messages::PolicyElementMissing("Statement"));
  const std::string at = Member(path, "Statement");
  Policy policy;
  const auto add = [&](const JsonTree& each, std::string_view place) -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(Statement statement, ReadStatement(each, place));
    statement.number = policy.statements.size();
    policy.statements.push_back(std::move(statement));
    return absl::OkStatus();
  };
  if (statements->kind != Kind::kList) {
    DYNOLITH_RETURN_IF_ERROR(add(*statements, at));
    return policy;
  }
  if (statements->elements.empty()) return Fault(*statements, at, messages::PolicyEmptyList());
  for (const JsonTree& element : statements->elements) {
    DYNOLITH_RETURN_IF_ERROR(add(element, Concat(at, "[", policy.statements.size(), "]")));
  }
  return policy;
}

}  // namespace

absl::Status PolicyErrorAt(const JsonTree& at, std::string_view name, std::string_view path,
                           std::string_view reason) {
  return absl::InvalidArgumentError(messages::PolicyFault(name, at.line, at.column, path, reason));
}

absl::StatusOr<JsonTree> ParsePolicyJson(std::string_view text, std::string_view name) {
  JsonLocation stopped;
  std::optional<JsonTree> tree = ParseJson(text, kPolicyDepthMax, &stopped);
  if (tree) return *std::move(tree);
  JsonTree at;
  at.line = stopped.line;
  at.column = stopped.column;
  return PolicyErrorAt(at, name, "", messages::PolicyNoJson());
}

absl::StatusOr<Policy> ReadPolicy(const JsonTree& tree, std::string_view name,
                                  std::string_view path, PolicyUse use) {
  return PolicyReader(name, use).Read(tree, path);
}

absl::StatusOr<Policy> ParsePolicy(std::string_view text, std::string_view name, PolicyUse use) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree tree, ParsePolicyJson(text, name));
  return ReadPolicy(tree, name, "", use);
}

}  // namespace dynolith::iam
