// Every limit of the service, once; those on members of requests are in engine/model/model.txt.
// Those of them that operations need are here, too, and constraints_test.cc compares them with the
// model. Sources: api/facts/values.md §6-§8, api/facts/expressions.md §2, api/facts/operations.md
// §1-§6.
#ifndef DYNOLITH_ENGINE_BASE_LIMITS_H_
#define DYNOLITH_ENGINE_BASE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace dynolith {

// Values and items.
inline constexpr size_t kItemBytesMax = 409'600;
inline constexpr size_t kAttributeNameBytesMax = 65'535;
inline constexpr size_t kPartitionKeyBytesMax = 2048;
inline constexpr size_t kSortKeyBytesMax = 1024;
// A scalar wrapped in 31 lists or maps is accepted, in 32 refused.
inline constexpr int kNestingDepthMax = 31;
// For expression values in transactions, which need not be part of an item.
inline constexpr int kTransactionValueDepthMax = kNestingDepthMax + 1;
// A single write with a more deeply nested value answers in the legacy wording.
inline constexpr int kCurrentWordingDepthMax = 62;
inline constexpr int kNumberDigitsMax = 38;
inline constexpr int kNumberExponentMin = -130;
inline constexpr int kNumberExponentMax = 125;

// Expressions.
inline constexpr size_t kExpressionBytesMax = 4096;
inline constexpr int kExpressionOperatorsMax = 300;
inline constexpr int kInOperandsMax = 100;
inline constexpr size_t kPlaceholderBytesMax = 255;
inline constexpr int kPathElementsMax = 32;

// Tables and indexes.
inline constexpr int kGlobalIndexesMax = 20;
inline constexpr int kLocalIndexesMax = 5;
inline constexpr int kHashAttributesMax = 4;
inline constexpr int kRangeAttributesMax = 4;
inline constexpr int kProjectedAttributesMax = 100;
inline constexpr int kVectorIndexesMax = 5;
inline constexpr int kIndexShardsMax = 200;  // ours
inline constexpr int64_t kVectorDimensionsMax = 4096;
inline constexpr int kSearchHashAttributesMax = 1;
inline constexpr int kInlineFiltersMax = 18;
inline constexpr int64_t kTableThroughputMax = 40'000;
inline constexpr int64_t kAccountThroughputMax = 80'000;
inline constexpr int64_t kThroughputBound = 1'000'000'000'000;
inline constexpr int64_t kOnDemandInitialReadUnits = 12'000;
inline constexpr int64_t kOnDemandInitialWriteUnits = 4'000;
inline constexpr int64_t kPartitionReadUnits = 3'000;
inline constexpr int64_t kPartitionWriteUnits = 1'000;
inline constexpr int64_t kItemCollectionBytesMax = int64_t{10} << 30;
inline constexpr int64_t kFreeDecreasesPerDay = 4;
inline constexpr int kTableClassChangesDays = 30;
inline constexpr int64_t kFreeEncryptionChanges = 4;
inline constexpr int64_t kEncryptionChangesHours = 24;
inline constexpr int64_t kEncryptionChangeSeconds = 21'600;
inline constexpr int64_t kProtectionCooldownMilliseconds = 15'000;
inline constexpr size_t kTagsMax = 50;
inline constexpr size_t kTagKeyCharactersMax = 128;
inline constexpr size_t kTagValueCharactersMax = 256;
inline constexpr size_t kTagSetBytesMax = 10'240;
inline constexpr size_t kPolicyBytesMax = 20'480;
inline constexpr int64_t kPolicyCooldownMilliseconds = 15'000;
inline constexpr int64_t kRecoveryPeriodDaysMax = 35;
// The age of the latest restorable time.
inline constexpr int64_t kRecoveryLagSeconds = 300;
// The life of the backup that is made when a table with point-in-time recovery is deleted.
inline constexpr int64_t kSystemBackupDays = 35;
inline constexpr int64_t kBackupsPageMax = 100;
inline constexpr int kRestoresMax = 50;
inline constexpr int64_t kTransfersPageMax = 25;
inline constexpr int kExportsMax = 300;
inline constexpr int kImportsMax = 50;
inline constexpr int64_t kBulkOperationsPageDefault = 10;
inline constexpr int kBulkOperationsMax = 50;
// For one bulk operation's input (api/facts/newest.md §6).
inline constexpr size_t kBulkObjectsMax = 50'000;
inline constexpr int64_t kBulkObjectBytesMax = int64_t{5} << 30;
// Exports and imports are forgotten after this; their tokens earlier.
inline constexpr int64_t kTransferDays = 90;
inline constexpr int64_t kTransferTokenHours = 8;
inline constexpr int64_t kIncrementalExportMinutesMin = 15;
inline constexpr int64_t kIncrementalExportHoursMax = 24;
// For one line of an imported file.
inline constexpr size_t kImportRecordBytesMax = 16'777'216;
inline constexpr int64_t kInsightsPageMax = 100;
// Percent of the provisioned units.
inline constexpr int64_t kAutoScalingTargetMin = 20;
inline constexpr int64_t kAutoScalingTargetMax = 90;
inline constexpr size_t kTableArnBytesMax = 1024;

// Requests.
inline constexpr size_t kRequestBytesMax = 16'777'216;
inline constexpr size_t kBatchGetKeysMax = 100;
inline constexpr size_t kBatchGetBytesMax = 16'777'216;
inline constexpr size_t kBatchWriteRequestsMax = 25;
// Values of IN on a partition key, in all and for each page of the answer.
inline constexpr size_t kStatementPartitionKeysMax = 50;
inline constexpr size_t kStatementPartitionKeysPerPage = 10;
inline constexpr size_t kTransactionBytesMax = 4'194'304;
inline constexpr size_t kPageBytesMax = 1'048'576;
// The work of the filter and the projection of one page, in units of Condition::Matches; a page
// that exceeds it ends as if it were full. Thirty times a full page: ordinary filters never reach
// it. Ours: the service bounds the time of a page, too, but does not publish the limit.
inline constexpr size_t kPageWorkMax = 32 * kPageBytesMax;
// The work of a call on an event loop, in the same units, before it continues on a worker.
inline constexpr size_t kLoopWorkMax = 64 << 10;
// A larger body is read on a worker.
inline constexpr size_t kLoopBodyBytesMax = 64 << 10;
inline constexpr int kListTablesMax = 100;
inline constexpr int64_t kTopKMax = 100;
inline constexpr size_t kSearchBytesMax = 16'777'216;
inline constexpr int kReportedConstraintsMax = 10;
// For a refused value in a message: enough for the service's known texts, but not all of a request
// of 16 MB.
inline constexpr size_t kReportedValueBytesMax = 131'072;

// Streams and time to live.
inline constexpr int64_t kStreamRetentionHours = 24;
inline constexpr int64_t kShardIteratorMinutes = 15;
inline constexpr int64_t kStreamPageMax = 100;
inline constexpr int64_t kStreamRecordsMax = 1000;
inline constexpr size_t kStreamReadBytesMax = 1'048'576;
// The largest deliberate lag of reads: until then the store keeps overwritten versions.
inline constexpr int64_t kStalenessHoursMax = 24;
// Items that expired longer ago are never deleted.
inline constexpr int64_t kTimeToLiveYearsMax = 5;
// Between two changes of a table's time to live.
inline constexpr int64_t kTimeToLiveChangeMinutes = 30;

// Capacity units.
inline constexpr size_t kReadUnitBytes = 4096;
inline constexpr size_t kWriteUnitBytes = 1024;
// The minimum charge of a search or a write of a vector index's entry.
inline constexpr size_t kVectorRequestBytesMin = 1024;

// Fault injection. A program with more rules has forgotten to remove its own.
inline constexpr size_t kFaultRulesMax = 1000;
inline constexpr int64_t kFaultLatencySecondsMax = 900;

// For each list of hot keys in a report.
inline constexpr size_t kHotKeysMax = 25;
// For a table or an index; older ones are dropped.
inline constexpr size_t kPastSplitsMax = 100;
// The lab: limits of an experiment, so that a typing error does not exhaust the machine.
inline constexpr int64_t kLabDaysMax = 400;
inline constexpr int64_t kLabKeysMax = int64_t{1} << 48;
inline constexpr int64_t kLabShardsMax = 100'000;
inline constexpr int64_t kLabPartitionsMax = 65'536;
inline constexpr int64_t kLabQueryItemsMax = 1'000'000;
inline constexpr int64_t kLabWorkersMax = 1'000'000;
inline constexpr int64_t kLabReplayUsersMax = 10'000'000;
inline constexpr double kLabRateMax = 1e8;
// The duration of a page of a Scan, and the waits of throttled clients, unless an experiment sets
// them.
inline constexpr int64_t kLabPageMicros = 20'000;
inline constexpr int64_t kLabRetryLongestMicros = 20'000'000;
// Auto scaling: the time between a breach and the call, and the duration of an update, unless an
// experiment sets them.
inline constexpr int64_t kLabAlarmDelayMicros = 60'000'000;
inline constexpr int64_t kLabUpdateDelayMicros = 180'000'000;

// A smaller one leaves no room for a memtable and the blocks of a few table files.
inline constexpr size_t kMemoryBudgetBytesMin = size_t{16} << 20;

// How long clients may keep an answer of DescribeEndpoints.
inline constexpr int64_t kEndpointCacheMinutes = 1440;

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_LIMITS_H_
