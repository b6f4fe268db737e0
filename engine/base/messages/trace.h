// What is said of traces of requests: while they are written, and of files that are none.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_TRACE_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- the server

inline std::string TraceNotWritten(std::string_view file, std::string_view reason) {
  return Concat("the trace ", file, " cannot be written: ", reason);
}
inline std::string TraceIsSomethingElse(std::string_view file) {
  return Concat(file, " is there and is no trace, so --trace does not replace it");
}
inline std::string TraceEnds() { return "requests are traced no longer"; }

// --- readers

inline std::string NotATrace(std::string_view file) {
  return Concat(file, " is no trace: dynolith serve --trace FILE writes one");
}
inline std::string TraceIsNewer(std::string_view file) {
  return Concat(file, " was written by a newer dynolith, whose format this one does not know");
}
inline std::string TraceHeaderDamaged(std::string_view file) {
  return Concat(file, " is damaged: its first bytes are not those that were written");
}
inline std::string TraceCutOff(std::string_view file, size_t read, size_t all) {
  return Concat(file, " is cut off or damaged: only ", read, " of its ", all, " bytes were read");
}

inline std::string TraceEmpty(std::string_view file) {
  return Concat(file, " holds no request that was served, so there is nothing to replay");
}

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

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_TRACE_H_
