#include "tools/designs/template_tables.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/messages/designs.h"
#include "tools/designs/create_table.h"
#include "tools/designs/json_parts.h"
#include "tools/designs/template_values.h"

namespace dynolith::designs {
namespace {

constexpr std::string_view kTable = "AWS::DynamoDB::Table";
constexpr std::string_view kGlobalTable = "AWS::DynamoDB::GlobalTable";

// What keeps nobody from loading a table when its value is not known.
constexpr std::string_view kSpared[] = {"Tags", "SSESpecification", "KinesisStreamSpecification",
                                        "ResourcePolicy", "ImportSourceSpecification"};
// What says where data comes from or goes to besides, and more regions than one.
constexpr std::string_view kUnused[] = {"KinesisStreamSpecification", "ImportSourceSpecification",
                                        "MultiRegionConsistency", "GlobalTableWitnesses",
                                        "ReplicaStreamSpecification"};
// How a resource is made and removed, and by whom it is explained.
constexpr std::string_view kResourceMembers[] = {
    "Type",     "Properties",     "Condition",           "DependsOn",   "DeletionPolicy",
    "Metadata", "CreationPolicy", "UpdateReplacePolicy", "UpdatePolicy"};

template <typename List>
bool IsOneOf(std::string_view name, const List& list) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// The properties of one table on their way to a design.
class TableReader {
 public:
  TableReader(std::string file, TableDesign* design, Findings* findings)
      : file_(std::move(file)), design_(design), findings_(findings) {}

  void Read(JsonTree properties, bool is_global, const std::string& region) {
    if (is_global) TakeReplica(&properties, region);
    for (const std::string_view name : kUnused) DropUnused(name, &properties);
    Rename("SSEEnabled", "Enabled", properties.Find("SSESpecification"));
    TurnOnStream(properties.Find("StreamSpecification"));
    WritePolicy(properties.Find("ResourcePolicy"));
    TakeSpecification("TimeToLiveSpecification", "UpdateTimeToLive", &properties);
    TakeInsights("", &properties);
    if (JsonTree* const indexes = properties.Find("GlobalSecondaryIndexes")) {
      for (JsonTree& index : indexes->elements) {
        const std::string name(TextOf(index.Find("IndexName")));
        TakeInsights(name, &index);
      }
    }
    TakeSpecification("PointInTimeRecoverySpecification", "UpdateContinuousBackups", &properties);
    SetMember(&properties, "TableName", TextTree(design_->name));
    FitToShape(file_, InputOf("CreateTable"), &properties, findings_);
    design_->create = std::move(properties);
  }

 private:
  void WarnUnused(std::string_view name, const JsonTree& value) {
    findings_->Warn(PlaceOf(file_, value), messages::DesignMemberUnused(name));
  }
  void DropUnused(std::string_view name, JsonTree* owner) {
    const JsonTree* const found = owner->Find(name);
    if (found == nullptr) return;
    WarnUnused(name, *found);
    RemoveMember(owner, name);
  }
  static void Rename(std::string_view from, std::string_view to, JsonTree* owner) {
    if (owner == nullptr) return;
    for (JsonTree::Member& member : owner->members) {
      if (member.name == from) member.name = to;
    }
  }
  void TurnOnStream(JsonTree* stream) {
    if (stream == nullptr) return;
    DropUnused("ResourcePolicy", stream);
    SetMember(stream, "StreamEnabled", WordTree("true"));
  }
  // The service wants it as a text.
  static void WritePolicy(JsonTree* policy) {
    JsonTree* const document = policy == nullptr ? nullptr : policy->Find("PolicyDocument");
    if (document == nullptr || document->kind != JsonTree::Kind::kMap) return;
    *policy = TextTree(PrintJson(*document));
  }
  void TakeSpecification(std::string_view member, std::string_view operation, JsonTree* owner) {
    if (owner->Find(member) == nullptr) return;
    AddSpecification(file_, operation, member, TakeMember(owner, member), design_, findings_);
  }
  void TakeInsights(const std::string& index, JsonTree* owner) {
    if (owner->Find("ContributorInsightsSpecification") == nullptr) return;
    const JsonTree insights = TakeMember(owner, "ContributorInsightsSpecification");
    if (TextOf(insights.Find("Enabled")) != "true") return;
    TableCall call{"UpdateContributorInsights", MapTree(), PlaceOf(file_, insights)};
    SetMember(&call.input, "TableName", TextTree(design_->name));
    if (!index.empty()) SetMember(&call.input, "IndexName", TextTree(index));
    SetMember(&call.input, "ContributorInsightsAction", TextTree("ENABLE"));
    if (const JsonTree* mode = insights.Find("Mode")) {
      SetMember(&call.input, "ContributorInsightsMode", *mode);
    }
    design_->calls.push_back(std::move(call));
  }

  // A global table is loaded as the table that one region sees.
  void TakeReplica(JsonTree* table, const std::string& region) {
    const JsonTree replicas = TakeMember(table, "Replicas");
    const auto in_region = std::find_if(
        replicas.elements.begin(), replicas.elements.end(),
        [&](const JsonTree& element) { return TextOf(element.Find("Region")) == region; });
    const auto chosen =
        in_region == replicas.elements.end() ? replicas.elements.begin() : in_region;
    for (auto it = replicas.elements.begin(); it != replicas.elements.end(); ++it) {
      if (it != chosen) {
        findings_->Warn({file_, it->line, it->column},
                        messages::DesignReplicaLeftOut(TextOf(it->Find("Region"))));
      }
    }
    JsonTree replica = replicas.elements.empty() ? MapTree() : *chosen;
    RemoveMember(&replica, "Region");
    const JsonTree its_indexes = TakeMember(&replica, "GlobalSecondaryIndexes");
    const bool is_on_demand = TextOf(table->Find("BillingMode")) == "PAY_PER_REQUEST";
    TakeCapacity(is_on_demand, table, &replica);
    if (JsonTree* const indexes = table->Find("GlobalSecondaryIndexes")) {
      for (JsonTree& index : indexes->elements) TakeIndex(is_on_demand, its_indexes, &index);
    }
    for (JsonTree::Member& member : replica.members) {
      SetReplicaMember(member.name, std::move(member.value), table);
    }
  }
  // The table says how it is encrypted, the replica with which key.
  static void SetReplicaMember(std::string_view name, JsonTree value, JsonTree* table) {
    JsonTree* const specification = table->Find(name);
    if (name != "SSESpecification" || specification == nullptr) {
      SetMember(table, name, std::move(value));
      return;
    }
    for (JsonTree::Member& member : value.members) {
      SetMember(specification, member.name, std::move(member.value));
    }
  }
  void TakeIndex(bool is_on_demand, const JsonTree& replica_indexes, JsonTree* index) {
    JsonTree none = MapTree();
    for (const JsonTree& element : replica_indexes.elements) {
      if (TextOf(element.Find("IndexName")) != TextOf(index->Find("IndexName"))) continue;
      none = element;
      RemoveMember(&none, "IndexName");
    }
    TakeCapacity(is_on_demand, index, &none);
    for (JsonTree::Member& member : none.members) {
      SetMember(index, member.name, std::move(member.value));
    }
  }

  // Writes are said of the table, reads of each replica; units come from auto scaling's bounds.
  void TakeCapacity(bool is_on_demand, JsonTree* table, JsonTree* replica) {
    const JsonTree writes = TakeMember(table, "WriteProvisionedThroughputSettings");
    const JsonTree reads = TakeMember(replica, "ReadProvisionedThroughputSettings");
    const JsonTree write_maximum = TakeMember(table, "WriteOnDemandThroughputSettings");
    JsonTree read_maximum = TakeMember(replica, "ReadOnDemandThroughputSettings");
    const JsonTree table_maximum = TakeMember(table, "ReadOnDemandThroughputSettings");
    const JsonTree table_reads = TakeMember(table, "ReadProvisionedThroughputSettings");
    if (read_maximum.members.empty()) read_maximum = table_maximum;
    if (is_on_demand) {
      JsonTree maximum = MapTree();
      for (const JsonTree* const part : {&std::as_const(read_maximum), &write_maximum}) {
        for (const JsonTree::Member& member : part->members) {
          SetMember(&maximum, member.name, member.value);
        }
      }
      if (!maximum.members.empty()) SetMember(table, "OnDemandThroughput", std::move(maximum));
      return;
    }
    JsonTree units = MapTree();
    SetMember(&units, "ReadCapacityUnits",
              Units(reads.members.empty() ? table_reads : reads, "ReadCapacityUnits",
                    "ReadCapacityAutoScalingSettings"));
    SetMember(&units, "WriteCapacityUnits",
              Units(writes, "WriteCapacityUnits", "WriteCapacityAutoScalingSettings"));
    SetMember(table, "ProvisionedThroughput", std::move(units));
  }
  JsonTree Units(const JsonTree& settings, std::string_view fixed, std::string_view scaled) {
    if (const JsonTree* units = settings.Find(fixed)) return *units;
    const JsonTree* const bounds = settings.Find(scaled);
    if (bounds == nullptr) return WordTree("1");
    WarnUnused(scaled, *bounds);
    for (const std::string_view name : {"SeedCapacity", "MinCapacity"}) {
      if (const JsonTree* units = bounds->Find(name)) return *units;
    }
    return WordTree("1");
  }

  const std::string file_;
  TableDesign* const design_;
  Findings* const findings_;
};

class TemplateReader {
 public:
  TemplateReader(const std::string& file, const JsonTree& tree,
                 const std::map<std::string, std::string>& parameters, const std::string& region,
                 Findings* findings)
      : file_(file),
        resources_(*tree.Find("Resources")),
        region_(region),
        values_(tree, parameters, region),
        findings_(findings) {}

  std::vector<TableDesign> Read() {
    std::vector<TableDesign> designs;
    NameTables();
    WarnOfOthers();
    for (const auto& [id, resource] : resources_.members) {
      if (!IsTable(resource) || !IsWanted(resource)) continue;
      for (const auto& [name, value] : resource.members) {
        if (!IsOneOf(name, kResourceMembers)) {
          findings_->Warn(PlaceOf(file_, value), messages::DesignMemberUnknown(name, ""));
        }
      }
      if (!IsNamed(resource)) {
        findings_->Warn(PlaceOf(file_, resource), messages::DesignTableUnnamed(id));
      }
      TableDesign design;
      design.name = names_[id];
      design.place = PlaceOf(file_, resource);
      const size_t errors = findings_->errors();
      JsonTree properties = Properties(resource);
      if (findings_->errors() > errors) continue;
      TableReader(file_, &design, findings_)
          .Read(std::move(properties), TextOf(resource.Find("Type")) == kGlobalTable, region_);
      designs.push_back(std::move(design));
    }
    return designs;
  }

 private:
  static bool IsTable(const JsonTree& resource) {
    const std::string_view type = TextOf(resource.Find("Type"));
    return type == kTable || type == kGlobalTable;
  }

  static bool IsNamed(const JsonTree& resource) {
    const JsonTree* const properties = resource.Find("Properties");
    return properties != nullptr && properties->Find("TableName") != nullptr;
  }

  bool IsWanted(const JsonTree& resource) {
    const JsonTree* const condition = resource.Find("Condition");
    if (condition == nullptr) return true;
    const std::optional<bool> truth = values_.Condition(condition->text);
    if (!truth) {
      findings_->Warn(PlaceOf(file_, *condition),
                      messages::DesignConditionUnknown(condition->text));
    }
    return truth.value_or(true);
  }

  // First of all: other resources may refer to them.
  void NameTables() {
    for (const auto& [id, resource] : resources_.members) {
      if (!IsTable(resource)) continue;
      const JsonTree* const properties = resource.Find("Properties");
      const JsonTree* const name = properties == nullptr ? nullptr : properties->Find("TableName");
      names_[id] = id;
      if (name != nullptr) {
        std::vector<TemplateValues::Unknown> unknown;
        const JsonTree resolved = values_.Resolve(*name, &unknown);
        if (unknown.empty()) names_[id] = resolved.text;
      }
      values_.SetTableName(id, names_[id]);
    }
  }

  void WarnOfOthers() {
    std::set<std::string> types;
    const JsonTree* first = nullptr;
    for (const auto& [id, resource] : resources_.members) {
      if (IsTable(resource)) continue;
      if (first == nullptr) first = &resource;
      types.emplace(TextOf(resource.Find("Type")));
    }
    if (first == nullptr) return;
    findings_->Warn(PlaceOf(file_, *first),
                    messages::DesignOtherResources({types.begin(), types.end()}));
  }

  JsonTree Properties(const JsonTree& resource) {
    JsonTree resolved = MapTree();
    const JsonTree* const properties = resource.Find("Properties");
    if (properties == nullptr) return resolved;
    for (const auto& [name, value] : properties->members) {
      std::vector<TemplateValues::Unknown> unknown;
      JsonTree made = values_.Resolve(value, &unknown);
      const bool is_spared = IsOneOf(name, kSpared);
      for (const TemplateValues::Unknown& lacks : unknown) {
        Place place = PlaceOf(file_, *lacks.at);
        if (is_spared) {
          findings_->Warn(std::move(place), messages::DesignValueLeftOut(lacks.name, name));
        } else {
          findings_->Fail(std::move(place), messages::DesignValueUnknown(lacks.name));
        }
      }
      const bool is_none = made.kind == JsonTree::Kind::kOther && made.text == "AWS::NoValue";
      if (unknown.empty() && !is_none) resolved.members.push_back({name, std::move(made)});
    }
    return resolved;
  }

  const std::string& file_;
  const JsonTree& resources_;
  const std::string& region_;
  TemplateValues values_;
  Findings* const findings_;
  std::map<std::string, std::string> names_;
};

}  // namespace

bool IsTemplate(const JsonTree& tree) {
  const JsonTree* const resources = tree.Find("Resources");
  return resources != nullptr && resources->kind == JsonTree::Kind::kMap &&
         std::all_of(resources->members.begin(), resources->members.end(),
                     [](const auto& member) { return member.value.Find("Type") != nullptr; });
}

std::vector<TableDesign> ReadTemplateTables(const std::string& file, const JsonTree& tree,
                                            const std::map<std::string, std::string>& parameters,
                                            const std::string& region, Findings* findings) {
  return TemplateReader(file, tree, parameters, region, findings).Read();
}

}  // namespace dynolith::designs
