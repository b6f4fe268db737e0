// The texts about the cost of a measured load.
#ifndef DYNOLITH_TOOLS_LAB_BILL_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_BILL_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- files of metrics

inline std::string LabBillNoMetrics() {
  return "there are neither MetricDataResults nor Datapoints in it: it must be what aws cloudwatch "
         "get-metric-data or get-metric-statistics has printed, or a table in CSV";
}
inline std::string LabBillColumn(size_t number) { return Concat("column ", number); }
inline std::string LabBillUnknownMetric(std::string_view path, std::string_view label) {
  return Concat(path, ": ", label,
                " is no metric of consumed, provisioned or throttled units; it must be like "
                "\"orders/by-status ConsumedReadCapacityUnits\"");
}
inline std::string LabBillNoTable(std::string_view path, std::string_view label) {
  return Concat(path, ": ", label,
                " does not say of which table or index: give --table, or ask with the queries of "
                "dynolith lab bill --queries");
}
inline std::string LabBillNotATime(std::string_view path) {
  return Concat(path, " must have times such as 2026-11-25T12:00:00Z");
}
inline std::string LabBillUnequal(std::string_view path) {
  return Concat(path, " must be as many as the Values");
}
inline std::string LabBillNothingConsumed() {
  return "no units were consumed, or nobody asked for ConsumedReadCapacityUnits and "
         "ConsumedWriteCapacityUnits: there is nothing to bill";
}
inline std::string LabBillOnePoint() {
  return "there is one point in time, which does not say how long it lasts: ask for more";
}
inline std::string LabBillUneven(std::string_view resource) {
  return Concat("the points of ", resource,
                " do not lie whole periods apart from the others: ask for all with one period");
}
inline std::string LabBillNotMeasured(std::string_view name, std::string_view nearest) {
  return Concat("there are no metrics of ", name,
                nearest.empty() ? std::string() : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabBillTooLong(int64_t most) {
  return Concat("there are more than ", most,
                " periods between the first point and the last one: ask for less time");
}

inline std::string LabBillShortTrace(std::string_view file) {
  return Concat(file,
                " has requests of less than two whole minutes of the clock, too few for a month: "
                "dynolith lab new --from replay repeats them in an experiment, which has a "
                "bill, too");
}

// --- the bill

inline std::string LabBillHead(std::string_view begin, std::string_view end,
                               std::string_view period, std::string_view region,
                               std::string_view date) {
  return Concat("From ", begin, " to ", end, ", by periods of ", period,
                ", as a month of it costs; prices of ", region, ", ", date);
}
inline std::string LabBillCheapest(std::string_view way, std::string_view amount,
                                   std::string_view currency, std::string_view beside) {
  return Concat("Cheapest: ", way, ", ", amount, " ", currency, " a month",
                beside.empty() ? std::string()
                               : Concat(", and ", beside, " ", currency,
                                        " for storage and more, whichever way"));
}
inline std::string LabBillNoPrice(std::string_view no_price) {
  return Concat(no_price, ", so it is in no sum");
}
inline std::string LabBillNotServed(std::string_view resource, std::string_view part) {
  return Concat("auto scaling would be too late for ", part, " of what ", resource, " consumes");
}
inline std::string LabBillCoarse(std::string_view period) {
  return Concat("a period of ", period,
                " hides shorter peaks, so provisioned capacity would cost more: ask for periods of "
                "60 s");
}
inline std::string LabBillThrottled(std::string_view resource, std::string_view events) {
  return Concat(resource, " was throttled ", events,
                " times, so more was asked for than was consumed");
}
inline std::string LabBillReserved(std::string_view term, int64_t writes, int64_t reads,
                                   std::string_view upfront, std::string_view month,
                                   std::string_view currency) {
  return Concat("Reserved for ", term, ": ", writes, " write units and ", reads,
                " read units, the rest with auto scaling: ", month, " ", currency,
                " a month, with the ", upfront, " ", currency,
                " that are paid at its start spread over the term");
}
inline std::string LabBillNothingReserved(std::string_view term) {
  return Concat("Reserved for ", term, ": no 100 units are used often enough");
}
inline std::string LabBillClass(bool infrequent_access, bool is_present) {
  return Concat(infrequent_access ? "standard-ia" : "standard", is_present ? ", as it is" : "");
}
inline std::string LabBillInfrequent(std::string_view gigabytes) {
  return Concat("Infrequent access, on demand, pays from ", gigabytes, " GB of storage on");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_BILL_MESSAGES_H_
