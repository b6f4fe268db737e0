#include "api/ops/update_indexes.h"

#include <algorithm>
#include <vector>

#include "api/ops/table_definition.h"
#include "api/ops/table_status.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/tables.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

using Definitions = std::vector<AttributeDefinition>;

absl::Status OneAtATime() {
  return MakeError(ErrorKind::kLimitExceeded, messages::OneIndexChangeAtATime());
}

// "key{a:S:HASH}" per attribute, with the types that `types` gives where it gives one.
std::vector<std::string> Print(const KeySchema& key, const Definitions& types) {
  const auto print = [&](const KeyAttribute& attribute, std::string_view kind) {
    Type type = attribute.type;
    for (const AttributeDefinition& definition : types) {
      if (definition.attribute_name == attribute.name) type = definition.attribute_type;
    }
    return Concat("key{", attribute.name, ":", TypeName(type), ":", kind, "}");
  };
  std::vector<std::string> elements;
  for (const KeyAttribute& attribute : key.hash) elements.push_back(print(attribute, "HASH"));
  for (const KeyAttribute& attribute : key.range) elements.push_back(print(attribute, "RANGE"));
  return elements;
}

// No key attribute changes its type.
absl::Status CheckNotRedefined(const Definitions& definitions, const TableMeta& meta) {
  std::vector<const KeySchema*> keys = {&meta.schema.key};
  for (const IndexSchema& index : meta.schema.indexes) keys.push_back(&index.key);
  for (const KeySchema* key : keys) {
    const std::vector<std::string> existing = Print(*key, {});
    const std::vector<std::string> wanted = Print(*key, definitions);
    if (existing != wanted) return ValidationError(messages::AttributeRedefined(existing, wanted));
  }
  return absl::OkStatus();
}

// Every definition is of a key attribute of the table, of an index that it has, or of the new one.
absl::Status CheckUsed(const Definitions& definitions, const SecondaryIndex& created,
                       const TableMeta& meta) {
  std::vector<SecondaryIndex> existing;
  for (const IndexSchema& index : meta.schema.indexes) {
    existing.push_back({.key_schema = ElementsOf(index.key)});
  }
  std::vector<const SecondaryIndex*> indexes;
  for (const SecondaryIndex& index : existing) indexes.push_back(&index);
  indexes.push_back(&created);
  return CheckDefinitionsAreUsed(definitions, ElementsOf(meta.schema.key), indexes);
}

absl::Status CheckCounts(const SecondaryIndex& created, const TableMeta& meta) {
  int global = 1;
  int64_t projected = 0;
  if (const auto& names = created.projection.non_key_attributes) {
    projected = static_cast<int64_t>(names->size());
  }
  for (const IndexSchema& index : meta.schema.indexes) {
    global += index.kind == IndexKind::kGlobal ? 1 : 0;
    projected += static_cast<int64_t>(index.non_key_attributes.size());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckProjectedAttributes(projected));
  if (global <= kGlobalIndexesMax) return absl::OkStatus();
  return MakeError(ErrorKind::kLimitExceeded,
                   messages::TooManyGlobalIndexesOnUpdate(kGlobalIndexesMax));
}

absl::Status CheckCapacity(const UpdateScope& scope, const SecondaryIndex& index,
                           BillingMode mode) {
  const std::string& name = index.index_name;
  DYNOLITH_RETURN_IF_ERROR(CheckIndexThroughput(index, mode));
  const Throughput throughput =
      index.provisioned_throughput ? BuildThroughput(*index.provisioned_throughput) : Throughput();
  DYNOLITH_RETURN_IF_ERROR(CheckOnDemand(scope.context, index.on_demand_throughput, mode, name,
                                         /*may_clear=*/false));
  DYNOLITH_RETURN_IF_ERROR(
      CheckInitialWarm(scope.context, index.warm_throughput, mode, throughput, name));
  DYNOLITH_RETURN_IF_ERROR(CheckUnitsQuota(scope.context, throughput, name));
  Units requested;
  requested.Add(throughput);
  return CheckAccountQuota(scope.context, scope.reserved, {}, requested);
}

void AddDefinitions(const Definitions& definitions, TableMeta* meta) {
  for (const AttributeDefinition& definition : definitions) {
    const KeyAttribute attribute = {definition.attribute_name, definition.attribute_type};
    auto& known = meta->attribute_definitions;
    if (std::find(known.begin(), known.end(), attribute) == known.end()) {
      known.push_back(attribute);
    }
  }
}

absl::Status CreateIndex(const UpdateScope& scope, const SecondaryIndex& index, TableMeta* meta) {
  const Definitions& definitions = *scope.request.attribute_definitions;
  if (!IndexesBeingCreated(*meta).empty()) return OneAtATime();
  if (meta->schema.FindIndex(index.index_name) != nullptr) {
    return ValidationError(messages::IndexAlreadyExists());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckGlobalIndex(index, definitions));
  DYNOLITH_RETURN_IF_ERROR(CheckNotRedefined(definitions, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckUsed(definitions, index, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckCounts(index, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckCapacity(scope, index, meta->billing_mode));

  IndexState state = BuildIndexState(index, meta->billing_mode);
  state.status = IndexStatus::kCreating;
  state.backfilling = true;
  meta->schema.indexes.push_back(BuildIndex(index, IndexKind::kGlobal, definitions));
  meta->index_states.push_back(std::move(state));
  AddDefinitions(definitions, meta);
  return absl::OkStatus();
}

absl::Status DeleteIndex(const std::string& name, TableMeta* meta) {
  const IndexSchema* index = meta->schema.FindIndex(name);
  if (index == nullptr) {
    return MakeError(ErrorKind::kResourceNotFound,
                     messages::IndexNotFoundForTable(name, meta->schema.name));
  }
  if (index->kind != IndexKind::kGlobal) {
    return ValidationError(messages::NotAGlobalIndex("delete", name));
  }
  for (const std::string& creating : IndexesBeingCreated(*meta)) {
    if (creating != name) return OneAtATime();
  }
  const ptrdiff_t position = index - meta->schema.indexes.data();
  meta->schema.indexes.erase(meta->schema.indexes.begin() + position);
  meta->index_states.erase(meta->index_states.begin() + position);
  std::erase_if(meta->attribute_definitions, [&](const KeyAttribute& attribute) {
    return !IsKeyAttribute(meta->schema, attribute.name);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status ChangeIndexes(const UpdateScope& scope, TableMeta* meta) {
  if (!scope.request.global_secondary_index_updates) return absl::OkStatus();
  for (const GlobalSecondaryIndexUpdate& update : *scope.request.global_secondary_index_updates) {
    if (update.create) DYNOLITH_RETURN_IF_ERROR(CreateIndex(scope, *update.create, meta));
    if (update.delete_index_name) {
      DYNOLITH_RETURN_IF_ERROR(DeleteIndex(*update.delete_index_name, meta));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith
