#include "tools/lab/report/month_use.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/limits.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kUsedKinds[] = {AccessKind::kWrite, AccessKind::kRead};

// The units before the first change by auto scaling, and after each one.
std::vector<UnitStep> MakeSteps(const RunResult& run, const ResourceResult& resource) {
  std::vector<UnitStep> steps = {{0, resource.provisioned}};
  for (const AccessKind kind : kUsedKinds) {
    const auto first =
        std::find_if(resource.scalings.begin(), resource.scalings.end(),
                     [kind](const ScalingEvent& event) { return event.kind == kind; });
    if (first != resource.scalings.end()) {
      steps.front().units[kind] = static_cast<double>(first->before);
    }
  }
  for (const ScalingEvent& event : resource.scalings) {
    UnitStep step = steps.back();
    step.from = static_cast<double>(event.at) / static_cast<double>(run.simulated);
    step.units[event.kind] = static_cast<double>(event.after);
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

DayUse OwnDay(const RunResult& run, const ResourceResult& resource) {
  DayUse day = {.provisioned = resource.provisioned, .busiest_minute = resource.peak_minute};
  for (const AccessKind kind : kUsedKinds) {
    day.consumed[kind] = run.rate_of(resource.units[kind]);
  }
  day.vectors_written = run.rate_of(resource.vector_written_bytes);
  for (size_t i = 0; i < run.accesses.size() && !resource.index; ++i) {
    if (run.experiment.accesses[i].table != resource.table) continue;
    day.vectors_searched += run.rate_of(run.accesses[i].searched_bytes);
  }
  // For real calls only the units are known, which include those of transactions and of failed
  // conditions.
  day.replicated = day.consumed.write;
  if (!run.measured) {
    const size_t replicas = run.experiment.tables[resource.table].paid.replicas.size();
    day.replicated =
        run.rate_of(resource.replicated_units) / static_cast<double>(std::max<size_t>(replicas, 1));
  }
  day.steps = MakeSteps(run, resource);
  return day;
}

// Provisioned units exist on each day, so they have no factor.
DayUse MakeDayUse(const RunResult& run, const ResourceResult& resource, const DayKind& kind) {
  DayUse day;
  const auto found = run.days.find(kind.design);
  if (found == run.days.end()) {
    day = OwnDay(run, resource);
  } else if (const auto use = found->second.find(resource.name); use != found->second.end()) {
    day = use->second;
  }
  for (const AccessKind access : kUsedKinds) {
    day.consumed[access] *= kind.factor;
    day.busiest_minute[access] *= kind.factor;
  }
  for (double* const rate : {&day.replicated, &day.vectors_written, &day.vectors_searched}) {
    *rate *= kind.factor;
  }
  return day;
}

MonthlyUse MakeMonthlyUse(const RunResult& run, const ResourceResult& resource,
                          const PriceList& prices) {
  const bool on_demand = run.given_to(resource).on_demand;
  MonthlyUse use = {.resource = resource.name,
                    .infrequent_access = run.experiment.tables[resource.table].infrequent_access};
  const DayUse weekday = MakeDayUse(run, resource, run.experiment.weekdays);
  const DayUse weekend = MakeDayUse(run, resource, run.experiment.weekends);
  const double seconds_of_month = kSecondsOfHour * prices.hours_month;
  use.replicated = MeanDay(weekday.replicated, weekend.replicated) * seconds_of_month;
  for (const AccessKind kind : kUsedKinds) {
    use.consumed[kind] = MeanDay(weekday.consumed[kind], weekend.consumed[kind]) * seconds_of_month;
    const double units =
        on_demand ? std::ceil(std::max(weekday.busiest_minute[kind], weekend.busiest_minute[kind]))
                  : MeanDay(weekday.provisioned[kind], weekend.provisioned[kind]);
    use.unit_hours[kind] = units * prices.hours_month;
  }
  if (!resource.moments.empty()) {
    use.gigabytes = static_cast<double>(resource.moments.back().bytes) / kBytesOfGigabyte;
  }
  return use;
}

}  // namespace dynolith::lab
