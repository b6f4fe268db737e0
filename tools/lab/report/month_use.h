// What tables and indexes use in a month of which a run is a part.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_MONTH_USE_H_
#define DYNOLITH_TOOLS_LAB_REPORT_MONTH_USE_H_

#include <string>

#include "engine/partition/capacity_settings.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

inline constexpr double kBytesOfGigabyte = 1 << 30;
inline constexpr double kSecondsOfHour = 3'600;

// The monthly use of a table or an index.
struct MonthlyUse {
  std::string resource;
  bool infrequent_access = false;
  PerKind<double> consumed;    // units
  double replicated = 0;       // write units that each replica consumes
  PerKind<double> unit_hours;  // provisioned
  double gigabytes = 0;
};

// A day like the run itself.
DayUse OwnDay(const RunResult& run, const ResourceResult& resource);
// A day of this kind: of the run's load, or of the run of another design.
DayUse MakeDayUse(const RunResult& run, const ResourceResult& resource, const DayKind& kind);

// The parts of a month that are weekdays and days of a weekend.
inline constexpr double kWeekdayPart = 5.0 / 7;
inline constexpr double kWeekendPart = 2.0 / 7;
inline double MeanDay(double weekday, double weekend) {
  return kWeekdayPart * weekday + kWeekendPart * weekend;
}

// For a table on demand, provisioned units are those of its busiest minute.
MonthlyUse MakeMonthlyUse(const RunResult& run, const ResourceResult& resource,
                          const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_MONTH_USE_H_
