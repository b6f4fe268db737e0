// The texts about tables that several rooms need: their resources, definitions and states.
#ifndef DYNOLITH_API_TABLE_MESSAGES_H_
#define DYNOLITH_API_TABLE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== CreateTable, UpdateTable and DeleteTable (api/facts/operations.md §1.3, §5).

namespace tables_internal {
inline std::string Invalid(std::string_view text) {
  return Concat("One or more parameter values were invalid: ", text);
}
inline std::string InUse(std::string_view text) {
  return Concat("Attempt to change a resource which is still in use: ", text);
}
inline std::string Subscriber(std::string_view text) {
  return Concat("Subscriber limit exceeded: ", text);
}
// "a, b".
inline std::string Listed(const std::vector<std::string>& names, std::string_view separator) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list.append(separator);
    list.append(name);
  }
  return list;
}
inline constexpr std::string_view kSeeGuide =
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher "
    "limits.";
// "table" or "index : ix", for the texts about maxima.
inline std::string Subject(std::string_view index) {
  return index.empty() ? "table" : Concat("index : ", index);
}
// "table" or "index ix", for the texts about warm throughput.
inline std::string WarmSubject(std::string_view index) {
  return index.empty() ? "table" : Concat("index ", index);
}
}  // namespace tables_internal

// --- Names and ARNs ---

inline std::string TableNotFound(std::string_view table) {
  return Concat("Requested resource not found: Table: ", table, " not found");
}

// --- Key schemas and attribute definitions ---

inline std::string KeyAttributeWithoutDefinition() {
  return "Invalid KeySchema: Some index key attribute have no definition";
}
inline std::string KeyAttributesNotDefined(const std::vector<std::string>& keys,
                                           const std::vector<std::string>& definitions) {
  return tables_internal::Invalid(
      Concat("Some index key attributes are not defined in AttributeDefinitions. Keys: [",
             tables_internal::Listed(keys, ", "), "], AttributeDefinitions: [",
             tables_internal::Listed(definitions, ", "), "]"));
}
inline std::string HashAndRangeOfSameName() {
  return "Both the Hash Key and the Range Key element in the KeySchema have the same name";
}
inline std::string KeyAttributeRepeated() {
  return "The KeySchema contains multiple key attributes with the same name";
}
inline std::string FirstKeyElementNotHash() {
  return "Invalid KeySchema: The first KeySchemaElement is not a HASH key type";
}
inline std::string SecondKeyElementNotRange() {
  return "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type";
}
inline std::string HashAfterRange() {
  return tables_internal::Invalid(
      "All HASH key attributes must precede RANGE key attributes in the KeySchema");
}
// `type`: "HASH" or "RANGE".
inline std::string TooManyKeyAttributes(std::string_view type) {
  return tables_internal::Invalid(
      Concat("The KeySchema exceeds the maximum allowed number of ", type, " key attributes"));
}
inline std::string AttributeDefinedTwice(std::string_view attribute) {
  return Concat("Attribute Name is duplicated: ", attribute);
}
inline std::string DefinitionsDoNotMatchKey() {
  return tables_internal::Invalid(
      "Number of attributes in KeySchema does not exactly match number of attributes defined in "
      "AttributeDefinitions");
}
inline std::string UnusedDefinitions(const std::vector<std::string>& definitions,
                                     const std::vector<std::string>& keys) {
  return tables_internal::Invalid(
      Concat("Some AttributeDefinitions are not used. AttributeDefinitions: [",
             tables_internal::Listed(definitions, ", "), "], keys used: [",
             tables_internal::Listed(keys, ", "), "]"));
}

// --- Indexes ---

// `kind`: "LocalSecondaryIndexes" or "GlobalSecondaryIndexes".
inline std::string IndexListEmpty(std::string_view kind) {
  return tables_internal::Invalid(Concat("List of ", kind, " is empty"));
}
inline std::string LocalIndexWithoutRange(std::string_view index) {
  return tables_internal::Invalid(
      Concat("Index KeySchema does not have a range key for index: ", index));
}
inline std::string LocalIndexOtherHash(std::string_view index, std::string_view index_hash,
                                       std::string_view table_hash) {
  return tables_internal::Invalid(
      Concat("Index KeySchema does not have the same leading hash key as table KeySchema for "
             "index: ",
             index, ". index hash key: ", index_hash, ", table hash key: ", table_hash));
}
inline std::string ProjectionTypeMissing() {
  return tables_internal::Invalid("Unknown ProjectionType: null");
}
inline std::string NonKeyAttributesUnexpected(std::string_view projection_type) {
  return tables_internal::Invalid(
      Concat("ProjectionType is ", projection_type, ", but NonKeyAttributes is specified"));
}
inline std::string NonKeyAttributesMissing() {
  return tables_internal::Invalid(
      "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
}
inline std::string NonKeyAttributeRepeated(std::string_view attribute) {
  return tables_internal::Invalid(Concat("Duplicate element in NonKeyAttributes: ", attribute));
}
inline std::string TooManyProjectedAttributes(size_t limit) {
  return tables_internal::Invalid(
      Concat("Number of NonKeyAttributes over all indexes exceeds per-table limit of ", limit));
}
inline std::string OneIndexChangeAtATime() {
  return tables_internal::Subscriber(
      "Only 1 online index can be created or deleted simultaneously per table");
}
inline std::string DefinitionsMissingForIndex(std::string_view index) {
  return tables_internal::Invalid(
      Concat("AttributeDefinitions is not specified for index: ", index));
}
inline std::string IndexUpdateEmpty() {
  return tables_internal::Invalid(
      "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
      "GlobalSecondaryIndexUpdate.Delete must not be null");
}
inline std::string IndexUpdateOfTwoActions() {
  return tables_internal::Invalid(
      "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object");
}
inline std::string IndexUpdatedTwice(std::string_view index) {
  return tables_internal::Invalid(
      Concat("Only one global secondary index update per index is allowed simultaneously. Index: ",
             index));
}

// --- Throughput ---

inline std::string UnitsWithPayPerRequest() {
  return tables_internal::Invalid(
      "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
      "PAY_PER_REQUEST");
}
inline std::string UnitsMissing() {
  return tables_internal::Invalid(
      "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
      "PROVISIONED");
}
inline std::string IndexUnitsMissing(std::string_view index) {
  return tables_internal::Invalid(
      Concat("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ", index));
}
// `units`: "ReadCapacityUnits" or "WriteCapacityUnits"; `index` is empty for the table.
inline std::string UnitsOutOfBounds(int64_t value, std::string_view units, std::string_view index) {
  return Concat("Given value ", value, " for ", units, " is out of bounds",
                index.empty() ? "" : Concat(" for index ", index));
}
inline std::string UnitsAboveMaximum(int64_t value, std::string_view units, std::string_view index,
                                     std::string_view region, int64_t maximum) {
  const std::string_view kind = index.empty() ? "table" : "index";
  return Concat("The requested ", units, index.empty() ? "" : Concat(" for index ", index), ", ",
                value, ", is above the per ", kind, " maximum for the account in ", region,
                ". Per ", kind, " maximum: ", maximum, ". ", tables_internal::kSeeGuide);
}
inline std::string AccountUnitsExceeded(std::string_view units, std::string_view region,
                                        int64_t reserved, int64_t limit, int64_t requested) {
  return Concat("This request would have caused the ", units,
                " limit to be exceeded for the account in ", region, ". Current ", units,
                " reserved by the account: ", reserved, ". Limit: ", limit,
                ". Requested: ", requested, ". ", tables_internal::kSeeGuide);
}
inline std::string IndexThroughputUnexpected(std::string_view index) {
  return tables_internal::Invalid(
      Concat("ProvisionedThroughput should not be specified for index: ", index,
             " when BillingMode is PAY_PER_REQUEST"));
}
inline std::string IndexThroughputMissing(std::string_view index) {
  return tables_internal::Invalid(
      Concat("ProvisionedThroughput is not specified for index: ", index));
}
inline std::string ThroughputRequiredOnSwitch() {
  return tables_internal::Invalid(
      "ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
}
inline std::string TooManyDecreases(int64_t today, std::string_view last, std::string_view next) {
  return tables_internal::Subscriber(
      Concat("Provisioned throughput decreases are limited within a given UTC day. After the first "
             "4 decreases, each subsequent decrease in the same UTC day can be performed at most "
             "once every 3600 seconds. Number of decreases today: ",
             today, ". Last decrease at ", last, ". Next decrease can be made at ", next, "."));
}
// `units`: "MaxReadRequestUnits" or "MaxWriteRequestUnits"; `index` is empty for the table.
inline std::string OnDemandMaximumWithProvisioned(std::string_view units, std::string_view index) {
  return tables_internal::Invalid(
      Concat(units, " for OnDemandThroughput",
             index.empty() ? "" : Concat(" for ", tables_internal::Subject(index)),
             " cannot be specified when the table BillingMode is PROVISIONED"));
}
// Ours, after the guide's words on the member.
inline std::string OnDemandMaximaMissing(std::string_view index) {
  return tables_internal::Invalid(
      Concat("MaxReadRequestUnits, MaxWriteRequestUnits, or both must be specified for "
             "OnDemandThroughput for ",
             tables_internal::Subject(index)));
}
inline std::string OnDemandMaximumOutOfRange(std::string_view units, std::string_view index) {
  return tables_internal::Invalid(Concat("Requested ", units, " for OnDemandThroughput for ",
                                         tables_internal::Subject(index),
                                         " is outside of valid range"));
}
// `what`: "MaxReadRequestUnits for OnDemandThroughput" or the like; `limit`:
// "TableMaxReadCapacityUnits" or the like.
inline std::string AboveAccountMaximum(std::string_view what, std::string_view index,
                                       std::string_view limit, std::string_view region) {
  return tables_internal::Subscriber(Concat("Requested ", what, " for ",
                                            tables_internal::Subject(index), " exceeds ", limit,
                                            " of the account in region ", region));
}
// `units`: "ReadUnitsPerSecond" or "WriteUnitsPerSecond".
inline std::string WarmBelowOnDemand(std::string_view units, std::string_view index) {
  return tables_internal::Invalid(
      Concat("Requested ", units, " for WarmThroughput for ", tables_internal::WarmSubject(index),
             " is lower than initial throughput for OnDemand. See: "
             "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
             "on-demand-capacity-mode.html#on-demand-capacity-mode-initial"));
}
// `capacity`: "ReadCapacityUnits" or "WriteCapacityUnits".
inline std::string WarmBelowProvisioned(std::string_view units, std::string_view index,
                                        std::string_view capacity) {
  return tables_internal::Invalid(Concat("Requested ", units, " for WarmThroughput for ",
                                         tables_internal::WarmSubject(index), " is lower than ",
                                         capacity, " of ProvisionedThroughput"));
}
inline std::string WarmDecrease(std::string_view units, std::string_view index) {
  return tables_internal::Invalid(
      Concat("Requested ", units, " for WarmThroughput for ", tables_internal::WarmSubject(index),
             " is lower than current WarmThroughput, decreasing WarmThroughput is not supported"));
}

// --- Streams, encryption, table class, protection ---

inline std::string StreamNeedsViewType() {
  return tables_internal::Invalid(
      "Table is being created with a stream enabled, UpdateViewType is required");
}
inline std::string NoStreamButViewType() {
  return tables_internal::Invalid(
      "Table is being created with a stream disabled, UpdateViewType should not be specified");
}
inline std::string EnablingStreamNeedsViewType() {
  return tables_internal::Invalid("If stream is being enabled then UpdateViewType is required");
}
inline std::string DisablingStreamWithViewType() {
  return tables_internal::Invalid(
      "If stream is being disabled, then UpdateViewType must not be specified");
}
inline std::string StreamAlreadyEnabled(std::string_view table) {
  return Concat("Table already has an enabled stream: TableName: ", table);
}
inline std::string NoStreamToDisable(std::string_view table) {
  return Concat("Table has no stream to disable: TableName: ", table);
}
inline std::string UnknownTableClass() {
  return "Invalid table-class parameter provided. Please try again with a valid table-class value: "
         "[STANDARD, STANDARD_INFREQUENT_ACCESS].";
}
inline std::string TooManyTableClassChanges() {
  return tables_internal::Subscriber("Updates to TableClass are limited to 2 times in 30 day(s).");
}
// `member`: "SSEType" or "KMSMasterKeyId".
inline std::string EncryptionMemberWhenDisabled(std::string_view member) {
  return tables_internal::Invalid(Concat(member, " can not be specified if Enabled is false"));
}
inline std::string MasterKeyNeedsKms() {
  return tables_internal::Invalid("SSEType KMS is required if KMSMasterKeyId is specified");
}
inline std::string Aes256Unsupported() {
  return tables_internal::Invalid("SSEType AES256 is not supported");
}
inline std::string AlreadyEncryptedByDefault() {
  return tables_internal::Invalid("Table is already encrypted by default");
}
inline std::string AlreadyEncryptedWithKey() {
  return tables_internal::Invalid(
      "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you "
      "want to change Master Key");
}
// `member`: "ReplicaUpdates" or the like. Not a text of the service.
inline std::string SingleRegionOnly(std::string_view member) {
  return tables_internal::Invalid(
      Concat(member, " is not supported: this database has a single region"));
}

// Ours.
inline std::string WitnessUpdateNotOneAction() {
  return tables_internal::Invalid(
      "Exactly one of GlobalTableWitnessGroupUpdate.Create, GlobalTableWitnessGroupUpdate.Delete "
      "must be specified");
}
// Of strong tables, in the service's words (api/facts/regions.md §4).
inline std::string WitnessOfEventualReplicas() {
  return "MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is "
         "present.";
}
inline std::string ConsistencyOfNoNewReplica() {
  return "Only Replica Create actions are supported when MultiRegionConsistency parameter is "
         "provided.";
}
inline std::string StrongReplicasNotThree() {
  return "Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.";
}

// --- One concern per UpdateTable ---

// MultiRegionConsistency alone changes nothing; the text omits it if the request has it.
inline std::string UpdateTableEmpty(bool has_multi_region_consistency) {
  return Concat(
      "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
      "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
      "ReplicaTransitRoleArn, ",
      has_multi_region_consistency ? "" : "MultiRegionConsistency, ",
      "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required");
}
// `operation`: "TableClass modification" or the like.
inline std::string MustBeTheOnlyOperation(std::string_view operation) {
  return tables_internal::Invalid(Concat(operation, " must be the only operation in the request"));
}
inline std::string ReplicaUpdateEmpty() {
  return tables_internal::Invalid(
      "One of ReplicationGroupUpdate.Create, ReplicationGroupUpdate.Update, "
      "ReplicationGroupUpdate.Delete, ReplicationGroupUpdate.Disassociate must not be null");
}
inline std::string ReplicaUpdateOfTwoActions() {
  return tables_internal::Invalid(
      "Only one replica action is allowed per ReplicationGroupUpdate object");
}
inline std::string ReplicasWithOtherFields() {
  return tables_internal::Invalid(
      "Requests that modify replicas or witnesses must not also modify other fields");
}
inline std::string OnDemandOnlyWithBillingMode() {
  return tables_internal::Invalid(
      "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
}
inline std::string IndexCreationWithWarmThroughput() {
  return tables_internal::Invalid(
      "Create global secondary index cannot be specified when updating WarmThroughput");
}
inline std::string StreamWithThroughput() {
  return tables_internal::Invalid("You cannot modify stream status while updating table IOPS");
}
inline std::string IndexChangeWithThroughput() {
  return tables_internal::Invalid("You cannot create or delete index while updating table IOPS");
}
inline std::string IndexChangeWithStream() {
  return tables_internal::Invalid("You cannot create or delete index while changing stream status");
}

// --- Tables in transition ---

inline std::string TableBeingCreated(std::string_view table) {
  return tables_internal::InUse(Concat("Table is being created: ", table));
}
inline std::string TableBeingDeleted(std::string_view table) {
  return tables_internal::InUse(Concat("Table is being deleted: ", table));
}
inline std::string IndexesInTheWayOfDeletion() {
  return tables_internal::InUse(
      "Cannot delete table while indexes are being created, updated, or deleted.");
}
// `what`: "table IOPS" or "stream status"; `participle`: "created" or "deleted".
inline std::string IndexInTheWay(std::string_view what, std::string_view participle,
                                 std::string_view table, const std::vector<std::string>& indexes) {
  return tables_internal::InUse(Concat("Can't change ", what, " when an index is being ",
                                       participle, ". Table: ", table, " Indexes: [",
                                       tables_internal::Listed(indexes, ", "), "]"));
}

// --- Tags ---

inline std::string TooManyTags() {
  return "Number of Tags exceed the current limit for the provided ResourceArn";
}
inline std::string TagKeyReserved(std::string_view key) {
  return Concat("Tag Key cannot be prefixed with aws:, Key: ", key);
}
inline std::string TagKeyInvalid(std::string_view key) {
  return Concat("The Tag Key provided is invalid, Key: ", key);
}
inline std::string TagKeyRepeated(std::string_view key) {
  return Concat("Duplicate Tag Keys provided as input: Duplicate Tag Key found ", key);
}
inline std::string TagValueInvalid(std::string_view value) {
  return Concat("The Tag Value provided is invalid, Value: ", value);
}

// ===== Tags, policies, backups, insights and the tables' states (api/facts/operations.md
// §5.5-§5.7).

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
// For an ARN of another region, or a text that is not a table's ARN where one is required.
inline std::string InvalidTableArn(std::string_view arn) {
  return Concat("Invalid TableArn: Invalid ResourceArn provided as input ", arn);
}
inline std::string StreamOfTableNotFound(std::string_view label, std::string_view table) {
  return Concat("Requested resource not found: Stream: ", label, " not found for Table: ", table);
}

// --- Tags ---

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

// --- Tables in transition ---

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
// For TagResource and UntagResource; for DeleteTable.
inline std::string TagsBeingUpdated(std::string_view table) {
  return tables_internal::Subscriber(Concat("Table tags are being updated: ", table));
}
inline std::string ProtectionOfBusyTable() {
  return "Table needs to be in ACTIVE status to modify deletion protection setting.";
}

// ===== Vector indexes and SearchVectors (api/facts/newest.md §3, the service's guide
// "Troubleshooting vector indexes"). "Ours": the service refuses this, too, with an unknown text.

// --- Definitions ---

inline std::string SearchSchemaNotDefined() {
  return tables_internal::Invalid(
      "One element in SearchSchema is not defined in attribute definitions");
}
inline std::string VectorsNeedPayPerRequest() {
  return tables_internal::Invalid("Vector indexes are only supported for PAY_PER_REQUEST tables");
}
inline std::string DimensionsOutOfRange(int64_t limit) {
  return tables_internal::Invalid(
      Concat("Number of dimensions must be between 1 and ", limit, " inclusive."));
}
inline std::string DimensionsDiffer(std::string_view attribute) {
  return tables_internal::Invalid(
      Concat("Conflicting attribute definition for '", attribute,
             "'. All VectorIndexes on the same vector attribute must use the same dimensions."));
}
// Ours, down to the next heading.
// `type`: "HASH" or "INLINE_FILTER".
inline std::string TooManySearchElements(std::string_view type, int limit) {
  return tables_internal::Invalid(
      Concat("The SearchSchema has more than ", limit, " ", type, " elements"));
}
inline std::string SearchElementRepeated(std::string_view attribute) {
  return tables_internal::Invalid(Concat("Duplicate element in SearchSchema: ", attribute));
}
inline std::string VectorAttributeIsKey(std::string_view attribute) {
  return tables_internal::Invalid(
      Concat("The vector attribute ", attribute, " must be no key and no SearchSchema attribute"));
}
inline std::string VectorIndexUpdateEmpty() {
  return tables_internal::Invalid(
      "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null");
}
inline std::string VectorIndexUpdateOfTwoActions() {
  return tables_internal::Invalid(
      "Only one vector index action is allowed per VectorIndexUpdate object");
}

// ===== Backups and restores (api/facts/operations.md §5.6, §5.7). "Ours": the service's text is
// unknown.

// --- Backups ---

inline std::string InvalidBackupArn() { return "Invalid Backup ARN"; }
// Ours.
inline std::string BackupNotFound(std::string_view arn) {
  return Concat("Backup not found: ", arn);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_TABLE_MESSAGES_H_
