#include "tools/files/templates/table_properties.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tools/files/table/create_table.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/table/messages.h"
#include "tools/files/templates/messages.h"
#include "tools/files/templates/property_names.h"
#include "tools/files/templates/replica_design.h"
#include "tools/files/templates/simple_table.h"

namespace dynolith::designs {
namespace {

// The data to import: a load cannot do it.
constexpr std::string_view kRefused = "ImportSourceSpecification";

// The properties of a global table and of a replica. These are checked by name, since CreateTable's
// shape has members that they lack.
const std::vector<std::string>& GlobalTableNames() {
  static const std::vector<std::string> names = {"AttributeDefinitions",
                                                 "BillingMode",
                                                 "GlobalSecondaryIndexes",
                                                 "GlobalTableSettingsReplicationMode",
                                                 "GlobalTableSourceArn",
                                                 "GlobalTableWitnesses",
                                                 "KeySchema",
                                                 "LocalSecondaryIndexes",
                                                 "MultiRegionConsistency",
                                                 "ReadOnDemandThroughputSettings",
                                                 "ReadProvisionedThroughputSettings",
                                                 "Replicas",
                                                 "SSESpecification",
                                                 "StreamSpecification",
                                                 "TableName",
                                                 "TimeToLiveSpecification",
                                                 "WarmThroughput",
                                                 "WriteOnDemandThroughputSettings",
                                                 "WriteProvisionedThroughputSettings"};
  return names;
}
const std::vector<std::string>& ReplicaNames() {
  static const std::vector<std::string> names = {"ContributorInsightsSpecification",
                                                 "DeletionProtectionEnabled",
                                                 "GlobalSecondaryIndexes",
                                                 "GlobalTableSettingsReplicationMode",
                                                 "KinesisStreamSpecification",
                                                 "PointInTimeRecoverySpecification",
                                                 "ReadOnDemandThroughputSettings",
                                                 "ReadProvisionedThroughputSettings",
                                                 "Region",
                                                 "ReplicaStreamSpecification",
                                                 "ResourcePolicy",
                                                 "SSESpecification",
                                                 "TableClass",
                                                 "Tags"};
  return names;
}

// Converts the properties of one table to a design.
class TableReader {
 public:
  TableReader(std::string file, TableDesign* design, Findings* findings)
      : file_(std::move(file)), design_(design), findings_(findings) {}

  void Read(JsonTree properties, bool is_global, const std::string& region) {
    if (is_global && !TakeReplica(&properties, region)) return;
    Refuse(kRefused, &properties);
    TakeConsistency(is_global, &properties);
    Rename("SSEEnabled", "Enabled", properties.Find("SSESpecification"));
    if (JsonTree* const stream = properties.Find("StreamSpecification")) {
      TakeStreamPolicy(stream);
      // In a template the stream is on if the specification is present.
      if (stream->Find("StreamEnabled") == nullptr) {
        SetMember(stream, "StreamEnabled", WordTree("true"));
      }
    }
    if (properties.Find("ReplicaStreamSpecification") != nullptr) {
      JsonTree stream = TakeMember(&properties, "ReplicaStreamSpecification");
      TakeStreamPolicy(&stream);
      CheckNames(file_, {}, stream, findings_);
    }
    WritePolicy(properties.Find("ResourcePolicy"));
    TakeDestination(&properties);
    TakeSpecification("TimeToLiveSpecification", "UpdateTimeToLive", &properties);
    TakeInsights("", &properties);
    if (JsonTree* const indexes = properties.Find("GlobalSecondaryIndexes")) {
      for (JsonTree& index : indexes->elements) {
        const std::string name(MemberText(index.Find("IndexName")));
        TakeInsights(name, &index);
      }
    }
    TakeSpecification("PointInTimeRecoverySpecification", "UpdateContinuousBackups", &properties);
    SetMember(&properties, "TableName", TextTree(design_->name));
    FitToShape(file_, InputShape("CreateTable"), &properties, findings_, UnknownMembers::kFail);
    design_->create = std::move(properties);
  }

 private:
  static constexpr const char* kPrecision = "ApproximateCreationDateTimePrecision";

  void Refuse(std::string_view name, JsonTree* owner) {
    const JsonTree* const found = owner->Find(name);
    if (found == nullptr) return;
    findings_->Fail(LocationInFile(file_, *found),
                    messages::TemplateRefused(messages::TemplateCannotDo(name), name));
    RemoveMember(owner, name);
  }
  // A table in one region satisfies EVENTUAL. A witness is one of STRONG.
  void TakeConsistency(bool is_global, JsonTree* table) {
    const JsonTree* const wanted = table->Find("MultiRegionConsistency");
    const std::string_view name = MemberText(wanted);
    if (is_global && name == "STRONG") {
      design_->strong = LocationInFile(file_, *wanted);
      for (const JsonTree& witness : TakeMember(table, "GlobalTableWitnesses").elements) {
        CheckNames(file_, {"Region"}, witness, findings_);
        design_->witnesses.emplace_back(MemberText(witness.Find("Region")));
      }
    }
    if (design_->strong || name == "EVENTUAL") RemoveMember(table, "MultiRegionConsistency");
    Refuse("GlobalTableWitnesses", table);
    Refuse("MultiRegionConsistency", table);
  }
  static void Rename(std::string_view from, std::string_view to, JsonTree* owner) {
    if (owner == nullptr) return;
    for (JsonTree::Member& member : owner->members) {
      if (member.name == from) member.name = to;
    }
  }
  // The load adds the stream's ARN to the call once the table exists.
  void TakeStreamPolicy(JsonTree* stream) {
    if (stream->Find("ResourcePolicy") == nullptr) return;
    JsonTree policy = TakeMember(stream, "ResourcePolicy");
    TableCall call{"PutResourcePolicy", MapTree(), LocationInFile(file_, policy)};
    call.arn_of = ArnOf::kStream;
    WritePolicy(&policy);
    SetMember(&call.input, "Policy", std::move(policy));
    design_->calls.push_back(std::move(call));
  }
  void TakeDestination(JsonTree* table) {
    if (table->Find("KinesisStreamSpecification") == nullptr) return;
    const JsonTree destination = TakeMember(table, "KinesisStreamSpecification");
    CheckNames(file_, {"StreamArn", kPrecision}, destination, findings_);
    TableCall call{"EnableKinesisStreamingDestination", MapTree(),
                   LocationInFile(file_, destination)};
    SetMember(&call.input, "TableName", TextTree(design_->name));
    if (const JsonTree* const arn = destination.Find("StreamArn")) {
      SetMember(&call.input, "StreamArn", *arn);
    }
    if (const JsonTree* const precision = destination.Find(kPrecision)) {
      JsonTree configuration = MapTree();
      SetMember(&configuration, kPrecision, *precision);
      SetMember(&call.input, "EnableKinesisStreamingConfiguration", std::move(configuration));
    }
    design_->calls.push_back(std::move(call));
  }
  // Converts the policy to the text that the service takes.
  void WritePolicy(JsonTree* policy) {
    if (policy == nullptr) return;
    CheckNames(file_, {"PolicyDocument"}, *policy, findings_);
    const JsonTree* const document = policy->Find("PolicyDocument");
    if (document == nullptr) return;
    const bool is_text = document->kind == JsonTree::Kind::kString;
    *policy = TextTree(is_text ? document->text : PrintJson(*document));
  }
  void TakeSpecification(std::string_view member, std::string_view operation, JsonTree* owner) {
    if (owner->Find(member) == nullptr) return;
    AddSpecification(file_, operation, member, TakeMember(owner, member), design_, findings_,
                     UnknownMembers::kFail);
  }
  void TakeInsights(const std::string& index, JsonTree* owner) {
    if (owner->Find("ContributorInsightsSpecification") == nullptr) return;
    const JsonTree insights = TakeMember(owner, "ContributorInsightsSpecification");
    CheckNames(file_, {"Enabled", "Mode"}, insights, findings_);
    const std::string_view enabled = MemberText(insights.Find("Enabled"));
    if (enabled != "true" && enabled != "false") {
      findings_->Fail(LocationInFile(file_, insights), messages::TemplateMalformed("this"));
    }
    if (enabled != "true") return;
    TableCall call{"UpdateContributorInsights", MapTree(), LocationInFile(file_, insights)};
    SetMember(&call.input, "TableName", TextTree(design_->name));
    if (!index.empty()) SetMember(&call.input, "IndexName", TextTree(index));
    SetMember(&call.input, "ContributorInsightsAction", TextTree("ENABLE"));
    if (const JsonTree* mode = insights.Find("Mode")) {
      SetMember(&call.input, "ContributorInsightsMode", *mode);
    }
    design_->calls.push_back(std::move(call));
  }

  // Reduces a global table to the table that `region` has. Returns false if that has no replica,
  // which is reported.
  bool TakeReplica(JsonTree* table, const std::string& region) {
    KeepNames(file_, GlobalTableNames(), table, findings_);
    const JsonTree replicas = TakeMember(table, "Replicas");
    const auto in_region = std::find_if(
        replicas.elements.begin(), replicas.elements.end(),
        [&](const JsonTree& element) { return MemberText(element.Find("Region")) == region; });
    if (in_region == replicas.elements.end()) {
      const std::string_view other =
          replicas.elements.empty() ? "" : MemberText(replicas.elements.front().Find("Region"));
      if (other.empty()) {
        findings_->Fail(design_->place, messages::TemplateNoReplicas());
      } else {
        findings_->Fail(LocationInFile(file_, replicas),
                        messages::TemplateNoReplica(region, other));
      }
      return false;
    }
    for (auto it = replicas.elements.begin(); it != replicas.elements.end(); ++it) {
      const std::string_view other = MemberText(it->Find("Region"));
      if (other.empty()) {
        findings_->Fail(LocationInFile(file_, *it), messages::TemplateMalformed("this replica"));
      } else if (it != in_region && other == region) {
        findings_->Fail(LocationInFile(file_, *it), messages::TemplateReplicaTwice(region));
      }
    }
    JsonTree replica = *in_region;
    KeepNames(file_, ReplicaNames(), &replica, findings_);
    RemoveMember(&replica, "Region");
    JsonTree its_indexes = TakeMember(&replica, "GlobalSecondaryIndexes");
    CheckReplicaIndexes(table->Find("GlobalSecondaryIndexes"), &its_indexes);
    const bool is_on_demand = MemberText(table->Find("BillingMode")) == "PAY_PER_REQUEST";
    if (!is_on_demand) TakeScaling(*table);
    TakeCapacity(is_on_demand, table, &replica);
    if (JsonTree* const indexes = table->Find("GlobalSecondaryIndexes")) {
      for (JsonTree& index : indexes->elements) TakeIndex(is_on_demand, its_indexes, &index);
    }
    for (JsonTree::Member& member : replica.members) {
      SetReplicaMember(member.name, std::move(member.value), table);
    }
    return true;
  }
  // A replica may add settings to the table's indexes, but has no indexes of its own.
  void CheckReplicaIndexes(const JsonTree* of_table, JsonTree* of_replica) {
    for (JsonTree& index : of_replica->elements) {
      KeepNames(file_,
                {"IndexName", "ContributorInsightsSpecification", "ReadOnDemandThroughputSettings",
                 "ReadProvisionedThroughputSettings"},
                &index, findings_);
      const std::string_view name = MemberText(index.Find("IndexName"));
      const bool is_there =
          of_table != nullptr && std::any_of(of_table->elements.begin(), of_table->elements.end(),
                                             [&](const JsonTree& one) {
                                               return MemberText(one.Find("IndexName")) == name;
                                             });
      if (!is_there) {
        findings_->Fail(LocationInFile(file_, index), messages::TemplateNoSuchIndex(name));
      }
    }
  }
  // The table's specification says how it is encrypted, and the replica's adds the key.
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
      if (MemberText(element.Find("IndexName")) != MemberText(index->Find("IndexName"))) continue;
      none = element;
      RemoveMember(&none, "IndexName");
    }
    TakeCapacity(is_on_demand, index, &none);
    for (JsonTree::Member& member : none.members) {
      SetMember(index, member.name, std::move(member.value));
    }
  }

  void TakeScaling(const JsonTree& table) {
    JsonTree scaling = MapTree();
    JsonTree scaled = ListTree();
    if (const JsonTree* const indexes = table.Find("GlobalSecondaryIndexes")) {
      for (const JsonTree& index : indexes->elements) {
        JsonTree update = MapTree();
        SetMember(&update, "IndexName", TextTree(MemberText(index.Find("IndexName"))));
        AddScaling(index, &update);
        if (update.members.size() > 1) scaled.elements.push_back(std::move(update));
      }
    }
    AddScaling(table, &scaling);
    if (!scaled.elements.empty()) {
      SetMember(&scaling, "GlobalSecondaryIndexUpdates", std::move(scaled));
    }
    if (scaling.members.empty()) return;
    SetMember(&scaling, "TableName", TextTree(design_->name));
    FitToShape(file_, InputShape("UpdateTableReplicaAutoScaling"), &scaling, findings_,
               UnknownMembers::kFail);
    design_->scaling = std::move(scaling);
  }
  // Of a table or an index.
  static void AddScaling(const JsonTree& owner, JsonTree* update) {
    const JsonTree* const settings = owner.Find("WriteProvisionedThroughputSettings");
    const JsonTree* const bounds =
        settings == nullptr ? nullptr : settings->Find("WriteCapacityAutoScalingSettings");
    if (bounds == nullptr) return;
    JsonTree wanted = MapTree();
    const auto copy = [&](std::string_view from, std::string_view to) {
      if (const JsonTree* const value = bounds->Find(from)) SetMember(&wanted, to, *value);
    };
    copy("MinCapacity", "MinimumUnits");
    copy("MaxCapacity", "MaximumUnits");
    constexpr std::string_view kTracking = "TargetTrackingScalingPolicyConfiguration";
    if (const JsonTree* const policy = bounds->Find(kTracking)) {
      JsonTree scaling_policy = MapTree();
      SetMember(&scaling_policy, kTracking, *policy);
      SetMember(&wanted, "ScalingPolicyUpdate", std::move(scaling_policy));
    }
    SetMember(update, "ProvisionedWriteCapacityAutoScalingUpdate", std::move(wanted));
  }

  // Writes are configured for the table, reads for each replica. With auto scaling the units are
  // those that it begins with.
  void TakeCapacity(bool is_on_demand, JsonTree* table, JsonTree* replica) {
    const JsonTree writes = TakeMember(table, "WriteProvisionedThroughputSettings");
    const JsonTree reads = TakeMember(replica, "ReadProvisionedThroughputSettings");
    const JsonTree write_maximum = TakeMember(table, "WriteOnDemandThroughputSettings");
    JsonTree read_maximum = TakeMember(replica, "ReadOnDemandThroughputSettings");
    const JsonTree table_maximum = TakeMember(table, "ReadOnDemandThroughputSettings");
    const JsonTree table_reads = TakeMember(table, "ReadProvisionedThroughputSettings");
    if (read_maximum.members.empty()) read_maximum = table_maximum;
    for (const JsonTree* const settings : {&writes, &reads, &table_reads}) {
      CheckNames(file_,
                 {"ReadCapacityUnits", "WriteCapacityUnits", "ReadCapacityAutoScalingSettings",
                  "WriteCapacityAutoScalingSettings"},
                 *settings, findings_);
    }
    JsonTree maximum = MapTree();
    for (const JsonTree* const part : {&std::as_const(read_maximum), &write_maximum}) {
      for (const JsonTree::Member& member : part->members) {
        SetMember(&maximum, member.name, member.value);
      }
    }
    if (!maximum.members.empty()) SetMember(table, "OnDemandThroughput", std::move(maximum));
    if (is_on_demand) {
      RefuseUnits("WriteProvisionedThroughputSettings", writes);
      RefuseUnits("ReadProvisionedThroughputSettings", reads);
      RefuseUnits("ReadProvisionedThroughputSettings", table_reads);
      return;
    }
    JsonTree units = MapTree();
    TakeUnits(reads.members.empty() ? table_reads : reads, "ReadCapacityUnits",
              "ReadCapacityAutoScalingSettings", &units);
    TakeUnits(writes, "WriteCapacityUnits", "WriteCapacityAutoScalingSettings", &units);
    if (!units.members.empty()) SetMember(table, "ProvisionedThroughput", std::move(units));
  }
  void RefuseUnits(std::string_view name, const JsonTree& settings) {
    if (settings.members.empty()) return;
    findings_->Fail(LocationInFile(file_, settings),
                    messages::TemplateRefused(messages::TemplateUnitsOnDemand(), name));
  }
  // Adds the units that the settings give. The service reports missing ones.
  void TakeUnits(const JsonTree& settings, std::string_view fixed, std::string_view scaled,
                 JsonTree* units) {
    if (const JsonTree* const number = settings.Find(fixed)) SetMember(units, fixed, *number);
    const JsonTree* const bounds = settings.Find(scaled);
    if (bounds == nullptr) return;
    CheckNames(
        file_,
        {"MinCapacity", "MaxCapacity", "SeedCapacity", "TargetTrackingScalingPolicyConfiguration"},
        *bounds, findings_);
    for (const std::string_view name : {"SeedCapacity", "MinCapacity"}) {
      const JsonTree* const begin = bounds->Find(name);
      if (begin == nullptr || units->Find(fixed) != nullptr) continue;
      SetMember(units, fixed, *begin);
      findings_->Warn(LocationInFile(file_, *bounds),
                      messages::TemplateNothingScales(scaled, begin->text));
    }
  }

  const std::string file_;
  TableDesign* const design_;
  Findings* const findings_;
};

bool IsAmong(const Finding& finding, const std::vector<Finding>& list) {
  return std::any_of(list.begin(), list.end(), [&](const Finding& other) {
    return other.place.line == finding.place.line && other.place.column == finding.place.column &&
           other.text == finding.text;
  });
}

// What the table is in each other region, as a replica. `properties`: all of the global table.
void AddReplicas(const std::string& file, const std::string& region, const JsonTree& properties,
                 TableDesign* design, const Findings& findings) {
  const JsonTree* const replicas = properties.Find("Replicas");
  if (replicas == nullptr) return;
  std::vector<std::string_view> known = {region, ""};
  for (const JsonTree& element : replicas->elements) {
    const std::string_view other = MemberText(element.Find("Region"));
    if (std::find(known.begin(), known.end(), other) != known.end()) continue;
    known.push_back(other);
    TableDesign there;
    there.name = design->name;
    there.place = LocationInFile(file, element);
    Findings found;
    TableReader(file, &there, &found).Read(properties, /*is_global=*/true, std::string(other));
    ReplicaDesign replica = ToReplica(*design, std::move(there), std::string(other));
    // What all of them have in common has been said.
    for (const Finding& finding : found.list()) {
      if (!IsAmong(finding, findings.list())) replica.findings.push_back(finding);
    }
    design->replicas.push_back(std::move(replica));
  }
}

}  // namespace

void ReadTableProperties(const std::string& file, std::string_view type, const std::string& region,
                         JsonTree properties, TableDesign* design, Findings* findings) {
  if (type == kSimpleTableType) {
    properties = ExpandSimpleTable(file, std::move(properties), findings);
  }
  const bool is_global = type == kGlobalTableType;
  TableReader(file, design, findings).Read(properties, is_global, region);
  if (!is_global || design->create.members.empty()) return;
  AddReplicas(file, region, properties, design, *findings);
  if (!design->strong || !design->replicas.empty()) return;
  constexpr std::string_view kConsistency = "MultiRegionConsistency";
  findings->Fail(*design->strong,
                 messages::TemplateRefused(messages::TemplateCannotDo(kConsistency), kConsistency));
}

}  // namespace dynolith::designs
