// The monthly cost of a measured load, for each billing mode.
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

// The use of one kind of units.
struct KindUse {
  double mean = 0;         // units a second
  double peak = 0;         // of the busiest period
  double throttled = 0;    // events
  double provisioned = 0;  // on average, if that was measured
  double scaled = 0;       // on average, under auto scaling
  double not_served = 0;   // part of the units for which auto scaling would have come too late
};

// The monthly costs of one table or index.
struct ResourceBill {
  std::string name;
  PerKind<KindUse> use;
  double on_demand = 0;
  double provisioned = 0;         // constant units, enough for the busiest period
  double scaled = 0;              // provisioned, with auto scaling
  std::optional<double> present;  // for the provisioned units, if these were measured
  // Of a table with replicas, whose provisioned write units have to be scaled: `provisioned` is no
  // way to pay for it.
  bool has_to_scale = false;
};

// A purchase of reserved units for a term, whose savings are already subtracted.
struct Commitment {
  std::string term;
  PerKind<int64_t> units;
  double upfront = 0;
  double month = 0;  // of everything: the reservation with its upfront, and scaled units above it
};

// The monthly costs of a table of known storage with its indexes, in one class.
struct ClassBill {
  std::string table;
  bool infrequent_access = false;
  bool is_present = false;  // whether it is the table's own class
  double on_demand = 0;
  double scaled = 0;
  double storage = 0;
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
  bool has_to_scale = false;  // some of them
  // The storage in GB from which on class Standard-IA is cheaper, on demand; 0 if storage is known.
  double infrequent_from_gb = 0;
  std::vector<ClassBill> classes;  // of each table of known storage, if both classes have prices
  std::vector<Commitment> commitments;
  BillLines beside;  // storage and features, which do not depend on the billing mode
};

// `tables` give the stored bytes, the class and the paid features; other tables are of class
// Standard. Errors: kInvalidArgument if nothing was consumed, or the points do not fit periods;
// those of CheckComparable.
absl::StatusOr<Bill> MakeBill(const Metrics& metrics, const PriceList& prices,
                              const std::vector<TableDesign>& tables = {});

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_BILL_BILL_H_
