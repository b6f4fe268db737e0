// What a run would cost in a month: one file of prices, and what was consumed.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_PRICE_LIST_H_
#define DYNOLITH_TOOLS_LAB_REPORT_PRICE_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/partition/capacity_settings.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Reserved capacity is bought in blocks of so many units, of tables of class Standard.
inline constexpr int64_t kReservedUnits = 100;
inline constexpr double kHoursPerYear = 8'760;

// Of one block for a term.
struct ReservedPrice {
  std::string term;
  double years = 1;
  PerKind<double> upfront;
  PerKind<double> hour;
};

struct PriceList {
  std::string region;
  std::string date;  // of which the prices are
  std::string currency;
  PerKind<double> million;    // request units on demand
  PerKind<double> unit_hour;  // provisioned
  // Once, for each unit a second that a table on demand is warmed for; as an hour of it provisioned
  // if a list does not say it.
  PerKind<double> warm_unit;
  double storage_gb_month = 0;
  // Of tables for infrequent access, what costs the same in both classes if a list does not say it.
  double infrequent_requests = 1;
  double infrequent_storage = 1;
  double hours_month = 730;
  std::vector<ReservedPrice> reserved;  // by the names of their terms
};

// `file` is for messages. Errors: as ParseExperiment.
absl::StatusOr<PriceList> ParsePriceList(const std::string& file, std::string_view text);

// A month of what a table or an index did in the run, or of all of them.
struct MonthlyCost {
  double on_demand = 0;    // for the units that were consumed
  double provisioned = 0;  // of what it has, or, on demand, of its busiest minute
  double storage = 0;

  MonthlyCost& operator+=(const MonthlyCost& other);
  // As it is billed.
  double billed(bool is_on_demand) const {
    return storage + (is_on_demand ? on_demand : provisioned);
  }
};
MonthlyCost CostOf(const RunResult& run, const ResourceResult& resource, const PriceList& prices);
// Once, of what a table on demand and its indexes are warmed for.
double WarmCost(const TableDesign& table, const PriceList& prices);
// A month of requests with the most that the owner of a table on demand allows for it and its
// indexes; 0 if there is something without a maximum.
double MostCost(const TableDesign& table, const PriceList& prices);
// Of all, as they are billed.
double BilledCost(const RunResult& run, const PriceList& prices);
MonthlyCost CostOf(const RunResult& run, const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_PRICE_LIST_H_
