#include "api/backup/restore.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/backup/messages.h"
#include "api/control/messages.h"
#include "api/request/call_bounds.h"
#include "api/request/uuid.h"
#include "api/table/encryption.h"
#include "api/table/messages.h"
#include "api/table/table_definition.h"
#include "api/table/table_description.h"
#include "api/table/table_lifecycle.h"
#include "api/table/throughput_rules.h"
#include "api/table/vector_definition.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"
#include "index/fill.h"

namespace dynolith {
namespace {

// --- What may be asked for ---

BillingMode RestoredBillingMode(const Restore& restore) {
  return restore.overrides.billing_mode.value_or(restore.source.billing_mode);
}

std::optional<ProvisionedThroughput> ToProvisionedThroughput(const Throughput& throughput) {
  if (throughput.read_units == 0) return std::nullopt;
  return ProvisionedThroughput{throughput.read_units, throughput.write_units};
}

std::optional<ProvisionedThroughput> WantedUnits(const Restore& restore) {
  if (restore.overrides.provisioned_throughput ||
      RestoredBillingMode(restore) == BillingMode::kPayPerRequest) {
    return restore.overrides.provisioned_throughput;
  }
  return ToProvisionedThroughput(restore.source.throughput);
}

absl::Status CheckThroughput(const OperationContext& context, const Restore& restore) {
  const BillingMode mode = RestoredBillingMode(restore);
  const std::optional<ProvisionedThroughput> units = WantedUnits(restore);
  if (mode == BillingMode::kPayPerRequest) {
    if (units) return ValidationError(messages::UnitsWithPayPerRequest());
  } else if (!HasBothUnits(units)) {
    return ValidationError(messages::UnitsMissing());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckUnitsInBounds(units, ""));
  return CheckOnDemand(context, restore.overrides.on_demand_throughput, mode, "");
}

absl::Status CheckTarget(const OperationContext& context, const std::string& name) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindSettled(context, name));
  if (table == nullptr) return absl::OkStatus();
  switch (table->meta()->status) {
    case TableStatus::kCreating:
      return MakeError(ErrorKind::kTableInUse, messages::TableBeing("created", name));
    case TableStatus::kDeleting:
      return MakeError(ErrorKind::kTableInUse, messages::TableBeing("deleted", name));
    default:
      return MakeError(ErrorKind::kTableAlreadyExists, messages::TableAlreadyExists(name));
  }
}

// The restores that descriptions show as being under way.
absl::StatusOr<std::vector<RestoreSummary>> RestoresUnderWay(const OperationContext& context) {
  DYNOLITH_RETURN_IF_ERROR(SettleAll(context));
  std::vector<RestoreSummary> restores;
  for (const std::shared_ptr<Table>& table : context.catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (meta->status == TableStatus::kCreating && meta->restore) restores.push_back(*meta->restore);
  }
  return restores;
}

absl::Status CheckRestoresUnderWay(const OperationContext& context) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<RestoreSummary> restores, RestoresUnderWay(context));
  if (restores.size() < kRestoresMax) return absl::OkStatus();
  return MakeError(ErrorKind::kLimitExceeded, messages::TooManyRestores(kRestoresMax));
}

absl::Status CheckQuotas(const OperationContext& context, const TableMeta& meta) {
  if (meta.billing_mode == BillingMode::kPayPerRequest) return absl::OkStatus();
  Units requested;
  DYNOLITH_RETURN_IF_ERROR(CheckUnitsQuota(context, meta.throughput, ""));
  requested.Add(meta.throughput);
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    if (meta.schema.indexes[i].kind != IndexKind::kGlobal) continue;
    const Throughput& throughput = meta.index_states[i].throughput;
    DYNOLITH_RETURN_IF_ERROR(CheckUnitsQuota(context, throughput, meta.schema.indexes[i].name));
    requested.Add(throughput);
  }
  return CheckAccountQuota(context, ReservedUnits(*context.catalog), {}, requested);
}

// --- Indexes ---

// Adds the indexes of the new table: of those that the source has, the ones that are wanted.
class IndexRestorer {
 public:
  IndexRestorer(const OperationContext& context, const Restore& restore, TableMeta* meta)
      : context_(context), source_(restore.source), meta_(meta) {
    for (const KeyAttribute& attribute : source_.attribute_definitions) {
      definitions_.push_back({attribute.name, attribute.type});
    }
    table_key_ = ToKeySchemaElements(source_.schema.key);
  }

  absl::Status AddGlobal(const std::optional<std::vector<SecondaryIndex>>& wanted) {
    if (!wanted) return AddAll(IndexKind::kGlobal);
    for (const SecondaryIndex& index : *wanted) {
      DYNOLITH_RETURN_IF_ERROR(CheckGlobalIndex(index, definitions_));
      DYNOLITH_ASSIGN_OR_RETURN(const size_t position,
                                Match(BuildIndex(index, IndexKind::kGlobal, definitions_)));
      DYNOLITH_RETURN_IF_ERROR(AddGlobal(index, position));
    }
    return absl::OkStatus();
  }

  absl::Status AddLocal(const std::optional<std::vector<SecondaryIndex>>& wanted) {
    if (!wanted) return AddAll(IndexKind::kLocal);
    for (const SecondaryIndex& index : *wanted) {
      DYNOLITH_RETURN_IF_ERROR(CheckLocalIndex(index, table_key_, definitions_));
      DYNOLITH_ASSIGN_OR_RETURN(const size_t position,
                                Match(BuildIndex(index, IndexKind::kLocal, definitions_)));
      DYNOLITH_RETURN_IF_ERROR(Add(position, {}));
    }
    return absl::OkStatus();
  }

  absl::Status AddVector(const std::optional<std::vector<VectorIndex>>& wanted) {
    if (!wanted) return AddAll(IndexKind::kVector);
    std::vector<std::string> key_names;
    for (const KeySchemaElement& element : table_key_) key_names.push_back(element.attribute_name);
    std::vector<IndexSchema> checked;
    for (const VectorIndex& index : *wanted) {
      DYNOLITH_RETURN_IF_ERROR(CheckVectorBilling(meta_->billing_mode));
      DYNOLITH_RETURN_IF_ERROR(CheckVectorIndex(index, key_names, definitions_, checked));
      checked.push_back(BuildVectorIndex(index, definitions_));
      DYNOLITH_ASSIGN_OR_RETURN(const size_t position, Match(checked.back()));
      DYNOLITH_RETURN_IF_ERROR(Add(position, {}));
    }
    return absl::OkStatus();
  }

 private:
  // What is on its way out stays out.
  bool IsRestorable(size_t position) const {
    return source_.index_states[position].status != IndexStatus::kDeleting;
  }

  absl::Status AddAll(IndexKind kind) {
    for (size_t i = 0; i < source_.schema.indexes.size(); ++i) {
      const IndexSchema& index = source_.schema.indexes[i];
      if (index.kind != kind || !IsRestorable(i)) continue;
      if (kind == IndexKind::kVector) {
        DYNOLITH_RETURN_IF_ERROR(CheckVectorBilling(meta_->billing_mode));
      }
      if (kind != IndexKind::kGlobal) {
        DYNOLITH_RETURN_IF_ERROR(Add(i, {}));
        continue;
      }
      SecondaryIndex same = {.index_name = index.name};
      if (meta_->billing_mode == BillingMode::kPayPerRequest) {
        same.on_demand_throughput = source_.index_states[i].on_demand;
      }
      DYNOLITH_RETURN_IF_ERROR(AddGlobal(same, i));
    }
    return absl::OkStatus();
  }

  // Adds a global index, with the source's units unless the request gives some.
  absl::Status AddGlobal(SecondaryIndex wanted, size_t position) {
    const BillingMode mode = meta_->billing_mode;
    if (mode == BillingMode::kProvisioned && !wanted.provisioned_throughput) {
      wanted.provisioned_throughput =
          ToProvisionedThroughput(source_.index_states[position].throughput);
    }
    DYNOLITH_RETURN_IF_ERROR(CheckIndexThroughput(wanted, mode));
    DYNOLITH_RETURN_IF_ERROR(
        CheckOnDemand(context_, wanted.on_demand_throughput, mode, wanted.index_name));
    const IndexState state = BuildIndexState(wanted, mode);
    DYNOLITH_RETURN_IF_ERROR(CheckInitialWarm(context_, wanted.warm_throughput, mode,
                                              state.throughput, wanted.index_name));
    return Add(position, state);
  }

  absl::Status Add(size_t position, const IndexState& state) {
    const IndexSchema& index = source_.schema.indexes[position];
    if (meta_->schema.FindIndex(index.name) != nullptr) {
      return ValidationError(messages::IndexNameRepeated(index.name));
    }
    meta_->schema.indexes.push_back(index);
    meta_->index_states.push_back(state);
    return absl::OkStatus();
  }

  // Where the source has the index.
  absl::StatusOr<size_t> Match(const IndexSchema& wanted) const {
    const std::vector<IndexSchema>& indexes = source_.schema.indexes;
    for (size_t i = 0; i < indexes.size(); ++i) {
      if (IsRestorable(i) && IsSame(indexes[i], wanted)) return i;
    }
    return ValidationError(messages::RestoredIndexDiffers(wanted.name));
  }

  // Projected attributes may stand in another order.
  static bool IsSame(const IndexSchema& left, const IndexSchema& right) {
    const auto& projected = left.non_key_attributes;
    const auto& wanted = right.non_key_attributes;
    return left.name == right.name && left.kind == right.kind && left.key == right.key &&
           left.projection == right.projection && left.vector == right.vector &&
           std::is_permutation(projected.begin(), projected.end(), wanted.begin(), wanted.end());
  }

  const OperationContext& context_;
  const TableMeta& source_;
  TableMeta* const meta_;
  std::vector<AttributeDefinition> definitions_;
  std::vector<KeySchemaElement> table_key_;
};

// --- The new table ---

absl::StatusOr<TableMeta> BuildMeta(const OperationContext& context, const Restore& restore) {
  const TableMeta& source = restore.source;
  const RestoreOverrides& overrides = restore.overrides;
  TableMeta meta;
  meta.schema.name = restore.target_table_name;
  meta.schema.key = source.schema.key;
  meta.uuid = NewUuid();
  meta.created = context.clock->Now();
  meta.billing_mode = RestoredBillingMode(restore);
  if (const auto units = WantedUnits(restore)) meta.throughput = BuildThroughput(*units);
  if (meta.billing_mode == BillingMode::kPayPerRequest) {
    meta.last_pay_per_request = meta.created;
    meta.on_demand = source.on_demand;
  }
  if (overrides.on_demand_throughput) {
    MergeOnDemand(*overrides.on_demand_throughput, &meta.on_demand);
  }
  meta.warm = InitialWarm(meta.billing_mode, meta.throughput);
  meta.initial_partitions = InitialPartitions(meta.throughput, *meta.warm);
  IndexRestorer indexes(context, restore, &meta);
  DYNOLITH_RETURN_IF_ERROR(indexes.AddLocal(overrides.local_secondary_indexes));
  DYNOLITH_RETURN_IF_ERROR(indexes.AddGlobal(overrides.global_secondary_indexes));
  DYNOLITH_RETURN_IF_ERROR(indexes.AddVector(overrides.vector_indexes));
  for (const KeyAttribute& attribute : source.attribute_definitions) {
    if (IsKeyAttribute(meta.schema, attribute.name))
      meta.attribute_definitions.push_back(attribute);
  }
  meta.table_class = source.table_class;
  meta.encryption = overrides.sse_specification
                        ? BuildEncryption(context, overrides.sse_specification)
                        : source.encryption;
  meta.restore = restore.summary;
  DelayCreation(meta.created, context.delays.create, &meta);
  return meta;
}

}  // namespace

absl::StatusOr<bool> IsBeingRestored(const OperationContext& context, std::string_view backup_arn) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<RestoreSummary> restores, RestoresUnderWay(context));
  return std::any_of(restores.begin(), restores.end(), [&](const RestoreSummary& restore) {
    return restore.source_backup_arn == backup_arn;
  });
}

absl::StatusOr<TableDescription> RestoreTable(const OperationContext& context,
                                              const Restore& restore, FillRows fill) {
  DYNOLITH_RETURN_IF_ERROR(CheckTarget(context, restore.target_table_name));
  DYNOLITH_RETURN_IF_ERROR(CheckThroughput(context, restore));
  DYNOLITH_RETURN_IF_ERROR(CheckEncryption(restore.overrides.sse_specification));
  DYNOLITH_ASSIGN_OR_RETURN(TableMeta meta, BuildMeta(context, restore));
  DYNOLITH_RETURN_IF_ERROR(CheckQuotas(context, meta));
  DYNOLITH_RETURN_IF_ERROR(CheckRestoresUnderWay(context));

  DYNOLITH_ASSIGN_OR_RETURN(const IdLease lease, context.catalog->LeaseNewIds(&meta.schema));
  DYNOLITH_RETURN_IF_ERROR(fill(meta.schema.id));
  DYNOLITH_RETURN_IF_ERROR(
      FillIndexes(context.store, meta.schema, [&context] { return CheckNotInterrupted(context); }));
  const auto table = context.catalog->CreateFilled(std::move(meta));
  if (absl::IsAlreadyExists(table.status())) {
    // Somebody else has made one meanwhile.
    return MakeError(ErrorKind::kTableAlreadyExists,
                     messages::TableAlreadyExists(restore.target_table_name));
  }
  DYNOLITH_RETURN_IF_ERROR(table.status());
  return DescribeNew(context, *(*table)->meta());
}

}  // namespace dynolith
