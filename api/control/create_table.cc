#include "api/control/create_table.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/control/messages.h"
#include "api/control/policy_document.h"
#include "api/request/arn.h"
#include "api/request/uuid.h"
#include "api/table/encryption.h"
#include "api/table/messages.h"
#include "api/table/shard_tags.h"
#include "api/table/stream_state.h"
#include "api/table/table_class.h"
#include "api/table/table_definition.h"
#include "api/table/table_description.h"
#include "api/table/table_lifecycle.h"
#include "api/table/tags.h"
#include "api/table/throughput_rules.h"
#include "api/table/vector_definition.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/table_states.h"
#include "engine/model/check_members.h"
#include "engine/model/constraint_failures.h"
#include "engine/model/members.h"

namespace dynolith {
namespace {

using Indexes = std::vector<SecondaryIndex>;

BillingMode RequestedBillingMode(const CreateTableRequest& request) {
  return request.billing_mode.value_or(BillingMode::kProvisioned);
}

Throughput ToThroughput(const std::optional<ProvisionedThroughput>& throughput) {
  return throughput ? BuildThroughput(*throughput) : Throughput();
}

const Indexes& Given(const std::optional<Indexes>& indexes) {
  static const Indexes& none = *new Indexes;
  return indexes ? *indexes : none;
}

const std::vector<VectorIndex>& RequestedVectorIndexes(const CreateTableRequest& request) {
  static const std::vector<VectorIndex>& none = *new std::vector<VectorIndex>;
  return request.vector_indexes ? *request.vector_indexes : none;
}

// An ARN has passed as such; the name in it is one like any other.
absl::Status CheckNameInArn(const CreateTableRequest& request, std::string_view name) {
  const Shape& input = ShapeAt(members::CreateTableInput::kShape);
  const ShapeMember& member = input.members()[members::CreateTableInput::kTableName];
  if (IsSound(ShapeAt(member.shape), name)) return absl::OkStatus();
  CreateTableRequest named = request;
  named.table_name = name;
  return CheckMembers(input, &named);
}

// Rows 1 to 3.
absl::Status CheckThroughput(const CreateTableRequest& request) {
  if (RequestedBillingMode(request) == BillingMode::kPayPerRequest) {
    if (!request.provisioned_throughput) return absl::OkStatus();
    return ValidationError(messages::UnitsWithPayPerRequest());
  }
  if (!HasBothUnits(request.provisioned_throughput)) {
    return ValidationError(messages::UnitsMissing());
  }
  return CheckUnitsInBounds(request.provisioned_throughput, "");
}

// Rows 9 to 11.
absl::Status CheckLocalKeys(const CreateTableRequest& request,
                            const DefinitionsByName& definitions) {
  if (!request.local_secondary_indexes) return absl::OkStatus();
  const Indexes& indexes = *request.local_secondary_indexes;
  if (indexes.empty()) return ValidationError(messages::IndexListEmpty("LocalSecondaryIndexes"));
  if (request.key_schema->size() < 2) {
    return ValidationError(messages::LocalIndexNeedsTableRange());
  }
  for (const SecondaryIndex& index : indexes) {
    DYNOLITH_RETURN_IF_ERROR(CheckLocalIndexKey(index, definitions));
  }
  return absl::OkStatus();
}

// Row 18 and the keys of global indexes.
absl::Status CheckGlobalKeys(const CreateTableRequest& request,
                             const DefinitionsByName& definitions) {
  if (!request.global_secondary_indexes) return absl::OkStatus();
  const Indexes& indexes = *request.global_secondary_indexes;
  if (indexes.empty()) return ValidationError(messages::IndexListEmpty("GlobalSecondaryIndexes"));
  for (const SecondaryIndex& index : indexes) {
    DYNOLITH_RETURN_IF_ERROR(CheckGlobalIndexKey(index, definitions));
  }
  return absl::OkStatus();
}

// Rows 4 to 7, all indexes' keys, row 8.
absl::Status CheckKeys(const CreateTableRequest& request, const DefinitionsByName& definitions) {
  DYNOLITH_RETURN_IF_ERROR(CheckTableKey(*request.key_schema, definitions));
  DYNOLITH_RETURN_IF_ERROR(CheckLocalKeys(request, definitions));
  DYNOLITH_RETURN_IF_ERROR(CheckGlobalKeys(request, definitions));
  std::vector<const SecondaryIndex*> indexes;
  for (const SecondaryIndex& index : Given(request.local_secondary_indexes)) {
    indexes.push_back(&index);
  }
  for (const SecondaryIndex& index : Given(request.global_secondary_indexes)) {
    indexes.push_back(&index);
  }
  Indexes searched;
  for (const VectorIndex& index : RequestedVectorIndexes(request)) {
    searched.push_back({.key_schema = DefinedAttributes(index)});
  }
  for (const SecondaryIndex& index : searched) indexes.push_back(&index);
  return CheckDefinitionsAreUsed(*request.attribute_definitions, *request.key_schema, indexes);
}

// The names of the indexes that have been checked so far; borrowed.
using IndexNames = std::unordered_set<std::string_view, StringViewHash>;

// Row 16.
absl::Status AddName(const std::string& name, IndexNames* names) {
  if (names->insert(name).second) return absl::OkStatus();
  return ValidationError(messages::IndexNameRepeated(name));
}

// Rows 12 to 17.
absl::Status CheckLocalIndexes(const CreateTableRequest& request,
                               const DefinitionsByName& definitions, IndexNames* names) {
  const Indexes& indexes = Given(request.local_secondary_indexes);
  for (const SecondaryIndex& index : indexes) {
    DYNOLITH_RETURN_IF_ERROR(CheckLocalIndex(index, *request.key_schema, definitions));
    DYNOLITH_RETURN_IF_ERROR(AddName(index.index_name, names));
  }
  if (indexes.size() > kLocalIndexesMax) {
    return ValidationError(messages::TooManyLocalIndexes(kLocalIndexesMax));
  }
  return absl::OkStatus();
}

// Rows 13 to 16, 19 and 20.
absl::Status CheckGlobalIndexes(const CreateTableRequest& request, IndexNames* names) {
  const Indexes& indexes = Given(request.global_secondary_indexes);
  for (const SecondaryIndex& index : indexes) {
    DYNOLITH_RETURN_IF_ERROR(CheckProjection(index.projection));
    DYNOLITH_RETURN_IF_ERROR(AddName(index.index_name, names));
    DYNOLITH_RETURN_IF_ERROR(CheckIndexThroughput(index, RequestedBillingMode(request)));
  }
  if (indexes.size() > kGlobalIndexesMax) {
    return ValidationError(messages::TooManyGlobalIndexes(kGlobalIndexesMax));
  }
  return absl::OkStatus();
}

absl::Status CheckVectorIndexes(const CreateTableRequest& request,
                                const DefinitionsByName& definitions, IndexNames* names) {
  if (!request.vector_indexes) return absl::OkStatus();
  const std::vector<VectorIndex>& indexes = *request.vector_indexes;
  if (indexes.empty()) return ValidationError(messages::IndexListEmpty("VectorIndexes"));
  DYNOLITH_RETURN_IF_ERROR(CheckVectorBilling(RequestedBillingMode(request)));
  std::vector<std::string> table_key;
  for (const KeySchemaElement& element : *request.key_schema) {
    table_key.push_back(element.attribute_name);
  }
  std::vector<IndexSchema> checked;
  for (const VectorIndex& index : indexes) {
    DYNOLITH_RETURN_IF_ERROR(CheckVectorIndex(index, table_key, definitions, checked));
    DYNOLITH_RETURN_IF_ERROR(AddName(index.index_name, names));
    // If there are more than a table may have, only the first ones are compared with each other.
    if (checked.size() < kVectorIndexesMax) {
      checked.push_back(BuildVectorIndex(index, *request.attribute_definitions));
    }
  }
  if (indexes.size() > kVectorIndexesMax) {
    return ValidationError(messages::TooManyVectorIndexes(kVectorIndexesMax));
  }
  return absl::OkStatus();
}

absl::Status CheckIndexes(const CreateTableRequest& request) {
  const DefinitionsByName definitions(*request.attribute_definitions);
  IndexNames names;
  DYNOLITH_RETURN_IF_ERROR(CheckLocalIndexes(request, definitions, &names));
  DYNOLITH_RETURN_IF_ERROR(CheckGlobalIndexes(request, &names));
  DYNOLITH_RETURN_IF_ERROR(CheckVectorIndexes(request, definitions, &names));
  int64_t projected = 0;
  for (const VectorIndex& index : RequestedVectorIndexes(request))
    projected += ProjectedAttributes(index);
  for (const Indexes* indexes :
       {&Given(request.local_secondary_indexes), &Given(request.global_secondary_indexes)}) {
    for (const SecondaryIndex& index : *indexes) {
      if (const auto& attributes = index.projection.non_key_attributes) {
        projected += static_cast<int64_t>(attributes->size());
      }
    }
  }
  return CheckProjectedAttributes(projected);
}

// Rows 22 and 23, table and indexes.
absl::Status CheckCapacityWishes(const OperationContext& context,
                                 const CreateTableRequest& request) {
  const BillingMode mode = RequestedBillingMode(request);
  DYNOLITH_RETURN_IF_ERROR(CheckOnDemand(context, request.on_demand_throughput, mode, ""));
  for (const SecondaryIndex& index : Given(request.global_secondary_indexes)) {
    DYNOLITH_RETURN_IF_ERROR(
        CheckOnDemand(context, index.on_demand_throughput, mode, index.index_name));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckInitialWarm(context, request.warm_throughput, mode,
                                            ToThroughput(request.provisioned_throughput), ""));
  for (const SecondaryIndex& index : Given(request.global_secondary_indexes)) {
    DYNOLITH_RETURN_IF_ERROR(CheckInitialWarm(context, index.warm_throughput, mode,
                                              ToThroughput(index.provisioned_throughput),
                                              index.index_name));
  }
  return absl::OkStatus();
}

// What can be said without looking at other tables, in the service's order.
absl::Status CheckRules(const OperationContext& context, const CreateTableRequest& request) {
  if (request.has_global_table_source) {
    return ValidationError(messages::SingleRegionOnly("GlobalTableSourceArn"));
  }
  if (request.has_settings_replication_mode) {
    return ValidationError(messages::SingleRegionOnly("GlobalTableSettingsReplicationMode"));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckThroughput(request));
  DYNOLITH_RETURN_IF_ERROR(CheckKeys(request, DefinitionsByName(*request.attribute_definitions)));
  DYNOLITH_RETURN_IF_ERROR(CheckIndexes(request));
  DYNOLITH_RETURN_IF_ERROR(CheckNewStream(request.stream_specification));
  DYNOLITH_RETURN_IF_ERROR(CheckCapacityWishes(context, request));
  if (request.table_class) DYNOLITH_RETURN_IF_ERROR(ParseTableClass(*request.table_class).status());
  DYNOLITH_RETURN_IF_ERROR(CheckEncryption(request.sse_specification));
  if (request.tags) DYNOLITH_RETURN_IF_ERROR(CheckTags(*request.tags));
  if (request.resource_policy) {
    DYNOLITH_RETURN_IF_ERROR(CheckPolicyDocument(*request.resource_policy));
  }
  return absl::OkStatus();
}

absl::Status CheckNameIsFree(const OperationContext& context, std::string_view name) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindSettled(context, name));
  if (table == nullptr) return absl::OkStatus();
  return MakeError(ErrorKind::kResourceInUse, table->meta()->status == TableStatus::kCreating
                                                  ? messages::TableBeingCreated(name)
                                                  : messages::TableAlreadyExists(name));
}

absl::Status CheckQuotas(const OperationContext& context, const CreateTableRequest& request) {
  if (RequestedBillingMode(request) == BillingMode::kPayPerRequest) return absl::OkStatus();
  Units requested;
  const Throughput throughput = BuildThroughput(*request.provisioned_throughput);
  DYNOLITH_RETURN_IF_ERROR(CheckUnitsQuota(context, throughput, ""));
  requested.Add(throughput);
  for (const SecondaryIndex& index : Given(request.global_secondary_indexes)) {
    const Throughput index_throughput = BuildThroughput(*index.provisioned_throughput);
    DYNOLITH_RETURN_IF_ERROR(CheckUnitsQuota(context, index_throughput, index.index_name));
    requested.Add(index_throughput);
  }
  return CheckAccountQuota(context, ReservedUnits(*context.catalog), {}, requested);
}

void BuildIndexes(const CreateTableRequest& request, TableMeta* meta) {
  for (const SecondaryIndex& index : Given(request.global_secondary_indexes)) {
    meta->schema.indexes.push_back(
        BuildIndex(index, IndexKind::kGlobal, *request.attribute_definitions));
    meta->schema.indexes.back().shards = ShardsInTags(meta->tags, index.index_name).value_or(1);
    meta->index_states.push_back(BuildIndexState(index, meta->billing_mode));
  }
  for (const SecondaryIndex& index : Given(request.local_secondary_indexes)) {
    meta->schema.indexes.push_back(
        BuildIndex(index, IndexKind::kLocal, *request.attribute_definitions));
    meta->index_states.emplace_back();
  }
  for (const VectorIndex& index : RequestedVectorIndexes(request)) {
    meta->schema.indexes.push_back(BuildVectorIndex(index, *request.attribute_definitions));
    meta->index_states.emplace_back();
  }
}

absl::StatusOr<TableMeta> BuildMeta(const OperationContext& context,
                                    const CreateTableRequest& request, std::string_view name) {
  TableMeta meta;
  meta.schema.name = name;
  meta.schema.key = BuildKey(*request.key_schema, *request.attribute_definitions);
  for (const AttributeDefinition& definition : *request.attribute_definitions) {
    meta.attribute_definitions.push_back({definition.attribute_name, definition.attribute_type});
  }
  meta.uuid = NewUuid();
  meta.created = context.clock->Now();
  meta.billing_mode = RequestedBillingMode(request);
  meta.throughput = ToThroughput(request.provisioned_throughput);
  if (meta.billing_mode == BillingMode::kPayPerRequest) meta.last_pay_per_request = meta.created;
  if (request.on_demand_throughput) MergeOnDemand(*request.on_demand_throughput, &meta.on_demand);
  meta.warm = BuildWarm(request.warm_throughput, InitialWarm(meta.billing_mode, meta.throughput));
  meta.initial_partitions = InitialPartitions(meta.throughput, *meta.warm);
  if (request.tags) {
    for (const Tag& tag : *request.tags) meta.tags.emplace_back(*tag.key, *tag.value);
  }
  BuildIndexes(request, &meta);
  DYNOLITH_RETURN_IF_ERROR(CheckShardedIndexes(meta));
  if (request.table_class) {
    DYNOLITH_ASSIGN_OR_RETURN(meta.table_class, ParseTableClass(*request.table_class));
  }
  meta.deletion_protection = request.deletion_protection_enabled.value_or(false);
  meta.encryption = BuildEncryption(context, request.sse_specification);
  if (request.stream_specification && request.stream_specification->stream_enabled) {
    meta.stream.label = LatestStreamLabel(context, meta.schema.name);
    EnableStream(*request.stream_specification, meta.created, &meta.stream);
  }
  if (request.resource_policy) meta.policy = BuildPolicy(*request.resource_policy, meta.created);
  DelayCreation(meta.created, context.delays.create, &meta);
  return meta;
}

}  // namespace

absl::StatusOr<TableMeta> PlanTable(const OperationContext& context,
                                    const CreateTableRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string_view name,
                            ResolveTableName(context, request.table_name));
  DYNOLITH_RETURN_IF_ERROR(CheckNameInArn(request, name));
  DYNOLITH_RETURN_IF_ERROR(CheckRules(context, request));
  return BuildMeta(context, request, name);
}

absl::Status CheckRoomForTable(const OperationContext& context, const CreateTableRequest& request,
                               std::string_view name) {
  DYNOLITH_RETURN_IF_ERROR(CheckNameIsFree(context, name));
  return CheckQuotas(context, request);
}

absl::StatusOr<std::shared_ptr<Table>> AddTable(const OperationContext& context, TableMeta meta,
                                                WriteBatch* batch) {
  const std::string name = meta.schema.name;
  auto table = context.catalog->Create(std::move(meta), batch);
  if (absl::IsAlreadyExists(table.status())) {
    // Another thread was faster.
    return MakeError(ErrorKind::kResourceInUse, messages::TableAlreadyExists(name));
  }
  return table;
}

absl::StatusOr<TableDescription> CreateTable(const OperationContext& context,
                                             const CreateTableRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(TableMeta meta, PlanTable(context, request));
  DYNOLITH_RETURN_IF_ERROR(CheckRoomForTable(context, request, meta.schema.name));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, AddTable(context, std::move(meta)));
  const std::shared_ptr<const TableMeta> created = table->meta();
  DYNOLITH_RETURN_IF_ERROR(FollowNewStream(context, *created));
  return DescribeNew(context, *created);
}

}  // namespace dynolith
