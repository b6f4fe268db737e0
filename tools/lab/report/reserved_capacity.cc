#include "tools/lab/report/reserved_capacity.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tools/lab/report/month_use.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kReservedKinds[] = {AccessKind::kWrite, AccessKind::kRead};
// Their units are representable.
constexpr double kBlocksMax = 1e16;

// A part of a month in which the same units are provisioned, by tables and indexes.
struct Span {
  double part = 0;
  std::vector<PerKind<double>> units;
};

// The writes of a table with replicas are replicated ones, for which no capacity can be reserved;
// those of its indexes are as others (developer guide, global-tables-billing.html).
bool HasReplicatedWrites(const RunResult& run, const ResourceResult& resource) {
  return !resource.index && !run.experiment.tables[resource.table].paid.replicas.empty();
}

bool CanBeReserved(const RunResult& run, const ResourceResult& resource, OnDemandAs on_demand) {
  if (run.experiment.tables[resource.table].infrequent_access) return false;
  return on_demand == OnDemandAs::kProvisioned || !run.given_to(resource).on_demand;
}

const PerKind<double>& UnitsAt(const std::vector<UnitStep>& steps, double at) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), at,
                       [](double time, const UnitStep& step) { return time < step.from; });
  return std::prev(after)->units;
}

// The steps of each table and index on a day of this kind.
std::vector<std::vector<UnitStep>> ListSteps(const RunResult& run, const DayKind& kind,
                                             const PriceList& prices, OnDemandAs on_demand) {
  std::vector<std::vector<UnitStep>> all;
  for (const ResourceResult& resource : run.resources) {
    std::vector<UnitStep> steps = {{}};
    if (CanBeReserved(run, resource, on_demand)) {
      if (run.given_to(resource).on_demand) {
        const MonthlyUse use = MakeMonthlyUse(run, resource, prices);
        for (const AccessKind access : kReservedKinds) {
          steps.front().units[access] = use.unit_hours[access] / prices.hours_month;
        }
      } else if (DayUse day = MakeDayUse(run, resource, kind); !day.steps.empty()) {
        steps = std::move(day.steps);
      }
      for (UnitStep& step : steps) {
        if (HasReplicatedWrites(run, resource)) step.units.write = 0;
      }
    }
    all.push_back(std::move(steps));
  }
  return all;
}

void AddSpans(const RunResult& run, const DayKind& kind, double part, const PriceList& prices,
              OnDemandAs on_demand, std::vector<Span>* spans) {
  const std::vector<std::vector<UnitStep>> all = ListSteps(run, kind, prices, on_demand);
  std::set<double> begins;
  for (const std::vector<UnitStep>& steps : all) {
    for (const UnitStep& step : steps) begins.insert(step.from);
  }
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    const auto end = std::next(begin);
    Span span = {.part = part * ((end == begins.end() ? 1 : *end) - *begin), .units = {}};
    for (const std::vector<UnitStep>& steps : all) span.units.push_back(UnitsAt(steps, *begin));
    spans->push_back(std::move(span));
  }
}

double SumUnits(const Span& span, AccessKind kind) {
  double sum = 0;
  for (const PerKind<double>& units : span.units) sum += units[kind];
  return sum;
}

// In each span the reserved units cover the same part of what each table and index has.
void Cover(const std::vector<Span>& spans, AccessKind kind, ReservedUse* use) {
  const auto reserved = static_cast<double>(use->units[kind]);
  std::vector<double> all(use->above.size());
  std::vector<double> above(use->above.size());
  double provisioned = 0;
  double covered = 0;
  for (const Span& span : spans) {
    const double sum = SumUnits(span, kind);
    const double covered_here = std::min(sum, reserved);
    provisioned += span.part * sum;
    covered += span.part * covered_here;
    for (size_t i = 0; i < all.size(); ++i) {
      const double units = span.part * span.units[i][kind];
      all[i] += units;
      if (sum > 0) above[i] += units * (1 - covered_here / sum);
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    use->above[i][kind] = all[i] > 0 ? above[i] / all[i] : 1;
  }
  use->covered[kind] = provisioned > 0 ? covered / provisioned : 0;
  use->used[kind] = reserved > 0 ? covered / reserved : 0;
}

}  // namespace

int64_t CountPayingUnits(const std::vector<UnitLevel>& levels, double hour, double unit_hour) {
  const auto block = static_cast<double>(kReservedUnits);
  // The average use of the block behind `blocks` others: the more these are, the less it is.
  const auto use_behind = [&](int64_t blocks) {
    double used = 0;
    for (const UnitLevel& level : levels) {
      used +=
          level.part * std::clamp(level.units - static_cast<double>(blocks) * block, 0.0, block);
    }
    return used;
  };
  double most = 0;
  for (const UnitLevel& level : levels) most = std::max(most, level.units);
  int64_t paying = 0;
  auto end = static_cast<int64_t>(std::min(std::ceil(most / block), kBlocksMax));
  while (paying < end) {
    const int64_t middle = paying + (end - paying) / 2;
    if (hour >= use_behind(middle) * unit_hour) {
      end = middle;
    } else {
      paying = middle + 1;
    }
  }
  return paying * kReservedUnits;
}

std::optional<ReservedUse> UseReserved(const RunResult& run, const ReservedCapacity& reserved,
                                       const PriceList& all_prices, OnDemandAs on_demand) {
  const PriceList* const found = all_prices.Of(run.experiment.region);
  const PriceList& prices = found == nullptr ? all_prices : *found;
  const ReservedPrice* const price = prices.FindTerm(reserved.term);
  if (price == nullptr) return std::nullopt;
  std::vector<Span> spans;
  AddSpans(run, run.experiment.weekdays, kWeekdayPart, prices, on_demand, &spans);
  AddSpans(run, run.experiment.weekends, kWeekendPart, prices, on_demand, &spans);
  ReservedUse use;
  use.term = reserved.term;
  use.above.resize(run.resources.size());
  for (const AccessKind kind : kReservedKinds) {
    if (reserved.units) {
      use.units[kind] = (*reserved.units)[kind];
    } else if (prices.unit_hour[kind]) {  // else it is unknown whether any pay
      std::vector<UnitLevel> levels;
      levels.reserve(spans.size());
      for (const Span& span : spans) levels.push_back({span.part, SumUnits(span, kind)});
      use.units[kind] = CountPayingUnits(levels, price->WholeHour(kind), *prices.unit_hour[kind]);
    }
    use.upfront +=
        std::floor(static_cast<double>(use.units[kind]) / kReservedUnits) * price->upfront[kind];
    Cover(spans, kind, &use);
  }
  return use;
}

}  // namespace dynolith::lab
