// Computes monthly costs, position by position. All texts that name a cost use this computation.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_MONTHLY_BILL_H_
#define DYNOLITH_TOOLS_LAB_REPORT_MONTHLY_BILL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/partition/capacity_settings.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/report/month_use.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/report/reserved_capacity.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// One position of a bill.
struct BillLine {
  std::string resource;  // "orders", "orders/by-status"
  std::string position;  // "writes on demand"
  double quantity = 0;
  std::string_view unit;  // of the quantity: "million"
  Price price;            // of one unit
  std::string region;     // in which it is paid

  // 0 if there is no price.
  double amount() const { return quantity * price.value_or(0); }
};
using BillLines = std::vector<BillLine>;

// The use of a table, and its billing mode.
struct TableUse {
  MonthlyUse month;  // of the table alone
  bool on_demand = true;
  MonthlyUse indexes;  // of its global ones together
  // Bytes of its vector indexes: stored, and in a month written and searched.
  double vectors_stored = 0;
  double vectors_written = 0;
  double vectors_searched = 0;
  double stream_calls = 0;  // of GetRecords that are paid, a second
};

// Positions with a quantity of 0 are omitted.
BillLines OnDemandLines(const MonthlyUse& use, const PriceList& prices);
BillLines ProvisionedLines(const MonthlyUse& use, const PriceList& prices);
BillLines StorageLines(const MonthlyUse& use, const PriceList& prices);

// The positions of a table beside its requests and storage.
BillLines FeatureLines(const TableDesign& table, const TableUse& use, const PriceList& prices);

// The sum of all positions; nullopt if one has no price.
Price SumLines(const BillLines& lines);
// The sum of the positions that have a price.
double SumKnownLines(const BillLines& lines);

// The monthly cost of a table or an index, or of all of them, as used in a run; nullopt if the
// price list lacks a price.
struct MonthlyCost {
  Price on_demand = 0;    // for the units that were consumed
  Price provisioned = 0;  // for the provisioned units; on demand, for those of its busiest minute
  Price storage = 0;

  MonthlyCost& operator+=(const MonthlyCost& other);
};
MonthlyCost ComputeMonthlyCost(const RunResult& run, const ResourceResult& resource,
                               const PriceList& prices);
MonthlyCost ComputeMonthlyCost(const RunResult& run, const PriceList& prices);

// Errors: the month of an experiment names a design that does not exist.
absl::Status CheckMonths(const std::vector<Experiment>& experiments);
// Copies into each run the days of the other designs that its month names.
void ComposeMonths(std::vector<RunResult>* runs);

// The prices of the region of the run's experiment.
const PriceList& FindPrices(const RunResult& run, const PriceList& prices);

// The monthly bill of a run, with the prices of its experiment's region.
BillLines MakeBillLines(const RunResult& run, const PriceList& prices);
// The sum of that bill's positions that have a price.
double BilledCost(const RunResult& run, const PriceList& prices);
// The same with other reserved capacity, or with none.
double BilledCost(const RunResult& run, const std::optional<ReservedCapacity>& reserved,
                  const PriceList& prices);
// The same for one table with its indexes, without reserved capacity, which is the account's.
double BilledCost(const RunResult& run, size_t table, const PriceList& prices);

// Reserved capacity, and the monthly cost of the provisioned units of a run with it.
struct ReservedOffer {
  ReservedUse use;
  Price month;
  bool is_chosen = false;  // whether it is the experiment's own
  // Whether what is on demand counts as provisioned for its busiest minute.
  bool all_provisioned = false;
};
// The experiment's reserved capacity as it is billed, and for each term of the prices as much as
// pays if everything is provisioned, if any does.
std::vector<ReservedOffer> ListReserved(const RunResult& run, const PriceList& prices);

// "no price known for storage in us-west-2", one for each position without a price.
std::vector<std::string> UnknownPrices(const RunResult& run, const PriceList& prices);
// For each term of the prices as many units as pay, if any do.
std::vector<ReservedCapacity> ListPayingReserved(const RunResult& run, const PriceList& prices);
// The one of these with which the bill is the least; nullopt if none pays.
std::optional<ReservedCapacity> FindReserved(const RunResult& run, const PriceList& prices);
// Appends a sentence, without a period, for each of these, and for reserved units that cost more
// than they save, that `doubts` does not have yet.
void AddBillDoubts(const RunResult& run, const PriceList& prices, std::vector<std::string>* doubts);

// The one-time price of the warm throughput of a table on demand and its indexes.
double WarmCost(const TableDesign& table, const PriceList& prices);
// The monthly cost if a table on demand and its indexes constantly consume their owner's maxima; 0
// if one of them has no maximum.
double MostCost(const TableDesign& table, const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_MONTHLY_BILL_H_
