// Message texts of tags, policies, backups, insights and of the tables' states
// (api/facts/operations.md §5.5-§5.7). Those of CreateTable and UpdateTable are in tables.h.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_TABLE_FEATURES_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_TABLE_FEATURES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Resource ARNs ---

inline std::string ResourceArnMissing() { return "Invalid TableArn"; }
inline std::string ResourceArnWithoutPrefix(std::string_view arn) {
  return tables_internal::Invalid(Concat("ARNs must start with 'arn:': ", arn));
}
inline std::string ResourceArnOfOtherService(std::string_view arn) {
  return tables_internal::Invalid(Concat("Provided Arn is not a DynamoDB resource arn: ", arn));
}
inline std::string ResourceArnOfOtherKind(std::string_view arn) {
  return tables_internal::Invalid(Concat(
      "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ",
      arn));
}
// Of another region, or no ARN at all where only a table's may stand.
inline std::string InvalidTableArn(std::string_view arn) {
  return Concat("Invalid TableArn: Invalid ResourceArn provided as input ", arn);
}
inline std::string StreamOfTableNotFound(std::string_view label, std::string_view table) {
  return Concat("Requested resource not found: Stream: ", label, " not found for Table: ", table);
}

// --- Tags ---

inline std::string NoTagGiven() { return "Atleast one Tag needs to be provided as Input."; }
inline std::string NoTagKeyGiven() { return "Atleast one Tag Key needs to be provided as Input."; }
inline std::string TagSetTooLarge(size_t bytes, size_t bytes_max) {
  return Concat("Tag set size ", bytes, " bytes is above max size limit of ", bytes_max, " bytes");
}
// Ours: the service has no shards.
inline std::string IndexShardsInvalid(std::string_view found, int most) {
  return tables_internal::Invalid(
      Concat("The number of an index's shards must be a whole number from 1 to ", most,
             ". Provided number: ", found));
}
inline std::string IndexHasNoShards(std::string_view index) {
  return tables_internal::Invalid(
      Concat("Only a global secondary index can have shards. Provided index: ", index));
}
inline std::string PageTokenInvalid() { return "Invalid NextToken"; }

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

inline std::string OldGlobalTablesUnsupported() {
  return tables_internal::Invalid(
      "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB "
      "global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
}

// --- Contributor insights ---

inline std::string InsightsIndexNotFound(std::string_view index, std::string_view table) {
  return Concat("Requested resource not found: Index: ", index, " not found for table: ", table);
}
inline std::string InsightsOfBusyTable() {
  return "Table or Index is not in a valid state to update Key Access Insights: TableStatus must "
         "be ACTIVE to enable ContributorInsights.";
}

// --- Tables in the middle of something ---

inline std::string TableBeingUpdated(std::string_view table) {
  return tables_internal::InUse(Concat("Table: ", table, " is in the process of being updated."));
}
inline std::string UnitsBeingUpdated(std::string_view table) {
  return tables_internal::InUse(Concat("Table IOPS are currently being updated. Table: ", table));
}
inline std::string StreamWhileUnitsAreUpdated(std::string_view table) {
  return tables_internal::InUse(
      Concat("Can't enable or disable stream while table IOPS are being updated. Table: ", table));
}
inline std::string MaximaWhileModeIsUpdated() {
  return tables_internal::InUse(
      "OnDemandThroughput cannot be updated while BillingMode update is in progress");
}
// `what`: "change table IOPS", "update table class", ...; `operation`: "ENABLE" or "DISABLE".
inline std::string StreamInTheWay(std::string_view what, std::string_view table,
                                  std::string_view label, std::string_view operation) {
  return tables_internal::InUse(Concat("Can't ", what,
                                       " when stream status is being updated. Table: ", table,
                                       " Stream: ", label, " Operation: ", operation));
}
inline std::string StreamBeingChanged(std::string_view table, std::string_view label,
                                      std::string_view operation) {
  return tables_internal::InUse(Concat("A stream status change is currently in progress. Table: ",
                                       table, " Stream: ", label, " Operation: ", operation));
}
inline std::string StreamInTheWayOfDeletion() {
  return tables_internal::InUse("Cannot delete table while stream is being enabled/disabled.");
}
inline std::string TableClassBeingUpdated(std::string_view table, std::string_view wanted) {
  return tables_internal::InUse(
      Concat("Can't update table class when a table class update is in progress. Table: ", table,
             " TableClassUpdateInProgress: ", wanted));
}
inline std::string EncryptionBeingUpdated() {
  return tables_internal::InUse("Server-Side Encryption is still being updated");
}
// `window_end`, `last`, `next`: as in TooManyDecreases.
inline std::string TooManyEncryptionChanges(std::string_view window_end, size_t changes,
                                            std::string_view last, std::string_view next) {
  return tables_internal::Subscriber(Concat(
      "Encryption mode changes are limited in the 24h window ending at ", window_end,
      ". After the first 4 change, each subsequent change in the same window can be performed at "
      "most once every 21600 seconds. Number of updates today: ",
      changes, ". Last change at ", last, ". Next changes can be made at ", next, "."));
}
// Of TagResource and UntagResource; of DeleteTable.
inline std::string TagsBeingUpdated(std::string_view table) {
  return tables_internal::Subscriber(Concat("Table tags are being updated: ", table));
}
inline std::string TagsInTheWayOfDeletion(std::string_view table) {
  return tables_internal::InUse(Concat("Table tags are being updated: ", table));
}
// Of PutResourcePolicy and DeleteResourcePolicy; of DeleteTable.
inline std::string PolicyBeingUpdated(std::string_view table) {
  return tables_internal::InUse(
      Concat("Table is pending previous resource-based policy update: ", table));
}
inline std::string PolicyInTheWayOfDeletion(std::string_view table) {
  return tables_internal::InUse(
      Concat("Table: ", table, " has a pending resource-based policy update."));
}
inline std::string ProtectionOfBusyTable() {
  return "Table needs to be in ACTIVE status to modify deletion protection setting.";
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

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_TABLE_FEATURES_H_
