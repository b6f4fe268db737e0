// The texts of the lab's summary.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_REPORT_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Invalid files of the lab, and runs that are not possible.

// --- the summary

// For an experiment without designs.
inline std::string LabOnlyDesign() { return "as it is"; }
inline std::string LabReason(std::string_view limit, std::string_view resource) {
  return Concat(limit, " of ", resource);
}
inline std::string LabEachWaited(std::string_view milliseconds) {
  return Concat(milliseconds, " ms each");
}
inline std::string LabScansDone(std::string_view access, uint64_t scans, std::string_view seconds) {
  return Concat("    ", access, ": ", scans, scans == 1 ? " scan" : " scans, each", " done in ",
                seconds, " s\n");
}
inline std::string LabSplits(std::string_view resource, size_t splits, size_t within,
                             std::string_view first, std::string_view last) {
  return Concat("    ", resource, ": ", splits, splits == 1 ? " split" : " splits",
                within == 0 ? "" : Concat(" (", within, " within one partition key)"),
                splits == 1 ? Concat(" after ", first)
                            : Concat(", the first after ", first, ", the last after ", last),
                "\n");
}
inline std::string LabScalings(std::string_view resource, std::string_view kind, size_t up,
                               size_t down, std::string_view least, std::string_view most,
                               std::string_view mean) {
  return Concat("    ", resource, ": ", kind, " units scaled up ", up, up == 1 ? " time" : " times",
                " and down ", down, down == 1 ? " time" : " times", ", from ", least, " to ", most,
                ", on average ", mean, "\n");
}
inline std::string LabThrottledBy(std::string_view resource, std::string_view rate,
                                  std::string_view limit) {
  return Concat("    ", resource, ": ", rate, " throttled/s by the ", limit, "\n");
}
inline std::string LabCosts(std::string_view currency, std::string_view on_demand,
                            std::string_view provisioned, std::string_view storage) {
  return Concat("    a month: ", on_demand, " ", currency, " on demand, ", provisioned, " ",
                currency, " provisioned, storage ", storage, " ", currency, "\n");
}
inline std::string LabDoubt(std::string_view doubt) {
  return Concat("\n  Warning: ", doubt, ".\n");
}
inline std::string LabAskForDetails() {
  return "\n  --design NAME shows one of them in detail, --csv and --json all.\n";
}
inline std::string LabFooter(std::string_view time, std::string_view decisions, uint64_t seed,
                             std::string_view region, std::string_view date) {
  return Concat("\n  ", time, " simulated, ", decisions, " decisions, seed ", seed, "; prices of ",
                region, ", ", date, " (--prices FILE for others)\n");
}
inline std::string LabStopped(std::string_view duration) {
  return Concat("  Stopped before its end: it would have lasted ", duration, ".\n");
}

// ===== Traces of requests: writing them, and files that are not traces.

// --- what a trace holds

inline std::string TraceHolds(std::string_view file, std::string_view requests, size_t files,
                              std::string_view bytes, bool has_plain_keys) {
  return Concat(file, ": ", requests, " requests, keys ", has_plain_keys ? "plain" : "hashed", ", ",
                files, files == 1 ? " file, " : " files, ", bytes, "\n");
}
inline std::string TracePeriod(std::string_view begin, std::string_view end,
                               std::string_view length) {
  return Concat("  from ", begin, " to ", end, " UTC (", length, ")\n");
}
inline std::string TraceDropped(uint64_t requests) {
  return Concat("  ", requests, requests == 1 ? " request was" : " requests were",
                " dropped: they came faster than the trace could be written\n");
}

// ===== Measured runs of the lab: the servers, and remarks on the figures.

// --- the summary

inline std::string LabMeasuredOn(std::string_view target, std::string_view warm_up) {
  return Concat("    measured on ", target, ", after a warm-up of ", warm_up, "\n");
}
inline std::string LabNote(std::string_view note) { return Concat("    ", note, "\n"); }
inline std::string LabAccessErrors(std::string_view access, uint64_t count, std::string_view kind) {
  return Concat("    ", access, ": ", count, count == 1 ? " error: " : " errors: ", kind, "\n");
}
inline std::string LabMeasureFooter(std::string_view time, std::string_view calls, uint64_t seed,
                                    std::string_view region, std::string_view date) {
  return Concat("\n  ", time, " measured, ", calls, " calls, seed ", seed, "; prices of ", region,
                ", ", date, " (--prices FILE for others)\n");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_REPORT_MESSAGES_H_
