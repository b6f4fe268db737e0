#include "api/control/update_table.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/control/messages.h"
#include "api/control/replicas.h"
#include "api/control/update_capacity.h"
#include "api/control/update_indexes.h"
#include "api/control/update_scope.h"
#include "api/table/encryption.h"
#include "api/table/kept_partitions.h"
#include "api/table/stream_state.h"
#include "api/table/table_class.h"
#include "api/table/table_description.h"
#include "api/table/table_lifecycle.h"
#include "api/table/table_status.h"
#include "api/table/update_concerns.h"
#include "api/table/vector_definition.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"
#include "index/backfill_runner.h"

namespace dynolith {
namespace {

absl::Status ChangeStreamStatus(const UpdateScope& scope, TableMeta* meta) {
  // Strong replicas have streams of their own.
  if (!meta->replicas.empty() && !meta->is_strong) {
    return ValidationError(messages::StreamOfReplicas());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckNoIndexInTheWay(*meta, "stream status"));
  if (!meta->stream.enabled) {
    meta->stream.label = std::max(meta->stream.label, scope.latest_stream_label);
  }
  return ChangeStream(*scope.request.stream_specification, meta->schema.name, scope.now,
                      &meta->stream);
}

absl::Status ChangeProtection(bool wanted, absl::Time now, TableMeta* meta) {
  if (wanted == meta->deletion_protection) return absl::OkStatus();
  if (const auto& changed = meta->deletion_protection_changed) {
    const absl::Time next = *changed + absl::Milliseconds(kProtectionCooldownMilliseconds);
    if (now < next) {
      return MakeError(ErrorKind::kThrottling,
                       messages::ProtectionChangedRecently(
                           meta->schema.name,
                           absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", next, absl::UTCTimeZone())));
    }
  }
  meta->deletion_protection = wanted;
  meta->deletion_protection_changed = now;
  return absl::OkStatus();
}

// No table is a replica, so none can leave a global table or be kept from it.
absl::Status CheckNoReplica(const UpdateScope& scope, const TableMeta& meta) {
  if (const auto& updates = scope.request.replica_updates) {
    if (updates->front().disassociate->region_name != scope.context.region) {
      return ValidationError(messages::DisassociateOfOtherRegion(scope.context.region));
    }
  } else if (!scope.request.disassociation_protection_enabled) {
    return absl::OkStatus();
  }
  return ValidationError(messages::NoReplica(meta.schema.name));
}

// Vector indexes keep their table on demand.
absl::Status CheckModeOfVectorIndexes(const UpdateTableRequest& request, const TableMeta& meta) {
  const bool has_vectors =
      std::any_of(meta.schema.indexes.begin(), meta.schema.indexes.end(),
                  [](const IndexSchema& index) { return index.kind == IndexKind::kVector; });
  if (!has_vectors || !request.billing_mode) return absl::OkStatus();
  return CheckVectorBilling(*request.billing_mode);
}

// Everything that the request wants, on a copy of the table's state.
absl::Status Change(const UpdateScope& scope, TableMeta* meta) {
  const UpdateTableRequest& request = scope.request;
  DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(*meta));
  DYNOLITH_RETURN_IF_ERROR(CheckNoChangeInTheWay(*meta, FindUpdateConcerns(request)));
  DYNOLITH_RETURN_IF_ERROR(CheckNoReplica(scope, *meta));
  if (request.sse_specification) {
    return ChangeEncryption(scope.context, *request.sse_specification, scope.now, meta);
  }
  if (request.table_class) {
    DYNOLITH_ASSIGN_OR_RETURN(const TableClass wanted, ParseTableClass(*request.table_class));
    return ChangeTableClass(wanted, scope.now, meta);
  }
  if (request.deletion_protection_enabled) {
    return ChangeProtection(*request.deletion_protection_enabled, scope.now, meta);
  }
  if (request.stream_specification) DYNOLITH_RETURN_IF_ERROR(ChangeStreamStatus(scope, meta));
  DYNOLITH_RETURN_IF_ERROR(CheckModeOfVectorIndexes(request, *meta));
  DYNOLITH_RETURN_IF_ERROR(ChangeCapacity(scope, meta));
  return ChangeIndexes(scope, meta);
}

// Which changes the service makes while the table stays ACTIVE.
bool KeepsTableActive(const UpdateConcerns& concerns) {
  const bool index_only = concerns.index_updates && !concerns.throughput && !concerns.billing_mode;
  const bool maxima_only = concerns.on_demand && !concerns.billing_mode;
  return concerns.encryption || concerns.deletion_protection || concerns.warm || maxima_only ||
         index_only;
}

// The time of the change is known already, and that it counts.
void ShowOldUnits(const Throughput& before, Throughput* shown) {
  shown->read_units = before.read_units;
  shown->write_units = before.write_units;
}

// Units change later than the answer; a switch of the billing mode shows the new ones.
void ShowOldUnits(const TableMeta& before, TableMeta* shown) {
  if (shown->billing_mode != before.billing_mode) return;
  ShowOldUnits(before.throughput, &shown->throughput);
  for (size_t i = 0; i < before.index_states.size(); ++i) {
    ShowOldUnits(before.index_states[i].throughput, &shown->index_states[i].throughput);
  }
}

IndexState* FindIndexState(std::string_view index_name, TableMeta* meta) {
  const IndexSchema* index = meta->schema.FindIndex(index_name);
  return &meta->index_states[static_cast<size_t>(index - meta->schema.indexes.data())];
}

void ShowVectorChanges(const std::vector<VectorIndexUpdate>& updates, TableMeta* shown) {
  for (const VectorIndexUpdate& update : updates) {
    if (update.create) FindIndexState(update.create->index_name, shown)->backfilling = false;
    if (const auto& name = update.delete_index_name) {
      FindIndexState(*name, shown)->status = IndexStatus::kDeleting;
    }
  }
}

// Encryption is changed and warm throughput raised while everything stays ACTIVE.
void MarkQuietChanges(const UpdateTableRequest& request, absl::Time until, TableMeta* meta) {
  if (request.sse_specification) meta->encryption_until = until;
  if (HasWarm(request.warm_throughput)) meta->warm_until = until;
  if (!request.global_secondary_index_updates) return;
  for (const GlobalSecondaryIndexUpdate& update : *request.global_secondary_index_updates) {
    if (!update.update || !HasWarm(update.update->warm_throughput)) continue;
    FindIndexState(update.update->index_name, meta)->warm_until = until;
  }
}

// Maxima that have been taken away are shown once more, as they were asked for.
void ShowTakenMaxima(const OnDemandThroughput& wanted, TableMeta* shown) {
  OnDemandThroughput maxima = shown->on_demand.value_or(OnDemandThroughput());
  if (wanted.max_read_units && !maxima.max_read_units) maxima.max_read_units = -1;
  if (wanted.max_write_units && !maxima.max_write_units) maxima.max_write_units = -1;
  if (maxima.max_read_units || maxima.max_write_units) shown->on_demand = maxima;
}

// The table as the service shows it in the middle of the change.
TableMeta ShownState(const UpdateTableRequest& request, const TableMeta& before,
                     const TableMeta& after) {
  const UpdateConcerns concerns = FindUpdateConcerns(request);
  const bool deletes = after.schema.indexes.size() < before.schema.indexes.size();
  TableMeta shown = deletes ? before : after;
  if (!concerns.index_changes) ShowOldUnits(before, &shown);
  if (concerns.table_class) {
    shown.table_class = before.table_class;
    shown.table_class_changed = before.table_class_changed;
  }
  if (request.on_demand_throughput) ShowTakenMaxima(*request.on_demand_throughput, &shown);
  shown.status = KeepsTableActive(concerns) ? TableStatus::kActive : TableStatus::kUpdating;
  MarkQuietChanges(request, absl::InfiniteFuture(), &shown);
  if (request.vector_index_updates) ShowVectorChanges(*request.vector_index_updates, &shown);
  if (!request.global_secondary_index_updates) return shown;
  for (const GlobalSecondaryIndexUpdate& update : *request.global_secondary_index_updates) {
    if (update.create) FindIndexState(update.create->index_name, &shown)->backfilling = false;
    if (update.update) {
      FindIndexState(update.update->index_name, &shown)->status = IndexStatus::kUpdating;
    }
    if (update.delete_index_name) {
      FindIndexState(*update.delete_index_name, &shown)->status = IndexStatus::kDeleting;
    }
  }
  return shown;
}

TableChange ToTableChange(const UpdateConcerns& concerns) {
  if (concerns.table_class) return TableChange::kTableClass;
  if (concerns.stream) return TableChange::kStream;
  if (concerns.billing_mode) return TableChange::kBillingMode;
  return concerns.index_changes ? TableChange::kIndexes : TableChange::kThroughput;
}

// A table is ACTIVE again while its new index is being filled.
absl::Duration DelayOfTable(const TableDelays& delays, const TableMeta& meta) {
  if (IndexesThatAre(IndexStatus::kCreating, meta).empty()) return delays.update;
  return std::min(delays.update, delays.index / 2);
}

// What is changed already is shown as under way for as long as the delays say.
void DelayChange(const UpdateScope& scope, TableMeta* meta) {
  const UpdateConcerns concerns = FindUpdateConcerns(scope.request);
  const absl::Duration delay = scope.context.delays.update;
  if (delay > absl::ZeroDuration()) MarkQuietChanges(scope.request, scope.now + delay, meta);
  if (!KeepsTableActive(concerns)) {
    DelayUpdate(scope.now, DelayOfTable(scope.context.delays, *meta), ToTableChange(concerns),
                meta);
  }
  if (concerns.index_updates && delay > absl::ZeroDuration()) {
    for (const GlobalSecondaryIndexUpdate& update : *scope.request.global_secondary_index_updates) {
      if (!update.update) continue;
      IndexState* state = FindIndexState(update.update->index_name, meta);
      // An index that is still being created keeps that status.
      if (state->status != IndexStatus::kActive) continue;
      DelayIndex(scope.now, delay, IndexStatus::kUpdating, state);
    }
  }
  FindNextTransition(meta);
}

// Whether it changes what all replicas of a table have in common.
bool IsCommonChange(const UpdateTableRequest& request) {
  const UpdateConcerns concerns = FindUpdateConcerns(request);
  return concerns.throughput || concerns.billing_mode || concerns.index_changes ||
         concerns.index_updates || concerns.on_demand;
}

absl::Status UpdateOthers(const OperationContext& context, const UpdateTableRequest& request,
                          const TableMeta& meta) {
  if (meta.replicas.empty() || !IsCommonChange(request)) return absl::OkStatus();
  UpdateTableRequest there = request;
  there.table_name = meta.schema.name;
  return ChangeOthers(context, meta, [&there](const OperationContext& other) {
    return UpdateTable(other, there).status();
  });
}

}  // namespace

absl::StatusOr<TableDescription> UpdateTable(const OperationContext& context,
                                             const UpdateTableRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckUpdateRequest(request, context.peers != nullptr));
  if (ChangesReplicas(request)) return UpdateReplicas(context, request);
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const UpdateScope scope = {
      context, request, context.clock->Now(), ReservedUnits(*context.catalog),
      request.stream_specification ? LatestStreamLabel(context, table->meta()->schema.name) : ""};
  TableMeta before;
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> after,
                            context.catalog->Modify(table.get(), [&](TableMeta* meta) {
                              RaiseWarmToGrown(context, table.get(), meta);
                              before = *meta;
                              DYNOLITH_RETURN_IF_ERROR(Change(scope, meta));
                              if (IsCommonChange(request)) {
                                DYNOLITH_RETURN_IF_ERROR(CheckReplicasSettled(*meta));
                              }
                              DelayChange(scope, meta);
                              return absl::OkStatus();
                            }));
  if (request.stream_specification) {
    DYNOLITH_RETURN_IF_ERROR(FollowStream(context, after->schema.name));
  }
  if (FindUpdateConcerns(request).index_changes) context.backfills->AddUnfinished(*table);
  DYNOLITH_RETURN_IF_ERROR(UpdateOthers(context, request, *after));
  return Describe(context, table.get(), ShownState(request, before, *after), Sizes::kCount);
}

}  // namespace dynolith
