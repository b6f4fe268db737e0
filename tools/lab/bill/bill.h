// What a measured load costs in a month, by each way to pay for it.
#ifndef DYNOLITH_TOOLS_LAB_BILL_BILL_H_
#define DYNOLITH_TOOLS_LAB_BILL_BILL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lab/bill/metrics.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/price_list.h"

namespace dynolith::lab {

// Of one kind of units.
struct KindUse {
  double mean = 0;         // units a second
  double peak = 0;         // of the busiest period
  double throttled = 0;    // events
  double provisioned = 0;  // on average, if that was measured
  double scaled = 0;       // on average, under auto scaling
  double not_served = 0;   // part of the units that auto scaling would have been too late for
};

// Of one table or index, a month.
struct ResourceBill {
  std::string name;
  PerKind<KindUse> use;
  double on_demand = 0;
  double provisioned = 0;         // for the busiest period, all the time
  double scaled = 0;              // provisioned, with auto scaling
  std::optional<double> present;  // for the units that were provisioned, if that was measured
};

// A number of blocks of reserved units for a term; what they save is already off.
struct Commitment {
  std::string term;
  PerKind<int64_t> units;
  double upfront = 0;
  double month = 0;  // of all: the reservation with its upfront, and what is scaled above it
};

struct Bill {
  int64_t begin = 0;  // seconds of the Unix epoch
  int64_t end = 0;
  int64_t period = 0;  // seconds
  std::vector<ResourceBill> resources;
  double on_demand = 0;
  double provisioned = 0;
  double scaled = 0;
  std::optional<double> present;
  // Class Standard-IA instead, on demand: pays from so many GB of storage on.
  double infrequent_from_gb = 0;
  std::vector<Commitment> commitments;
  BillLines beside;  // storage and more, whichever way requests are paid
};

// `tables` say how much is stored, the class, and what is paid beside; those that are not among
// them are of class Standard. Errors: kInvalidArgument if nothing was consumed, or the points do
// not lie in periods; CheckComparable.
absl::StatusOr<Bill> MakeBill(const Metrics& metrics, const PriceList& prices,
                              const std::vector<TableDesign>& tables = {});

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_BILL_BILL_H_
