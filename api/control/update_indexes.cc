#include "api/control/update_indexes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/control/messages.h"
#include "api/table/messages.h"
#include "api/table/shard_tags.h"
#include "api/table/table_definition.h"
#include "api/table/table_status.h"
#include "api/table/vector_definition.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/index_layouts.h"
#include "engine/catalog/table_states.h"

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
  std::vector<KeySchema> keys = {meta.schema.key};
  for (const IndexSchema& index : meta.schema.indexes) keys.push_back(DefinedAttributes(index));
  for (const KeySchema& key : keys) {
    const std::vector<std::string> existing = Print(key, {});
    const std::vector<std::string> wanted = Print(key, definitions);
    if (existing != wanted) return ValidationError(messages::AttributeRedefined(existing, wanted));
  }
  return absl::OkStatus();
}

// The definitions that the new index needs. The others are dropped: clients that want several
// indexes make them one by one, and define the attributes of all of them each time.
Definitions Needed(const Definitions& definitions, const std::vector<KeySchemaElement>& index_key) {
  Definitions needed;
  for (const AttributeDefinition& definition : definitions) {
    const bool in_key =
        std::any_of(index_key.begin(), index_key.end(), [&](const KeySchemaElement& element) {
          return element.attribute_name == definition.attribute_name;
        });
    if (in_key) needed.push_back(definition);
  }
  return needed;
}

absl::Status CheckCounts(const SecondaryIndex& created, const TableMeta& meta) {
  int global = 1;
  int64_t projected = 0;
  if (const auto& names = created.projection.non_key_attributes) {
    projected = static_cast<int64_t>(names->size());
  }
  for (const IndexSchema& index : meta.schema.indexes) {
    global += index.kind == IndexKind::kGlobal ? 1 : 0;
    projected += ProjectedAttributes(index);
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
  DYNOLITH_RETURN_IF_ERROR(CheckOnDemand(scope.context, index.on_demand_throughput, mode, name));
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

absl::Status CheckMayBeCreated(const std::string& name, const TableMeta& meta) {
  if (!IndexesThatAre(IndexStatus::kCreating, meta).empty() ||
      !IndexesThatAre(IndexStatus::kDeleting, meta).empty()) {
    return OneAtATime();
  }
  if (meta.schema.FindIndex(name) == nullptr) return absl::OkStatus();
  return ValidationError(messages::IndexAlreadyExists());
}

absl::Status AddIndex(const UpdateScope& scope, IndexSchema index, IndexState state,
                      TableMeta* meta) {
  index.shards = ShardsInTags(meta->tags, index.name).value_or(1);
  state.status = IndexStatus::kCreating;
  state.backfilling = true;
  const absl::Duration delay = scope.context.delays.index;
  if (delay > absl::ZeroDuration()) {
    DelayIndex(scope.now, delay, IndexStatus::kCreating, &state);
  }
  NoteWrites(state, &index);
  meta->schema.indexes.push_back(std::move(index));
  meta->index_states.push_back(std::move(state));
  return CheckShardedIndexes(*meta);
}

absl::Status CreateIndex(const UpdateScope& scope, const SecondaryIndex& index, TableMeta* meta) {
  const Definitions& definitions = *scope.request.attribute_definitions;
  DYNOLITH_RETURN_IF_ERROR(CheckMayBeCreated(index.index_name, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckGlobalIndex(index, definitions));
  DYNOLITH_RETURN_IF_ERROR(CheckNotRedefined(definitions, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckDefinedOnce(definitions));
  DYNOLITH_RETURN_IF_ERROR(CheckCounts(index, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckCapacity(scope, index, meta->billing_mode));

  AddDefinitions(Needed(definitions, index.key_schema), meta);
  return AddIndex(scope, BuildIndex(index, IndexKind::kGlobal, definitions),
                  BuildIndexState(index, meta->billing_mode), meta);
}

absl::Status CheckVectorCounts(const VectorIndex& created, const TableMeta& meta) {
  int vectors = 1;
  int64_t projected = ProjectedAttributes(created);
  for (const IndexSchema& index : meta.schema.indexes) {
    vectors += index.kind == IndexKind::kVector ? 1 : 0;
    projected += ProjectedAttributes(index);
  }
  DYNOLITH_RETURN_IF_ERROR(CheckProjectedAttributes(projected));
  if (vectors <= kVectorIndexesMax) return absl::OkStatus();
  return ValidationError(messages::TooManyVectorIndexes(kVectorIndexesMax));
}

// A search schema may name attributes that the table knows already; without one no definitions are
// needed.
absl::Status CreateVectorIndex(const UpdateScope& scope, const VectorIndex& index,
                               TableMeta* meta) {
  const Definitions given = scope.request.attribute_definitions.value_or(Definitions());
  DYNOLITH_RETURN_IF_ERROR(CheckMayBeCreated(index.index_name, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckVectorBilling(meta->billing_mode));
  Definitions known = given;
  for (const KeyAttribute& attribute : meta->attribute_definitions) {
    known.push_back({attribute.name, attribute.type});
  }
  std::vector<std::string> table_key;
  for (const KeySchemaElement& element : ToKeySchemaElements(meta->schema.key)) {
    table_key.push_back(element.attribute_name);
  }
  DYNOLITH_RETURN_IF_ERROR(CheckVectorIndex(index, table_key, known, meta->schema.indexes));
  DYNOLITH_RETURN_IF_ERROR(CheckNotRedefined(given, *meta));
  DYNOLITH_RETURN_IF_ERROR(CheckDefinedOnce(given));
  DYNOLITH_RETURN_IF_ERROR(CheckVectorCounts(index, *meta));
  AddDefinitions(Needed(given, DefinedAttributes(index)), meta);
  return AddIndex(scope, BuildVectorIndex(index, known), IndexState(), meta);
}

// Requires: the table has the index.
absl::Status CheckMayBeDeleted(const std::string& name, const TableMeta& meta) {
  const auto in_use = [](std::string_view message) {
    return MakeError(ErrorKind::kResourceInUse, message);
  };
  const std::string& table = meta.schema.name;
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    const IndexState& state = meta.index_states[i];
    const bool creating = state.status == IndexStatus::kCreating;
    const bool deleting = state.status == IndexStatus::kDeleting;
    if (meta.schema.indexes[i].name != name) {
      if (creating || deleting) return OneAtATime();
      continue;
    }
    if (deleting) return in_use(messages::IndexIsBeing("deleted", table, name));
    if (state.status == IndexStatus::kUpdating) {
      return in_use(messages::IndexIsBeing("updated", table, name));
    }
    if (creating && state.backfilling_from) {
      return in_use(messages::IndexInAllocationPhase(table, name));
    }
  }
  return absl::OkStatus();
}

absl::Status DeleteIndex(const UpdateScope& scope, const std::string& name, IndexKind kind,
                         TableMeta* meta) {
  const IndexSchema* index = meta->schema.FindIndex(name);
  if (index == nullptr) {
    return MakeError(ErrorKind::kResourceNotFound,
                     messages::IndexNotFoundForTable(name, meta->schema.name));
  }
  if (index->kind != kind) {
    return ValidationError(kind == IndexKind::kGlobal ? messages::NotAGlobalIndex("delete", name)
                                                      : messages::NotAVectorIndex(name));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckMayBeDeleted(name, *meta));
  const auto position = static_cast<size_t>(index - meta->schema.indexes.data());
  const absl::Duration delay = scope.context.delays.index;
  if (delay > absl::ZeroDuration()) {
    DelayIndex(scope.now, delay, IndexStatus::kDeleting, &meta->index_states[position]);
  } else {
    RemoveIndex(position, meta);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ChangeIndexes(const UpdateScope& scope, TableMeta* meta) {
  if (const auto& updates = scope.request.global_secondary_index_updates) {
    for (const GlobalSecondaryIndexUpdate& update : *updates) {
      if (update.create) DYNOLITH_RETURN_IF_ERROR(CreateIndex(scope, *update.create, meta));
      if (const auto& name = update.delete_index_name) {
        DYNOLITH_RETURN_IF_ERROR(DeleteIndex(scope, *name, IndexKind::kGlobal, meta));
      }
    }
  }
  if (const auto& updates = scope.request.vector_index_updates) {
    for (const VectorIndexUpdate& update : *updates) {
      if (update.create) DYNOLITH_RETURN_IF_ERROR(CreateVectorIndex(scope, *update.create, meta));
      if (const auto& name = update.delete_index_name) {
        DYNOLITH_RETURN_IF_ERROR(DeleteIndex(scope, *name, IndexKind::kVector, meta));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith
