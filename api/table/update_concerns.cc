#include "api/table/update_concerns.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/table/encryption.h"
#include "api/table/messages.h"
#include "api/table/stream_state.h"
#include "api/table/table_class.h"
#include "api/table/throughput_rules.h"
#include "api/table/vector_definition.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/value/set_members.h"

namespace dynolith {
namespace {

using IndexUpdates = std::vector<GlobalSecondaryIndexUpdate>;

const IndexUpdates& RequestedIndexUpdates(const UpdateTableRequest& request) {
  static const IndexUpdates& none = *new IndexUpdates;
  return request.global_secondary_index_updates ? *request.global_secondary_index_updates : none;
}

const std::vector<VectorIndexUpdate>& RequestedVectorUpdates(const UpdateTableRequest& request) {
  static const std::vector<VectorIndexUpdate>& none = *new std::vector<VectorIndexUpdate>;
  return request.vector_index_updates ? *request.vector_index_updates : none;
}

int Count(const UpdateConcerns& concerns) {
  return concerns.throughput + concerns.billing_mode + concerns.index_changes +
         concerns.index_updates + concerns.stream + concerns.encryption + concerns.table_class +
         concerns.deletion_protection + concerns.disassociation_protection + concerns.on_demand +
         concerns.warm + concerns.replicas;
}

// Requires: the update has exactly one action.
const std::string& UpdatedIndexName(const GlobalSecondaryIndexUpdate& update) {
  if (update.create) return update.create->index_name;
  return update.update ? update.update->index_name : *update.delete_index_name;
}

absl::Status CheckIndexUpdates(const UpdateTableRequest& request) {
  if (!request.global_secondary_index_updates) return absl::OkStatus();
  const IndexUpdates& updates = *request.global_secondary_index_updates;
  if (updates.empty()) {
    return ValidationError(messages::IndexListEmpty("GlobalSecondaryIndexUpdates"));
  }
  for (const GlobalSecondaryIndexUpdate& update : updates) {
    const int actions = update.create.has_value() + update.update.has_value() +
                        update.delete_index_name.has_value();
    if (actions == 0) return ValidationError(messages::IndexUpdateEmpty());
    if (actions > 1) return ValidationError(messages::IndexUpdateOfTwoActions());
  }
  std::vector<std::string_view> names;
  names.reserve(updates.size());
  for (const GlobalSecondaryIndexUpdate& update : updates)
    names.push_back(UpdatedIndexName(update));
  if (const std::optional<size_t> repeat = FirstRepeat(names)) {
    return ValidationError(messages::IndexUpdatedTwice(names[*repeat]));
  }
  return absl::OkStatus();
}

absl::Status CheckVectorUpdates(const UpdateTableRequest& request) {
  if (!request.vector_index_updates) return absl::OkStatus();
  if (request.vector_index_updates->empty()) {
    return ValidationError(messages::IndexListEmpty("VectorIndexUpdates"));
  }
  for (const VectorIndexUpdate& update : *request.vector_index_updates) {
    const int actions = update.create.has_value() + update.delete_index_name.has_value();
    if (actions == 0) return ValidationError(messages::VectorIndexUpdateEmpty());
    if (actions > 1) return ValidationError(messages::VectorIndexUpdateOfTwoActions());
  }
  return absl::OkStatus();
}

// The changes that must be alone, in the order in which the service names them.
absl::Status CheckAlone(const UpdateConcerns& concerns) {
  const auto alone = [](std::string_view operation) {
    return ValidationError(messages::MustBeTheOnlyOperation(operation));
  };
  if (concerns.encryption) return alone("Server-Side Encryption modification");
  if (concerns.table_class) return alone("TableClass modification");
  if (concerns.deletion_protection) return alone("DeletionProtection modification");
  if (concerns.disassociation_protection) return alone("DisassociationProtection modification");
  if (concerns.warm && concerns.index_changes) {
    return ValidationError(messages::IndexCreationWithWarmThroughput());
  }
  if (concerns.warm) return alone("WarmThroughput");
  if (concerns.replicas) return ValidationError(messages::ReplicasWithOtherFields());
  return absl::OkStatus();
}

absl::Status CheckCombination(const UpdateTableRequest& request, const UpdateConcerns& concerns) {
  const int count = Count(concerns);
  if (count < 2) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(CheckAlone(concerns));
  // What is wrong with it is not that BillingMode is missing.
  if (request.billing_mode == BillingMode::kProvisioned) {
    DYNOLITH_RETURN_IF_ERROR(
        CheckOnDemandMode(request.on_demand_throughput, BillingMode::kProvisioned, ""));
  }
  if (concerns.on_demand && !(concerns.billing_mode && count == 2)) {
    return ValidationError(messages::OnDemandOnlyWithBillingMode());
  }
  // A stream may be switched together with a change to on-demand, which sets no units.
  const bool sets_units = concerns.throughput || concerns.index_updates ||
                          request.billing_mode == BillingMode::kProvisioned;
  if (concerns.stream && sets_units) return ValidationError(messages::StreamWithThroughput());
  if (concerns.index_changes && concerns.index_updates &&
      std::any_of(RequestedIndexUpdates(request).begin(), RequestedIndexUpdates(request).end(),
                  [](const GlobalSecondaryIndexUpdate& update) {
                    return update.update && HasWarm(update.update->warm_throughput);
                  })) {
    return ValidationError(messages::IndexCreationWithWarmThroughput());
  }
  if (concerns.index_changes && (sets_units || concerns.billing_mode)) {
    return ValidationError(messages::IndexChangeWithThroughput());
  }
  if (concerns.index_changes && concerns.stream) {
    return ValidationError(messages::IndexChangeWithStream());
  }
  return absl::OkStatus();
}

// How many replicas a request creates, changes and deletes.
struct ReplicaActions {
  size_t creates = 0;
  size_t updates = 0;
  size_t deletes = 0;
  size_t disassociates = 0;
};

absl::StatusOr<ReplicaActions> CountReplicaActions(const UpdateTableRequest& request) {
  ReplicaActions counts;
  for (const ReplicationGroupUpdate& update : *request.replica_updates) {
    const int actions = update.create.has_value() + update.update.has_value() +
                        update.delete_region_name.has_value() + update.disassociate.has_value();
    if (actions == 0) return ValidationError(messages::ReplicaUpdateEmpty());
    if (actions > 1) return ValidationError(messages::ReplicaUpdateOfTwoActions());
    counts.creates += update.create ? 1 : 0;
    counts.updates += update.update ? 1 : 0;
    counts.deletes += update.delete_region_name ? 1 : 0;
    counts.disassociates += update.disassociate ? 1 : 0;
  }
  return counts;
}

// A witness comes with the first other replica of a strong table, and goes with the last one.
absl::Status CheckWitness(const UpdateTableRequest& request) {
  if (!request.global_table_witness_updates) return absl::OkStatus();
  const GlobalTableWitnessGroupUpdate& update = request.global_table_witness_updates->front();
  if (update.create_region_name.has_value() == update.delete_region_name.has_value()) {
    return ValidationError(messages::WitnessUpdateNotOneAction());
  }
  const bool is_strong = request.multi_region_consistency == MultiRegionConsistency::kStrong;
  return update.delete_region_name || is_strong
             ? absl::OkStatus()
             : ValidationError(messages::WitnessOfEventualReplicas());
}

// A strong table has three regions from the beginning.
absl::Status CheckConsistency(const UpdateTableRequest& request, const ReplicaActions& replicas) {
  if (!request.multi_region_consistency) return absl::OkStatus();
  const bool has_witness = request.global_table_witness_updates.has_value();
  const bool deletes_witness =
      has_witness && request.global_table_witness_updates->front().delete_region_name.has_value();
  if (replicas.updates + replicas.deletes > 0 || deletes_witness) {
    return ValidationError(messages::ConsistencyOfNoNewReplica());
  }
  if (request.multi_region_consistency != MultiRegionConsistency::kStrong) return absl::OkStatus();
  return replicas.creates + (has_witness ? 1 : 0) == 2
             ? absl::OkStatus()
             : ValidationError(messages::StrongReplicasNotThree());
}

// Without other regions what would make or change replicas is refused. What leaves a global table
// is looked at by its form; whether the table is a replica is seen when it is looked for.
absl::Status CheckReplicas(const UpdateTableRequest& request, bool has_peers) {
  const bool has_witness = request.global_table_witness_updates.has_value();
  if (has_witness && !has_peers) {
    return ValidationError(messages::SingleRegionOnly("GlobalTableWitnessUpdates"));
  }
  // A change of the witness alone is none (api/facts/regions.md §4).
  if (!request.replica_updates) {
    return ValidationError(
        messages::UpdateTableEmpty(request.multi_region_consistency.has_value()));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const ReplicaActions replicas, CountReplicaActions(request));
  if (replicas.disassociates == 0) {
    if (!has_peers) return ValidationError(messages::SingleRegionOnly("ReplicaUpdates"));
    DYNOLITH_RETURN_IF_ERROR(CheckWitness(request));
    return CheckConsistency(request, replicas);
  }
  if (request.replica_updates->size() > 1 || request.multi_region_consistency.has_value() ||
      has_witness) {
    return ValidationError(messages::MustBeTheOnlyOperation("Disassociate"));
  }
  return absl::OkStatus();
}

absl::Status CheckThroughput(const UpdateTableRequest& request) {
  const auto& throughput = request.provisioned_throughput;
  if (request.billing_mode == BillingMode::kPayPerRequest && throughput) {
    return ValidationError(messages::UnitsWithPayPerRequest());
  }
  if (request.billing_mode == BillingMode::kProvisioned && !throughput) {
    return ValidationError(messages::ThroughputRequiredOnSwitch());
  }
  if (throughput && !HasBothUnits(throughput)) return ValidationError(messages::UnitsMissing());
  return CheckUnitsInBounds(throughput, "");
}

absl::Status CheckIndexChanges(const UpdateTableRequest& request) {
  auto changes = static_cast<int>(RequestedVectorUpdates(request).size());
  for (const GlobalSecondaryIndexUpdate& update : RequestedIndexUpdates(request)) {
    if (update.create && !request.attribute_definitions) {
      return ValidationError(messages::DefinitionsMissingForIndex(update.create->index_name));
    }
    changes += update.update ? 0 : 1;
  }
  if (changes < 2) return absl::OkStatus();
  return MakeError(ErrorKind::kLimitExceeded, messages::OneIndexChangeAtATime());
}

}  // namespace

bool HasWarm(const std::optional<WarmThroughputSpecification>& warm) {
  return warm && (warm->read_units_per_second || warm->write_units_per_second);
}

UpdateConcerns FindUpdateConcerns(const UpdateTableRequest& request) {
  UpdateConcerns concerns;
  concerns.throughput = request.provisioned_throughput.has_value();
  concerns.billing_mode = request.billing_mode.has_value();
  for (const GlobalSecondaryIndexUpdate& update : RequestedIndexUpdates(request)) {
    (update.update ? concerns.index_updates : concerns.index_changes) = true;
  }
  concerns.index_changes |= !RequestedVectorUpdates(request).empty();
  concerns.stream = request.stream_specification.has_value();
  concerns.encryption = request.sse_specification.has_value();
  concerns.table_class = request.table_class.has_value();
  concerns.deletion_protection = request.deletion_protection_enabled.has_value();
  concerns.on_demand = request.on_demand_throughput.has_value();
  concerns.warm = HasWarm(request.warm_throughput);
  concerns.disassociation_protection = request.disassociation_protection_enabled.has_value();
  concerns.replicas =
      request.replica_updates.has_value() || request.global_table_witness_updates.has_value();
  return concerns;
}

absl::Status CheckUpdateRequest(const UpdateTableRequest& request, bool has_peers) {
  const UpdateConcerns concerns = FindUpdateConcerns(request);
  if (request.has_settings_replication_mode) {
    return ValidationError(messages::SingleRegionOnly("GlobalTableSettingsReplicationMode"));
  }
  if (Count(concerns) == 0) {
    return ValidationError(
        messages::UpdateTableEmpty(request.multi_region_consistency.has_value()));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckIndexUpdates(request));
  DYNOLITH_RETURN_IF_ERROR(CheckVectorUpdates(request));
  DYNOLITH_RETURN_IF_ERROR(CheckCombination(request, concerns));
  if (concerns.replicas) return CheckReplicas(request, has_peers);
  if (request.multi_region_consistency.has_value()) {
    return ValidationError(messages::ReplicasWithOtherFields());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckThroughput(request));
  DYNOLITH_RETURN_IF_ERROR(CheckIndexChanges(request));
  DYNOLITH_RETURN_IF_ERROR(CheckStreamChange(request.stream_specification));
  if (request.table_class) DYNOLITH_RETURN_IF_ERROR(ParseTableClass(*request.table_class).status());
  return CheckEncryption(request.sse_specification);
}

}  // namespace dynolith
