#include "tools/lab/report/monthly_bill.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/limits.h"
#include "tools/lab/report/messages.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kPricedKinds[] = {AccessKind::kWrite, AccessKind::kRead};
constexpr double kBytesOfGigabyte = 1 << 30;
constexpr double kMillion = 1e6;
constexpr double kSecondsOfHour = 3'600;

Price Times(const Price& left, const Price& right) {
  return left && right ? Price(*left * *right) : std::nullopt;
}

Price ForClass(const Price& standard, bool infrequent_access, const Price& factor) {
  return infrequent_access ? Times(standard, factor) : standard;
}

void AddLine(BillLine line, const PriceList& prices, BillLines* lines) {
  if (line.quantity <= 0) return;
  line.region = prices.region;
  lines->push_back(std::move(line));
}

// On demand, as many units are provisioned as its busiest minute needs.
MonthlyUse UseOf(const RunResult& run, const ResourceResult& resource, const PriceList& prices) {
  const Throughput& given = run.given_to(resource);
  MonthlyUse use = {.resource = resource.name,
                    .infrequent_access = run.experiment.tables[resource.table].infrequent_access};
  for (const AccessKind kind : kPricedKinds) {
    use.consumed[kind] = run.rate_of(resource.units[kind]) * kSecondsOfHour * prices.hours_month;
    const double units =
        given.on_demand ? std::ceil(resource.peak_minute[kind]) : resource.provisioned[kind];
    use.unit_hours[kind] = units * prices.hours_month;
  }
  if (!resource.moments.empty()) {
    use.gigabytes = static_cast<double>(resource.moments.back().bytes) / kBytesOfGigabyte;
  }
  return use;
}

void Append(BillLines more, BillLines* lines) {
  lines->insert(lines->end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

BillLines BillOfResource(const RunResult& run, const ResourceResult& resource,
                         const PriceList& prices) {
  const MonthlyUse use = UseOf(run, resource, prices);
  BillLines lines =
      run.given_to(resource).on_demand ? OnDemandLines(use, prices) : ProvisionedLines(use, prices);
  Append(StorageLines(use, prices), &lines);
  return lines;
}

double KnownSumOf(const BillLines& lines) {
  double sum = 0;
  for (const BillLine& line : lines) sum += line.amount();
  return sum;
}

}  // namespace

BillLines OnDemandLines(const MonthlyUse& use, const PriceList& prices) {
  BillLines lines;
  for (const AccessKind kind : kPricedKinds) {
    AddLine({.resource = use.resource,
             .position = messages::LabOnDemandPosition(kind == AccessKind::kWrite),
             .quantity = use.consumed[kind] / kMillion,
             .unit = "million",
             .price =
                 ForClass(prices.million[kind], use.infrequent_access, prices.infrequent_requests)},
            prices, &lines);
  }
  return lines;
}

BillLines ProvisionedLines(const MonthlyUse& use, const PriceList& prices) {
  BillLines lines;
  for (const AccessKind kind : kPricedKinds) {
    AddLine({.resource = use.resource,
             .position = messages::LabProvisionedPosition(kind == AccessKind::kWrite),
             .quantity = use.unit_hours[kind],
             .unit = "hours",
             .price = ForClass(prices.unit_hour[kind], use.infrequent_access,
                               prices.infrequent_requests)},
            prices, &lines);
  }
  return lines;
}

BillLines StorageLines(const MonthlyUse& use, const PriceList& prices) {
  BillLines lines;
  AddLine({.resource = use.resource,
           .position = "storage",
           .quantity = use.gigabytes,
           .unit = "GB",
           .price =
               ForClass(prices.storage_gb_month, use.infrequent_access, prices.infrequent_storage)},
          prices, &lines);
  return lines;
}

Price SumOf(const BillLines& lines) {
  Price sum = 0;
  for (const BillLine& line : lines) {
    sum = sum && line.price ? Price(*sum + line.amount()) : std::nullopt;
  }
  return sum;
}

MonthlyCost& MonthlyCost::operator+=(const MonthlyCost& other) {
  const auto add = [](Price* sum, const Price& more) {
    *sum = *sum && more ? Price(**sum + *more) : std::nullopt;
  };
  add(&on_demand, other.on_demand);
  add(&provisioned, other.provisioned);
  add(&storage, other.storage);
  return *this;
}

MonthlyCost CostOf(const RunResult& run, const ResourceResult& resource,
                   const PriceList& all_prices) {
  const PriceList& prices = PricesOf(run, all_prices);
  const MonthlyUse use = UseOf(run, resource, prices);
  return {.on_demand = SumOf(OnDemandLines(use, prices)),
          .provisioned = SumOf(ProvisionedLines(use, prices)),
          .storage = SumOf(StorageLines(use, prices))};
}

MonthlyCost CostOf(const RunResult& run, const PriceList& prices) {
  MonthlyCost sum;
  for (const ResourceResult& resource : run.resources) sum += CostOf(run, resource, prices);
  return sum;
}

const PriceList& PricesOf(const RunResult& run, const PriceList& prices) {
  const PriceList* const found = prices.Of(run.experiment.region);
  return found == nullptr ? prices : *found;
}

BillLines BillOf(const RunResult& run, const PriceList& all_prices) {
  const PriceList& prices = PricesOf(run, all_prices);
  BillLines lines;
  for (const ResourceResult& resource : run.resources) {
    Append(BillOfResource(run, resource, prices), &lines);
  }
  return lines;
}

double BilledCost(const RunResult& run, const PriceList& prices) {
  return KnownSumOf(BillOf(run, prices));
}

double BilledCost(const RunResult& run, size_t table, const PriceList& all_prices) {
  const PriceList& prices = PricesOf(run, all_prices);
  double sum = 0;
  for (const ResourceResult& resource : run.resources) {
    if (resource.table == table) sum += KnownSumOf(BillOfResource(run, resource, prices));
  }
  return sum;
}

std::vector<std::string> UnknownPrices(const RunResult& run, const PriceList& prices) {
  std::vector<std::string> sentences;
  for (const BillLine& line : BillOf(run, prices)) {
    if (line.price) continue;
    std::string sentence = messages::LabNoPrice(line.position, line.region);
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
      sentences.push_back(std::move(sentence));
    }
  }
  return sentences;
}

void AddUnknownPrices(const RunResult& run, const PriceList& prices,
                      std::vector<std::string>* doubts) {
  for (const std::string& unknown : UnknownPrices(run, prices)) {
    std::string doubt = messages::LabNotInSum(unknown);
    const bool is_known = std::find(doubts->begin(), doubts->end(), doubt) != doubts->end();
    if (!is_known) doubts->push_back(std::move(doubt));
  }
}

double WarmCost(const TableDesign& table, const PriceList& prices) {
  const PerKind<int64_t> first = {kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits};
  double sum = 0;
  const auto add = [&](const Throughput& throughput) {
    for (const AccessKind kind : kPricedKinds) {
      const int64_t more = throughput.warm[kind].value_or(0) - first[kind];
      if (throughput.on_demand && more > 0) {
        sum += static_cast<double>(more) * prices.warm_unit[kind].value_or(0);
      }
    }
  };
  add(table.throughput);
  for (const IndexDesign& index : table.indexes) add(index.throughput);
  return sum;
}

double MostCost(const TableDesign& table, const PriceList& prices) {
  bool is_bounded = true;
  MonthlyUse most = {.infrequent_access = table.infrequent_access};
  const auto add = [&](const Throughput& throughput) {
    for (const AccessKind kind : kPricedKinds) {
      is_bounded = is_bounded && throughput.on_demand && throughput.maximum[kind];
      most.consumed[kind] += static_cast<double>(throughput.maximum[kind].value_or(0)) *
                             kSecondsOfHour * prices.hours_month;
    }
  };
  add(table.throughput);
  for (const IndexDesign& index : table.indexes) add(index.throughput);
  return is_bounded ? SumOf(OnDemandLines(most, prices)).value_or(0) : 0;
}

}  // namespace dynolith::lab
