// The texts of the control plane.
#ifndef DYNOLITH_API_CONTROL_MESSAGES_H_
#define DYNOLITH_API_CONTROL_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/table/messages.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== CreateTable, UpdateTable and DeleteTable (api/facts/operations.md §1.3, §5).

// --- Names and ARNs ---

inline std::string IndexNotFoundForTable(std::string_view index, std::string_view table) {
  return Concat("Requested resource not found: Index ", index, " for table ", table);
}

// --- Key schemas and attribute definitions ---

// Each schema is a list of elements like "key{a:S:HASH}".
inline std::string AttributeRedefined(const std::vector<std::string>& existing,
                                      const std::vector<std::string>& wanted) {
  const auto schema = [](const std::vector<std::string>& elements) {
    std::string text;
    for (const std::string& element : elements) {
      if (!text.empty()) text += ", ";
      text += Concat("SchemaElement: ", element);
    }
    return Concat("Schema:[", text, "]");
  };
  return tables_internal::Invalid(
      Concat("Attributes cannot be redefined. Please check that your attribute has the same type "
             "as previously defined. Existing schema: ",
             schema(existing), " New schema: ", schema(wanted)));
}

// --- Indexes ---

inline std::string LocalIndexNeedsTableRange() {
  return tables_internal::Invalid(
      "Table KeySchema does not have a range key, which is required when specifying a "
      "LocalSecondaryIndex");
}
inline std::string IndexNameRepeated(std::string_view index) {
  return tables_internal::Invalid(Concat("Duplicate index name: ", index));
}
inline std::string TooManyLocalIndexes(int limit) {
  return tables_internal::Invalid(
      Concat("Number of LocalSecondaryIndexes exceeds per-table limit of ", limit));
}
inline std::string TooManyGlobalIndexes(int limit) {
  return tables_internal::Invalid(
      Concat("GlobalSecondaryIndex count exceeds the per-table limit of ", limit));
}
inline std::string TooManyGlobalIndexesOnUpdate(int limit) {
  return tables_internal::Subscriber(
      Concat("Number of global secondary indexes exceeds per-table limit of ", limit));
}
inline std::string IndexAlreadyExists() {
  return "Attempting to create an index which already exists";
}
// `verb`: "delete" or "update".
inline std::string NotAGlobalIndex(std::string_view verb, std::string_view index) {
  return Concat("Cannot ", verb, " an index that is not a GlobalSecondaryIndex: ", index);
}

// --- Throughput ---

inline std::string IndexUnitsWithPayPerRequest(std::string_view index) {
  return tables_internal::Invalid(
      Concat("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: ", index,
             " when BillingMode is PAY_PER_REQUEST"));
}
inline std::string OnlyOnDemandUpdates(std::string_view index) {
  return tables_internal::Invalid(
      Concat("The only Updates for index: ", index,
             " when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, "
             "WarmThroughput"));
}
inline std::string IndexThroughputRequiredOnSwitch(const std::vector<std::string>& indexes) {
  return tables_internal::Invalid(Concat("ProvisionedThroughput must be specified for index: ",
                                         tables_internal::Listed(indexes, ",")));
}
inline std::string ThroughputUnchanged(std::string_view index, int64_t read, int64_t write) {
  const std::string subject = index.empty() ? "the table" : Concat("the index ", index);
  const std::string of = index.empty() ? "for the table" : Concat("for index ", index);
  return Concat("The provisioned throughput for ", subject,
                " will not change. The requested value equals the current value. Current "
                "ReadCapacityUnits provisioned ",
                of, ": ", read, ". Requested ReadCapacityUnits: ", read,
                ". Current WriteCapacityUnits provisioned ", of, ": ", write,
                ". Requested WriteCapacityUnits: ", write, ". ", tables_internal::kSeeGuide);
}

// --- Streams, encryption, table class, protection ---

inline std::string ProtectedAgainstDeletion() {
  return "Resource cannot be deleted as it is currently protected against deletion. Disable "
         "deletion protection first.";
}
inline std::string ProtectionChangedRecently(std::string_view table, std::string_view next) {
  return Concat("Deletion protection setting for table ", table,
                " modified within the previous 15000 milliseconds. Please try again after ", next);
}

// --- One concern per UpdateTable ---

inline std::string DisassociateOfOtherRegion(std::string_view region) {
  return tables_internal::Invalid(
      Concat("RegionName of Disassociate must be the Region of the request, ", region));
}
inline std::string NoReplica(std::string_view table) {
  return tables_internal::Invalid(Concat("Table ", table, " is not a replica of a global table"));
}
// --- Replicas (api/facts/regions.md §1) ---

inline std::string LocalRegionInReplicaUpdates() {
  return "Cannot add, delete, or update the local region through ReplicaUpdates. Use CreateTable, "
         "DeleteTable, or UpdateTable as required.";
}
inline std::string ReplicaTableExists(std::string_view table) {
  return Concat("Failed to create a the new replica of table with name: '", table,
                "' because one or more replicas already existed as tables.");
}
inline std::string ReplicaNotFound() {
  return "Replica specified in the Replica Update or Replica Delete action of the request was not "
         "found.";
}
inline std::string ReplicaNeedsWriteCapacity() {
  return "Table write capacity should either be Pay-Per-Request or AutoScaled.";
}
inline std::string ReplicaWasSource() {
  return "Replica cannot be deleted because it has acted as a source region for new replica(s) "
         "being added to the table in the last 24 hours.";
}
// The following are ours.
inline std::string RegionNotServed(std::string_view region) {
  return tables_internal::Invalid(
      Concat("Region ", region, " is not one of the regions that are served here"));
}
inline std::string ReplicaNeedsStream() {
  return tables_internal::Invalid(
      "A table with replicas needs a stream with the view type NEW_AND_OLD_IMAGES");
}
inline std::string StreamOfReplicas() {
  return tables_internal::Invalid("The stream of a table with replicas cannot be changed");
}
inline std::string ReplicaNeedsActiveIndexes() {
  return "Replicas cannot be added while an index of the table is being created, updated or "
         "deleted";
}
inline std::string ReplicaIndexUnknown(std::string_view index) {
  return tables_internal::Invalid(
      Concat("The table has no global secondary index of the name ", index));
}
// --- Strong tables, in the service's words (api/facts/regions.md §4).

inline std::string OneReplicaActionAtATime() {
  return "Update table operation with more than one create or delete replica actions not allowed";
}
inline std::string RegionsNotForStrongTables(const std::vector<std::string>& regions) {
  return Concat(
      "Unsupported Region(s) specified for global tables with MultiRegionConsistency set to "
      "STRONG: [",
      tables_internal::Listed(regions, ", "), "].");
}
inline std::string WitnessInNewReplicasRegion() {
  return "Cannot target multiple regions with the same action";
}
inline std::string WitnessInRegionOfTable() {
  return "Cannot add a witness in the same region as an existing replica when creating a global "
         "table with MultiRegionConsistency set to STRONG.";
}
inline std::string ConsistencyOfGlobalTable() {
  return "MultiRegionConsistency parameter is unsupported on existing global table";
}
inline std::string NoMoreStrongReplicas() {
  return "Cannot add replicas to a global table with strong MultiRegionConsistency";
}
inline std::string NotAllWitnessesDeleted() {
  return "Update table delete operation does not include all witnesses.";
}
inline std::string OnlyOneStrongReplicaDeleted() {
  return "Deletion of only one table replica is not supported for global tables with "
         "MultiRegionConsistency set to STRONG.";
}
// What the service says before it is not known.
inline std::string WitnessNotFound(std::string_view region) {
  return Concat(
      "One or more witnesses were not part of the global table. Please retry the request without "
      "these witnesses: [",
      region, "].");
}
// Ours: the service's are not known.
inline std::string StrongTableNotEmpty() {
  return tables_internal::Invalid(
      "A table must be empty when MultiRegionConsistency is set to STRONG");
}
inline std::string StrongTableHas(std::string_view feature) {
  return tables_internal::Invalid(Concat(
      feature, " is not supported for global tables with MultiRegionConsistency set to STRONG"));
}
inline std::string TimeToLiveOfStrongTable() { return StrongTableHas("Time to Live"); }

inline std::string ReplicasNotServed() {
  return "The table has replicas in other regions, which are not served now";
}
inline std::string ReplicaInUse(std::string_view region) {
  return Concat("The replica in ", region, " is being created or deleted");
}

inline std::string IndexUpdateBlocked() { return "Action Blocked: IndexUpdate"; }

// --- Tables in transition ---

// For the target of a restore, the text is ours.
inline std::string TableAlreadyExists(std::string_view table) {
  return Concat("Table already exists: ", table);
}

// ===== Tags, policies, backups, insights and the tables' states (api/facts/operations.md
// §5.5-§5.7).

// --- Tags ---

inline std::string NoTagGiven() { return "Atleast one Tag needs to be provided as Input."; }
inline std::string NoTagKeyGiven() { return "Atleast one Tag Key needs to be provided as Input."; }

// --- Policies ---

inline std::string PolicyTooLarge(size_t bytes_max) {
  return tables_internal::Invalid(Concat("Maximum policy size of ", bytes_max, " bytes exceeded"));
}
inline std::string PolicyIsNotJson() {
  return tables_internal::Invalid("Invalid policy document: This policy contains invalid Json");
}
inline std::string PolicyFieldMissing(std::string_view name) {
  return tables_internal::Invalid(Concat("Invalid policy document: Missing required field ", name));
}
inline std::string PolicyHasNoStatement() {
  return tables_internal::Invalid(
      "Invalid policy document: Could not parse the policy: Statement is empty!");
}
inline std::string PolicySyntax(size_t line, size_t column) {
  return tables_internal::Invalid(
      Concat("Invalid policy document: Syntax error at position (", line, ",", column, ")"));
}
inline std::string PolicyStatementIdsRepeated() {
  return tables_internal::Invalid(
      "Invalid policy document: The Statement Ids in the policy are not unique");
}
inline std::string PolicyLetsAnybodyIn() {
  return "Resource-based policy grants unbounded access in one or more elements. Please revise the "
         "policy to ensure least-privilege form of access";
}
inline std::string PolicyNotFound(std::string_view arn) {
  return Concat("Resource-based policy not found for the provided ResourceArn: ", arn);
}
inline std::string PolicyRevisionUnknown(std::string_view expected, std::string_view table) {
  return PolicyNotFound(Concat("Requested update for policy with revision id ", expected,
                               ", but table ", table, " has no associated policy."));
}
inline std::string PolicyRevisionDiffers(std::string_view expected, std::string_view table,
                                         std::string_view revision) {
  return PolicyNotFound(Concat("Requested update for policy with revision id ", expected,
                               ", but the policy associated to target table ", table,
                               " has revision id ", revision, "."));
}
inline std::string PolicyExists(std::string_view table, std::string_view revision) {
  return PolicyNotFound(Concat("Requested policy update expecting none to be present for table ",
                               table, ", but a policy exists with revision id ", revision, "."));
}
inline std::string PolicyChangedRecently(std::string_view table, std::string_view next) {
  return Concat("Resource-based policy for table ", table,
                " modified within the previous 15000 milliseconds. Please try again after ", next,
                ".");
}

// --- Backups, global tables ---

inline std::string BackupTableNotFound(std::string_view table) {
  return Concat("Table not found: ", table);
}
inline std::string BackupsBeingEnabled(std::string_view table) {
  return Concat("Backups are being enabled for the table: ", table, ". Please retry later");
}
inline std::string RecoveryPeriodWithoutRecovery() {
  return "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
         "recovery.";
}
inline std::string GlobalTableNotFound(std::string_view name) {
  return Concat("Global table not found: Global table with name: '", name, "' does not exist.");
}

// --- Contributor insights ---

inline std::string InsightsIndexNotFound(std::string_view index, std::string_view table) {
  return Concat("Requested resource not found: Index: ", index, " not found for table: ", table);
}
inline std::string InsightsOfBusyTable() {
  return "Table or Index is not in a valid state to update Key Access Insights: TableStatus must "
         "be ACTIVE to enable ContributorInsights.";
}

// --- Tables in transition ---

inline std::string TagsInTheWayOfDeletion(std::string_view table) {
  return tables_internal::InUse(Concat("Table tags are being updated: ", table));
}
// For PutResourcePolicy and DeleteResourcePolicy; for DeleteTable.
inline std::string PolicyBeingUpdated(std::string_view table) {
  return tables_internal::InUse(
      Concat("Table is pending previous resource-based policy update: ", table));
}
inline std::string PolicyInTheWayOfDeletion(std::string_view table) {
  return tables_internal::InUse(
      Concat("Table: ", table, " has a pending resource-based policy update."));
}
inline std::string IndexInAllocationPhase(std::string_view table, std::string_view index) {
  return tables_internal::InUse(
      Concat("Index creation is in resource allocation phase. Retry deletion during backfilling "
             "phase or when the index is active. Table: ",
             table, " Index: ", index));
}
inline std::string IndexNotBackfillingYet(std::string_view table, std::string_view index) {
  return tables_internal::InUse(Concat(
      "Index is being created but is not backfilling yet. Table: ", table, " Index: ", index));
}
// `participle`: "deleted" or "updated".
inline std::string IndexIsBeing(std::string_view participle, std::string_view table,
                                std::string_view index) {
  return tables_internal::InUse(
      Concat("Index is being ", participle, ". Table: ", table, " Index: ", index));
}

// ===== Kinesis streaming destinations (api/facts/operations.md §5.6).

namespace kinesis_internal {
inline std::string InvalidState(std::string_view text) {
  return Concat("Table is not in a valid state to enable Kinesis Streaming Destination: ", text);
}
}  // namespace kinesis_internal

// `operation`: "DISABLE". Whether "UPDATE" has the same text is unknown.
inline std::string DestinationNotActive(std::string_view operation) {
  return kinesis_internal::InvalidState(
      Concat("KinesisStreamingDestination must be ACTIVE to perform ", operation, " operation."));
}
// Reported up to "DISABLED"; the rest is weakly supported.
inline std::string DestinationNotDisabled() {
  return kinesis_internal::InvalidState(
      "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE "
      "operation.");
}
// This text and the next are weakly supported.
inline std::string DestinationUpdateEmpty() {
  return "Streaming destination cannot be updated with given parameters: "
         "UpdateKinesisStreamingConfiguration cannot be null or contain only null values";
}
// `precision`: "MILLISECOND" or "MICROSECOND".
inline std::string PrecisionUnchanged(std::string_view precision, std::string_view table,
                                      std::string_view stream_arn) {
  return Concat("Invalid Request: Precision is already set to the desired value of ", precision,
                " for tableId: ", table, ", kdsArn: ", stream_arn);
}
// This text and the next are not the service's.
inline std::string NotAKinesisStream(std::string_view arn) {
  return tables_internal::Invalid(
      Concat("StreamArn must be the ARN of a Kinesis data stream: ", arn));
}
inline std::string KinesisStreamElsewhere(std::string_view arn) {
  return tables_internal::Invalid(
      Concat("The Kinesis data stream must be in the account and the region of the table: ", arn));
}

// ===== Auto scaling. The texts are ours: the service's are unknown.

inline std::string AutoScalingUpdateEmpty() {
  return tables_internal::Invalid(
      "At least one of GlobalSecondaryIndexUpdates, ProvisionedWriteCapacityAutoScalingUpdate or "
      "ReplicaUpdates is required");
}
inline std::string NoReplicaInRegion(std::string_view region) {
  return tables_internal::Invalid(Concat("The table has no replica in region: ", region));
}
inline std::string RegionRepeated(std::string_view region) {
  return tables_internal::Invalid(
      Concat("Only one replica update per region is allowed simultaneously. Region: ", region));
}
inline std::string MinimumAboveMaximum(int64_t minimum, int64_t maximum) {
  return tables_internal::Invalid(
      Concat("MinimumUnits must not be above MaximumUnits. MinimumUnits: ", minimum,
             ", MaximumUnits: ", maximum));
}
inline std::string TargetValueOutOfRange(int64_t least, int64_t most) {
  return tables_internal::Invalid(Concat("TargetValue must be between ", least, " and ", most));
}
// `which`: "ScaleInCooldown" or "ScaleOutCooldown".
inline std::string NegativeCooldown(std::string_view which, int64_t seconds) {
  return tables_internal::Invalid(Concat(which, " must not be negative. ", which, ": ", seconds));
}

// ===== Time to live (api/facts/operations.md §5.4).

inline std::string TimeToLiveAlreadyEnabled() { return "TimeToLive is already enabled"; }
inline std::string TimeToLiveAlreadyDisabled() { return "TimeToLive is already disabled"; }
inline std::string TimeToLiveOnAnotherAttribute(std::string_view current) {
  return Concat("TimeToLive is active on a different AttributeName: current AttributeName is ",
                current);
}
inline std::string TimeToLiveChangedRecently() {
  return "Time to live has been modified multiple times within a fixed interval";
}
inline std::string TimeToLiveWhile(std::string_view state) {
  return Concat("Cannot describe time to live while table is in ", state,
                " state: Current table state is ", state);
}

// ===== Vector indexes and SearchVectors (api/facts/newest.md §3, the service's guide
// "Troubleshooting vector indexes"). "Ours": the service refuses this, too, with an unknown text.

// --- Definitions ---

inline std::string TooManyVectorIndexes(int limit) {
  return tables_internal::Invalid(
      Concat("VectorIndex count exceeds the per-table limit of ", limit));
}
inline std::string NotAVectorIndex(std::string_view index) {
  return Concat("Cannot delete an index that is not a VectorIndex: ", index);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_CONTROL_MESSAGES_H_
