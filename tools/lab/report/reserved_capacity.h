// Reserved capacity: how much of it pays for provisioned units, and how much of these it covers.
// Reserved units count, moment by moment, for all tables of class Standard in the region together.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_RESERVED_CAPACITY_H_
#define DYNOLITH_TOOLS_LAB_REPORT_RESERVED_CAPACITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/partition/capacity_settings.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Units that are provisioned for a part of the time.
struct UnitLevel {
  double part = 0;  // from 0 to 1; those of all levels are 1 together
  double units = 0;
};

// Returns whole blocks: as many as cost less reserved than their use otherwise would. `hour`: the
// price of a block for an hour; `unit_hour`: that of a provisioned unit.
int64_t CountPayingUnits(const std::vector<UnitLevel>& levels, double hour, double unit_hour);

// Reserved units, and what they are for a month of a run.
struct ReservedUse {
  std::string term;
  PerKind<int64_t> units;
  double upfront = 0;       // paid once, at the start of the term
  PerKind<double> covered;  // of the provisioned units, from 0 to 1; 0 if there are none
  PerKind<double> used;     // of the reserved units, from 0 to 1; 0 if there are none
  // By the tables and indexes of the run: the part of its provisioned units that is not covered.
  std::vector<PerKind<double>> above;
};

// Whether what is on demand counts as provisioned for its busiest minute.
enum class OnDemandAs : uint8_t { kItself, kProvisioned };

// nullopt if the list of the run's region has no such term.
std::optional<ReservedUse> UseReserved(const RunResult& run, const ReservedCapacity& reserved,
                                       const PriceList& prices,
                                       OnDemandAs on_demand = OnDemandAs::kItself);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_RESERVED_CAPACITY_H_
