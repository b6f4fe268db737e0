#include "api/control/replicas.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/control/messages.h"
#include "api/control/strong_replicas.h"
#include "api/request/region_peers.h"
#include "api/table/table_description.h"
#include "api/table/table_lifecycle.h"
#include "api/table/table_status.h"
#include "api/table/update_concerns.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"
#include "engine/value/set_members.h"

namespace dynolith {
namespace {

// For how long a table that has filled a replica cannot leave the others.
constexpr absl::Duration kSourceTime = absl::Hours(24);

// Requires: the update has exactly one action.
std::string_view RegionOf(const ReplicationGroupUpdate& update) {
  if (update.create) return update.create->region_name;
  return update.update ? update.update->region_name : *update.delete_region_name;
}

Replica* FindReplica(std::string_view region, TableMeta* meta) {
  const auto found = std::find_if(meta->replicas.begin(), meta->replicas.end(),
                                  [&](const Replica& r) { return r.region == region; });
  return found == meta->replicas.end() ? nullptr : &*found;
}

// --- What can be said without the table's state

absl::Status CheckNewReplica(const RegionPeers& peers, std::string_view region,
                             std::string_view table_name) {
  return peers.WithPeer(region, [&](const OperationContext& peer) -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> there, FindSettled(peer, table_name));
    if (there == nullptr) return absl::OkStatus();
    return ValidationError(messages::ReplicaTableExists(table_name));
  });
}

absl::Status CheckMayBeDeleted(const RegionPeers& peers, std::string_view region,
                               std::string_view table_name) {
  return peers.WithPeer(region, [&](const OperationContext& peer) -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> there, FindSettled(peer, table_name));
    if (there == nullptr) return absl::OkStatus();
    const std::shared_ptr<const TableMeta> meta = there->meta();
    if (meta->deletion_protection) return ValidationError(messages::ProtectedAgainstDeletion());
    return CheckMayLeave(*meta, peer.clock->Now());
  });
}

absl::Status CheckPeers(const OperationContext& context,
                        const std::vector<ReplicationGroupUpdate>& updates, const TableMeta& meta) {
  std::vector<std::string_view> regions;
  regions.reserve(updates.size());
  for (const ReplicationGroupUpdate& update : updates) regions.push_back(RegionOf(update));
  if (const auto repeat = FirstRepeat(regions)) {
    return ValidationError(messages::RegionRepeated(regions[*repeat]));
  }
  for (const ReplicationGroupUpdate& update : updates) {
    const std::string_view region = RegionOf(update);
    if (region == context.region) return ValidationError(messages::LocalRegionInReplicaUpdates());
    if (!context.peers->Serves(region)) {
      return ValidationError(messages::RegionNotServed(region));
    }
    const std::string& name = meta.schema.name;
    if (update.create) {
      DYNOLITH_RETURN_IF_ERROR(CheckNewReplica(*context.peers, region, name));
    } else if (update.delete_region_name) {
      DYNOLITH_RETURN_IF_ERROR(CheckMayBeDeleted(*context.peers, region, name));
    }
  }
  return absl::OkStatus();
}

// --- The table's state

bool ScalesWrites(const TableMeta& meta) {
  return std::any_of(meta.auto_scaling.begin(), meta.auto_scaling.end(),
                     [](const AutoScaling& scaling) {
                       return scaling.index_name.empty() && scaling.write.has_value();
                     });
}

// Strong ones do not need the stream.
absl::Status CheckMayHaveReplicas(const TableMeta& meta, bool is_strong) {
  const bool has_stream =
      meta.stream.enabled && meta.stream.view_type == StreamViewType::kNewAndOldImages;
  if (!has_stream && !is_strong) {
    return ValidationError(messages::ReplicaNeedsStream());
  }
  if (meta.billing_mode == BillingMode::kProvisioned && !ScalesWrites(meta)) {
    return ValidationError(messages::ReplicaNeedsWriteCapacity());
  }
  for (const IndexState& state : meta.index_states) {
    if (state.status == IndexStatus::kActive) continue;
    return MakeError(ErrorKind::kResourceInUse, messages::ReplicaNeedsActiveIndexes());
  }
  return absl::OkStatus();
}

absl::Status ChangeSettings(const CreateReplicationGroupMemberAction& wanted, const TableMeta& meta,
                            ReplicaSettings* settings) {
  if (wanted.kms_master_key_id) settings->kms_key = *wanted.kms_master_key_id;
  if (const auto& override = wanted.provisioned_throughput_override) {
    settings->read_units = override->read_capacity_units;
  }
  if (const auto& override = wanted.on_demand_throughput_override) {
    settings->max_read_units = override->max_read_request_units;
  }
  if (wanted.table_class_override) settings->table_class = wanted.table_class_override;
  if (!wanted.global_secondary_indexes) return absl::OkStatus();
  settings->indexes.clear();
  for (const ReplicaGlobalSecondaryIndex& index : *wanted.global_secondary_indexes) {
    const IndexSchema* const schema = meta.schema.FindIndex(index.index_name);
    if (schema == nullptr || schema->kind != IndexKind::kGlobal) {
      return ValidationError(messages::ReplicaIndexUnknown(index.index_name));
    }
    ReplicaSettings::Index& kept = settings->indexes.emplace_back();
    kept.name = index.index_name;
    if (const auto& override = index.provisioned_throughput_override) {
      kept.read_units = override->read_capacity_units;
    }
    if (const auto& override = index.on_demand_throughput_override) {
      kept.max_read_units = override->max_read_request_units;
    }
  }
  return absl::OkStatus();
}

// Requires: it is known whether the table is strong.
absl::Status ApplyUpdate(const OperationContext& context, const ReplicationGroupUpdate& update,
                         absl::Time now, TableMeta* meta) {
  Replica* replica = FindReplica(RegionOf(update), meta);
  if (update.create) {
    DYNOLITH_RETURN_IF_ERROR(CheckMayHaveReplicas(*meta, meta->is_strong));
    if (replica != nullptr) return ValidationError(messages::ReplicaTableExists(meta->schema.name));
    replica = &meta->replicas.emplace_back();
    replica->region = update.create->region_name;
    replica->status_until = now + context.delays.create;
    return ChangeSettings(*update.create, *meta, &replica->settings);
  }
  if (replica == nullptr) return ValidationError(messages::ReplicaNotFound());
  if (replica->deleting_from || !replica->is_filled) {
    return MakeError(ErrorKind::kResourceInUse, messages::ReplicaInUse(replica->region));
  }
  if (update.delete_region_name) {
    replica->deleting_from = now + context.delays.remove;
    return absl::OkStatus();
  }
  replica->status_until = now + context.delays.update;
  return ChangeSettings(*update.update, *meta, &replica->settings);
}

// The replica's table, as it has been set for it.
absl::Status SetUp(const OperationContext& context, const TableMeta& meta,
                   std::string_view region) {
  const auto replica = std::find_if(meta.replicas.begin(), meta.replicas.end(),
                                    [&](const Replica& r) { return r.region == region; });
  return context.peers->WithPeer(region, [&](const OperationContext& peer) -> absl::Status {
    const std::shared_ptr<Table> there = peer.catalog->Find(meta.schema.name);
    if (there == nullptr) return absl::OkStatus();
    const auto apply = [&](TableMeta* changed) {
      ApplyReplicaSettings(replica->settings, changed);
      return absl::OkStatus();
    };
    return peer.catalog->Modify(there.get(), apply).status();
  });
}

}  // namespace

bool ChangesReplicas(const UpdateTableRequest& request) {
  return request.replica_updates && !request.replica_updates->front().disassociate;
}

absl::StatusOr<TableDescription> UpdateReplicas(const OperationContext& context,
                                                const UpdateTableRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const std::vector<ReplicationGroupUpdate>& updates = *request.replica_updates;
  DYNOLITH_RETURN_IF_ERROR(CheckPeers(context, updates, *table->meta()));
  const absl::Time now = context.clock->Now();
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::shared_ptr<const TableMeta> after,
      context.catalog->Modify(table.get(), [&](TableMeta* meta) {
        DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(*meta));
        DYNOLITH_RETURN_IF_ERROR(CheckNoChangeInTheWay(*meta, FindUpdateConcerns(request)));
        DYNOLITH_RETURN_IF_ERROR(CheckConsistencyOf(context, request, *meta));
        ChangeConsistency(context, request, now, meta);
        for (const ReplicationGroupUpdate& update : updates) {
          DYNOLITH_RETURN_IF_ERROR(ApplyUpdate(context, update, now, meta));
        }
        return absl::OkStatus();
      }));
  for (const ReplicationGroupUpdate& update : updates) {
    if (update.update) DYNOLITH_RETURN_IF_ERROR(SetUp(context, *after, update.update->region_name));
  }
  context.peers->Wake();
  return Describe(context, table.get(), *after, Sizes::kCount);
}

void ApplyReplicaSettings(const ReplicaSettings& settings, TableMeta* meta) {
  const auto set_reads = [meta](const std::optional<int64_t>& units,
                                const std::optional<int64_t>& max_units, Throughput* throughput,
                                std::optional<OnDemandThroughput>* on_demand) {
    if (units && meta->billing_mode == BillingMode::kProvisioned) throughput->read_units = *units;
    if (!max_units || meta->billing_mode != BillingMode::kPayPerRequest) return;
    if (!*on_demand) on_demand->emplace();
    (*on_demand)->max_read_units = max_units;
  };
  set_reads(settings.read_units, settings.max_read_units, &meta->throughput, &meta->on_demand);
  if (settings.table_class) meta->table_class = settings.table_class;
  if (!settings.kms_key.empty()) meta->encryption = ServerSideEncryption{true, settings.kms_key};
  for (const ReplicaSettings::Index& index : settings.indexes) {
    const IndexSchema* const schema = meta->schema.FindIndex(index.name);
    if (schema == nullptr) continue;
    IndexState& state =
        meta->index_states[static_cast<size_t>(schema - meta->schema.indexes.data())];
    set_reads(index.read_units, index.max_read_units, &state.throughput, &state.on_demand);
  }
}

absl::Status ChangeOthers(const OperationContext& context, const TableMeta& meta,
                          absl::FunctionRef<absl::Status(const OperationContext&)> change) {
  if (context.peers == nullptr) return absl::OkStatus();
  for (const Replica& replica : meta.replicas) {
    DYNOLITH_RETURN_IF_ERROR(
        context.peers->WithPeer(replica.region, [&](const OperationContext& peer) {
          OperationContext alone = peer;
          alone.peers = nullptr;
          return change(alone);
        }));
  }
  return absl::OkStatus();
}

absl::Status CheckReplicasSettled(const TableMeta& meta) {
  for (const Replica& replica : meta.replicas) {
    if (replica.is_filled && !replica.deleting_from) continue;
    return MakeError(ErrorKind::kResourceInUse, messages::ReplicaInUse(replica.region));
  }
  return absl::OkStatus();
}

absl::Status CheckMayLeave(const TableMeta& meta, absl::Time now) {
  DYNOLITH_RETURN_IF_ERROR(CheckReplicasSettled(meta));
  if (meta.is_strong) return absl::OkStatus();  // it leaves only with another one
  if (meta.replicas.empty() || !meta.last_source_of_replica) return absl::OkStatus();
  if (now - *meta.last_source_of_replica >= kSourceTime) return absl::OkStatus();
  return ValidationError(messages::ReplicaWasSource());
}

absl::Status LeaveOthers(const OperationContext& context, const TableMeta& meta) {
  const auto other = std::find_if(meta.replicas.begin(), meta.replicas.end(),
                                  [](const Replica& replica) { return !replica.deleting_from; });
  if (context.peers == nullptr) {
    return MakeError(ErrorKind::kResourceInUse, messages::ReplicasNotServed());
  }
  if (other == meta.replicas.end()) {
    return MakeError(ErrorKind::kResourceInUse, messages::ReplicaInUse(context.region));
  }
  DYNOLITH_RETURN_IF_ERROR(
      context.peers->WithPeer(other->region, [&](const OperationContext& peer) -> absl::Status {
        const std::shared_ptr<Table> table = peer.catalog->Find(meta.schema.name);
        // Not yet told of this one, or no longer.
        const auto in_use = [&] {
          return MakeError(ErrorKind::kResourceInUse, messages::ReplicaInUse(context.region));
        };
        if (table == nullptr) return in_use();
        const auto mark = [&](TableMeta* there) {
          Replica* const replica = FindReplica(context.region, there);
          if (replica == nullptr || replica->deleting_from || !replica->is_filled) {
            return in_use();
          }
          replica->deleting_from = peer.clock->Now() + peer.delays.remove;
          return absl::OkStatus();
        };
        return peer.catalog->Modify(table.get(), mark).status();
      }));
  context.peers->Wake();
  return absl::OkStatus();
}

}  // namespace dynolith
