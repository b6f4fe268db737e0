#include "tools/lab/measure/measure_record.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kMeasuredKinds[] = {AccessKind::kRead, AccessKind::kWrite};

// "music/by-year" of "arn:aws:dynamodb:eu-west-1:123456789012:table/music/index/by-year".
std::string ResourceOfArn(std::string_view arn) {
  constexpr std::string_view kTable = "table/";
  constexpr std::string_view kIndex = "/index/";
  const size_t table = arn.find(kTable);
  if (table == std::string_view::npos) return std::string(arn);
  arn.remove_prefix(table + kTable.size());
  const size_t index = arn.find(kIndex);
  if (index == std::string_view::npos) return std::string(arn);
  return Concat(arn.substr(0, index), "/", arn.substr(index + kIndex.size()));
}

LatencyMoment ToLatencyMoment(const LatencyHistogram& latencies) {
  LatencyMoment moment{.requests = latencies.count(), .most = latencies.most()};
  for (size_t i = 0; i < kMomentPercentiles.size(); ++i) {
    moment.percentiles[i] = latencies.Percentile(kMomentPercentiles[i]);
  }
  return moment;
}

}  // namespace

ThroughputLimit ToThroughputLimit(const ThrottlingReason& reason) {
  const std::string_view name = reason.reason;
  if (name.find("KeyRange") != std::string_view::npos) return ThroughputLimit::kKeyRange;
  if (name.find("MaxOnDemand") != std::string_view::npos) return ThroughputLimit::kMaxOnDemand;
  if (name.find("AccountLimit") != std::string_view::npos) return ThroughputLimit::kAccount;
  return ThroughputLimit::kProvisionedThroughput;
}

MeasureRecord::MeasureRecord(const Experiment& experiment, const std::vector<std::string>& tables)
    : experiment_(experiment),
      intervals_(experiment.duration),
      accesses_(experiment.accesses.size()) {
  std::vector<size_t> of_table;
  for (const ResourceDesign& design : ResourceDesigns(experiment)) {
    const TableDesign& table = experiment.tables[design.table];
    std::string name = tables[design.table];
    if (!design.index) of_table.push_back(resources_.size());
    if (design.index) name += Concat("/", table.indexes[*design.index].name);
    resource_at_.emplace(std::move(name), resources_.size());
    const Throughput& throughput =
        design.index ? table.indexes[*design.index].throughput : table.throughput;
    ResourceMoment given;
    for (const AccessKind kind : kMeasuredKinds) {
      const std::optional<int64_t>& units =
          throughput.on_demand ? throughput.warm[kind] : throughput.units[kind];
      given.capacity[kind] = static_cast<double>(units.value_or(0));
    }
    given_.push_back(given);
    resources_.emplace_back(experiment, design, intervals_, 0);
  }
  for (size_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = experiment.accesses[i];
    accesses_[i].result.name = access.name;
    accesses_[i].result.latency.emplace();
    targets_.push_back(of_table[access.table] + (access.index ? *access.index + 1 : 0));
  }
}

void MeasureRecord::Advance(Micros now) {
  while (second_ + kSecond <= std::min(now, experiment_.duration)) {
    second_ += kSecond;
    for (ResourceRecord& resource : resources_) resource.CloseSecond(second_);
    if (second_ % intervals_.moment == 0) CloseInterval(second_);
  }
}

void MeasureRecord::CloseInterval(Micros now) {
  closed_ = now;
  for (size_t i = 0; i < resources_.size(); ++i) resources_[i].CloseInterval(now, given_[i]);
  for (AccessRecord& of : accesses_) {
    of.result.total += of.moment;
    of.result.moments.push_back(std::exchange(of.moment, {}));
    of.result.latency->moments.push_back(ToLatencyMoment(of.latencies));
    of.latencies.Clear();
  }
}

AccessKind MeasureRecord::ToAccessKind(const PlannedCall& call) const {
  return IsWrite(call.operation) ? AccessKind::kWrite : AccessKind::kRead;
}

void MeasureRecord::Served(const PlannedCall& call, const std::vector<const PlannedItem*>& items,
                           const CallAnswer& answer) {
  const AccessKind kind = ToAccessKind(call);
  std::vector<double> units(resources_.size());
  for (const CallAnswer::Consumed& consumed : answer.consumed) {
    const auto found = resource_at_.find(
        consumed.index.empty() ? consumed.table : Concat(consumed.table, "/", consumed.index));
    if (found == resource_at_.end()) continue;
    units[found->second] += consumed.units;
    accesses_[call.access].result.units[kind] += consumed.units;
  }
  std::vector<uint64_t> uses(resources_.size());
  for (const PlannedItem* item : items) {
    for (const LabUse& use : item->uses) ++uses[use.resource];
  }
  // The units that an answer gives for a resource belong to all of its uses together.
  for (const PlannedItem* item : items) {
    for (const LabUse& use : item->uses) {
      resources_[use.resource].Count(use,
                                     units[use.resource] / static_cast<double>(uses[use.resource]));
    }
  }
  for (size_t i = 0; i < resources_.size(); ++i) {
    if (uses[i] == 0 && units[i] > 0) resources_[i].CountUnits(kind, units[i]);
  }
}

void MeasureRecord::Throttled(const PlannedCall& call, const std::vector<const PlannedItem*>& items,
                              const std::vector<ThrottlingReason>& reasons) {
  AccessRecord& of = accesses_[call.access];
  if (!reasons.empty()) {
    of.result.limits[static_cast<size_t>(ToThroughputLimit(reasons.front()))] +=
        std::max<uint64_t>(1, items.size());
  }
  if (reasons.empty()) {
    for (const PlannedItem* item : items) {
      resources_[item->uses.front().resource].CountThrottle(item->uses.front(), std::nullopt);
    }
  }
  for (const ThrottlingReason& reason : reasons) {
    const auto found = resource_at_.find(ResourceOfArn(reason.resource));
    const size_t at = found == resource_at_.end() ? targets_[call.access] : found->second;
    bool is_told = false;
    for (const PlannedItem* item : items) {
      for (const LabUse& use : item->uses) {
        if (use.resource != at) continue;
        resources_[at].CountThrottle(use, ToThroughputLimit(reason));
        is_told = true;
        break;
      }
    }
    if (!is_told) resources_[at].CountThrottles(ToAccessKind(call), ToThroughputLimit(reason));
  }
}

double MeasureRecord::FailedCondition(const PlannedCall& call) {
  AccessRecord& of = accesses_[call.access];
  ++of.moment.served;
  ++of.result.failed_conditions;
  double all = 0;
  for (const PlannedItem& item : call.items) {
    for (const LabUse& use : item.uses) {
      const double units = static_cast<double>(use.tokens) / static_cast<double>(kTokensPerUnit);
      resources_[use.resource].Count(use, units);
      of.result.units[use.kind] += units;
      all += units;
    }
  }
  return all;
}

void MeasureRecord::Failed(size_t access, uint64_t operations, const std::string& kind) {
  accesses_[access].moment.errors += operations;
  accesses_[access].result.errors[kind] += operations;
}

void MeasureRecord::Latency(size_t access, int64_t latency) {
  accesses_[access].latencies.Record(latency);
  accesses_[access].result.latency->all.Record(latency);
}

void MeasureRecord::SetStored(const std::vector<int64_t>& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) given_[i].bytes = bytes[i];
}

RunResult MeasureRecord::Finish(Micros end) {
  Advance(end);
  if (closed_ < end) CloseInterval(end);
  RunResult result;
  result.experiment = experiment_;
  result.interval = intervals_.moment;
  result.simulated = end;
  result.is_complete = end >= experiment_.duration;
  for (AccessRecord& of : accesses_) result.accesses.push_back(std::move(of.result));
  for (size_t i = 0; i < resources_.size(); ++i) {
    ResourceResult& resource = result.resources.emplace_back(resources_[i].Finish());
    // Nothing scales the units of a measured table.
    if (!result.given_to(resource).on_demand) resource.provisioned = given_[i].capacity;
  }
  return result;
}

}  // namespace dynolith::lab
