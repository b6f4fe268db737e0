#include "api/control/update_capacity.h"

#include <string>
#include <vector>

#include "api/control/messages.h"
#include "api/table/messages.h"
#include "api/table/table_status.h"
#include "api/table/update_concerns.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

using RequestedChange = GlobalSecondaryIndexChange;

// An update of one index, found in the table.
struct IndexChange {
  const RequestedChange* wanted;
  IndexState* state;
};

// New units for the table (no name) or for an index.
struct UnitsChange {
  std::string index_name;
  Throughput wanted;
  Throughput* current;
};

absl::Status CheckMayBeUpdated(const std::string& index, const IndexState& state,
                               const std::string& table) {
  const auto in_use = [](std::string_view message) {
    return MakeError(ErrorKind::kResourceInUse, message);
  };
  switch (state.status) {
    case IndexStatus::kCreating:
      if (!state.backfilling_from) return absl::OkStatus();
      return in_use(messages::IndexNotBackfillingYet(table, index));
    case IndexStatus::kUpdating:
      return in_use(messages::IndexIsBeing("updated", table, index));
    case IndexStatus::kDeleting:
      return in_use(messages::IndexIsBeing("deleted", table, index));
    case IndexStatus::kActive:
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<IndexChange>> FindIndexes(const UpdateTableRequest& request,
                                                     TableMeta* meta) {
  std::vector<IndexChange> changes;
  if (!request.global_secondary_index_updates) return changes;
  for (const GlobalSecondaryIndexUpdate& update : *request.global_secondary_index_updates) {
    if (!update.update) continue;
    const std::string& name = update.update->index_name;
    const IndexSchema* index = meta->schema.FindIndex(name);
    // The bounds of units are looked at behind the existence of their index.
    const absl::Status bounds = CheckUnitsInBounds(update.update->provisioned_throughput, name);
    if (index == nullptr && !bounds.ok()) return ValidationError(messages::IndexUpdateBlocked());
    if (index == nullptr) {
      return MakeError(ErrorKind::kResourceNotFound,
                       messages::IndexNotFoundForTable(name, meta->schema.name));
    }
    if (index->kind != IndexKind::kGlobal) {
      return ValidationError(messages::NotAGlobalIndex("update", name));
    }
    DYNOLITH_RETURN_IF_ERROR(bounds);
    const auto position = static_cast<size_t>(index - meta->schema.indexes.data());
    IndexState* state = &meta->index_states[position];
    DYNOLITH_RETURN_IF_ERROR(CheckMayBeUpdated(name, *state, meta->schema.name));
    changes.push_back({&*update.update, state});
  }
  return changes;
}

absl::Status CheckIndexChange(const RequestedChange& change, BillingMode mode) {
  const bool other = change.on_demand_throughput || HasWarm(change.warm_throughput);
  if (mode == BillingMode::kPayPerRequest) {
    if (change.provisioned_throughput) {
      return ValidationError(messages::IndexUnitsWithPayPerRequest(change.index_name));
    }
    if (!other) return ValidationError(messages::OnlyOnDemandUpdates(change.index_name));
    return absl::OkStatus();
  }
  const bool lacks_units =
      change.provisioned_throughput ? !HasBothUnits(change.provisioned_throughput) : !other;
  if (lacks_units) return ValidationError(messages::IndexUnitsMissing(change.index_name));
  return absl::OkStatus();
}

// A table that becomes provisioned needs units for every global index that it keeps.
absl::Status CheckUnitsForAllIndexes(const std::vector<IndexChange>& changes,
                                     const TableMeta& meta) {
  std::vector<std::string> missing;
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    if (meta.schema.indexes[i].kind != IndexKind::kGlobal) continue;
    if (meta.index_states[i].status == IndexStatus::kDeleting) continue;
    bool given = false;
    for (const IndexChange& change : changes) {
      given |= change.state == &meta.index_states[i] && change.wanted->provisioned_throughput;
    }
    if (!given) missing.push_back(meta.schema.indexes[i].name);
  }
  if (missing.empty()) return absl::OkStatus();
  return ValidationError(messages::IndexThroughputRequiredOnSwitch(missing));
}

std::vector<UnitsChange> ListUnitsChanges(const UpdateTableRequest& request,
                                          const std::vector<IndexChange>& index_changes,
                                          TableMeta* meta) {
  std::vector<UnitsChange> changes;
  if (request.provisioned_throughput) {
    changes.push_back({"", BuildThroughput(*request.provisioned_throughput), &meta->throughput});
  }
  for (const IndexChange& change : index_changes) {
    if (!change.wanted->provisioned_throughput) continue;
    changes.push_back({change.wanted->index_name,
                       BuildThroughput(*change.wanted->provisioned_throughput),
                       &change.state->throughput});
  }
  return changes;
}

// Changes within provisioned mode have rules that switching to it has not.
absl::Status CheckUnitsMove(const UnitsChange& change, absl::Time now) {
  const Throughput& current = *change.current;
  if (change.wanted.read_units == current.read_units &&
      change.wanted.write_units == current.write_units) {
    return ValidationError(
        messages::ThroughputUnchanged(change.index_name, current.read_units, current.write_units));
  }
  return CheckDecrease(current, change.wanted, now);
}

absl::Status CheckUnits(const UpdateScope& scope, const std::vector<UnitsChange>& changes,
                        bool switches) {
  Units released;
  Units requested;
  for (const UnitsChange& change : changes) {
    if (!switches) DYNOLITH_RETURN_IF_ERROR(CheckUnitsMove(change, scope.now));
    DYNOLITH_RETURN_IF_ERROR(CheckUnitsQuota(scope.context, change.wanted, change.index_name));
    if (!switches) released.Add(*change.current);
    requested.Add(change.wanted);
  }
  return CheckAccountQuota(scope.context, scope.reserved, released, requested);
}

void SwitchToPayPerRequest(absl::Time now, TableMeta* meta) {
  meta->last_pay_per_request = now;
  meta->throughput.read_units = meta->throughput.write_units = 0;
  for (IndexState& state : meta->index_states) {
    state.throughput.read_units = state.throughput.write_units = 0;
  }
}

// On-demand maxima do not come back when the table is switched back.
void ForgetOnDemand(TableMeta* meta) {
  meta->on_demand.reset();
  for (IndexState& state : meta->index_states) state.on_demand.reset();
}

void RaiseAllWarm(TableMeta* meta) {
  RaiseWarm(meta->billing_mode, meta->throughput, &meta->warm);
  for (size_t i = 0; i < meta->index_states.size(); ++i) {
    if (meta->schema.indexes[i].kind != IndexKind::kGlobal) continue;
    IndexState& state = meta->index_states[i];
    RaiseWarm(meta->billing_mode, state.throughput, &state.warm);
  }
}

// Billing mode and provisioned units.
absl::Status ChangeUnitsAndMode(const UpdateScope& scope,
                                const std::vector<IndexChange>& index_changes, TableMeta* meta) {
  const BillingMode mode = scope.request.billing_mode.value_or(meta->billing_mode);
  const bool switches = mode != meta->billing_mode;
  const bool provisioned = mode == BillingMode::kProvisioned;
  if (!provisioned && scope.request.provisioned_throughput) {
    return ValidationError(messages::UnitsWithPayPerRequest());
  }
  if (provisioned && switches) {
    DYNOLITH_RETURN_IF_ERROR(CheckUnitsForAllIndexes(index_changes, *meta));
  }
  for (const IndexChange& change : index_changes) {
    DYNOLITH_RETURN_IF_ERROR(CheckIndexChange(*change.wanted, mode));
  }
  const std::vector<UnitsChange> changes = ListUnitsChanges(scope.request, index_changes, meta);
  if (!switches && changes.empty()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(CheckNoIndexInTheWay(*meta, "table IOPS"));
  DYNOLITH_RETURN_IF_ERROR(CheckUnits(scope, changes, switches));

  meta->billing_mode = mode;
  if (switches && !provisioned) SwitchToPayPerRequest(scope.now, meta);
  if (switches && provisioned) ForgetOnDemand(meta);
  for (const UnitsChange& change : changes) {
    if (switches) {
      change.current->read_units = change.wanted.read_units;
      change.current->write_units = change.wanted.write_units;
    } else {
      ChangeUnits(change.wanted, scope.now, change.current);
    }
  }
  RaiseAllWarm(meta);
  return absl::OkStatus();
}

absl::Status ChangeMaximaAndWarm(const UpdateScope& scope, std::string_view index, BillingMode mode,
                                 const std::optional<OnDemandThroughput>& on_demand,
                                 const std::optional<WarmThroughputSpecification>& warm,
                                 std::optional<OnDemandThroughput>* current_on_demand,
                                 std::optional<WarmThroughput>* current_warm) {
  DYNOLITH_RETURN_IF_ERROR(CheckOnDemand(scope.context, on_demand, mode, index));
  if (on_demand) MergeOnDemand(*on_demand, current_on_demand);
  if (!HasWarm(warm)) return absl::OkStatus();
  return ChangeWarm(scope.context, *warm, index, current_warm);
}

}  // namespace

absl::Status ChangeCapacity(const UpdateScope& scope, TableMeta* meta) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<IndexChange> index_changes,
                            FindIndexes(scope.request, meta));
  DYNOLITH_RETURN_IF_ERROR(ChangeUnitsAndMode(scope, index_changes, meta));
  DYNOLITH_RETURN_IF_ERROR(
      ChangeMaximaAndWarm(scope, "", meta->billing_mode, scope.request.on_demand_throughput,
                          scope.request.warm_throughput, &meta->on_demand, &meta->warm));
  for (const IndexChange& change : index_changes) {
    DYNOLITH_RETURN_IF_ERROR(ChangeMaximaAndWarm(
        scope, change.wanted->index_name, meta->billing_mode, change.wanted->on_demand_throughput,
        change.wanted->warm_throughput, &change.state->on_demand, &change.state->warm));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
