#include "api/control/policy_document.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "api/control/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"

namespace dynolith {
namespace {

using Kind = JsonTree::Kind;

constexpr std::string_view kTopMembers[] = {"Version", "Id", "Statement"};
constexpr std::string_view kStatementMembers[] = {"Sid",          "Effect",      "Principal",
                                                  "NotPrincipal", "Action",      "NotAction",
                                                  "Resource",     "NotResource", "Condition"};
constexpr size_t kAccountIdDigits = 12;
// Real policies are six levels deep; the bound keeps the recursion small.
constexpr int kDepthMax = 64;
// Printed policies have the numbers of all control characters.
constexpr std::string_view kByLetter;

absl::Status SyntaxError(const JsonTree& value) {
  return ValidationError(messages::PolicySyntax(value.line, value.column));
}

// --- Checks ---

absl::Status CheckStatement(const JsonTree& statement) {
  if (statement.kind != Kind::kMap) return SyntaxError(statement);
  const auto lacks = [&](std::string_view name) {
    if (statement.Find(name) != nullptr) return false;
    return name == "Effect" || statement.Find(Concat("Not", name)) == nullptr;
  };
  for (const std::string_view name : {"Effect", "Principal", "Action", "Resource"}) {
    if (lacks(name)) return ValidationError(messages::PolicyFieldMissing(name));
  }
  if (const JsonTree* effect = statement.Find("Effect"); effect->kind != Kind::kString) {
    return SyntaxError(*effect);
  }
  const JsonTree* principal = statement.Find("Principal");
  if (principal == nullptr || principal->kind == Kind::kMap) return absl::OkStatus();
  if (principal->kind == Kind::kString && principal->text == "*") return absl::OkStatus();
  return SyntaxError(*principal);
}

bool IsAnybody(const JsonTree& principal) {
  if (principal.kind == Kind::kString) return principal.text == "*";
  if (principal.kind == Kind::kMap) {
    const JsonTree* accounts = principal.Find("AWS");
    return accounts != nullptr && IsAnybody(*accounts);
  }
  return std::any_of(principal.elements.begin(), principal.elements.end(), IsAnybody);
}

bool LetsAnybodyIn(const JsonTree& statement) {
  const JsonTree* principal = statement.Find("Principal");
  return absl::EqualsIgnoreCase(ToAbsl(statement.Find("Effect")->text), "Allow") &&
         statement.Find("Condition") == nullptr && principal != nullptr && IsAnybody(*principal);
}

absl::Status CheckIds(std::span<const JsonTree> statements) {
  std::vector<std::string_view> ids;
  for (const JsonTree& statement : statements) {
    const JsonTree* id = statement.Find("Sid");
    if (id == nullptr) continue;
    if (std::find(ids.begin(), ids.end(), id->text) != ids.end()) {
      return ValidationError(messages::PolicyStatementIdsRepeated());
    }
    ids.push_back(id->text);
  }
  return absl::OkStatus();
}

absl::Status CheckStatements(std::span<const JsonTree> statements) {
  if (statements.empty()) return ValidationError(messages::PolicyHasNoStatement());
  for (const JsonTree& statement : statements) {
    DYNOLITH_RETURN_IF_ERROR(CheckStatement(statement));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckIds(statements));
  if (std::any_of(statements.begin(), statements.end(), LetsAnybodyIn)) {
    return ValidationError(messages::PolicyLetsAnybodyIn());
  }
  return absl::OkStatus();
}

// --- The form in which documents are compared ---

void Order(std::span<const std::string_view> names, JsonTree* map) {
  const auto place = [&](const auto& member) {
    return std::find(names.begin(), names.end(), member.name) - names.begin();
  };
  std::stable_sort(map->members.begin(), map->members.end(),
                   [&](const auto& left, const auto& right) { return place(left) < place(right); });
}

void UnwrapOnly(JsonTree* value) {
  if (value->kind != Kind::kList || value->elements.size() != 1) return;
  JsonTree only = std::move(value->elements[0]);
  *value = std::move(only);
}

void ShowAccount(JsonTree* principal) {
  std::string& text = principal->text;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != kAccountIdDigits || !std::all_of(text.begin(), text.end(), is_digit)) return;
  text = Concat("arn:aws:iam::", text, ":root");
}

void ArrangePrincipals(JsonTree* principals) {
  if (principals->kind == Kind::kString) return ShowAccount(principals);
  std::vector<JsonTree> different;
  for (JsonTree& principal : principals->elements) {
    ShowAccount(&principal);
    const auto same = [&](const JsonTree& other) { return other.text == principal.text; };
    if (std::none_of(different.begin(), different.end(), same)) {
      different.push_back(std::move(principal));
    }
  }
  principals->elements = std::move(different);
  UnwrapOnly(principals);
}

void ArrangeStatement(JsonTree* statement) {
  Order(kStatementMembers, statement);
  if (JsonTree* effect = statement->Find("Effect")) {
    for (const std::string_view word : {"Allow", "Deny"}) {
      if (absl::EqualsIgnoreCase(ToAbsl(effect->text), ToAbsl(word))) effect->text = word;
    }
  }
  for (const std::string_view name : {"Action", "NotAction", "Resource", "NotResource"}) {
    if (JsonTree* values = statement->Find(name)) UnwrapOnly(values);
  }
  for (const std::string_view name : {"Principal", "NotPrincipal"}) {
    JsonTree* principal = statement->Find(name);
    if (principal == nullptr) continue;
    for (auto& [kind, principals] : principal->members) ArrangePrincipals(&principals);
  }
}

JsonTree Arranged(std::string_view document) {
  JsonTree policy = ParseJson(document, kDepthMax).value_or(JsonTree());
  Order(kTopMembers, &policy);
  if (JsonTree* statements = policy.Find("Statement")) {
    if (statements->kind == Kind::kMap) {
      JsonTree list{.kind = Kind::kList};
      list.elements.push_back(std::move(*statements));
      *statements = std::move(list);
    }
    for (JsonTree& statement : statements->elements) ArrangeStatement(&statement);
  }
  return policy;
}

std::string MakeRevisionId(absl::Time now) { return std::to_string(absl::ToUnixMillis(now)); }

}  // namespace

absl::Status CheckPolicyDocument(std::string_view document) {
  if (document.size() > kPolicyBytesMax) {
    return ValidationError(messages::PolicyTooLarge(kPolicyBytesMax));
  }
  const std::optional<JsonTree> policy = ParseJson(document, kDepthMax);
  if (!policy || policy->kind != Kind::kMap) return ValidationError(messages::PolicyIsNotJson());
  const JsonTree* statements = policy->Find("Statement");
  if (statements == nullptr) return ValidationError(messages::PolicyFieldMissing("Statement"));
  if (statements->kind == Kind::kList) return CheckStatements(statements->elements);
  return CheckStatements({statements, 1});
}

ResourcePolicy BuildPolicy(std::string_view document, absl::Time now) {
  return {PrintJson(Arranged(document), kByLetter), MakeRevisionId(now), now};
}

std::string ShownPolicy(std::string_view document) {
  JsonTree policy = Arranged(document);
  if (policy.Find("Version") == nullptr) {
    JsonTree version{.kind = Kind::kString, .text = "2008-10-17"};
    policy.members.insert(policy.members.begin(), {"Version", std::move(version)});
  }
  return PrintJson(policy, kByLetter);
}

ResourcePolicy DeletedPolicy(absl::Time now) { return {"", MakeRevisionId(now), now}; }

}  // namespace dynolith
