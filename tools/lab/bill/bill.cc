#include "tools/lab/bill/bill.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/bill/messages.h"
#include "tools/lab/model/auto_scaling.h"
#include "tools/lab/report/reserved_capacity.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kKinds[] = {AccessKind::kRead, AccessKind::kWrite};
constexpr int64_t kSecondsPerMinute = 60;
constexpr double kSecondsPerHour = 3'600;
// How long unused provisioned units can still be used (api/facts/capacity.md §4).
constexpr double kBurstSeconds = 300;

// Units a second of each kind, period by period.
using Rates = PerKind<std::vector<double>>;

Rates ToRates(const ResourceMetrics& resource, const Metrics& metrics) {
  const int64_t begin = metrics.begin();
  const int64_t period = metrics.period();
  const auto periods = static_cast<size_t>((metrics.end() - begin) / period);
  Rates rates;
  for (const AccessKind kind : kKinds) {
    rates[kind].resize(periods);
    for (const auto& [second, units] : resource.consumed[kind]) {
      const auto at = static_cast<size_t>((second - begin) / period);
      rates[kind][at] += units / static_cast<double>(period);
    }
  }
  return rates;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// A value lasts until the next one, the last one for a period.
double MeanOverTime(const MetricPoints& points, int64_t period) {
  double sum = 0;
  double seconds = 0;
  for (auto point = points.begin(); point != points.end(); ++point) {
    const auto next = std::next(point);
    const auto lasts =
        static_cast<double>(next == points.end() ? period : next->first - point->first);
    sum += point->second * lasts;
    seconds += lasts;
  }
  return points.empty() ? 0 : sum / seconds;
}

// The range between the units for the lowest and for the highest load.
AutoScaling ScalingFor(const Rates& rates) {
  AutoScaling scaling;
  for (const AccessKind kind : kKinds) {
    if (rates[kind].empty()) continue;
    ScalingRule& rule = scaling.rules[kind].emplace();
    const auto [least, most] = std::minmax_element(rates[kind].begin(), rates[kind].end());
    const auto units = [&rule](double rate) {
      return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(rate / rule.target)));
    };
    rule.minimum = units(*least);
    rule.maximum = units(*most);
  }
  return scaling;
}

// The provisioned units of one kind, minute by minute, and the consumption that they do not serve.
class Service {
 public:
  void Take(double units, double rate, int64_t seconds) {
    const double asked = rate * static_cast<double>(seconds);
    const double given = units * static_cast<double>(seconds);
    const double served = std::min(asked, given + saved_);
    saved_ = std::clamp(saved_ + given - served, 0.0, kBurstSeconds * units);
    asked_ += asked;
    served_ += served;
  }
  double part_not_served() const { return asked_ == 0 ? 0 : 1 - served_ / asked_; }

 private:
  double saved_ = 0;
  double asked_ = 0;
  double served_ = 0;
};

// The units that auto scaling provisions, by minutes, and the consumption for which it is too late.
PerKind<std::vector<double>> Scale(const Rates& rates, int64_t period, ResourceBill* bill) {
  const AutoScaling scaling = ScalingFor(rates);
  PerKind<int64_t> units;
  for (const AccessKind kind : kKinds) {
    // Begins in the state that a load like the first one leaves.
    const ScalingRule& rule = *scaling.rules[kind];
    units[kind] = std::clamp(static_cast<int64_t>(std::ceil(rates[kind].front() / rule.target)),
                             rule.minimum, rule.maximum);
  }
  AutoScaler scaler(scaling, units);
  PerKind<Service> service;
  PerKind<std::vector<double>> scaled;
  Micros now = 0;
  const int64_t step = std::min(period, kSecondsPerMinute);
  for (size_t i = 0; i < rates.read.size(); ++i) {
    for (int64_t second = 0; second < period; second += step) {
      PerKind<double> consumed;
      for (const AccessKind kind : kKinds) {
        const double rate = rates[kind][i];
        consumed[kind] = rate * static_cast<double>(kSecondsPerMinute);
        scaled[kind].push_back(static_cast<double>(scaler.units()[kind]));
        service[kind].Take(scaled[kind].back(), rate, step);
      }
      now += step * kSecond;
      if (now % kMinute == 0) scaler.CloseMinute(now, consumed);
      scaler.Advance(now);
    }
  }
  for (const AccessKind kind : kKinds) {
    bill->use[kind].scaled = Mean(scaled[kind]);
    bill->use[kind].not_served = service[kind].part_not_served();
  }
  return scaled;
}

ResourceBill BillResource(const std::string& name, const ResourceMetrics& resource,
                          const Rates& rates, int64_t period, bool infrequent_access,
                          const PriceList& prices) {
  ResourceBill bill;
  bill.name = name;
  MonthlyUse month = {.resource = name, .infrequent_access = infrequent_access};
  MonthlyUse present = month;
  for (const AccessKind kind : kKinds) {
    KindUse& use = bill.use[kind];
    use.mean = Mean(rates[kind]);
    use.peak = *std::max_element(rates[kind].begin(), rates[kind].end());
    for (const auto& [second, events] : resource.throttled[kind]) use.throttled += events;
    use.provisioned = MeanOverTime(resource.provisioned[kind], period);
    month.consumed[kind] = use.mean * kSecondsPerHour * prices.hours_month;
    month.unit_hours[kind] = std::max(1.0, std::ceil(use.peak)) * prices.hours_month;
    present.unit_hours[kind] = use.provisioned * prices.hours_month;
  }
  bill.on_demand = SumLines(OnDemandLines(month, prices)).value_or(0);
  bill.provisioned = SumLines(ProvisionedLines(month, prices)).value_or(0);
  const BillLines as_provisioned = ProvisionedLines(present, prices);
  if (!as_provisioned.empty()) bill.present = SumLines(as_provisioned);
  return bill;
}

// Adds the minutes of one resource to those of all.
void AddTo(const std::vector<double>& minutes, std::vector<double>* all) {
  all->resize(minutes.size());
  for (size_t i = 0; i < minutes.size(); ++i) (*all)[i] += minutes[i];
}

// Reserves blocks while the next one is used so often that it costs less reserved.
Commitment CommitTo(const ReservedPrice& reserved, const PerKind<std::vector<double>>& scaled,
                    const PriceList& prices) {
  Commitment commitment;
  commitment.term = reserved.term;
  for (const AccessKind kind : kKinds) {
    const double unit_hour = prices.unit_hour[kind].value_or(0);
    const auto minutes = static_cast<double>(scaled[kind].size());
    std::map<double, double> parts;  // of the time, by units
    for (const double units : scaled[kind]) parts[units] += 1 / minutes;
    std::vector<UnitLevel> levels;
    levels.reserve(parts.size());
    for (const auto& [units, part] : parts) levels.push_back({part, units});
    commitment.units[kind] = CountPayingUnits(levels, reserved.WholeHour(kind), unit_hour);
    double above = 0;
    for (const UnitLevel& level : levels) {
      above +=
          level.part * std::max(0.0, level.units - static_cast<double>(commitment.units[kind]));
    }
    const int64_t whole_blocks = commitment.units[kind] / kReservedUnits;
    const auto blocks = static_cast<double>(whole_blocks);
    commitment.upfront += blocks * reserved.upfront[kind];
    commitment.month +=
        prices.hours_month * (blocks * reserved.WholeHour(kind) + above * unit_hour);
  }
  return commitment;
}

absl::Status CheckPeriods(const Metrics& metrics) {
  const bool has_use =
      std::any_of(metrics.resources.begin(), metrics.resources.end(), [](const auto& resource) {
        return !resource.second.consumed.read.empty() || !resource.second.consumed.write.empty();
      });
  if (!has_use) return absl::InvalidArgumentError(ToAbsl(messages::LabBillNothingConsumed()));
  const int64_t period = metrics.period();
  if (period == 0) return absl::InvalidArgumentError(ToAbsl(messages::LabBillOnePoint()));
  const int64_t begin = metrics.begin();
  if ((metrics.end() - begin) / period > kBilledPeriodsMax) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabBillTooLong(kBilledPeriodsMax)));
  }
  for (const auto& [name, resource] : metrics.resources) {
    for (const AccessKind kind : kKinds) {
      for (const auto& [second, units] : resource.consumed[kind]) {
        if ((second - begin) % period == 0) continue;
        return absl::InvalidArgumentError(ToAbsl(messages::LabBillUneven(name)));
      }
    }
  }
  return absl::OkStatus();
}

// The table of the table or index `name`; nullptr if `tables` do not have it.
const TableDesign* FindTable(const std::vector<TableDesign>& tables, std::string_view name) {
  name = name.substr(0, name.find('/'));
  for (const TableDesign& table : tables) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

absl::Status CheckTables(const std::vector<TableDesign>& tables, const Metrics& metrics) {
  std::vector<std::string> names;
  for (const auto& [name, resource] : metrics.resources) names.push_back(name);
  const auto check = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return absl::OkStatus();
    return absl::NotFoundError(
        ToAbsl(messages::LabBillNotMeasured(name, NearestWord(name, names))));
  };
  for (const TableDesign& table : tables) {
    DYNOLITH_RETURN_IF_ERROR(check(table.name));
    for (const IndexDesign& index : table.indexes) {
      DYNOLITH_RETURN_IF_ERROR(check(Concat(table.name, "/", index.name)));
    }
  }
  return absl::OkStatus();
}

// The storage and the paid features of a table and its indexes.
BillLines LinesBeside(const TableDesign& table, const std::vector<ResourceBill>& measured,
                      const PriceList& prices) {
  BillLines lines;
  const auto add = [&lines](const BillLines& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  TableUse use;
  const auto month_of = [&](const std::string& name, int64_t bytes) {
    MonthlyUse month = {.resource = name,
                        .infrequent_access = table.infrequent_access,
                        .gigabytes = static_cast<double>(bytes) / kBytesOfGigabyte};
    const auto one = std::find_if(measured.begin(), measured.end(),
                                  [&name](const auto& each) { return each.name == name; });
    use.on_demand = use.on_demand && !one->present;
    for (const AccessKind kind : kKinds) {
      month.consumed[kind] = one->use[kind].mean * kSecondsPerHour * prices.hours_month;
      month.unit_hours[kind] = one->use[kind].provisioned * prices.hours_month;
    }
    month.replicated = month.consumed.write;
    add(StorageLines(month, prices));
    return month;
  };
  use.month = month_of(table.name, table.bytes);
  for (const IndexDesign& index : table.indexes) {
    const MonthlyUse month = month_of(Concat(table.name, "/", index.name), index.bytes.value_or(0));
    use.indexes.gigabytes += month.gigabytes;
    use.indexes.replicated += month.replicated;
    for (const AccessKind kind : kKinds) {
      use.indexes.consumed[kind] += month.consumed[kind];
      use.indexes.unit_hours[kind] += month.unit_hours[kind];
    }
  }
  add(FeatureLines(table, use, prices));
  return lines;
}

// One table and its indexes in this class.
ClassBill BillClass(const TableDesign& table, bool infrequent_access,
                    const std::vector<ResourceBill>& measured, const PriceList& prices) {
  ClassBill bill = {.table = table.name,
                    .infrequent_access = infrequent_access,
                    .is_present = table.infrequent_access == infrequent_access};
  MonthlyUse all = {.infrequent_access = infrequent_access};
  for (const ResourceBill& one : measured) {
    if (one.name.substr(0, one.name.find('/')) != table.name) continue;
    for (const AccessKind kind : kKinds) {
      all.consumed[kind] += one.use[kind].mean * kSecondsPerHour * prices.hours_month;
      all.unit_hours[kind] += one.use[kind].scaled * prices.hours_month;
    }
  }
  int64_t bytes = table.bytes;
  for (const IndexDesign& index : table.indexes) bytes += index.bytes.value_or(0);
  all.gigabytes = static_cast<double>(bytes) / kBytesOfGigabyte;
  bill.on_demand = SumKnownLines(OnDemandLines(all, prices));
  bill.scaled = SumKnownLines(ProvisionedLines(all, prices));
  bill.storage = SumKnownLines(StorageLines(all, prices));
  return bill;
}

// Both classes of each table of known storage.
std::vector<ClassBill> BillClasses(const std::vector<TableDesign>& tables,
                                   const std::vector<ResourceBill>& measured,
                                   const PriceList& prices) {
  std::vector<ClassBill> classes;
  if (!prices.infrequent_requests || !prices.infrequent_storage) return classes;
  for (const TableDesign& table : tables) {
    if (table.bytes == 0) continue;
    for (const bool infrequent_access : {false, true}) {
      classes.push_back(BillClass(table, infrequent_access, measured, prices));
    }
  }
  return classes;
}

// The storage from which on the other class is cheaper, for tables without a stated class.
double InfrequentFrom(const Bill& bill, const PriceList& prices) {
  const double saved_gb =
      prices.storage_gb_month.value_or(0) * (1 - prices.infrequent_storage.value_or(1));
  if (saved_gb <= 0 || !prices.infrequent_requests) return 0;
  return bill.on_demand * (*prices.infrequent_requests - 1) / saved_gb;
}

bool IsReplicated(const TableDesign* table) {
  return table != nullptr && !table->paid.replicas.empty();
}

// Reservations are not for tables of the other class, nor for the replicated writes of a table;
// those of its indexes are as others (developer guide, global-tables-billing.html).
bool CanReserve(const TableDesign* table, std::string_view name, AccessKind kind) {
  if (table != nullptr && table->infrequent_access) return false;
  const bool is_index = name.find('/') != std::string_view::npos;
  return kind == AccessKind::kRead || is_index || !IsReplicated(table);
}

}  // namespace

absl::StatusOr<Bill> MakeBill(const Metrics& metrics, const PriceList& prices,
                              const std::vector<TableDesign>& tables) {
  DYNOLITH_RETURN_IF_ERROR(CheckPeriods(metrics));
  DYNOLITH_RETURN_IF_ERROR(CheckTables(tables, metrics));
  DYNOLITH_RETURN_IF_ERROR(CheckComparable(prices, tables));
  Bill bill = {.begin = metrics.begin(), .end = metrics.end(), .period = metrics.period()};
  PerKind<std::vector<double>> scaled;
  double not_reserved = 0;
  for (const auto& [name, resource] : metrics.resources) {
    const Rates rates = ToRates(resource, metrics);
    const TableDesign* const table = FindTable(tables, name);
    MonthlyUse month = {.infrequent_access = table != nullptr && table->infrequent_access};
    ResourceBill one =
        BillResource(name, resource, rates, bill.period, month.infrequent_access, prices);
    const PerKind<std::vector<double>> minutes = Scale(rates, bill.period, &one);
    for (const AccessKind kind : kKinds) {
      month.unit_hours[kind] = one.use[kind].scaled * prices.hours_month;
      if (CanReserve(table, name, kind)) {
        AddTo(minutes[kind], &scaled[kind]);
        continue;
      }
      MonthlyUse alone = {.infrequent_access = month.infrequent_access};
      alone.unit_hours[kind] = month.unit_hours[kind];
      not_reserved += SumLines(ProvisionedLines(alone, prices)).value_or(0);
    }
    one.scaled = SumLines(ProvisionedLines(month, prices)).value_or(0);
    one.has_to_scale = IsReplicated(table);
    bill.has_to_scale = bill.has_to_scale || one.has_to_scale;
    bill.on_demand += one.on_demand;
    bill.provisioned += one.provisioned;
    bill.scaled += one.scaled;
    if (one.present) bill.present = bill.present.value_or(0) + *one.present;
    bill.resources.push_back(std::move(one));
  }
  for (const TableDesign& table : tables) {
    const BillLines beside = LinesBeside(table, bill.resources, prices);
    bill.beside.insert(bill.beside.end(), beside.begin(), beside.end());
  }
  bill.classes = BillClasses(tables, bill.resources, prices);
  if (tables.empty()) bill.infrequent_from_gb = InfrequentFrom(bill, prices);
  for (const ReservedPrice& reserved : prices.reserved) {
    if (scaled.read.empty()) break;
    bill.commitments.push_back(CommitTo(reserved, scaled, prices));
    bill.commitments.back().month += not_reserved;
  }
  return bill;
}

}  // namespace dynolith::lab
