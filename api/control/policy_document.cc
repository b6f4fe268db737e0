#include "api/control/policy_document.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "api/control/policy_json.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/table_features.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

using Kind = PolicyJson::Kind;

constexpr std::string_view kTopMembers[] = {"Version", "Id", "Statement"};
constexpr std::string_view kStatementMembers[] = {"Sid",          "Effect",      "Principal",
                                                  "NotPrincipal", "Action",      "NotAction",
                                                  "Resource",     "NotResource", "Condition"};
constexpr size_t kAccountIdDigits = 12;

absl::Status SyntaxError(const PolicyJson& value) {
  return ValidationError(messages::PolicySyntax(value.line, value.column));
}

// --- Checks ---

absl::Status CheckStatement(const PolicyJson& statement) {
  if (statement.kind != Kind::kMap) return SyntaxError(statement);
  const auto lacks = [&](std::string_view name) {
    if (statement.Find(name) != nullptr) return false;
    return name == "Effect" || statement.Find(Concat("Not", name)) == nullptr;
  };
  for (const std::string_view name : {"Effect", "Principal", "Action", "Resource"}) {
    if (lacks(name)) return ValidationError(messages::PolicyFieldMissing(name));
  }
  if (const PolicyJson* effect = statement.Find("Effect"); effect->kind != Kind::kString) {
    return SyntaxError(*effect);
  }
  const PolicyJson* principal = statement.Find("Principal");
  if (principal == nullptr || principal->kind == Kind::kMap) return absl::OkStatus();
  if (principal->kind == Kind::kString && principal->text == "*") return absl::OkStatus();
  return SyntaxError(*principal);
}

bool IsAnybody(const PolicyJson& principal) {
  if (principal.kind == Kind::kString) return principal.text == "*";
  if (principal.kind == Kind::kMap) {
    const PolicyJson* accounts = principal.Find("AWS");
    return accounts != nullptr && IsAnybody(*accounts);
  }
  return std::any_of(principal.elements.begin(), principal.elements.end(), IsAnybody);
}

bool LetsAnybodyIn(const PolicyJson& statement) {
  const PolicyJson* principal = statement.Find("Principal");
  return absl::EqualsIgnoreCase(ToAbsl(statement.Find("Effect")->text), "Allow") &&
         statement.Find("Condition") == nullptr && principal != nullptr && IsAnybody(*principal);
}

absl::Status CheckIds(std::span<const PolicyJson> statements) {
  std::vector<std::string_view> ids;
  for (const PolicyJson& statement : statements) {
    const PolicyJson* id = statement.Find("Sid");
    if (id == nullptr) continue;
    if (std::find(ids.begin(), ids.end(), id->text) != ids.end()) {
      return ValidationError(messages::PolicyStatementIdsRepeated());
    }
    ids.push_back(id->text);
  }
  return absl::OkStatus();
}

absl::Status CheckStatements(std::span<const PolicyJson> statements) {
  if (statements.empty()) return ValidationError(messages::PolicyHasNoStatement());
  for (const PolicyJson& statement : statements) {
    DYNOLITH_RETURN_IF_ERROR(CheckStatement(statement));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckIds(statements));
  if (std::any_of(statements.begin(), statements.end(), LetsAnybodyIn)) {
    return ValidationError(messages::PolicyLetsAnybodyIn());
  }
  return absl::OkStatus();
}

// --- The form in which documents are compared ---

void Order(std::span<const std::string_view> names, PolicyJson* map) {
  const auto place = [&](const auto& member) {
    return std::find(names.begin(), names.end(), member.name) - names.begin();
  };
  std::stable_sort(map->members.begin(), map->members.end(),
                   [&](const auto& left, const auto& right) { return place(left) < place(right); });
}

void UnwrapOnly(PolicyJson* value) {
  if (value->kind != Kind::kList || value->elements.size() != 1) return;
  PolicyJson only = std::move(value->elements[0]);
  *value = std::move(only);
}

void ShowAccount(PolicyJson* principal) {
  std::string& text = principal->text;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != kAccountIdDigits || !std::all_of(text.begin(), text.end(), is_digit)) return;
  text = Concat("arn:aws:iam::", text, ":root");
}

void ArrangePrincipals(PolicyJson* principals) {
  if (principals->kind == Kind::kString) return ShowAccount(principals);
  std::vector<PolicyJson> different;
  for (PolicyJson& principal : principals->elements) {
    ShowAccount(&principal);
    const auto same = [&](const PolicyJson& other) { return other.text == principal.text; };
    if (std::none_of(different.begin(), different.end(), same)) {
      different.push_back(std::move(principal));
    }
  }
  principals->elements = std::move(different);
  UnwrapOnly(principals);
}

void ArrangeStatement(PolicyJson* statement) {
  Order(kStatementMembers, statement);
  if (PolicyJson* effect = statement->Find("Effect")) {
    for (const std::string_view word : {"Allow", "Deny"}) {
      if (absl::EqualsIgnoreCase(ToAbsl(effect->text), ToAbsl(word))) effect->text = word;
    }
  }
  for (const std::string_view name : {"Action", "NotAction", "Resource", "NotResource"}) {
    if (PolicyJson* values = statement->Find(name)) UnwrapOnly(values);
  }
  for (const std::string_view name : {"Principal", "NotPrincipal"}) {
    PolicyJson* principal = statement->Find(name);
    if (principal == nullptr) continue;
    for (auto& [kind, principals] : principal->members) ArrangePrincipals(&principals);
  }
}

PolicyJson Arranged(std::string_view document) {
  PolicyJson policy = ParsePolicyJson(document).value_or(PolicyJson());
  Order(kTopMembers, &policy);
  if (PolicyJson* statements = policy.Find("Statement")) {
    if (statements->kind == Kind::kMap) {
      PolicyJson list{.kind = Kind::kList};
      list.elements.push_back(std::move(*statements));
      *statements = std::move(list);
    }
    for (PolicyJson& statement : statements->elements) ArrangeStatement(&statement);
  }
  return policy;
}

std::string RevisionOf(absl::Time now) { return std::to_string(absl::ToUnixMillis(now)); }

}  // namespace

absl::Status CheckPolicyDocument(std::string_view document) {
  if (document.size() > kPolicyBytesMax) {
    return ValidationError(messages::PolicyTooLarge(kPolicyBytesMax));
  }
  const std::optional<PolicyJson> policy = ParsePolicyJson(document);
  if (!policy || policy->kind != Kind::kMap) return ValidationError(messages::PolicyIsNotJson());
  const PolicyJson* statements = policy->Find("Statement");
  if (statements == nullptr) return ValidationError(messages::PolicyFieldMissing("Statement"));
  if (statements->kind == Kind::kList) return CheckStatements(statements->elements);
  return CheckStatements({statements, 1});
}

ResourcePolicy BuildPolicy(std::string_view document, absl::Time now) {
  return {PrintPolicyJson(Arranged(document)), RevisionOf(now), now};
}

std::string ShownPolicy(std::string_view document) {
  PolicyJson policy = Arranged(document);
  if (policy.Find("Version") == nullptr) {
    PolicyJson version{.kind = Kind::kString, .text = "2008-10-17"};
    policy.members.insert(policy.members.begin(), {"Version", std::move(version)});
  }
  return PrintPolicyJson(policy);
}

ResourcePolicy DeletedPolicy(absl::Time now) { return {"", RevisionOf(now), now}; }

}  // namespace dynolith
