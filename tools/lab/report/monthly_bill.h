// What a month costs, position by position. Whoever says what something costs asks here.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_MONTHLY_BILL_H_
#define DYNOLITH_TOOLS_LAB_REPORT_MONTHLY_BILL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/partition/capacity_settings.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// One position of a bill.
struct BillLine {
  std::string resource;  // "orders", "orders/by-status"
  std::string position;  // "writes on demand"
  double quantity = 0;
  std::string_view unit;  // of which there are so many: "million"
  Price price;            // of one
  std::string region;     // where it is paid

  // 0 if there is no price.
  double amount() const { return quantity * price.value_or(0); }
};
using BillLines = std::vector<BillLine>;

// A month of a table or an index.
struct MonthlyUse {
  std::string resource;
  bool infrequent_access = false;
  PerKind<double> consumed;    // units
  double replicated = 0;       // write units that each replica takes
  PerKind<double> unit_hours;  // provisioned
  double gigabytes = 0;
};

// Of a table, as it is given its units.
struct TableUse {
  MonthlyUse month;  // of the table alone
  bool on_demand = true;
  MonthlyUse indexes;  // of its global ones together
};

// Positions of which there is nothing are left out.
BillLines OnDemandLines(const MonthlyUse& use, const PriceList& prices);
BillLines ProvisionedLines(const MonthlyUse& use, const PriceList& prices);
BillLines StorageLines(const MonthlyUse& use, const PriceList& prices);

// What the table pays beside its requests and storage.
BillLines FeatureLines(const TableDesign& table, const TableUse& use, const PriceList& prices);

// nullopt if a position has no price.
Price SumLines(const BillLines& lines);
// Without positions that have none.
double SumKnownLines(const BillLines& lines);

// A month of what a table or an index did in the run, or of all of them, nullopt where a list does
// not say it.
struct MonthlyCost {
  Price on_demand = 0;    // for the units that were consumed
  Price provisioned = 0;  // of what it has, or, on demand, of its busiest minute
  Price storage = 0;

  MonthlyCost& operator+=(const MonthlyCost& other);
};
MonthlyCost ComputeMonthlyCost(const RunResult& run, const ResourceResult& resource,
                               const PriceList& prices);
MonthlyCost ComputeMonthlyCost(const RunResult& run, const PriceList& prices);

// Errors: the month of one names a design that is not among them.
absl::Status CheckMonths(const std::vector<Experiment>& experiments);
// Gives each run the days of others of which its month is composed.
void ComposeMonths(std::vector<RunResult>* runs);

// Those of its experiment's region.
const PriceList& FindPrices(const RunResult& run, const PriceList& prices);

// A month of a run as it is billed, by the prices of its experiment's region.
BillLines MakeBillLines(const RunResult& run, const PriceList& prices);
// The sum of that, without positions that have no price.
double BilledCost(const RunResult& run, const PriceList& prices);
// The same, of one table with its indexes.
double BilledCost(const RunResult& run, size_t table, const PriceList& prices);
// "no price known for storage in us-west-2", of each position.
std::vector<std::string> UnknownPrices(const RunResult& run, const PriceList& prices);
// Appends a sentence, without a period, for each of these that is not there yet.
void AddUnknownPrices(const RunResult& run, const PriceList& prices,
                      std::vector<std::string>* doubts);

// Once, of what a table on demand and its indexes are warmed for.
double WarmCost(const TableDesign& table, const PriceList& prices);
// A month of requests with the most that the owner of a table on demand allows for it and its
// indexes; 0 if there is something without a maximum.
double MostCost(const TableDesign& table, const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_MONTHLY_BILL_H_
