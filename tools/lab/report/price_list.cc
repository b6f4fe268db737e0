#include "tools/lab/report/price_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/experiment/toml_reader.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kPricedKinds[] = {AccessKind::kRead, AccessKind::kWrite};
constexpr double kBytesOfGigabyte = 1 << 30;

std::vector<ReservedPrice> ReadReserved(TomlTable* terms) {
  constexpr double kYearsMax = 10;
  std::vector<ReservedPrice> reserved;
  for (const auto& [key, node] : terms->table()) {
    std::optional<TomlTable> term = terms->Table(key.str());
    if (!term) continue;
    ReservedPrice& price = reserved.emplace_back();
    price.term = std::string(key.str());
    std::replace(price.term.begin(), price.term.end(), '-', ' ');
    const auto read = [&term](std::string_view name, double* target) {
      term->Need(name, "what 100 units cost");
      term->Number(name, target, 0, std::numeric_limits<double>::infinity());
    };
    term->Need("years", "how long the term is");
    term->Number("years", &price.years, 0.1, kYearsMax);
    read("write_upfront", &price.upfront.write);
    read("read_upfront", &price.upfront.read);
    read("write_hour", &price.hour.write);
    read("read_hour", &price.hour.read);
    term->RefuseUnknown();
  }
  return reserved;
}

}  // namespace

absl::StatusOr<PriceList> ParsePriceList(const std::string& file, std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const toml::table document, ParseToml(file, text));
  TomlErrors errors(file);
  TomlTable root(document, "", &errors);
  PriceList prices;
  std::optional<TomlTable> table = root.Table("prices");
  if (!table) root.Error(messages::LabNeedsSome("list of prices", "[prices]"));
  root.RefuseUnknown();
  if (table) {
    const auto price = [&table](std::string_view name, double* target) {
      table->Need(name, "what it costs, such as 0.25");
      table->Number(name, target, 0, std::numeric_limits<double>::infinity());
    };
    table->Need("region", "where these prices are paid");
    table->Text("region", &prices.region);
    table->Need("date", "of which these prices are");
    table->Text("date", &prices.date);
    table->Text("currency", &prices.currency);
    price("write_million", &prices.million.write);
    price("read_million", &prices.million.read);
    price("write_unit_hour", &prices.unit_hour.write);
    price("read_unit_hour", &prices.unit_hour.read);
    price("storage_gb_month", &prices.storage_gb_month);
    prices.warm_unit = prices.unit_hour;
    constexpr double kWarmMax = 1e6;
    table->Number("warm_write_unit", &prices.warm_unit.write, 0, kWarmMax);
    table->Number("warm_read_unit", &prices.warm_unit.read, 0, kWarmMax);
    constexpr double kFactorMax = 100;
    table->Number("infrequent_requests", &prices.infrequent_requests, 0, kFactorMax);
    table->Number("infrequent_storage", &prices.infrequent_storage, 0, kFactorMax);
    table->Number("hours_month", &prices.hours_month, 1, 1'000);
    if (std::optional<TomlTable> terms = table->Table("reserved")) {
      prices.reserved = ReadReserved(&*terms);
    }
    table->RefuseUnknown();
  }
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  return prices;
}

MonthlyCost& MonthlyCost::operator+=(const MonthlyCost& other) {
  on_demand += other.on_demand;
  provisioned += other.provisioned;
  storage += other.storage;
  return *this;
}

MonthlyCost CostOf(const RunResult& run, const ResourceResult& resource, const PriceList& prices) {
  const Throughput& given = run.given_to(resource);
  const bool infrequent = run.experiment.tables[resource.table].infrequent_access;
  const double requests = infrequent ? prices.infrequent_requests : 1;
  MonthlyCost cost;
  for (const AccessKind kind : kPricedKinds) {
    const double units_month = run.rate_of(resource.units[kind]) * 3'600 * prices.hours_month;
    cost.on_demand += requests * units_month / 1e6 * prices.million[kind];
    const double units =
        given.on_demand ? std::ceil(resource.peak_minute[kind]) : resource.provisioned[kind];
    cost.provisioned += requests * units * prices.hours_month * prices.unit_hour[kind];
  }
  if (!resource.moments.empty()) {
    cost.storage = static_cast<double>(resource.moments.back().bytes) / kBytesOfGigabyte *
                   prices.storage_gb_month * (infrequent ? prices.infrequent_storage : 1);
  }
  return cost;
}

MonthlyCost CostOf(const RunResult& run, const PriceList& prices) {
  MonthlyCost sum;
  for (const ResourceResult& resource : run.resources) sum += CostOf(run, resource, prices);
  return sum;
}

double WarmCost(const TableDesign& table, const PriceList& prices) {
  const PerKind<int64_t> first = {kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits};
  double sum = 0;
  const auto add = [&](const Throughput& throughput) {
    for (const AccessKind kind : kPricedKinds) {
      const int64_t more = throughput.warm[kind].value_or(0) - first[kind];
      if (throughput.on_demand && more > 0) {
        sum += static_cast<double>(more) * prices.warm_unit[kind];
      }
    }
  };
  add(table.throughput);
  for (const IndexDesign& index : table.indexes) add(index.throughput);
  return sum;
}

double MostCost(const TableDesign& table, const PriceList& prices) {
  double sum = 0;
  bool is_bounded = true;
  const auto add = [&](const Throughput& throughput) {
    for (const AccessKind kind : kPricedKinds) {
      is_bounded = is_bounded && throughput.on_demand && throughput.maximum[kind];
      sum += static_cast<double>(throughput.maximum[kind].value_or(0)) * 3'600 *
             prices.hours_month / 1e6 * prices.million[kind];
    }
  };
  add(table.throughput);
  for (const IndexDesign& index : table.indexes) add(index.throughput);
  return is_bounded ? sum * (table.infrequent_access ? prices.infrequent_requests : 1) : 0;
}

double BilledCost(const RunResult& run, const PriceList& prices) {
  double sum = 0;
  for (const ResourceResult& resource : run.resources) {
    sum += CostOf(run, resource, prices).billed(run.given_to(resource).on_demand);
  }
  return sum;
}

}  // namespace dynolith::lab
