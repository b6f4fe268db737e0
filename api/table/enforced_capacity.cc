#include "api/table/enforced_capacity.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/request/arn.h"
#include "api/table/kept_partitions.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/partitions.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/partition/access_observer.h"
#include "engine/value/attachments.h"
#include "index/entry.h"

namespace dynolith {
namespace {

TableRates RatesOf(BillingMode billing_mode, const Throughput& throughput,
                   const std::optional<WarmThroughput>& warm,
                   const std::optional<OnDemandThroughput>& on_demand) {
  TableRates rates;
  rates.on_demand = billing_mode == BillingMode::kPayPerRequest;
  rates.units = {throughput.read_units, throughput.write_units};
  if (warm) {
    rates.warm = {warm->read_units, warm->write_units};
  } else if (rates.on_demand) {
    rates.warm = {kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits};
  }
  if (rates.on_demand) rates.units = rates.warm;
  if (on_demand) {
    rates.maximum = {on_demand->max_read_units, on_demand->max_write_units};
  }
  return rates;
}

std::string_view NameOf(ThroughputLimit limit) {
  switch (limit) {
    case ThroughputLimit::kProvisionedThroughput:
      return "ProvisionedThroughput";
    case ThroughputLimit::kKeyRange:
      return "KeyRangeThroughput";
    case ThroughputLimit::kMaxOnDemand:
      return "MaxOnDemandThroughput";
    case ThroughputLimit::kAccount:
      return "AccountLimit";
  }
  return "";
}

// api/facts/capacity.md §6, §7.
absl::Status ExceptionOf(const ThroughputUse& use, bool is_index, ThroughputLimit limit,
                         bool account_limit_throttles) {
  const bool is_write = use.kind == AccessKind::kWrite;
  if (limit == ThroughputLimit::kAccount) {
    return MakeError(
        account_limit_throttles ? ErrorKind::kThrottling : ErrorKind::kRequestLimitExceeded,
        messages::AccountThroughputExceeded());
  }
  if (limit == ThroughputLimit::kMaxOnDemand) {
    return MakeError(ErrorKind::kThrottling, messages::OnDemandMaximumExceeded());
  }
  if (use.rates->on_demand) {
    return MakeError(ErrorKind::kThrottling, is_index && is_write
                                                 ? messages::OnDemandIndexCapacityExceededByWrite()
                                                 : messages::OnDemandCapacityExceeded());
  }
  return MakeError(ErrorKind::kProvisionedThroughputExceeded,
                   !is_index  ? messages::TableUnitsExceeded()
                   : is_write ? messages::IndexUnitsExceededByWrite()
                              : messages::IndexUnitsExceededByRead());
}

}  // namespace

size_t EnforcedCapacity::Add(AccessKind kind, const IndexSchema* index, std::string_view row_key,
                             Names names) {
  const TableSchema& schema = meta_.schema;
  const bool is_own = index != nullptr && index->kind == IndexKind::kGlobal;
  ThroughputUse use;
  use.id = is_own ? index->id : schema.id;
  use.kind = kind;
  if (is_enforced_) rates_.push_back(RatesOfUse(is_own ? index : nullptr));
  // Who only counts does not ask where.
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
  uses_.push_back(use);
  return uses_.size() - 1;
}

TableRates EnforcedCapacity::RatesOfUse(const IndexSchema* index) const {
  if (index == nullptr) {
    return RatesOf(meta_.billing_mode, meta_.throughput, meta_.warm, meta_.on_demand);
  }
  const auto position = static_cast<size_t>(index - meta_.schema.indexes.data());
  const IndexState& state = meta_.index_states[position];
  return RatesOf(meta_.billing_mode, state.throughput, state.warm, state.on_demand);
}

void EnforcedCapacity::NameKeys(const IndexSchema* index, std::string_view row_key, Names names,
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

void EnforcedCapacity::AddUnits(size_t i, double units) {
  uses_[i].tokens += std::llround(units * static_cast<double>(kTokensPerUnit));
}

const IndexSchema* EnforcedCapacity::IndexOf(const ThroughputUse& use) const {
  for (const IndexSchema& index : meta_.schema.indexes) {
    if (index.id == use.id) return &index;
  }
  return nullptr;
}

absl::Status EnforcedCapacity::Throttled(
    absl::Span<const ThroughputUse> uses,
    absl::Span<const std::optional<ThroughputLimit>> refusals) const {
  absl::Status status;
  std::vector<ThrottlingReason> reasons;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (!refusals[i]) continue;
    const IndexSchema* const index = IndexOf(uses[i]);
    const std::string table_arn = TableArn(context_, meta_.schema.name);
    ThrottlingReason reason = {
        messages::ThrottlingReasonName(index != nullptr, uses[i].kind == AccessKind::kWrite,
                                       NameOf(*refusals[i])),
        index == nullptr ? table_arn : IndexArn(table_arn, index->name)};
    // Shards of one index say the same.
    const auto is_same = [&](const ThrottlingReason& other) {
      return other.reason == reason.reason && other.resource == reason.resource;
    };
    if (std::none_of(reasons.begin(), reasons.end(), is_same)) {
      reasons.push_back(std::move(reason));
    }
    if (!status.ok()) continue;
    const std::optional<CapacitySettings> settings = table_->throughput.settings();
    status = ExceptionOf(uses[i], index != nullptr, *refusals[i],
                         settings && settings->account_limit_throttles);
  }
  AttachThrottling(reasons, &status);
  return status;
}

absl::Span<const ThroughputUse> EnforcedCapacity::UsesFrom(size_t first) {
  // They have moved whenever one was added.
  ThroughputUse* const uses = uses_.data();
  const TableRates* const rates = rates_.data();
  for (size_t i = first, size = rates_.size(); i < size; ++i) uses[i].rates = &rates[i];
  return absl::MakeConstSpan(uses_).subspan(first);
}

Micros EnforcedCapacity::Now() {
  if (!now_) now_ = absl::ToUnixMicros(context_.clock->RecentNow());
  return *now_;
}

absl::Status EnforcedCapacity::Check(size_t first) {
  if (uses_.size() <= first) return absl::OkStatus();
  if (!is_enforced_) return absl::OkStatus();
  const absl::Span<const ThroughputUse> uses = UsesFrom(first);
  return StatusOf(uses, table_->throughput.Refusals(uses, Now()));
}

void EnforcedCapacity::Charge() {
  if (uses_.empty()) return;
  const absl::Span<const ThroughputUse> uses = UsesFrom(0);
  if (is_enforced_) have_partitions_changed_.is_set = table_->throughput.Charge(uses, Now());
  Count(uses);
}

void EnforcedCapacity::Count(absl::Span<const ThroughputUse> uses) {
  if (is_watched_) table_->use.AddCharges(uses, names_keys_ ? Now() : 0);
  Tell(uses, {});
}

void EnforcedCapacity::Tell(absl::Span<const ThroughputUse> uses,
                            absl::Span<const std::optional<ThroughputLimit>> refusals) const {
  if (context_.observer == nullptr) return;
  const bool are_charged = refusals.empty();
  absl::InlinedVector<ObservedAccess, 4> accesses;
  for (size_t i = 0; i < uses.size(); ++i) {
    // What costs nothing only tells how partitions grow.
    if (are_charged ? uses[i].tokens == 0 : !refusals[i]) continue;
    const IndexSchema* const index = IndexOf(uses[i]);
    const TableRates rates = RatesOfUse(index);
    accesses.push_back({.use = &uses[i],
                        .table = &meta_.schema,
                        .index = index,
                        .on_demand = rates.on_demand,
                        .units = rates.units,
                        .limit = are_charged ? std::nullopt : refusals[i]});
  }
  if (!accesses.empty()) context_.observer->NoteAccesses(accesses);
}

absl::Status EnforcedCapacity::CheckAndCharge() {
  if (uses_.empty()) return absl::OkStatus();
  const absl::Span<const ThroughputUse> uses = UsesFrom(0);
  if (is_enforced_ && uses.size() == 1) {
    const std::optional<ThroughputLimit> refusal =
        table_->throughput.RefusalOrCharge(uses[0], Now(), &have_partitions_changed_.is_set);
    if (refusal) return StatusOf(uses, {refusal});
  } else if (is_enforced_) {
    DYNOLITH_RETURN_IF_ERROR(StatusOf(
        uses, table_->throughput.RefusalsOrCharge(uses, Now(), &have_partitions_changed_.is_set)));
  }
  Count(uses);
  return absl::OkStatus();
}

absl::Status EnforcedCapacity::StatusOf(absl::Span<const ThroughputUse> uses,
                                        const ThroughputRefusals& refusals) {
  if (AreAllAdmitted(refusals)) return absl::OkStatus();
  if (is_watched_) table_->use.AddRefusals(uses, refusals, Now());
  Tell(uses, refusals);
  return Throttled(uses, refusals);
}

EnforcedCapacity::~EnforcedCapacity() {
  if (have_partitions_changed_.is_set) KeepPartitions(context_, table_, meta_);
}

}  // namespace dynolith
