#include "tools/files/templates/serverless_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"
#include "tools/files/templates/serverless_dotenv.h"
#include "tools/files/templates/template_sections.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

constexpr int kVersionThatReadsDotenv = 4;
// A construct of the plugin serverless-lift.
constexpr std::string_view kTableConstruct = "database/dynamodb-single-table";

// The major version of a version like 4.1.0, or of the newest one in a range like ^4.1.0 or <4.0.0;
// 0: none.
int MajorVersion(std::string_view version) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t begin = version.find_first_of(kDigits);
  if (begin == std::string_view::npos) return 0;
  const size_t end = std::min(version.find_first_not_of(kDigits, begin), version.size());
  int major = 0;
  if (!absl::SimpleAtoi(ToAbsl(version.substr(begin, end - begin)), &major)) return 0;
  const bool is_below = version.starts_with('<') && !version.starts_with("<=") &&
                        version.find_first_of("123456789", end) == std::string_view::npos;
  return is_below ? major - 1 : major;
}

// Merges as the framework does: maps by name, lists by position; any other value is replaced.
void Merge(const JsonTree& part, JsonTree* whole) {
  if (part.kind == Kind::kMap && whole->kind == Kind::kMap) {
    for (const auto& [name, value] : part.members) {
      JsonTree* const old = whole->Find(name);
      if (old == nullptr) {
        whole->members.push_back({name, value});
      } else {
        Merge(value, old);
      }
    }
    return;
  }
  if (part.kind == Kind::kList && whole->kind == Kind::kList) {
    for (size_t i = 0; i < part.elements.size(); ++i) {
      if (i < whole->elements.size()) {
        Merge(part.elements[i], &whole->elements[i]);
      } else {
        whole->elements.push_back(part.elements[i]);
      }
    }
    return;
  }
  *whole = part;
}

// Extends one attribute of a resource: members of Properties and Metadata are replaced one by one,
// DependsOn gets further names, any other attribute is replaced.
void Extend(std::string_view name, const JsonTree& value, JsonTree* resource) {
  JsonTree* const old = resource->Find(name);
  const bool is_merged = name == "Properties" || name == "Metadata";
  if (is_merged && old != nullptr) {
    for (const auto& [inner, member] : value.members) SetMember(old, inner, member);
    return;
  }
  if (name == "DependsOn" && old != nullptr) {
    JsonTree all = ListTree();
    for (const JsonTree* const names : {&std::as_const(*old), &value}) {
      if (names->kind != Kind::kList) all.elements.push_back(*names);
      all.elements.insert(all.elements.end(), names->elements.begin(), names->elements.end());
    }
    *old = std::move(all);
    return;
  }
  SetMember(resource, name, value);
}

class ServerlessReader {
 public:
  ServerlessReader(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                   const NamedFileReader& read, const NamedTextReader& read_text,
                   Findings* findings)
      : file_(file),
        tree_(tree),
        options_(options),
        variables_(tree, options, read),
        read_text_(read_text),
        findings_(findings) {}

  ServerlessTemplate Read() {
    const bool reads_environment = HasEnvironmentFile();
    if (reads_environment) ReadEnvironmentFile();
    CheckConstructs();
    const JsonTree* const written = tree_.Find("resources");
    JsonTree resources = written == nullptr ? MapTree() : *written;
    variables_.Resolve(&resources);
    if (!reads_environment && variables_.lacks_environment()) NameUnreadEnvironmentFile();
    ServerlessTemplate result;
    result.stack = StackName();
    if (variables_.is_exhausted()) {
      findings_->Fail({file_}, messages::TemplateVariablesTooMany());
      return {};
    }
    result.tree = MapTree();
    result.tree.line = resources.line;
    result.tree.column = resources.column;
    const std::vector<JsonTree> one = {resources};
    for (const JsonTree& part : resources.kind == Kind::kList ? resources.elements : one) {
      if (CheckVariable(part)) continue;
      if (part.kind == Kind::kMap) {
        Merge(part, &result.tree);
      } else if (part.kind != Kind::kOther || part.text != "null") {
        findings_->Fail(LocationInFile(file_, part), messages::ServerlessNoPart());
      }
    }
    CheckSections(result.tree);
    ApplyExtensions(&result.tree);
    return result;
  }

 private:
  // From version 4 on the framework reads .env files unless useDotenv is false.
  bool HasEnvironmentFile() {
    const JsonTree* const written = tree_.Find("useDotenv");
    if (written == nullptr) {
      const std::optional<JsonTree> version = variables_.Path("frameworkVersion");
      return version && MajorVersion(WithoutSpaces(version->text)) >= kVersionThatReadsDotenv;
    }
    const std::optional<JsonTree> wanted = variables_.Path("useDotenv");
    const std::string text = wanted ? wanted->text : "";
    if (text != "true" && text != "false") {
      findings_->Fail(LocationInFile(file_, *written), messages::ServerlessNoTruth("useDotenv"));
    }
    return text == "true";
  }
  // The file of the stage, else the one for all stages.
  std::optional<NamedText> EnvironmentFile() {
    std::optional<NamedText> read = read_text_(Concat(".env.", variables_.Stage()));
    return read ? read : read_text_(".env");
  }

  void ReadEnvironmentFile() {
    const std::optional<NamedText> read = EnvironmentFile();
    if (read) variables_.SetEnvironment(ReadDotenv(read->file, read->text, findings_));
  }

  // Warns of a .env file that is not read, since a variable of the environment has no value.
  void NameUnreadEnvironmentFile() {
    const std::optional<NamedText> unread = EnvironmentFile();
    if (unread) findings_->Warn({unread->file}, messages::ServerlessDotenvUnread());
  }

  void CheckConstructs() {
    const std::optional<JsonTree> constructs = variables_.Path("constructs");
    if (!constructs || CheckVariable(*constructs)) return;
    for (const auto& [name, construct] : constructs->members) {
      if (CheckVariable(construct) || MemberText(construct.Find("type")) != kTableConstruct) {
        continue;
      }
      Refuse(options_, LocationInFile(file_, construct), kTableConstruct,
             messages::TemplateUnknownMaker(kTableConstruct), findings_);
    }
  }

  // Reports each section and each resource that is a variable without a value, e.g. of a missing
  // file.
  void CheckSections(const JsonTree& tree) {
    for (const auto& [name, section] : tree.members) {
      CheckVariable(section);
      if (name != "Resources") continue;
      for (const JsonTree::Member& resource : section.members) CheckVariable(resource.value);
    }
  }
  // Whether the tree is a text with a variable that has no value, which is reported.
  bool CheckVariable(const JsonTree& tree) {
    if (tree.kind != Kind::kString) return false;
    const std::optional<std::string> variable = VariableIn(tree.text);
    if (!variable) return false;
    findings_->Fail(LocationInFile(file_, tree), IsNestedTooDeep(tree.text)
                                                     ? messages::TemplateVariablesTooDeep()
                                                     : messages::DesignValueUnknown(*variable));
    return true;
  }

  // Extends resources of the template. An extension of another resource, such as one that the
  // framework makes, only gets a warning.
  void ApplyExtensions(JsonTree* tree) {
    const JsonTree extensions = TakeMember(tree, "extensions");
    JsonTree* const resources = tree->Find("Resources");
    for (const auto& [id, extension] : extensions.members) {
      JsonTree* const resource = resources == nullptr ? nullptr : resources->Find(id);
      if (resource == nullptr) {
        findings_->Warn(LocationInFile(file_, extension), messages::ServerlessNothingToExtend(id));
        continue;
      }
      for (const auto& [name, value] : extension.members) {
        if (name == "Type" || name == "Condition") {
          findings_->Fail(LocationInFile(file_, value), messages::ServerlessUnknownExtension(name));
        } else {
          Extend(name, value, resource);
        }
      }
    }
  }

  std::string StackName() {
    if (const std::optional<JsonTree> name = variables_.Path("provider.stackName")) {
      return name->text;
    }
    std::optional<JsonTree> service = variables_.Path("service");
    if (service && service->kind == Kind::kMap) service = variables_.Path("service.name");
    const std::string name = service ? service->text : "";
    return name.empty() ? "" : Concat(name, "-", variables_.Stage());
  }

  const std::string& file_;
  const JsonTree& tree_;
  const ReadOptions& options_;
  ServerlessVariables variables_;
  const NamedTextReader& read_text_;
  Findings* const findings_;
};

}  // namespace

bool IsServerlessFile(const JsonTree& tree) {
  return tree.Find("provider") != nullptr &&
         (tree.Find("resources") != nullptr || tree.Find("constructs") != nullptr);
}

ServerlessTemplate ReadServerlessFile(const std::string& file, const JsonTree& tree,
                                      const ReadOptions& options, const NamedFileReader& read,
                                      const NamedTextReader& read_text, Findings* findings) {
  return ServerlessReader(file, tree, options, read, read_text, findings).Read();
}

}  // namespace dynolith::designs
