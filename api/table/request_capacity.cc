#include "api/table/request_capacity.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "api/request/throttling.h"
#include "api/table/kept_partitions.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/partition/access_observer.h"
#include "index/entry.h"

namespace dynolith {

void SetCost(double units, size_t bytes, ThroughputUse* use) {
  // Units come in halves, and a unit in many tokens.
  use->tokens = std::llround(units * static_cast<double>(kTokensPerUnit));
  use->item_size = static_cast<int64_t>(bytes);
}

ThroughputUse RequestCapacity::Resolve(AccessKind kind, const IndexSchema* index,
                                       std::string_view row_key, Names names) {
  const TableSchema& schema = meta_.schema;
  const bool is_own = index != nullptr && index->kind == IndexKind::kGlobal;
  ThroughputUse use;
  use.id = is_own ? index->id : schema.id;
  use.kind = kind;
  use.rates = &meta_.RatesFor(is_own ? index : nullptr);
  // Where use is only counted, nobody looks at the position.
  if (is_enforced_ || names_keys_) {
    use.position.key = row_key.substr(sizeof(StorageId));
    use.position.collection_bytes =
        CollectionBytes(index != nullptr ? index->key : schema.key, index == nullptr, row_key) -
        sizeof(StorageId);
  }
  if (names_keys_) NameKeys(index, row_key, names, &use);
  // Beside a local index a collection is never divided, so what is within it does not matter.
  if (is_enforced_ && !is_own && HasLocalIndex(schema)) {
    use.position.key = use.position.collection();
  }
  return use;
}

void RequestCapacity::NameKeys(const IndexSchema* index, std::string_view row_key, Names names,
                               ThroughputUse* use) {
  if (names == Names::kNothing) return;
  use->named_key = use->position.key;
  if (index != nullptr && index->shards > 1) {
    // All shards of a key count for the one key that users know.
    auto first = std::make_unique<std::string>(row_key);
    MoveToFirstShard(index->key, first.get());
    use->named_key = std::string_view(*first).substr(sizeof(StorageId));
    first_shard_keys_.push_back(std::move(first));
  }
  use->partition_key_bytes = use->position.collection_bytes;
  const KeySchema& key = index != nullptr ? index->key : meta_.schema.key;
  // An item of a local index is read for the sake of others.
  const bool is_own = index == nullptr || index->kind == IndexKind::kGlobal;
  if (names != Names::kItem || key.range.empty() || !is_own) return;
  use->item_bytes = use->position.key.size();
  if (index == nullptr) return;
  // Without the base key, which stands behind it.
  KeySchema whole = {.hash = key.hash, .range = {}};
  whole.hash.insert(whole.hash.end(), key.range.begin(), key.range.end());
  use->item_bytes = CollectionBytes(whole, /*is_table_key=*/false, row_key) - sizeof(StorageId);
}

Micros RequestCapacity::Now() {
  if (!now_) now_ = absl::ToUnixMicros(context_.clock->RecentNow());
  return *now_;
}

const IndexSchema* RequestCapacity::FindIndex(const ThroughputUse& use) const {
  for (const IndexSchema& index : meta_.schema.indexes) {
    if (index.id == use.id) return &index;
  }
  return nullptr;
}

absl::Status RequestCapacity::AdmitUses(absl::Span<const ThroughputUse> uses) {
  now_.reset();
  return ToThrottlingError(uses, table_->throughput.Refusals(uses, Now()));
}

void RequestCapacity::ChargeUses(absl::Span<const ThroughputUse> uses) {
  if (is_enforced_) have_partitions_changed_.is_set = table_->throughput.Charge(uses, Now());
  Count(uses);
}

absl::Status RequestCapacity::AdmitAndChargeUses(absl::Span<const ThroughputUse> uses) {
  if (is_enforced_ && uses.size() == 1) {
    const std::optional<ThroughputLimit> refusal =
        table_->throughput.RefusalOrCharge(uses[0], Now(), &have_partitions_changed_.is_set);
    if (refusal) return ToThrottlingError(uses, {refusal});
  } else if (is_enforced_) {
    DYNOLITH_RETURN_IF_ERROR(ToThrottlingError(
        uses, table_->throughput.RefusalsOrCharge(uses, Now(), &have_partitions_changed_.is_set)));
  }
  Count(uses);
  return absl::OkStatus();
}

absl::Status RequestCapacity::ToThrottlingError(absl::Span<const ThroughputUse> uses,
                                                const ThroughputRefusals& refusals) {
  if (AreAllAdmitted(refusals)) return absl::OkStatus();
  if (is_watched_) table_->use.AddRefusals(uses, refusals, Now());
  if (context_.observer != nullptr) NotifyObserver(uses, refusals);
  std::vector<RefusedAccess> refused;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (refusals[i]) refused.push_back({FindIndex(uses[i]), uses[i].kind, *refusals[i]});
  }
  const std::optional<CapacitySettings> settings = table_->throughput.settings();
  return Refuse(context_, meta_, refused, settings && settings->account_limit_throttles);
}

void RequestCapacity::Count(absl::Span<const ThroughputUse> uses) {
  if (is_watched_) table_->use.AddCharges(uses, names_keys_ ? Now() : 0);
  if (context_.observer != nullptr) NotifyObserver(uses, {});
}

void RequestCapacity::NotifyObserver(
    absl::Span<const ThroughputUse> uses,
    absl::Span<const std::optional<ThroughputLimit>> refusals) const {
  const bool are_charged = refusals.empty();
  absl::InlinedVector<ObservedAccess, 4> accesses;
  for (size_t i = 0; i < uses.size(); ++i) {
    // What costs nothing only tells how partitions grow.
    if (are_charged ? uses[i].tokens == 0 : !refusals[i]) continue;
    const IndexSchema* const index = FindIndex(uses[i]);
    const TableRates& rates = *uses[i].rates;
    accesses.push_back({.use = &uses[i],
                        .table = &meta_.schema,
                        .index = index,
                        .on_demand = rates.on_demand,
                        .units = rates.units,
                        .limit = are_charged ? std::nullopt : refusals[i]});
  }
  if (!accesses.empty()) context_.observer->NoteAccesses(accesses);
}

RequestCapacity::~RequestCapacity() {
  if (have_partitions_changed_.is_set) KeepPartitions(context_, table_, meta_);
}

}  // namespace dynolith
