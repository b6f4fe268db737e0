// The texts about measured runs of the lab: the servers, and remarks on the figures.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- targets

inline std::string LabLibraryName(std::string_view folder) {
  return folder.empty() ? "the library in this process, in memory"
                        : Concat("the library in this process, in ", folder);
}
inline std::string LabNoEndpoint(std::string_view url) {
  return Concat(url, " is no address of an endpoint, such as http://localhost:8000");
}
inline std::string LabNoAnswer() { return "no answer"; }
inline std::string LabHttpStatus(int status) { return Concat("HTTP status ", status); }

// --- what cannot be measured

inline std::string LabNotMeasured(std::string_view file, std::string_view path,
                                  std::string_view instead) {
  return Concat(file, ": ", path, " cannot be measured: ", instead);
}
inline std::string LabSampleInstead() {
  return "each request is sent; leave it out, and --load 0.01 sends one of a hundred";
}
inline std::string LabLocalInstead() { return "a real table with local indexes has a sort_key"; }

inline std::string LabSparseInstead() {
  return "real items all have an entry, so leave out its entries, and \"add\" and \"remove\"";
}

inline std::string LabVectorsInstead() {
  return "tables are made without vector indexes; dynolith lab simulate counts their bytes";
}
inline std::string LabBulkInstead() {
  return "it has no bucket; dynolith lab simulate shows how long it takes";
}
inline std::string LabAdaptiveInstead() {
  return "real requests are sent when they are due; leave it out";
}

// --- tables

inline std::string LabTableIsThere(std::string_view table, std::string_view target) {
  return Concat("there is a table ", table, " already, and it stays as it is (", target,
                "); --prefix TEXT gives other names");
}
inline std::string LabServiceSays(std::string_view of, std::string_view error,
                                  std::string_view message) {
  return message.empty() ? Concat(of, ": ", error) : Concat(of, ": ", error, ": ", message);
}
inline std::string LabNotActive(std::string_view table) {
  return Concat(table, " is not active after 10 minutes");
}

// --- remarks on the figures

inline std::string LabUnsent() { return "not sent before the end"; }
inline std::string LabUnfinished() { return "not tried again before the end"; }
inline std::string LabGeneratorKeptUp(std::string_view lag) {
  return Concat("The load generator kept up: 99 % of the calls left within ", lag,
                " ms of when they were due and a connection was free.");
}
inline std::string LabGeneratorSlow(std::string_view lag) {
  return Concat("The load generator itself was the bottleneck: one of a hundred calls left ", lag,
                " ms or more after it was due and a connection was free, and the latencies hold "
                "that. Send less (--load), or use a machine with more cores.");
}
inline std::string LabScheduleKept(size_t connections) {
  return Concat("The schedule was kept with ", connections,
                connections == 1 ? " connection." : " connections.");
}
// `milliseconds`: the median duration of a call.
inline std::string LabConnectionsBusy(size_t connections, std::string_view part,
                                      std::string_view milliseconds, bool is_fixed) {
  return Concat("The schedule was not kept with ", connections,
                connections == 1 ? " connection: " : " connections: ", part,
                " of the requests waited 10 ms or more until one was free, and their latencies "
                "hold that; ",
                is_fixed ? "--connections may be larger, if what answers is not at its limit"
                         : "what answers is at its limit, since more connections would only wait",
                " (half of the calls took ", milliseconds, " ms or more).");
}
inline std::string LabSomeUnsent(uint64_t count) {
  return Concat("Requests that were due, but could not be sent before the end: ", count,
                ". They count as errors, and with their age as latencies.");
}
inline std::string LabLoadedAll(std::string_view count) {
  return Concat("Items that were loaded before the run: ", count, ".");
}
inline std::string LabLoadedSome(std::string_view count, std::string_view needed) {
  return Concat("Only ", count, " of ", needed,
                " items that may be asked for were loaded before the run: other reads find "
                "nothing, and are cheaper and faster than they should be (--items N for more).");
}
inline std::string LabWarmCut(std::string_view members, int64_t most) {
  return Concat("Cut to ", most, " units a second, the quota of a table: ", members, ".");
}
inline std::string LabModelOnly(std::string_view members) {
  return Concat("Of no use where requests are real: ", members,
                "; a real table has its own partitions.");
}

// --- what a probe did not find

inline std::string LabProbeHeading(std::string_view target, std::string_view when) {
  return Concat("What dynolith lab probe found of ", target, " at ", when, ".");
}
inline std::string LabProbeStopped(std::string_view member) {
  return Concat(member, " was not found: the probe was stopped before.");
}
inline std::string LabProbeNeverEmpty(int64_t seconds) {
  return Concat("burst was not found: a table gave its units of ", seconds,
                " seconds at once and did not throttle.");
}
inline std::string LabProbeNothingSaved() {
  return "burst was not found: a table throttled before it had given its units of a second.";
}
inline std::string LabProbeIdleTooShort(int64_t seconds) {
  return Concat("burst was not found: a table had saved ", seconds,
                " seconds, and may save more when it is idle for longer (--idle).");
}
inline std::string LabProbeTooShort() {
  return "eventual_reads was not found: a partition was hot for less than 6 seconds (--hot).";
}
inline std::string LabProbeNotThrottled(int64_t units) {
  return Concat("eventual_reads was not found: a partition served ", units,
                " units a second without throttling in each; a connection nearer to the service "
                "asks for more.");
}
inline std::string LabProbeNoRate() {
  return "split_delay was not found, since eventual_reads was not.";
}
inline std::string LabProbeNoSplit(size_t seconds) {
  return Concat("split_delay was not found: a partition was hot for ", seconds,
                " seconds and not split (--hot).");
}

// --- while it runs

inline std::string LabStoppedBefore() {
  return "stopped before the run began, so there is nothing to show";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_MESSAGES_H_
