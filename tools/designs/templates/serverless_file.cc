#include "tools/designs/templates/serverless_file.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/messages/designs.h"
#include "engine/base/messages/templates.h"
#include "engine/base/strings.h"
#include "tools/designs/table/json_parts.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

// As the framework merges: maps by names, lists by positions, and else the later one wins.
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

// What extensions do to an attribute of a resource.
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
                   const NamedFileReader& read, Findings* findings)
      : file_(file), tree_(tree), variables_(tree, options, read), findings_(findings) {}

  ServerlessTemplate Read() {
    JsonTree resources = *tree_.Find("resources");
    variables_.Resolve(&resources);
    ServerlessTemplate result;
    result.tree = MapTree();
    result.tree.line = resources.line;
    result.tree.column = resources.column;
    const std::vector<JsonTree> one = {resources};
    for (const JsonTree& part : resources.kind == Kind::kList ? resources.elements : one) {
      const std::optional<std::string> variable = VariableIn(part.text);
      if (variable) {
        findings_->Fail(PlaceOf(file_, part), messages::DesignValueUnknown(*variable));
      } else if (part.kind == Kind::kMap) {
        Merge(part, &result.tree);
      } else if (part.kind != Kind::kOther || part.text != "null") {
        findings_->Fail(PlaceOf(file_, part), messages::ServerlessNoPart());
      }
    }
    CheckSections(result.tree);
    ApplyExtensions(&result.tree);
    result.stack = StackName();
    return result;
  }

 private:
  // A section, or a resource, of a file that is not there.
  void CheckSections(const JsonTree& tree) {
    for (const auto& [name, section] : tree.members) {
      CheckVariable(section);
      if (name != "Resources") continue;
      for (const JsonTree::Member& resource : section.members) CheckVariable(resource.value);
    }
  }
  void CheckVariable(const JsonTree& tree) {
    if (tree.kind != Kind::kString) return;
    if (const std::optional<std::string> variable = VariableIn(tree.text)) {
      findings_->Fail(PlaceOf(file_, tree), messages::DesignValueUnknown(*variable));
    }
  }

  // Of tables; what they do to the framework's own resources is not looked at.
  void ApplyExtensions(JsonTree* tree) {
    const JsonTree extensions = TakeMember(tree, "extensions");
    JsonTree* const resources = tree->Find("Resources");
    for (const auto& [id, extension] : extensions.members) {
      JsonTree* const resource = resources == nullptr ? nullptr : resources->Find(id);
      if (resource == nullptr) {
        findings_->Warn(PlaceOf(file_, extension), messages::ServerlessNothingToExtend(id));
        continue;
      }
      for (const auto& [name, value] : extension.members) {
        if (name == "Type" || name == "Condition") {
          findings_->Fail(PlaceOf(file_, value), messages::ServerlessUnknownExtension(name));
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
  ServerlessVariables variables_;
  Findings* const findings_;
};

}  // namespace

bool IsServerlessFile(const JsonTree& tree) {
  return tree.Find("provider") != nullptr && tree.Find("resources") != nullptr;
}

ServerlessTemplate ReadServerlessFile(const std::string& file, const JsonTree& tree,
                                      const ReadOptions& options, const NamedFileReader& read,
                                      Findings* findings) {
  return ServerlessReader(file, tree, options, read, findings).Read();
}

}  // namespace dynolith::designs
