#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

AccessMoment& AccessMoment::operator+=(const AccessMoment& other) {
  requests += other.requests;
  absorbed += other.absorbed;
  operations += other.operations;
  served += other.served;
  throttled += other.throttled;
  failed += other.failed;
  errors += other.errors;
  return *this;
}

uint64_t ResourceResult::throttled_by(ThroughputLimit limit) const {
  const auto at = static_cast<size_t>(limit);
  return throttled.read[at] + throttled.write[at];
}

double AccessResult::amplification() const {
  const uint64_t requests = total.requests - total.absorbed;
  return requests == 0 ? 0 : static_cast<double>(total.operations) / static_cast<double>(requests);
}

double AccessResult::served_part() const {
  return total.operations == 0
             ? 1
             : static_cast<double>(total.served) / static_cast<double>(total.operations);
}

AccessMoment RunResult::total() const {
  AccessMoment sum;
  for (const AccessResult& access : accesses) sum += access.total;
  return sum;
}

std::optional<int64_t> RunResult::Percentile(const AccessResult& access, double part) const {
  if (access.latency) {
    if (access.latency->all.count() == 0) return std::nullopt;
    return access.latency->all.Percentile(part);
  }
  if (access.is_timed) {
    if (access.waits.count() == 0) return std::nullopt;
    return access.waits.Percentile(part);
  }
  if (experiment.retry.attempts <= 1 || access.total.served == 0) return std::nullopt;
  const auto served = static_cast<double>(access.total.served);
  const auto waited =
      static_cast<double>(access.waits.count()) * static_cast<double>(experiment.sample);
  const double beyond = part * served - (served - waited);
  return beyond <= 0 ? 0 : access.waits.Percentile(beyond / waited);
}

const Throughput& RunResult::given_to(const ResourceResult& resource) const {
  const TableDesign& table = experiment.tables[resource.table];
  return resource.index ? table.indexes[*resource.index].throughput : table.throughput;
}

}  // namespace dynolith::lab
