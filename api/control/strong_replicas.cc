#include "api/control/strong_replicas.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/control/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/store/row_id.h"
#include "engine/store/store.h"

namespace dynolith {
namespace {

// The regions that can have strong tables. The documentation has them in three sets, but the
// service takes regions of several (api/facts/regions.md §4).
constexpr std::string_view kStrongRegions[] = {
    "us-east-1", "us-east-2",    "us-west-2",      "eu-west-1",      "eu-west-2",
    "eu-west-3", "eu-central-1", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3",
};

bool MayBeStrong(std::string_view region) {
  return std::find(std::begin(kStrongRegions), std::end(kStrongRegions), region) !=
         std::end(kStrongRegions);
}

const GlobalTableWitnessGroupUpdate* WitnessUpdate(const UpdateTableRequest& request) {
  const auto& updates = request.global_table_witness_updates;
  return updates ? &updates->front() : nullptr;
}

bool MakesStrong(const UpdateTableRequest& request) {
  return request.multi_region_consistency == MultiRegionConsistency::kStrong;
}

absl::Status CheckWitnessRegion(std::string_view local, const UpdateTableRequest& request) {
  const GlobalTableWitnessGroupUpdate* const witness = WitnessUpdate(request);
  if (witness == nullptr) return absl::OkStatus();
  for (const ReplicationGroupUpdate& update : *request.replica_updates) {
    if (update.create->region_name == witness->create_region_name) {
      return ValidationError(messages::WitnessInNewReplicasRegion());
    }
  }
  return witness->create_region_name != local ? absl::OkStatus()
                                              : ValidationError(messages::WitnessInRegionOfTable());
}

absl::Status CheckRegions(std::string_view local, const UpdateTableRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckWitnessRegion(local, request));
  std::vector<std::string> regions = {std::string(local)};
  for (const ReplicationGroupUpdate& update : *request.replica_updates) {
    regions.push_back(update.create->region_name);
  }
  if (const GlobalTableWitnessGroupUpdate* const witness = WitnessUpdate(request)) {
    regions.push_back(*witness->create_region_name);
  }
  std::erase_if(regions, MayBeStrong);
  return regions.empty() ? absl::OkStatus()
                         : ValidationError(messages::RegionsNotForStrongTables(regions));
}

absl::Status CheckEmpty(const Store& store, StorageId table) {
  Cursor cursor = store.ScanOnce(Family::kTables, RowIdPrefix(table), RowIdPrefix(table + 1));
  cursor.SeekToStart();
  if (cursor.Valid()) return ValidationError(messages::StrongTableNotEmpty());
  return cursor.status();
}

absl::Status CheckMayBeStrong(const OperationContext& context, const UpdateTableRequest& request,
                              const TableMeta& meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckRegions(context.region, request));
  if (!meta.replicas.empty()) return ValidationError(messages::ConsistencyOfGlobalTable());
  if (meta.time_to_live.enabled) return ValidationError(messages::TimeToLiveOfStrongTable());
  const bool has_local =
      std::any_of(meta.schema.indexes.begin(), meta.schema.indexes.end(),
                  [](const IndexSchema& index) { return index.kind == IndexKind::kLocal; });
  if (has_local) return ValidationError(messages::StrongTableHas("A local secondary index"));
  return CheckEmpty(*context.store, meta.schema.id);
}

absl::Status CheckWitnessThere(const UpdateTableRequest& request, const TableMeta& meta) {
  const GlobalTableWitnessGroupUpdate* const update = WitnessUpdate(request);
  if (update == nullptr) return absl::OkStatus();
  const std::string& region = *update->delete_region_name;
  return meta.witness && meta.witness->region == region
             ? absl::OkStatus()
             : ValidationError(messages::WitnessNotFound(region));
}

// All others, or none.
absl::Status CheckAllLeave(const UpdateTableRequest& request, size_t deletes,
                           const TableMeta& meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckWitnessThere(request, meta));
  if (deletes == 0 && WitnessUpdate(request) == nullptr) return absl::OkStatus();
  if (meta.witness && WitnessUpdate(request) == nullptr) {
    return ValidationError(messages::NotAllWitnessesDeleted());
  }
  return deletes == meta.replicas.size() ? absl::OkStatus()
                                         : ValidationError(messages::OnlyOneStrongReplicaDeleted());
}

}  // namespace

absl::Status CheckConsistencyOf(const OperationContext& context, const UpdateTableRequest& request,
                                const TableMeta& meta) {
  size_t creates = 0;
  size_t deletes = 0;
  for (const ReplicationGroupUpdate& update : *request.replica_updates) {
    creates += update.create ? 1 : 0;
    deletes += update.delete_region_name ? 1 : 0;
  }
  if (meta.is_strong) {
    if (creates == 0) return CheckAllLeave(request, deletes, meta);
    return ValidationError(request.multi_region_consistency ? messages::ConsistencyOfGlobalTable()
                                                            : messages::NoMoreStrongReplicas());
  }
  if (MakesStrong(request)) return CheckMayBeStrong(context, request, meta);
  if (creates + deletes > 1) return ValidationError(messages::OneReplicaActionAtATime());
  return CheckWitnessThere(request, meta);
}

void ChangeConsistency(const OperationContext& context, const UpdateTableRequest& request,
                       absl::Time now, TableMeta* meta) {
  if (MakesStrong(request)) meta->is_strong = true;
  const GlobalTableWitnessGroupUpdate* const update = WitnessUpdate(request);
  if (update == nullptr) return;
  if (update->create_region_name) {
    meta->witness =
        Witness{.region = *update->create_region_name, .status_until = now + context.delays.create};
  } else {
    meta->witness->is_deleting = true;
  }
}

}  // namespace dynolith
