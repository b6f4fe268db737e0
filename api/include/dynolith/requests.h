// One request and one output per operation, with DynamoDB's member names in snake_case. Fill by
// name:
//   database->PutItem({.table_name = "music", .item = {{"pk", Value::S("a")}}});
//
// An absent optional is an absent member. What each member means is DynamoDB's API reference.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/errors.h"
#include "engine/catalog/table_meta.h"
#include "engine/expr/legacy.h"
#include "engine/expr/placeholders.h"
#include "engine/value/item.h"

namespace dynolith {

enum class ReturnValues : uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };
enum class ReturnConsumedCapacity : uint8_t { kNone, kTotal, kIndexes };
enum class ReturnItemCollectionMetrics : uint8_t { kNone, kSize };
enum class ReturnValuesOnConditionCheckFailure : uint8_t { kNone, kAllOld };
enum class Select : uint8_t {
  kAllAttributes,
  kAllProjectedAttributes,
  kSpecificAttributes,
  kCount
};

// The first fault in each group of values that the wire's reader could not put into an Item: the
// service reports it later than it reads it, so the operation returns it at that step. Each entry
// of Expected is a group of its own (`value_fault`). C++ callers leave this empty.
struct ValueFaults {
  absl::Status values;             // in keys, items, other legacy parameters, statements
  absl::Status expression_values;  // in ExpressionAttributeValues
};

// --- Shared outputs ---

struct ConsumedCapacity {
  std::string table_name;
  double capacity_units = 0;
  // Read or write units are also reported apart, by transactions only.
  enum class Split : uint8_t { kNone, kRead, kWrite } split = Split::kNone;
  // With ReturnConsumedCapacity kIndexes: the table's part, and each touched index's, in order of
  // name.
  std::optional<double> table;
  std::vector<std::pair<std::string, double>> global_secondary_indexes;
  std::vector<std::pair<std::string, double>> local_secondary_indexes;
  // VectorWriteRequestBytes, which are no part of `capacity_units`.
  std::vector<std::pair<std::string, double>> vector_indexes;
};

struct ItemCollectionMetrics {
  Item item_collection_key;
  double size_estimate_low_gb = 0;
  double size_estimate_high_gb = 1;
};

// --- Single items
// -----------------------------------------------------------------------------------------------------

struct PutItemRequest {
  std::string table_name;
  Item item;
  std::optional<AttributeMap<ExpectedAttributeValue>> expected;
  std::optional<ConditionalOperator> conditional_operator;
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::kNone;
  std::optional<std::string> condition_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
  ReturnValuesOnConditionCheckFailure return_values_on_condition_check_failure =
      ReturnValuesOnConditionCheckFailure::kNone;
  ValueFaults faults;
};

struct DeleteItemRequest {
  std::string table_name;
  Item key;
  std::optional<AttributeMap<ExpectedAttributeValue>> expected;
  std::optional<ConditionalOperator> conditional_operator;
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::kNone;
  std::optional<std::string> condition_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
  ReturnValuesOnConditionCheckFailure return_values_on_condition_check_failure =
      ReturnValuesOnConditionCheckFailure::kNone;
  ValueFaults faults;
};

struct UpdateItemRequest {
  std::string table_name;
  Item key;
  std::optional<AttributeMap<AttributeValueUpdate>> attribute_updates;
  std::optional<AttributeMap<ExpectedAttributeValue>> expected;
  std::optional<ConditionalOperator> conditional_operator;
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::kNone;
  std::optional<std::string> update_expression;
  std::optional<std::string> condition_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
  ReturnValuesOnConditionCheckFailure return_values_on_condition_check_failure =
      ReturnValuesOnConditionCheckFailure::kNone;
  ValueFaults faults;
};

// Of PutItem, UpdateItem and DeleteItem.
struct WriteOutput {
  std::optional<Item> attributes;
  std::optional<ConsumedCapacity> consumed_capacity;
  std::optional<ItemCollectionMetrics> item_collection_metrics;
};

struct GetItemRequest {
  std::string table_name;
  Item key;
  std::optional<std::vector<std::string>> attributes_to_get;
  bool consistent_read = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  std::optional<std::string> projection_expression;
  std::optional<AttributeNames> expression_attribute_names;
  ValueFaults faults;
};

struct GetItemOutput {
  std::optional<Item> item;
  std::optional<ConsumedCapacity> consumed_capacity;
};

// --- Batches
// ----------------------------------------------------------------------------------------------------------

struct KeysAndAttributes {
  std::vector<Item> keys;
  std::optional<std::vector<std::string>> attributes_to_get;
  bool consistent_read = false;
  std::optional<std::string> projection_expression;
  std::optional<AttributeNames> expression_attribute_names;
  ValueFaults faults;
};

struct BatchGetItemRequest {
  std::vector<std::pair<std::string, KeysAndAttributes>> request_items;  // by table name
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct BatchGetItemOutput {
  std::vector<std::pair<std::string, std::vector<Item>>> responses;
  std::vector<std::pair<std::string, KeysAndAttributes>> unprocessed_keys;
  std::vector<ConsumedCapacity> consumed_capacity;
};

struct WriteRequest {
  std::optional<Item> put;         // the item
  std::optional<Item> delete_key;  // the key
  ValueFaults faults;
};

struct BatchWriteItemRequest {
  std::vector<std::pair<std::string, std::vector<WriteRequest>>> request_items;  // by table name
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::kNone;
};

struct BatchWriteItemOutput {
  std::vector<std::pair<std::string, std::vector<WriteRequest>>> unprocessed_items;
  std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>> item_collection_metrics;
  std::vector<ConsumedCapacity> consumed_capacity;
};

// --- Query and Scan
// ---------------------------------------------------------------------------------------------------

struct QueryRequest {
  std::string table_name;
  std::optional<std::string> index_name;
  std::optional<Select> select;
  std::optional<std::vector<std::string>> attributes_to_get;
  std::optional<int64_t> limit;
  bool consistent_read = false;
  std::optional<AttributeMap<LegacyCondition>> key_conditions;
  std::optional<AttributeMap<LegacyCondition>> query_filter;
  std::optional<ConditionalOperator> conditional_operator;
  bool scan_index_forward = true;
  std::optional<Item> exclusive_start_key;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  std::optional<std::string> projection_expression;
  std::optional<std::string> filter_expression;
  std::optional<std::string> key_condition_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
  ValueFaults faults;
};

struct ScanRequest {
  std::string table_name;
  std::optional<std::string> index_name;
  std::optional<std::vector<std::string>> attributes_to_get;
  std::optional<int64_t> limit;
  std::optional<Select> select;
  std::optional<AttributeMap<LegacyCondition>> scan_filter;
  std::optional<ConditionalOperator> conditional_operator;
  std::optional<Item> exclusive_start_key;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  std::optional<int64_t> total_segments;
  std::optional<int64_t> segment;
  std::optional<std::string> projection_expression;
  std::optional<std::string> filter_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
  bool consistent_read = false;
  ValueFaults faults;
};

// Of Query and Scan.
struct PageOutput {
  // Empty with Select kCount (see `counts_only`), and when the items went to a sink.
  std::vector<Item> items;
  bool counts_only = false;
  int64_t count = 0;
  int64_t scanned_count = 0;
  std::optional<Item> last_evaluated_key;
  std::optional<ConsumedCapacity> consumed_capacity;
};

// --- Tables
// -----------------------------------------------------------------------------------------------------------

struct KeySchemaElement {
  std::string attribute_name;
  enum class KeyType : uint8_t { kHash, kRange } key_type = KeyType::kHash;
};

struct AttributeDefinition {
  std::string attribute_name;
  Type attribute_type = Type::kString;  // kString, kNumber or kBinary
};

struct IndexProjection {
  std::optional<ProjectionType> projection_type;
  std::optional<std::vector<std::string>> non_key_attributes;
};

struct ProvisionedThroughput {
  std::optional<int64_t> read_capacity_units;
  std::optional<int64_t> write_capacity_units;
};

struct WarmThroughputSpecification {
  std::optional<int64_t> read_units_per_second;
  std::optional<int64_t> write_units_per_second;
};

struct StreamSpecification {
  bool stream_enabled = false;
  std::optional<StreamViewType> stream_view_type;
};

struct SseSpecification {
  std::optional<bool> enabled;
  std::optional<std::string> sse_type;  // "AES256" or "KMS"
  std::optional<std::string> kms_master_key_id;
};

struct Tag {
  std::optional<std::string> key;
  std::optional<std::string> value;
};

// A global secondary index to create; for a local one only the first three members count.
struct SecondaryIndex {
  std::string index_name;
  std::vector<KeySchemaElement> key_schema;
  IndexProjection projection;
  std::optional<ProvisionedThroughput> provisioned_throughput;
  std::optional<OnDemandThroughput> on_demand_throughput;
  std::optional<WarmThroughputSpecification> warm_throughput;
};

struct SearchSchemaElement {
  std::string attribute_name;
  enum class ElementType : uint8_t { kHash, kInlineFilter } element_type = ElementType::kHash;
};

struct VectorIndex {
  std::string index_name;
  std::string vector_attribute;
  std::optional<std::vector<SearchSchemaElement>> search_schema;
  IndexProjection projection;
  int64_t dimensions = 0;
  DistanceFunction distance_function = DistanceFunction::kCosine;
};

struct CreateTableRequest {
  std::string table_name;
  std::optional<std::vector<AttributeDefinition>> attribute_definitions;
  std::optional<std::vector<KeySchemaElement>> key_schema;
  std::optional<std::vector<SecondaryIndex>> local_secondary_indexes;
  std::optional<std::vector<SecondaryIndex>> global_secondary_indexes;
  std::optional<BillingMode> billing_mode;
  std::optional<ProvisionedThroughput> provisioned_throughput;
  std::optional<StreamSpecification> stream_specification;
  std::optional<SseSpecification> sse_specification;
  std::optional<std::vector<Tag>> tags;
  std::optional<std::string> table_class;
  std::optional<bool> deletion_protection_enabled;
  std::optional<WarmThroughputSpecification> warm_throughput;
  std::optional<OnDemandThroughput> on_demand_throughput;
  std::optional<std::string> resource_policy;
  std::optional<std::vector<VectorIndex>> vector_indexes;
  // A member that only a service of several regions can fulfil; it is refused.
  bool has_global_table_source = false;
};

struct VectorIndexUpdate {
  std::optional<VectorIndex> create;
  std::optional<std::string> delete_index_name;
};

struct GlobalSecondaryIndexUpdate {
  std::optional<SecondaryIndex> create;
  struct Change {
    std::string index_name;
    std::optional<ProvisionedThroughput> provisioned_throughput;
    std::optional<OnDemandThroughput> on_demand_throughput;
    std::optional<WarmThroughputSpecification> warm_throughput;
  };
  std::optional<Change> update;
  std::optional<std::string> delete_index_name;
};

struct UpdateTableRequest {
  std::string table_name;
  std::optional<std::vector<AttributeDefinition>> attribute_definitions;
  std::optional<BillingMode> billing_mode;
  std::optional<ProvisionedThroughput> provisioned_throughput;
  std::optional<std::vector<GlobalSecondaryIndexUpdate>> global_secondary_index_updates;
  std::optional<StreamSpecification> stream_specification;
  std::optional<SseSpecification> sse_specification;
  std::optional<std::string> table_class;
  std::optional<bool> deletion_protection_enabled;
  std::optional<WarmThroughputSpecification> warm_throughput;
  std::optional<OnDemandThroughput> on_demand_throughput;
  std::optional<std::vector<VectorIndexUpdate>> vector_index_updates;
  // Present members that only a service of several regions can fulfil; they are refused.
  bool has_replica_updates = false;
  bool has_multi_region_consistency = false;
};

struct DescribeTableRequest {
  std::string table_name;
};

struct DeleteTableRequest {
  std::string table_name;
};

struct TableDescription {
  TableMeta meta;
  std::string table_arn;
  int64_t item_count = 0;
  int64_t table_size_bytes = 0;
  // Whether the warm throughput is shown as being raised.
  bool warm_is_updating = false;
  // Parallel to meta.schema.indexes.
  struct IndexSize {
    int64_t item_count = 0;
    int64_t size_bytes = 0;
    bool warm_is_updating = false;
  };
  std::vector<IndexSize> index_sizes;
};

struct ListTablesRequest {
  std::optional<std::string> exclusive_start_table_name;
  std::optional<int64_t> limit;
};

struct ListTablesOutput {
  std::vector<std::string> table_names;
  std::optional<std::string> last_evaluated_table_name;
};

struct DescribeLimitsOutput {
  int64_t account_max_read_capacity_units = 0;
  int64_t account_max_write_capacity_units = 0;
  int64_t table_max_read_capacity_units = 0;
  int64_t table_max_write_capacity_units = 0;
};

struct DescribeEndpointsOutput {
  std::string address;  // host[:port]
  int64_t cache_period_in_minutes = 1440;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_
