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
#include "tools/files/templates/simple_table.h"

namespace dynolith::designs {
namespace {

// Properties that a load cannot fulfil: the data to import, and the witness of a table of several
// regions.
constexpr std::string_view kRefused[] = {"ImportSourceSpecification", "GlobalTableWitnesses"};

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
    for (const std::string_view name : kRefused) Refuse(name, &properties);
    TakeConsistency(&properties);
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
  // A table in one region satisfies EVENTUAL, so only other values are refused.
  void TakeConsistency(JsonTree* table) {
    if (MemberText(table->Find("MultiRegionConsistency")) == "EVENTUAL") {
      RemoveMember(table, "MultiRegionConsistency");
    }
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
    call.is_of_stream = true;
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
      if (it == in_region) continue;
      const std::string_view other = MemberText(it->Find("Region"));
      if (other == region) {
        findings_->Fail(LocationInFile(file_, *it), messages::TemplateReplicaTwice(region));
      } else {
        findings_->Warn(LocationInFile(file_, *it), messages::DesignReplicaLeftOut(other));
      }
    }
    JsonTree replica = *in_region;
    KeepNames(file_, ReplicaNames(), &replica, findings_);
    RemoveMember(&replica, "Region");
    JsonTree its_indexes = TakeMember(&replica, "GlobalSecondaryIndexes");
    CheckReplicaIndexes(table->Find("GlobalSecondaryIndexes"), &its_indexes);
    const bool is_on_demand = MemberText(table->Find("BillingMode")) == "PAY_PER_REQUEST";
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

}  // namespace

void ReadTableProperties(const std::string& file, std::string_view type, const std::string& region,
                         JsonTree properties, TableDesign* design, Findings* findings) {
  if (type == kSimpleTableType) {
    properties = ExpandSimpleTable(file, std::move(properties), findings);
  }
  TableReader(file, design, findings).Read(std::move(properties), type == kGlobalTableType, region);
}

}  // namespace dynolith::designs
