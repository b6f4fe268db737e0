#include "tools/server/iam/principals.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "engine/text/nearest_word.h"
#include "tools/server/iam/messages.h"
#include "tools/server/iam/policy/messages.h"
#include "tools/server/iam/policy/policy.h"

namespace dynolith::iam {
namespace {

using Kind = JsonTree::Kind;
using Policies = std::vector<NamedPolicy>;

constexpr std::string_view kEnding = ".json";
constexpr std::string_view kRootFile = "root.json";
// Of all parts of an account, in the order in which they depend on each other.
constexpr std::string_view kFolders[] = {"policies", "groups", "users", "roles", "sessions"};

// A file, or a part of it, with its place for faults.
struct Part {
  const JsonTree* tree = nullptr;
  std::string file;
  std::string path;

  absl::Status Fault(std::string_view reason) const {
    return PolicyErrorAt(*tree, file, path, reason);
  }
  Part At(const JsonTree& member, std::string_view name) const {
    return {&member, file, path.empty() ? std::string(name) : Concat(path, ".", name)};
  }
  Part Element(size_t i) const { return {&tree->elements[i], file, Concat(path, "[", i, "]")}; }
};

absl::Status CheckObject(const Part& part, const std::vector<std::string>& known) {
  if (part.tree->kind != Kind::kMap) return part.Fault(messages::PolicyWants("an object"));
  std::set<std::string_view> seen;
  for (const auto& [name, value] : part.tree->members) {
    JsonTree at;
    at.line = value.name_line;
    at.column = value.name_column;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return PolicyErrorAt(at, part.file, part.path,
                           messages::PolicyUnknownElement(name, NearestWord(name, known)));
    }
    if (!seen.insert(name).second) {
      return PolicyErrorAt(at, part.file, part.path, messages::PolicyElementTwice(name));
    }
  }
  return absl::OkStatus();
}

// The member's text; empty if it is absent.
absl::StatusOr<std::string> TextOf(const Part& part, std::string_view name, bool must = false) {
  const JsonTree* const member = part.tree->Find(name);
  if (member == nullptr) {
    if (must) return part.Fault(messages::PolicyElementMissing(name));
    return std::string();
  }
  if (member->kind == Kind::kString && !member->text.empty()) return member->text;
  return part.At(*member, name).Fault(messages::PolicyWants("a text"));
}

// The elements of a list; none if it is absent.
absl::StatusOr<std::vector<Part>> ListOf(const Part& part, std::string_view name) {
  std::vector<Part> elements;
  const JsonTree* const member = part.tree->Find(name);
  if (member == nullptr) return elements;
  const Part list = part.At(*member, name);
  if (member->kind != Kind::kList) return list.Fault(messages::PolicyWants("a list"));
  for (size_t i = 0; i < member->elements.size(); ++i) elements.push_back(list.Element(i));
  return elements;
}

absl::StatusOr<NamedPolicy> ReadNamed(const Part& part, const JsonTree& document,
                                      std::string_view member, std::string name) {
  const std::string path = part.path.empty() ? std::string(member) : Concat(part.path, ".", member);
  DYNOLITH_ASSIGN_OR_RETURN(Policy policy,
                            ReadPolicy(document, part.file, path, PolicyUse::kIdentity));
  return NamedPolicy{std::move(name), std::make_shared<const Policy>(std::move(policy))};
}

// "NAME" of "arn:aws:iam::123456789012:policy/path/NAME".
std::string_view LastOfArn(std::string_view arn) { return arn.substr(arn.rfind('/') + 1); }

// Reads the files of one folder into an account's principals.
class AccountReader {
 public:
  AccountReader(std::string folder, std::string_view account)
      : folder_(std::move(folder)), account_(account) {}

  absl::StatusOr<Principals> Read();

 private:
  struct Role {
    Principal principal;  // without session
    std::string id;
  };

  absl::Status CheckFolder() const;
  absl::StatusOr<std::vector<std::string>> FilesIn(std::string_view name) const;
  absl::Status ReadFile(std::string_view kind, const std::string& file);
  absl::Status ReadGroup(const Part& part, const std::string& stem);
  absl::Status ReadUser(const Part& part, const std::string& stem);
  absl::Status ReadRole(const Part& part, const std::string& stem);
  absl::Status ReadSession(const Part& part);
  absl::Status ReadSessionPolicies(const Part& part, Principal* session) const;
  absl::Status ReadRoot(const Part& part);
  // Inline policies of the list of that name, then the attached ones.
  absl::Status ReadPolicies(const Part& part, std::string_view list, Policies* policies) const;
  absl::StatusOr<NamedPolicy> FindPolicy(const Part& part, std::string_view member) const;
  absl::Status ReadBoundary(const Part& part, Principal* principal) const;
  static absl::Status ReadTags(const Part& part, std::map<std::string, std::string>* tags);
  absl::Status ReadKeys(const Part& part, const Principal& principal);
  absl::Status AddKey(const Part& part, const std::string& key, Principal principal);

  const std::string folder_;
  const std::string account_;
  std::map<std::string, NamedPolicy, std::less<>> policies_;
  std::map<std::string, Policies, std::less<>> groups_;
  std::map<std::string, Role, std::less<>> roles_;  // by ARN
  std::map<std::string, std::string> key_files_;
  Principals principals_;
};

absl::Status AccountReader::CheckFolder() const {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder_, error);
  std::vector<std::string> known(std::begin(kFolders), std::end(kFolders));
  while (!error && entries != std::filesystem::directory_iterator()) {
    const std::string name = entries->path().filename();
    const bool is_folder = entries->is_directory(error);
    const bool is_known = is_folder ? std::find(known.begin(), known.end(), name) != known.end()
                                    : name == kRootFile || !name.ends_with(kEnding);
    if (!is_known) return absl::InvalidArgumentError(messages::IamStrayEntry(folder_, name));
    entries.increment(error);
  }
  if (!error) return absl::OkStatus();
  return absl::NotFoundError(messages::IamCannotRead(folder_, error.message()));
}

absl::StatusOr<std::vector<std::string>> AccountReader::FilesIn(std::string_view name) const {
  std::vector<std::string> files;
  const std::filesystem::path path = std::filesystem::path(folder_) / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return files;
  std::filesystem::directory_iterator entries(path, error);
  while (!error && entries != std::filesystem::directory_iterator()) {
    if (entries->path().extension() == kEnding) files.push_back(entries->path());
    entries.increment(error);
  }
  if (error) return absl::NotFoundError(messages::IamCannotRead(path.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<NamedPolicy> AccountReader::FindPolicy(const Part& part,
                                                      std::string_view member) const {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string arn, TextOf(part, member, /*must=*/true));
  const auto found = policies_.find(LastOfArn(arn));
  if (found != policies_.end()) return found->second;
  return part.At(*part.tree->Find(member), member)
      .Fault(messages::IamNoPolicy(arn, Concat(folder_, "/policies/", LastOfArn(arn), kEnding)));
}

absl::Status AccountReader::ReadPolicies(const Part& part, std::string_view list,
                                         Policies* policies) const {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Part> inlines, ListOf(part, list));
  for (const Part& each : inlines) {
    DYNOLITH_RETURN_IF_ERROR(CheckObject(each, {"PolicyName", "PolicyDocument"}));
    DYNOLITH_ASSIGN_OR_RETURN(std::string name, TextOf(each, "PolicyName", /*must=*/true));
    const JsonTree* const document = each.tree->Find("PolicyDocument");
    if (document == nullptr) return each.Fault(messages::PolicyElementMissing("PolicyDocument"));
    DYNOLITH_ASSIGN_OR_RETURN(NamedPolicy policy,
                              ReadNamed(each, *document, "PolicyDocument", std::move(name)));
    policies->push_back(std::move(policy));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Part> attached,
                            ListOf(part, "AttachedManagedPolicies"));
  for (const Part& each : attached) {
    DYNOLITH_RETURN_IF_ERROR(CheckObject(each, {"PolicyName", "PolicyArn"}));
    DYNOLITH_ASSIGN_OR_RETURN(NamedPolicy policy, FindPolicy(each, "PolicyArn"));
    policies->push_back(std::move(policy));
  }
  return absl::OkStatus();
}

absl::Status AccountReader::ReadBoundary(const Part& part, Principal* principal) const {
  const JsonTree* const member = part.tree->Find("PermissionsBoundary");
  if (member == nullptr) return absl::OkStatus();
  const Part boundary = part.At(*member, "PermissionsBoundary");
  DYNOLITH_RETURN_IF_ERROR(
      CheckObject(boundary, {"PermissionsBoundaryType", "PermissionsBoundaryArn"}));
  DYNOLITH_ASSIGN_OR_RETURN(NamedPolicy policy, FindPolicy(boundary, "PermissionsBoundaryArn"));
  principal->policies.boundary.push_back(std::move(policy));
  return absl::OkStatus();
}

absl::Status AccountReader::ReadTags(const Part& part, std::map<std::string, std::string>* tags) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Part> list, ListOf(part, "Tags"));
  for (const Part& tag : list) {
    DYNOLITH_RETURN_IF_ERROR(CheckObject(tag, {"Key", "Value"}));
    DYNOLITH_ASSIGN_OR_RETURN(const std::string key, TextOf(tag, "Key", /*must=*/true));
    const JsonTree* const value = tag.tree->Find("Value");
    if (value == nullptr || value->kind != Kind::kString) {
      return tag.Fault(messages::PolicyElementMissing("Value"));
    }
    (*tags)[key] = value->text;
  }
  return absl::OkStatus();
}

absl::Status AccountReader::AddKey(const Part& part, const std::string& key, Principal principal) {
  const auto [at, is_new] = key_files_.emplace(key, part.file);
  if (!is_new) return part.Fault(messages::IamKeyTwice(key, at->second));
  principals_.by_access_key.emplace(key, std::move(principal));
  return absl::OkStatus();
}

absl::Status AccountReader::ReadKeys(const Part& part, const Principal& principal) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Part> keys, ListOf(part, "AccessKeyMetadata"));
  for (const Part& key : keys) {
    DYNOLITH_RETURN_IF_ERROR(CheckObject(key, {"UserName", "AccessKeyId", "Status", "CreateDate"}));
    DYNOLITH_ASSIGN_OR_RETURN(const std::string id, TextOf(key, "AccessKeyId", /*must=*/true));
    DYNOLITH_ASSIGN_OR_RETURN(const std::string status, TextOf(key, "Status"));
    if (!status.empty() && status != "Active" && status != "Inactive") {
      return key.Fault(messages::PolicyWants("of Status Active or Inactive"));
    }
    // Who has an inactive key is nobody.
    if (status != "Inactive") DYNOLITH_RETURN_IF_ERROR(AddKey(key, id, principal));
  }
  return absl::OkStatus();
}

absl::Status AccountReader::ReadGroup(const Part& part, const std::string& stem) {
  DYNOLITH_RETURN_IF_ERROR(CheckObject(part, {"Path", "GroupName", "GroupId", "Arn", "CreateDate",
                                              "GroupPolicyList", "AttachedManagedPolicies"}));
  DYNOLITH_ASSIGN_OR_RETURN(std::string name, TextOf(part, "GroupName"));
  if (name.empty()) name = stem;
  return ReadPolicies(part, "GroupPolicyList", &groups_[name]);
}

absl::Status AccountReader::ReadUser(const Part& part, const std::string& stem) {
  DYNOLITH_RETURN_IF_ERROR(
      CheckObject(part, {"Path", "UserName", "UserId", "Arn", "CreateDate", "PasswordLastUsed",
                         "UserPolicyList", "GroupList", "AttachedManagedPolicies",
                         "PermissionsBoundary", "Tags", "AccessKeyMetadata"}));
  Principal user;
  user.type = "User";
  DYNOLITH_ASSIGN_OR_RETURN(user.user_name, TextOf(part, "UserName"));
  if (user.user_name.empty()) user.user_name = stem;
  DYNOLITH_ASSIGN_OR_RETURN(user.user_id, TextOf(part, "UserId"));
  if (user.user_id.empty()) user.user_id = user.user_name;
  DYNOLITH_ASSIGN_OR_RETURN(user.caller.arn, TextOf(part, "Arn"));
  if (user.caller.arn.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(std::string path, TextOf(part, "Path"));
    if (path.empty()) path = "/";
    user.caller.arn = Concat("arn:aws:iam::", account_, ":user", path, user.user_name);
  }
  user.caller.account = AccountOfArn(user.caller.arn);
  DYNOLITH_RETURN_IF_ERROR(ReadPolicies(part, "UserPolicyList", &user.policies.identity));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Part> groups, ListOf(part, "GroupList"));
  for (const Part& group : groups) {
    const auto found = groups_.find(group.tree->text);
    if (group.tree->kind != Kind::kString || found == groups_.end()) {
      return group.Fault(messages::IamNoGroup(group.tree->text, Concat(folder_, "/groups")));
    }
    Policies& all = user.policies.identity;
    all.insert(all.end(), found->second.begin(), found->second.end());
  }
  DYNOLITH_RETURN_IF_ERROR(ReadBoundary(part, &user));
  DYNOLITH_RETURN_IF_ERROR(ReadTags(part, &user.tags));
  return ReadKeys(part, user);
}

absl::Status AccountReader::ReadRole(const Part& part, const std::string& stem) {
  DYNOLITH_RETURN_IF_ERROR(CheckObject(
      part, {"Path", "RoleName", "RoleId", "Arn", "CreateDate", "AssumeRolePolicyDocument",
             "Description", "MaxSessionDuration", "InstanceProfileList", "RolePolicyList",
             "AttachedManagedPolicies", "PermissionsBoundary", "Tags", "RoleLastUsed"}));
  Role role;
  DYNOLITH_ASSIGN_OR_RETURN(std::string name, TextOf(part, "RoleName"));
  if (name.empty()) name = stem;
  DYNOLITH_ASSIGN_OR_RETURN(role.id, TextOf(part, "RoleId"));
  if (role.id.empty()) role.id = name;
  Principal& principal = role.principal;
  principal.type = "AssumedRole";
  DYNOLITH_ASSIGN_OR_RETURN(principal.caller.role_arn, TextOf(part, "Arn"));
  if (principal.caller.role_arn.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(std::string path, TextOf(part, "Path"));
    if (path.empty()) path = "/";
    principal.caller.role_arn = Concat("arn:aws:iam::", account_, ":role", path, name);
  }
  principal.caller.account = AccountOfArn(principal.caller.role_arn);
  DYNOLITH_RETURN_IF_ERROR(ReadPolicies(part, "RolePolicyList", &principal.policies.identity));
  DYNOLITH_RETURN_IF_ERROR(ReadBoundary(part, &principal));
  DYNOLITH_RETURN_IF_ERROR(ReadTags(part, &principal.tags));
  const std::string key = Concat(principal.caller.account, "/", name);
  if (!roles_.emplace(key, std::move(role)).second) return part.Fault(messages::IamRoleTwice(name));
  return absl::OkStatus();
}

absl::Status AccountReader::ReadSessionPolicies(const Part& part, Principal* session) const {
  if (const JsonTree* const policy = part.tree->Find("Policy")) {
    // AssumeRole wants a text; an object is easier to write.
    JsonTree parsed;
    const JsonTree* document = policy;
    Part place = part;
    if (policy->kind == Kind::kString) {
      place.file = Concat(part.file, ", Policy");
      DYNOLITH_ASSIGN_OR_RETURN(parsed, ParsePolicyJson(policy->text, place.file));
      document = &parsed;
    }
    DYNOLITH_ASSIGN_OR_RETURN(NamedPolicy named, ReadNamed(place, *document, "Policy", "Policy"));
    session->policies.session.push_back(std::move(named));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Part> arns, ListOf(part, "PolicyArns"));
  for (const Part& arn : arns) {
    DYNOLITH_RETURN_IF_ERROR(CheckObject(arn, {"arn"}));
    DYNOLITH_ASSIGN_OR_RETURN(NamedPolicy named, FindPolicy(arn, "arn"));
    session->policies.session.push_back(std::move(named));
  }
  return absl::OkStatus();
}

absl::Status AccountReader::ReadSession(const Part& part) {
  DYNOLITH_RETURN_IF_ERROR(
      CheckObject(part, {"Credentials", "AssumedRoleUser", "PackedPolicySize", "SourceIdentity",
                         "Policy", "PolicyArns", "Tags", "TransitiveTagKeys"}));
  for (const std::string_view name : {"Credentials", "AssumedRoleUser"}) {
    if (part.tree->Find(name) == nullptr) return part.Fault(messages::PolicyElementMissing(name));
  }
  const Part user = part.At(*part.tree->Find("AssumedRoleUser"), "AssumedRoleUser");
  DYNOLITH_RETURN_IF_ERROR(CheckObject(user, {"AssumedRoleId", "Arn"}));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string arn, TextOf(user, "Arn", /*must=*/true));
  // arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION
  const size_t first = arn.find('/');
  const size_t second = first == std::string::npos ? first : arn.find('/', first + 1);
  if (second == std::string::npos) return user.Fault(messages::IamNoSessionArn(arn));
  const std::string role_name = arn.substr(first + 1, second - first - 1);
  const auto role = roles_.find(Concat(AccountOfArn(arn), "/", role_name));
  if (role == roles_.end()) {
    return user.Fault(messages::IamNoRole(role_name, Concat(folder_, "/roles")));
  }
  Principal session = role->second.principal;
  session.caller.arn = arn;
  DYNOLITH_ASSIGN_OR_RETURN(session.user_id, TextOf(user, "AssumedRoleId"));
  if (session.user_id.empty()) session.user_id = Concat(role->second.id, ":", LastOfArn(arn));
  DYNOLITH_ASSIGN_OR_RETURN(session.source_identity, TextOf(part, "SourceIdentity"));
  DYNOLITH_RETURN_IF_ERROR(ReadSessionPolicies(part, &session));
  DYNOLITH_RETURN_IF_ERROR(ReadTags(part, &session.tags));
  const Part credentials = part.At(*part.tree->Find("Credentials"), "Credentials");
  DYNOLITH_RETURN_IF_ERROR(
      CheckObject(credentials, {"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string key,
                            TextOf(credentials, "AccessKeyId", /*must=*/true));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string expiration, TextOf(credentials, "Expiration"));
  absl::Time expires;
  if (!expiration.empty()) {
    if (!absl::ParseTime(absl::RFC3339_full, expiration, &expires, nullptr)) {
      return credentials.Fault(messages::IamNoTime(expiration));
    }
    session.expires = expires;
  }
  SessionSecret secret;
  DYNOLITH_ASSIGN_OR_RETURN(secret.secret_key, TextOf(credentials, "SecretAccessKey"));
  DYNOLITH_ASSIGN_OR_RETURN(secret.session_token, TextOf(credentials, "SessionToken"));
  if (!secret.secret_key.empty()) principals_.session_secrets.emplace(key, std::move(secret));
  return AddKey(credentials, key, std::move(session));
}

absl::Status AccountReader::ReadRoot(const Part& part) {
  DYNOLITH_RETURN_IF_ERROR(CheckObject(part, {"AccessKeyMetadata"}));
  Principal root;
  root.type = "Account";
  root.user_id = account_;
  root.caller = {.arn = Concat("arn:aws:iam::", account_, ":root"),
                 .role_arn = "",
                 .account = account_,
                 .is_root = true};
  return ReadKeys(part, root);
}

absl::Status AccountReader::ReadFile(std::string_view kind, const std::string& file) {
  const FileText read = ReadFileText(file);
  if (read.error != 0) {
    return absl::NotFoundError(messages::IamCannotRead(file, ErrnoReason(read.error)));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree tree, ParsePolicyJson(read.text, file));
  const Part part{&tree, file, ""};
  const std::string stem = std::filesystem::path(file).stem();
  if (kind == "groups") return ReadGroup(part, stem);
  if (kind == "users") return ReadUser(part, stem);
  if (kind == "roles") return ReadRole(part, stem);
  if (kind == "sessions") return ReadSession(part);
  if (kind == kRootFile) return ReadRoot(part);
  DYNOLITH_ASSIGN_OR_RETURN(Policy policy, ReadPolicy(tree, file, "", PolicyUse::kIdentity));
  policies_[stem] = {stem, std::make_shared<const Policy>(std::move(policy))};
  return absl::OkStatus();
}

absl::StatusOr<Principals> AccountReader::Read() {
  DYNOLITH_RETURN_IF_ERROR(CheckFolder());
  for (const std::string_view kind : kFolders) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesIn(kind));
    for (const std::string& file : files) DYNOLITH_RETURN_IF_ERROR(ReadFile(kind, file));
  }
  const std::string root = Concat(folder_, "/", kRootFile);
  if (MayBeThere(root)) DYNOLITH_RETURN_IF_ERROR(ReadFile(kRootFile, root));
  if (principals_.by_access_key.empty()) {
    return absl::InvalidArgumentError(messages::IamNobody(folder_));
  }
  return std::move(principals_);
}

}  // namespace

std::string AccountOfArn(std::string_view arn) {
  constexpr int kFieldsBefore = 4;
  for (int field = 0; field < kFieldsBefore; ++field) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return "";
    arn.remove_prefix(colon + 1);
  }
  return std::string(arn.substr(0, arn.find(':')));
}

const Principal* Principals::Find(std::string_view access_key) const {
  const auto found = by_access_key.find(access_key);
  return found == by_access_key.end() ? nullptr : &found->second;
}

absl::StatusOr<Principals> LoadPrincipals(const std::string& folder, std::string_view account) {
  return AccountReader(folder, account).Read();
}

}  // namespace dynolith::iam
