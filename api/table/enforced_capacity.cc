#include "api/table/enforced_capacity.h"

#include <algorithm>
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
  ThroughputUse& use = uses_.emplace_back();
  use.id = is_own ? index->id : schema.id;
  use.kind = kind;
  use.rates = &meta_.RatesOf(is_own ? index : nullptr);
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
  return uses_.size() - 1;
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
  // Units come in halves, and a unit in many tokens.
  uses_[i].tokens += static_cast<Tokens>(units * static_cast<double>(kTokensPerUnit) + 0.5);
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

Micros EnforcedCapacity::Now() {
  if (!now_) now_ = absl::ToUnixMicros(context_.clock->RecentNow());
  return *now_;
}

absl::Status EnforcedCapacity::Check(size_t first) {
  if (uses_.size() <= first) return absl::OkStatus();
  if (!is_enforced_) return absl::OkStatus();
  const absl::Span<const ThroughputUse> uses = absl::MakeConstSpan(uses_).subspan(first);
  return StatusOf(uses, table_->throughput.Refusals(uses, Now()));
}

void EnforcedCapacity::Charge() {
  if (uses_.empty()) return;
  const absl::Span<const ThroughputUse> uses = uses_;
  if (is_enforced_) have_partitions_changed_.is_set = table_->throughput.Charge(uses, Now());
  Count(uses);
}

void EnforcedCapacity::Count(absl::Span<const ThroughputUse> uses) {
  if (is_watched_) table_->use.AddCharges(uses, names_keys_ ? Now() : 0);
  if (context_.observer != nullptr) Tell(uses, {});
}

void EnforcedCapacity::Tell(absl::Span<const ThroughputUse> uses,
                            absl::Span<const std::optional<ThroughputLimit>> refusals) const {
  const bool are_charged = refusals.empty();
  absl::InlinedVector<ObservedAccess, 4> accesses;
  for (size_t i = 0; i < uses.size(); ++i) {
    // What costs nothing only tells how partitions grow.
    if (are_charged ? uses[i].tokens == 0 : !refusals[i]) continue;
    const IndexSchema* const index = IndexOf(uses[i]);
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

absl::Status EnforcedCapacity::CheckAndCharge() {
  if (uses_.empty()) return absl::OkStatus();
  const absl::Span<const ThroughputUse> uses = uses_;
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
  if (context_.observer != nullptr) Tell(uses, refusals);
  return Throttled(uses, refusals);
}

EnforcedCapacity::~EnforcedCapacity() {
  if (have_partitions_changed_.is_set) KeepPartitions(context_, table_, meta_);
}

}  // namespace dynolith
