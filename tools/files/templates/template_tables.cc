#include "tools/files/templates/template_tables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"
#include "tools/files/templates/simple_table.h"
#include "tools/files/templates/table_properties.h"
#include "tools/files/templates/template_loops.h"
#include "tools/files/templates/template_parameters.h"
#include "tools/files/templates/template_rules.h"
#include "tools/files/templates/template_sections.h"
#include "tools/files/templates/template_values.h"

namespace dynolith::designs {
namespace {

constexpr std::string_view kStreamType = "AWS::Kinesis::Stream";
// A type with one of these prefixes that is not listed may be a misspelt table.
constexpr std::string_view kWatchedTypes[] = {"AWS::DynamoDB::", "AWS::Serverless::"};
// Types whose resources are defined in a template elsewhere, and the suffix of the types of
// modules.
constexpr std::string_view kMakerTypes[] = {
    "AWS::CloudFormation::StackSet", "AWS::ServiceCatalog::CloudFormationProvisionedProduct"};
constexpr std::string_view kModuleEnd = "::MODULE";

const std::vector<std::string>& TypeNames() {
  static const std::vector<std::string> names = {
      "AWS::DynamoDB::Table",          "AWS::DynamoDB::GlobalTable",
      "AWS::Serverless::SimpleTable",  "AWS::Serverless::Api",
      "AWS::Serverless::Application",  "AWS::Serverless::CapacityProvider",
      "AWS::Serverless::Connector",    "AWS::Serverless::Function",
      "AWS::Serverless::GraphQLApi",   "AWS::Serverless::HttpApi",
      "AWS::Serverless::LayerVersion", "AWS::Serverless::StateMachine",
      "AWS::Serverless::WebSocketApi"};
  return names;
}
// The attributes that a resource may have beside its properties.
const std::vector<std::string>& AttributeNames() {
  static const std::vector<std::string> names = {
      "Type",           "Properties",    "Condition",          "DependsOn",
      "DeletionPolicy", "Metadata",      "CreationPolicy",     "UpdatePolicy",
      "Connectors",     "IgnoreGlobals", "UpdateReplacePolicy"};
  return names;
}

template <typename List>
bool IsListed(std::string_view name, const List& list) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

std::string_view ResourceType(const JsonTree& resource) {
  return MemberText(resource.Find("Type"));
}

bool IsTable(const JsonTree& resource) {
  const std::string_view type = ResourceType(resource);
  return type == kTableType || type == kGlobalTableType || type == kSimpleTableType;
}

// The property with the place of a nested stack's template; empty: the resource is no such stack.
std::string_view NestedProperty(const JsonTree& resource) {
  const std::string_view type = ResourceType(resource);
  if (type == "AWS::CloudFormation::Stack") return "TemplateURL";
  return type == "AWS::Serverless::Application" ? "Location" : "";
}

// Whether the resource makes others, which may be tables.
bool MakesResources(const JsonTree& resource) {
  const std::string_view type = ResourceType(resource);
  return IsListed(type, kMakerTypes) || type.ends_with(kModuleEnd);
}

class TemplateReader {
 public:
  TemplateReader(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                 bool is_part, Findings* findings)
      : file_(file),
        document_(tree),
        options_(options),
        is_part_(is_part),
        values_(document_, options),
        findings_(findings) {}

  TemplateContents Read() {
    CheckSections(file_, options_, &document_, findings_);
    CheckParameters(file_, document_, options_, findings_);
    CheckRules(file_, document_, &values_, findings_);
    CheckGlobals(file_, document_, options_, findings_);
    Unroll();
    CheckResources();
    NameResources();
    TemplateContents contents;
    for (const auto& [id, resource] : Resources()) {
      if (IsTable(resource)) {
        ReadTable(id, resource, &contents);
      } else if (!NestedProperty(resource).empty()) {
        ReadNested(resource, &contents);
      } else if (MakesResources(resource) && IsWanted(resource)) {
        const std::string_view type = ResourceType(resource);
        Refuse(LocationInFile(file_, resource), type, messages::TemplateUnknownMaker(type));
      }
    }
    return contents;
  }

 private:
  const std::vector<JsonTree::Member>& Resources() const {
    return document_.Find("Resources")->members;
  }
  bool IsLeftOut(std::string_view name) const {
    return options_.left_out.count(std::string(name)) > 0;
  }
  void Refuse(FileLocation place, std::string_view name, std::string_view why) {
    designs::Refuse(options_, std::move(place), name, why, findings_);
  }
  void Report(const TemplateValues::UnknownValues& unknown) {
    values_.Report(file_, unknown, findings_);
  }

  void Unroll() {
    TemplateValues::UnknownValues unknown;
    ExpandLoops(&document_, &values_, &unknown);
    Report(unknown);
  }

  void CheckResources() {
    std::set<std::string> others;
    const JsonTree* first = nullptr;
    for (const auto& [id, resource] : Resources()) {
      const std::string_view type = ResourceType(resource);
      const FileLocation place = LocationInFile(file_, resource);
      if (id == kMacro) {
        RefuseMacro(file_, options_, resource, findings_);
      } else if (type.empty()) {
        findings_->Fail(place, messages::TemplateNoType(id));
      } else if (IsTable(resource)) {
        CheckAttributes(resource);
      } else if (IsMisspelt(type)) {
        Refuse(place, type, messages::TemplateUnknownType(type, NearestWord(type, TypeNames())));
      } else if (NestedProperty(resource).empty() && !MakesResources(resource)) {
        if (first == nullptr) first = &resource;
        others.emplace(type);
      }
    }
    if (first == nullptr) return;
    findings_->Warn(LocationInFile(file_, *first),
                    messages::DesignOtherResources({others.begin(), others.end()}));
  }
  static bool IsMisspelt(std::string_view type) {
    const bool is_watched = std::any_of(
        std::begin(kWatchedTypes), std::end(kWatchedTypes), [&](std::string_view begin) {
          return absl::StartsWithIgnoreCase(ToAbsl(type), ToAbsl(begin));
        });
    return is_watched && !IsListed(type, TypeNames());
  }

  void CheckAttributes(const JsonTree& resource) {
    if (ResourceType(resource) == kSimpleTableType &&
        !HasTransform(document_, kServerlessTransform)) {
      findings_->Fail(LocationInFile(file_, resource),
                      messages::TemplateNeedsTransform(kSimpleTableType, kServerlessTransform));
    }
    for (const auto& [name, value] : resource.members) {
      const FileLocation place = LocationInFile(file_, value);
      if (name == kMacro) {
        RefuseMacro(file_, options_, value, findings_);
      } else if (!IsListed(name, AttributeNames())) {
        findings_->Fail(
            place, messages::TemplateUnknownAttribute(name, NearestWord(name, AttributeNames())));
      } else if (name == "DeletionPolicy" || name == "UpdateReplacePolicy") {
        TemplateValues::UnknownValues unknown;
        const std::string policy = values_.Resolve(value, &unknown).text;
        Report(unknown);
        const bool is_known = policy == "Delete" || policy == "Retain" ||
                              (policy == "RetainExceptOnCreate" && name == "DeletionPolicy");
        if (unknown.empty() && !is_known) {
          findings_->Fail(place, messages::TemplateBadPolicy(name, policy));
        }
      } else if (name == "DependsOn") {
        CheckDependencies(value);
      }
    }
  }
  // Not checked where the framework or a transform adds resources that are not in this document.
  void CheckDependencies(const JsonTree& named) {
    if (is_part_ || HasTransform(document_, kServerlessTransform)) return;
    const std::vector<JsonTree> one = {named};
    for (const JsonTree& name : named.kind == JsonTree::Kind::kList ? named.elements : one) {
      if (document_.Find("Resources")->Find(name.text) != nullptr) continue;
      findings_->Fail(LocationInFile(file_, name), messages::TemplateNoSuchResource(name.text));
    }
  }

  // To be called before resources are read, since each may refer to any other. Names may depend on
  // other names, so this repeats until no name changes.
  void NameResources() {
    bool is_news = true;
    for (size_t round = 0; is_news && round <= Resources().size(); ++round) {
      is_news = false;
      for (const auto& [id, resource] : Resources()) {
        const bool is_stream = ResourceType(resource) == kStreamType;
        if (!is_stream && !IsTable(resource)) continue;
        std::optional<std::string> name =
            TableNameFor(id, resource, is_stream ? "Name" : "TableName");
        std::string& old = names_[id];
        if (!name || *name == old) continue;
        is_news = true;
        old = *std::move(name);
        values_.SetResource(id, old,
                            is_stream ? values_.MakeArn("kinesis", Concat("stream/", old))
                                      : values_.MakeArn("dynamodb", Concat("table/", old)));
      }
    }
  }
  // The name of the table or stream; without the property it is the resource's ID. nullopt: the
  // value is not known, or not yet.
  std::optional<std::string> TableNameFor(const std::string& id, const JsonTree& resource,
                                          std::string_view property) {
    const JsonTree* const properties = resource.Find("Properties");
    const JsonTree* const name = properties == nullptr ? nullptr : properties->Find(property);
    if (name == nullptr) return id;
    TemplateValues::UnknownValues unknown;
    const JsonTree resolved = values_.Resolve(*name, &unknown);
    if (!unknown.empty()) return std::nullopt;
    return IsNoValue(resolved) ? id : resolved.text;
  }

  bool IsWanted(const JsonTree& resource) {
    const JsonTree* const condition = resource.Find("Condition");
    if (condition == nullptr) return true;
    TemplateValues::UnknownValues unknown;
    const std::optional<bool> truth = values_.Condition(condition->text, *condition, &unknown);
    Report(unknown);
    return truth.value_or(false);
  }

  void ReadTable(const std::string& id, const JsonTree& resource, TemplateContents* contents) {
    if (!IsWanted(resource)) return;
    std::map<std::string, Findings> lacking;
    const std::optional<JsonTree> properties = Properties(resource, &lacking);
    if (!properties) return;
    if (properties->Find("TableName") == nullptr) {
      findings_->Warn(LocationInFile(file_, resource), messages::DesignTableUnnamed(id));
    }
    TableDesign design;
    design.name = names_[id];
    design.place = LocationInFile(file_, resource);
    ReadTableProperties(file_, ResourceType(resource), options_.region, *properties, &design,
                        findings_);
    for (ReplicaDesign& replica : design.replicas) {
      const std::vector<Finding>& its = lacking[replica.region].list();
      replica.findings.insert(replica.findings.end(), its.begin(), its.end());
    }
    contents->tables.push_back(std::move(design));
  }

  // nullopt: a value is missing or wrong, which is reported. `lacking`: as TrimReplicas.
  std::optional<JsonTree> Properties(const JsonTree& resource,
                                     std::map<std::string, Findings>* lacking) {
    const JsonTree* const written = resource.Find("Properties");
    JsonTree properties = written == nullptr ? MapTree() : *written;
    if (ResourceType(resource) == kSimpleTableType) {
      AddGlobals(document_, resource.Find("IgnoreGlobals"), &properties);
    }
    Prune(&properties);
    if (ResourceType(resource) == kGlobalTableType) TrimReplicas(&properties, lacking);
    TemplateValues::UnknownValues unknown;
    properties = values_.Resolve(properties, &unknown);
    Report(unknown);
    if (!unknown.empty()) return std::nullopt;
    if (properties.kind != JsonTree::Kind::kMap) {
      findings_->Fail(LocationInFile(file_, properties), messages::TemplateNoMap("Properties"));
      return std::nullopt;
    }
    return properties;
  }
  // A replica in another region may not be made, and its values need not be known then: of one that
  // lacks some only the region is kept, and what it lacks is said by region.
  void TrimReplicas(JsonTree* properties, std::map<std::string, Findings>* lacking) {
    JsonTree* const replicas = properties->Find("Replicas");
    if (replicas == nullptr) return;
    for (JsonTree& replica : replicas->elements) {
      const JsonTree* const region = replica.Find("Region");
      if (region == nullptr) continue;
      TemplateValues::UnknownValues unknown;
      JsonTree resolved = values_.Resolve(*region, &unknown);
      if (!unknown.empty() || resolved.text == options_.region) continue;
      values_.Resolve(replica, &unknown);
      if (unknown.empty()) continue;
      values_.Report(file_, unknown, &(*lacking)[resolved.text]);
      replica.members.clear();
      SetMember(&replica, "Region", std::move(resolved));
    }
  }
  // Removes the properties that --leave-out names, with a warning.
  void Prune(JsonTree* tree) {
    for (JsonTree& element : tree->elements) Prune(&element);
    std::vector<JsonTree::Member> kept;
    for (JsonTree::Member& member : tree->members) {
      if (IsLeftOut(member.name)) {
        findings_->Warn(LocationInFile(file_, member.value),
                        messages::TemplateLeftOut(member.name));
        continue;
      }
      Prune(&member.value);
      kept.push_back(std::move(member));
    }
    tree->members = std::move(kept);
  }

  void ReadNested(const JsonTree& resource, TemplateContents* contents) {
    if (IsLeftOut(ResourceType(resource))) {
      return findings_->Warn(LocationInFile(file_, resource),
                             messages::TemplateLeftOut(ResourceType(resource)));
    }
    if (!IsWanted(resource)) return;
    const JsonTree* const properties = resource.Find("Properties");
    const JsonTree* const named =
        properties == nullptr ? nullptr : properties->Find(NestedProperty(resource));
    TemplateValues::UnknownValues unknown;
    const JsonTree path = named == nullptr ? MapTree() : values_.Resolve(*named, &unknown);
    const bool is_file = unknown.empty() && path.kind == JsonTree::Kind::kString &&
                         path.text.find("://") == std::string::npos;
    if (!is_file) {
      return Refuse(LocationInFile(file_, resource), ResourceType(resource),
                    messages::TemplateStackElsewhere(ResourceType(resource)));
    }
    NestedTemplate nested = {path.text, LocationInFile(file_, path), {}};
    if (const JsonTree* const parameters = properties->Find("Parameters")) {
      for (const auto& [name, value] : parameters->members) {
        // The value may not be needed; if it is, reading the nested template reports it as unknown.
        TemplateValues::UnknownValues lacking;
        const JsonTree resolved = values_.Resolve(value, &lacking);
        if (lacking.empty()) nested.parameters[name] = ParameterText(resolved);
      }
    }
    contents->nested.push_back(std::move(nested));
  }
  // A list is passed as one text with commas.
  static std::string ParameterText(const JsonTree& value) {
    std::string text = value.text;
    for (const JsonTree& element : value.elements) {
      text += (text.empty() ? "" : ",") + element.text;
    }
    return text;
  }

  const std::string& file_;
  JsonTree document_;
  const ReadOptions& options_;
  const bool is_part_;
  TemplateValues values_;
  Findings* const findings_;
  std::map<std::string, std::string> names_;
};

}  // namespace

bool IsTemplate(const JsonTree& tree) {
  const JsonTree* const resources = tree.Find("Resources");
  return resources != nullptr && resources->kind == JsonTree::Kind::kMap &&
         (resources->members.empty() ||
          std::any_of(resources->members.begin(), resources->members.end(), [](const auto& member) {
            return member.value.Find("Type") != nullptr || member.name.starts_with(kLoopPrefix) ||
                   member.name == kMacro;
          }));
}

TemplateContents ReadTemplateTables(const std::string& file, const JsonTree& tree,
                                    const ReadOptions& options, bool is_part, Findings* findings) {
  return TemplateReader(file, tree, options, is_part, findings).Read();
}

}  // namespace dynolith::designs
