#include "api/json/read_tables.h"

#include <utility>

#include "api/json/members.h"
#include "api/json/request_parts.h"

namespace dynolith {
namespace {

constexpr std::pair<std::string_view, KeySchemaElement::KeyType> kKeyTypes[] = {
    {"HASH", KeySchemaElement::KeyType::kHash}, {"RANGE", KeySchemaElement::KeyType::kRange}};
constexpr std::pair<std::string_view, ProjectionType> kProjectionTypes[] = {
    {"ALL", ProjectionType::kAll},
    {"KEYS_ONLY", ProjectionType::kKeysOnly},
    {"INCLUDE", ProjectionType::kInclude}};
constexpr std::pair<std::string_view, BillingMode> kBillingModes[] = {
    {"PROVISIONED", BillingMode::kProvisioned}, {"PAY_PER_REQUEST", BillingMode::kPayPerRequest}};
constexpr std::pair<std::string_view, StreamViewType> kStreamViewTypes[] = {
    {"KEYS_ONLY", StreamViewType::kKeysOnly},
    {"NEW_IMAGE", StreamViewType::kNewImage},
    {"OLD_IMAGE", StreamViewType::kOldImage},
    {"NEW_AND_OLD_IMAGES", StreamViewType::kNewAndOldImages}};
constexpr std::pair<std::string_view, SearchSchemaElement::ElementType> kSearchElementTypes[] = {
    {"HASH", SearchSchemaElement::ElementType::kHash},
    {"INLINE_FILTER", SearchSchemaElement::ElementType::kInlineFilter}};
constexpr std::pair<std::string_view, DistanceFunction> kDistanceFunctions[] = {
    {"COSINE", DistanceFunction::kCosine},
    {"DOT_PRODUCT", DistanceFunction::kDotProduct},
    {"EUCLIDEAN", DistanceFunction::kEuclidean}};

template <typename Enum, size_t n>
std::optional<Enum> Read(const Fields& fields, int member,
                         const std::pair<std::string_view, Enum> (&words)[n]) {
  return ReadEnum(fields, member, absl::MakeConstSpan(words));
}

// The member's elements, each read by `read(element)`; nullopt if absent.
template <typename ReadElement>
auto ReadList(const Fields& fields, int member, ReadElement read)
    -> std::optional<std::vector<decltype(read(JsonValue()))>> {
  const JsonValue* list = fields.Find(member);
  if (list == nullptr) return std::nullopt;
  std::vector<decltype(read(JsonValue()))> elements;
  for (const JsonValue element : ArrayOf(*list)) elements.push_back(read(element));
  return elements;
}

AttributeDefinition ReadDefinition(JsonValue value) {
  namespace in = members::AttributeDefinition;
  const Fields fields(in::kShape, value);
  return {.attribute_name = std::string(fields.Text(in::kAttributeName)),
          .attribute_type = TypeFromName(fields.Text(in::kAttributeType)).value_or(Type::kString)};
}

KeySchemaElement ReadKeyElement(JsonValue value) {
  namespace in = members::KeySchemaElement;
  const Fields fields(in::kShape, value);
  return {
      .attribute_name = std::string(fields.Text(in::kAttributeName)),
      .key_type = Read(fields, in::kKeyType, kKeyTypes).value_or(KeySchemaElement::KeyType::kHash)};
}

IndexProjection ReadProjection(const Fields& index, int member) {
  namespace in = members::Projection;
  if (!index.Has(member)) return {};
  const Fields fields(in::kShape, *index.Find(member));
  return {.projection_type = Read(fields, in::kProjectionType, kProjectionTypes),
          .non_key_attributes = ReadStrings(fields, in::kNonKeyAttributes)};
}

std::optional<ProvisionedThroughput> ReadThroughput(const Fields& parent, int member) {
  namespace in = members::ProvisionedThroughput;
  if (!parent.Has(member)) return std::nullopt;
  const Fields fields(in::kShape, *parent.Find(member));
  return ProvisionedThroughput{.read_capacity_units = fields.Integer(in::kReadCapacityUnits),
                               .write_capacity_units = fields.Integer(in::kWriteCapacityUnits)};
}

std::optional<OnDemandThroughput> ReadOnDemand(const Fields& parent, int member) {
  namespace in = members::OnDemandThroughput;
  if (!parent.Has(member)) return std::nullopt;
  const Fields fields(in::kShape, *parent.Find(member));
  return OnDemandThroughput{.max_read_units = fields.Integer(in::kMaxReadRequestUnits),
                            .max_write_units = fields.Integer(in::kMaxWriteRequestUnits)};
}

std::optional<WarmThroughputSpecification> ReadWarm(const Fields& parent, int member) {
  namespace in = members::WarmThroughput;
  if (!parent.Has(member)) return std::nullopt;
  const Fields fields(in::kShape, *parent.Find(member));
  return WarmThroughputSpecification{
      .read_units_per_second = fields.Integer(in::kReadUnitsPerSecond),
      .write_units_per_second = fields.Integer(in::kWriteUnitsPerSecond)};
}

std::optional<StreamSpecification> ReadStream(const Fields& parent, int member) {
  namespace in = members::StreamSpecification;
  if (!parent.Has(member)) return std::nullopt;
  const Fields fields(in::kShape, *parent.Find(member));
  return StreamSpecification{
      .stream_enabled = fields.Boolean(in::kStreamEnabled).value_or(false),
      .stream_view_type = Read(fields, in::kStreamViewType, kStreamViewTypes)};
}

std::optional<SseSpecification> ReadEncryption(const Fields& parent, int member) {
  namespace in = members::SSESpecification;
  if (!parent.Has(member)) return std::nullopt;
  const Fields fields(in::kShape, *parent.Find(member));
  return SseSpecification{.enabled = fields.Boolean(in::kEnabled),
                          .sse_type = fields.String(in::kSSEType),
                          .kms_master_key_id = fields.String(in::kKMSMasterKeyId)};
}

Tag ReadTag(JsonValue value) {
  namespace in = members::Tag;
  const Fields fields(in::kShape, value);
  return {.key = fields.String(in::kKey), .value = fields.String(in::kValue)};
}

SecondaryIndex ReadLocalIndex(JsonValue value) {
  namespace in = members::LocalSecondaryIndex;
  const Fields fields(in::kShape, value);
  SecondaryIndex index;
  index.index_name = std::string(fields.Text(in::kIndexName));
  index.key_schema = *ReadList(fields, in::kKeySchema, ReadKeyElement);
  index.projection = ReadProjection(fields, in::kProjection);
  return index;
}

SecondaryIndex ReadGlobalIndex(JsonValue value) {
  namespace in = members::GlobalSecondaryIndex;
  const Fields fields(in::kShape, value);
  SecondaryIndex index;
  index.index_name = std::string(fields.Text(in::kIndexName));
  index.key_schema = *ReadList(fields, in::kKeySchema, ReadKeyElement);
  index.projection = ReadProjection(fields, in::kProjection);
  index.provisioned_throughput = ReadThroughput(fields, in::kProvisionedThroughput);
  index.on_demand_throughput = ReadOnDemand(fields, in::kOnDemandThroughput);
  index.warm_throughput = ReadWarm(fields, in::kWarmThroughput);
  return index;
}

SecondaryIndex ReadIndexCreation(JsonValue value) {
  namespace in = members::CreateGlobalSecondaryIndexAction;
  const Fields fields(in::kShape, value);
  SecondaryIndex index;
  index.index_name = std::string(fields.Text(in::kIndexName));
  index.key_schema = *ReadList(fields, in::kKeySchema, ReadKeyElement);
  index.projection = ReadProjection(fields, in::kProjection);
  index.provisioned_throughput = ReadThroughput(fields, in::kProvisionedThroughput);
  index.on_demand_throughput = ReadOnDemand(fields, in::kOnDemandThroughput);
  index.warm_throughput = ReadWarm(fields, in::kWarmThroughput);
  return index;
}

GlobalSecondaryIndexUpdate::Change ReadIndexChange(JsonValue value) {
  namespace in = members::UpdateGlobalSecondaryIndexAction;
  const Fields fields(in::kShape, value);
  return {.index_name = std::string(fields.Text(in::kIndexName)),
          .provisioned_throughput = ReadThroughput(fields, in::kProvisionedThroughput),
          .on_demand_throughput = ReadOnDemand(fields, in::kOnDemandThroughput),
          .warm_throughput = ReadWarm(fields, in::kWarmThroughput)};
}

GlobalSecondaryIndexUpdate ReadIndexUpdate(JsonValue value) {
  namespace in = members::GlobalSecondaryIndexUpdate;
  const Fields fields(in::kShape, value);
  GlobalSecondaryIndexUpdate update;
  if (fields.Has(in::kCreate)) update.create = ReadIndexCreation(*fields.Find(in::kCreate));
  if (fields.Has(in::kUpdate)) update.update = ReadIndexChange(*fields.Find(in::kUpdate));
  if (fields.Has(in::kDelete)) {
    namespace deletion = members::DeleteGlobalSecondaryIndexAction;
    const Fields action(deletion::kShape, *fields.Find(in::kDelete));
    update.delete_index_name = action.String(deletion::kIndexName);
  }
  return update;
}

SearchSchemaElement ReadSearchElement(JsonValue value) {
  namespace in = members::SearchSchemaElement;
  const Fields fields(in::kShape, value);
  return {.attribute_name = std::string(fields.Text(in::kAttributeName)),
          .element_type = Read(fields, in::kSearchSchemaElementType, kSearchElementTypes)
                              .value_or(SearchSchemaElement::ElementType::kHash)};
}

std::string ReadVectorAttribute(const Fields& index, int member) {
  namespace in = members::VectorAttributeDefinition;
  return std::string(Fields(in::kShape, *index.Find(member)).Text(in::kAttributeName));
}

// Of CreateTable and of UpdateTable, whose structures have the same members.
VectorIndex ReadVectorIndex(const Fields& fields) {
  namespace in = members::VectorIndex;
  namespace created = members::CreateVectorIndexAction;
  constexpr auto same = [](int member, int other) { return member == other; };
  static_assert(same(in::kIndexName, created::kIndexName));
  static_assert(same(in::kVectorAttribute, created::kVectorAttribute));
  static_assert(same(in::kSearchSchema, created::kSearchSchema));
  static_assert(same(in::kProjection, created::kProjection));
  static_assert(same(in::kDimensions, created::kDimensions));
  static_assert(same(in::kDistanceFunction, created::kDistanceFunction));
  VectorIndex index;
  index.index_name = std::string(fields.Text(in::kIndexName));
  index.vector_attribute = ReadVectorAttribute(fields, in::kVectorAttribute);
  index.search_schema = ReadList(fields, in::kSearchSchema, ReadSearchElement);
  index.projection = ReadProjection(fields, in::kProjection);
  index.dimensions = fields.Integer(in::kDimensions).value_or(0);
  index.distance_function =
      Read(fields, in::kDistanceFunction, kDistanceFunctions).value_or(DistanceFunction::kCosine);
  return index;
}

VectorIndex ReadListedVectorIndex(JsonValue value) {
  return ReadVectorIndex(Fields(members::VectorIndex::kShape, value));
}

VectorIndexUpdate ReadVectorIndexUpdate(JsonValue value) {
  namespace in = members::VectorIndexUpdate;
  const Fields fields(in::kShape, value);
  VectorIndexUpdate update;
  if (const JsonValue* create = fields.Find(in::kCreate)) {
    update.create = ReadVectorIndex(Fields(members::CreateVectorIndexAction::kShape, *create));
  }
  if (fields.Has(in::kDelete)) {
    namespace deletion = members::DeleteVectorIndexAction;
    const Fields action(deletion::kShape, *fields.Find(in::kDelete));
    update.delete_index_name = action.String(deletion::kIndexName);
  }
  return update;
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, CreateTableRequest* request) {
  namespace in = members::CreateTableInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  request->attribute_definitions = ReadList(fields, in::kAttributeDefinitions, ReadDefinition);
  request->key_schema = ReadList(fields, in::kKeySchema, ReadKeyElement);
  request->local_secondary_indexes = ReadList(fields, in::kLocalSecondaryIndexes, ReadLocalIndex);
  request->global_secondary_indexes =
      ReadList(fields, in::kGlobalSecondaryIndexes, ReadGlobalIndex);
  request->billing_mode = Read(fields, in::kBillingMode, kBillingModes);
  request->provisioned_throughput = ReadThroughput(fields, in::kProvisionedThroughput);
  request->stream_specification = ReadStream(fields, in::kStreamSpecification);
  request->sse_specification = ReadEncryption(fields, in::kSSESpecification);
  request->tags = ReadList(fields, in::kTags, ReadTag);
  request->table_class = fields.String(in::kTableClass);
  request->deletion_protection_enabled = fields.Boolean(in::kDeletionProtectionEnabled);
  request->warm_throughput = ReadWarm(fields, in::kWarmThroughput);
  request->on_demand_throughput = ReadOnDemand(fields, in::kOnDemandThroughput);
  request->resource_policy = fields.String(in::kResourcePolicy);
  request->vector_indexes = ReadList(fields, in::kVectorIndexes, ReadListedVectorIndex);
  request->has_global_table_source = fields.Has(in::kGlobalTableSourceArn);
  return absl::OkStatus();
}

CreateTableRequest ReadTableParameters(JsonValue parameters) {
  namespace in = members::TableCreationParameters;
  const Fields fields(in::kShape, parameters);
  CreateTableRequest table;
  table.table_name = std::string(fields.Text(in::kTableName));
  table.attribute_definitions = ReadList(fields, in::kAttributeDefinitions, ReadDefinition);
  table.key_schema = ReadList(fields, in::kKeySchema, ReadKeyElement);
  table.billing_mode = Read(fields, in::kBillingMode, kBillingModes);
  table.provisioned_throughput = ReadThroughput(fields, in::kProvisionedThroughput);
  table.on_demand_throughput = ReadOnDemand(fields, in::kOnDemandThroughput);
  table.sse_specification = ReadEncryption(fields, in::kSSESpecification);
  table.global_secondary_indexes = ReadList(fields, in::kGlobalSecondaryIndexes, ReadGlobalIndex);
  table.vector_indexes = ReadList(fields, in::kVectorIndexes, ReadListedVectorIndex);
  return table;
}

absl::Status ReadRequest(const Fields& fields, UpdateTableRequest* request) {
  namespace in = members::UpdateTableInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  request->attribute_definitions = ReadList(fields, in::kAttributeDefinitions, ReadDefinition);
  request->billing_mode = Read(fields, in::kBillingMode, kBillingModes);
  request->provisioned_throughput = ReadThroughput(fields, in::kProvisionedThroughput);
  request->global_secondary_index_updates =
      ReadList(fields, in::kGlobalSecondaryIndexUpdates, ReadIndexUpdate);
  request->stream_specification = ReadStream(fields, in::kStreamSpecification);
  request->sse_specification = ReadEncryption(fields, in::kSSESpecification);
  request->table_class = fields.String(in::kTableClass);
  request->deletion_protection_enabled = fields.Boolean(in::kDeletionProtectionEnabled);
  request->warm_throughput = ReadWarm(fields, in::kWarmThroughput);
  request->on_demand_throughput = ReadOnDemand(fields, in::kOnDemandThroughput);
  request->vector_index_updates = ReadList(fields, in::kVectorIndexUpdates, ReadVectorIndexUpdate);
  request->has_replica_updates =
      fields.Has(in::kReplicaUpdates) || fields.Has(in::kGlobalTableWitnessUpdates);
  request->has_multi_region_consistency = fields.Has(in::kMultiRegionConsistency);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeTableRequest* request) {
  request->table_name = std::string(fields.Text(members::DescribeTableInput::kTableName));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DeleteTableRequest* request) {
  request->table_name = std::string(fields.Text(members::DeleteTableInput::kTableName));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ListTablesRequest* request) {
  namespace in = members::ListTablesInput;
  request->exclusive_start_table_name = fields.String(in::kExclusiveStartTableName);
  request->limit = fields.Integer(in::kLimit);
  return absl::OkStatus();
}

RestoreOverrides ReadOverrides(const Fields& fields, int first) {
  namespace in = members::RestoreTableFromBackupInput;
  namespace other = members::RestoreTableToPointInTimeInput;
  constexpr auto behind_first = [](int member) { return member - in::kBillingModeOverride; };
  static_assert(behind_first(in::kVectorIndexOverride) ==
                int{other::kVectorIndexOverride} - int{other::kBillingModeOverride});
  const auto at = [&](int member) { return first + behind_first(member); };
  RestoreOverrides overrides;
  overrides.billing_mode = Read(fields, at(in::kBillingModeOverride), kBillingModes);
  overrides.global_secondary_indexes =
      ReadList(fields, at(in::kGlobalSecondaryIndexOverride), ReadGlobalIndex);
  overrides.local_secondary_indexes =
      ReadList(fields, at(in::kLocalSecondaryIndexOverride), ReadLocalIndex);
  overrides.provisioned_throughput = ReadThroughput(fields, at(in::kProvisionedThroughputOverride));
  overrides.on_demand_throughput = ReadOnDemand(fields, at(in::kOnDemandThroughputOverride));
  overrides.sse_specification = ReadEncryption(fields, at(in::kSSESpecificationOverride));
  overrides.vector_indexes = ReadList(fields, at(in::kVectorIndexOverride), ReadListedVectorIndex);
  return overrides;
}

}  // namespace dynolith
