#include "api/table/throughput_rules.h"

#include <algorithm>
#include <string>

#include "absl/time/civil_time.h"
#include "api/request/time_text.h"
#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/partition/throughput_model.h"

namespace dynolith {
namespace {

constexpr std::string_view kRead = "ReadCapacityUnits";
constexpr std::string_view kWrite = "WriteCapacityUnits";
constexpr std::string_view kMaxRead = "MaxReadRequestUnits";
constexpr std::string_view kMaxWrite = "MaxWriteRequestUnits";
constexpr std::string_view kWarmRead = "ReadUnitsPerSecond";
constexpr std::string_view kWarmWrite = "WriteUnitsPerSecond";
constexpr std::string_view kTableMaxRead = "TableMaxReadCapacityUnits";
constexpr std::string_view kTableMaxWrite = "TableMaxWriteCapacityUnits";
constexpr absl::Duration kDecreasePause = absl::Hours(1);
constexpr int64_t kNoMaximum = -1;

absl::Status LimitExceeded(std::string_view message) {
  return MakeError(ErrorKind::kLimitExceeded, message);
}

absl::Status CheckBound(std::optional<int64_t> value, std::string_view units,
                        std::string_view index) {
  if (!value || *value <= kThroughputBound) return absl::OkStatus();
  return ValidationError(messages::UnitsOutOfBounds(*value, units, index));
}

absl::CivilDay UtcDay(absl::Time time) { return absl::ToCivilDay(time, absl::UTCTimeZone()); }

absl::Status CheckMaximum(const OperationContext& context, std::optional<int64_t> value,
                          std::string_view units, std::string_view quota, std::string_view index) {
  if (!value || *value == kNoMaximum) return absl::OkStatus();
  if (*value < 1) return ValidationError(messages::OnDemandMaximumOutOfRange(units, index));
  if (*value > kTableThroughputMax) {
    return LimitExceeded(messages::AboveAccountMaximum(Concat(units, " for OnDemandThroughput"),
                                                       index, quota, context.region));
  }
  return absl::OkStatus();
}

absl::Status CheckWarmQuota(const OperationContext& context,
                            const WarmThroughputSpecification& wanted, std::string_view index) {
  if (wanted.read_units_per_second.value_or(0) > kTableThroughputMax) {
    return LimitExceeded(messages::AboveAccountMaximum(Concat(kWarmRead, " for WarmThroughput"),
                                                       index, kTableMaxRead, context.region));
  }
  if (wanted.write_units_per_second.value_or(0) > kTableThroughputMax) {
    return LimitExceeded(messages::AboveAccountMaximum(Concat(kWarmWrite, " for WarmThroughput"),
                                                       index, kTableMaxWrite, context.region));
  }
  return absl::OkStatus();
}

void MergeMaximum(std::optional<int64_t> wanted, std::optional<int64_t>* current) {
  if (!wanted) return;
  *current = *wanted == kNoMaximum ? std::nullopt : wanted;
}

}  // namespace

bool HasBothUnits(const std::optional<ProvisionedThroughput>& throughput) {
  return throughput && throughput->read_capacity_units && throughput->write_capacity_units;
}

Throughput BuildThroughput(const ProvisionedThroughput& throughput) {
  return {.read_units = *throughput.read_capacity_units,
          .write_units = *throughput.write_capacity_units};
}

absl::Status CheckUnitsInBounds(const std::optional<ProvisionedThroughput>& throughput,
                                std::string_view index) {
  if (!throughput) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(CheckBound(throughput->read_capacity_units, kRead, index));
  return CheckBound(throughput->write_capacity_units, kWrite, index);
}

absl::Status CheckUnitsQuota(const OperationContext& context, const Throughput& throughput,
                             std::string_view index) {
  if (throughput.read_units > kTableThroughputMax) {
    return LimitExceeded(messages::UnitsAboveMaximum(throughput.read_units, kRead, index,
                                                     context.region, kTableThroughputMax));
  }
  if (throughput.write_units > kTableThroughputMax) {
    return LimitExceeded(messages::UnitsAboveMaximum(throughput.write_units, kWrite, index,
                                                     context.region, kTableThroughputMax));
  }
  return absl::OkStatus();
}

Units ReservedUnits(const Catalog& catalog) {
  Units units;
  for (const std::shared_ptr<Table>& table : catalog.All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (meta->billing_mode != BillingMode::kProvisioned) continue;
    units.Add(meta->throughput);
    for (const IndexState& index : meta->index_states) units.Add(index.throughput);
  }
  return units;
}

absl::Status CheckAccountQuota(const OperationContext& context, const Units& reserved,
                               const Units& released, const Units& requested) {
  if (reserved.read - released.read + requested.read > kAccountThroughputMax) {
    return LimitExceeded(messages::AccountUnitsExceeded(kRead, context.region, reserved.read,
                                                        kAccountThroughputMax, requested.read));
  }
  if (reserved.write - released.write + requested.write > kAccountThroughputMax) {
    return LimitExceeded(messages::AccountUnitsExceeded(kWrite, context.region, reserved.write,
                                                        kAccountThroughputMax, requested.write));
  }
  return absl::OkStatus();
}

int64_t DecreasesOn(const Throughput& throughput, absl::Time now) {
  if (!throughput.last_decrease || UtcDay(*throughput.last_decrease) != UtcDay(now)) return 0;
  return throughput.decreases_today;
}

absl::Status CheckDecrease(const Throughput& throughput, const Throughput& wanted, absl::Time now) {
  if (wanted.read_units >= throughput.read_units && wanted.write_units >= throughput.write_units) {
    return absl::OkStatus();
  }
  const int64_t today = DecreasesOn(throughput, now);
  if (today < kFreeDecreasesPerDay) return absl::OkStatus();
  const absl::Time midnight = absl::FromCivil(UtcDay(now) + 1, absl::UTCTimeZone());
  const absl::Time next = std::min(*throughput.last_decrease + kDecreasePause, midnight);
  if (now >= next) return absl::OkStatus();
  return LimitExceeded(
      messages::TooManyDecreases(today, LongUtcTime(*throughput.last_decrease), LongUtcTime(next)));
}

void ChangeUnits(const Throughput& wanted, absl::Time now, Throughput* throughput) {
  if (wanted.read_units > throughput->read_units || wanted.write_units > throughput->write_units) {
    throughput->last_increase = now;
  }
  if (wanted.read_units < throughput->read_units || wanted.write_units < throughput->write_units) {
    throughput->decreases_today = DecreasesOn(*throughput, now) + 1;
    throughput->last_decrease = now;
  }
  throughput->read_units = wanted.read_units;
  throughput->write_units = wanted.write_units;
}

absl::Status CheckOnDemandMode(const std::optional<OnDemandThroughput>& wanted,
                               BillingMode billing_mode, std::string_view index) {
  if (!wanted) return absl::OkStatus();
  if (!wanted->max_read_units && !wanted->max_write_units) {
    return ValidationError(messages::OnDemandMaximaMissing(index));
  }
  if (billing_mode == BillingMode::kPayPerRequest) return absl::OkStatus();
  return ValidationError(messages::OnDemandMaximumWithProvisioned(
      wanted->max_read_units ? kMaxRead : kMaxWrite, index));
}

absl::Status CheckOnDemand(const OperationContext& context,
                           const std::optional<OnDemandThroughput>& wanted,
                           BillingMode billing_mode, std::string_view index) {
  DYNOLITH_RETURN_IF_ERROR(CheckOnDemandMode(wanted, billing_mode, index));
  if (!wanted) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(
      CheckMaximum(context, wanted->max_read_units, kMaxRead, kTableMaxRead, index));
  return CheckMaximum(context, wanted->max_write_units, kMaxWrite, kTableMaxWrite, index);
}

void MergeOnDemand(const OnDemandThroughput& wanted, std::optional<OnDemandThroughput>* current) {
  OnDemandThroughput merged = current->value_or(OnDemandThroughput());
  MergeMaximum(wanted.max_read_units, &merged.max_read_units);
  MergeMaximum(wanted.max_write_units, &merged.max_write_units);
  if (merged.max_read_units || merged.max_write_units) {
    *current = merged;
  } else {
    current->reset();
  }
}

WarmThroughput InitialWarm(BillingMode billing_mode, const Throughput& throughput) {
  if (billing_mode == BillingMode::kPayPerRequest) {
    return {.read_units = kOnDemandInitialReadUnits, .write_units = kOnDemandInitialWriteUnits};
  }
  return {.read_units = throughput.read_units, .write_units = throughput.write_units};
}

void RaiseWarm(BillingMode billing_mode, const Throughput& throughput,
               std::optional<WarmThroughput>* current) {
  WarmThroughput warm = InitialWarm(billing_mode, throughput);
  if (*current) {
    warm.read_units = std::max(warm.read_units, (*current)->read_units);
    warm.write_units = std::max(warm.write_units, (*current)->write_units);
  }
  *current = warm;
}

absl::Status CheckInitialWarm(const OperationContext& context,
                              const std::optional<WarmThroughputSpecification>& wanted,
                              BillingMode billing_mode, const Throughput& throughput,
                              std::string_view index) {
  if (!wanted) return absl::OkStatus();
  const WarmThroughput least = InitialWarm(billing_mode, throughput);
  const bool on_demand = billing_mode == BillingMode::kPayPerRequest;
  if (wanted->read_units_per_second.value_or(least.read_units) < least.read_units) {
    return ValidationError(on_demand ? messages::WarmBelowOnDemand(kWarmRead, index)
                                     : messages::WarmBelowProvisioned(kWarmRead, index, kRead));
  }
  if (wanted->write_units_per_second.value_or(least.write_units) < least.write_units) {
    return ValidationError(on_demand ? messages::WarmBelowOnDemand(kWarmWrite, index)
                                     : messages::WarmBelowProvisioned(kWarmWrite, index, kWrite));
  }
  return CheckWarmQuota(context, *wanted, index);
}

absl::Status ChangeWarm(const OperationContext& context, const WarmThroughputSpecification& wanted,
                        std::string_view index, std::optional<WarmThroughput>* current) {
  const WarmThroughput before = current->value_or(WarmThroughput());
  const WarmThroughput after = BuildWarm(wanted, before);
  if (after.read_units < before.read_units) {
    return ValidationError(messages::WarmDecrease(kWarmRead, index));
  }
  if (after.write_units < before.write_units) {
    return ValidationError(messages::WarmDecrease(kWarmWrite, index));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckWarmQuota(context, wanted, index));
  *current = after;
  return absl::OkStatus();
}

WarmThroughput BuildWarm(const std::optional<WarmThroughputSpecification>& wanted,
                         WarmThroughput initial) {
  if (!wanted) return initial;
  return {.read_units = wanted->read_units_per_second.value_or(initial.read_units),
          .write_units = wanted->write_units_per_second.value_or(initial.write_units)};
}

absl::Status CheckIndexThroughput(const SecondaryIndex& index, BillingMode billing_mode) {
  if (billing_mode == BillingMode::kPayPerRequest) {
    if (!index.provisioned_throughput) return absl::OkStatus();
    return ValidationError(messages::IndexThroughputUnexpected(index.index_name));
  }
  if (!index.provisioned_throughput) {
    return ValidationError(messages::IndexThroughputMissing(index.index_name));
  }
  if (!HasBothUnits(index.provisioned_throughput)) {
    return ValidationError(messages::IndexUnitsMissing(index.index_name));
  }
  return CheckUnitsInBounds(index.provisioned_throughput, index.index_name);
}

IndexState BuildIndexState(const SecondaryIndex& index, BillingMode billing_mode) {
  IndexState state;
  if (index.provisioned_throughput) {
    state.throughput = BuildThroughput(*index.provisioned_throughput);
  }
  if (index.on_demand_throughput) MergeOnDemand(*index.on_demand_throughput, &state.on_demand);
  state.warm = BuildWarm(index.warm_throughput, InitialWarm(billing_mode, state.throughput));
  return state;
}

int InitialPartitions(const Throughput& throughput, const WarmThroughput& warm) {
  return PartitionsFor({throughput.read_units, throughput.write_units},
                       {warm.read_units, warm.write_units});
}

}  // namespace dynolith
