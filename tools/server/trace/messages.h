// The texts about traces of requests: writing them, and files that are not traces.
#ifndef DYNOLITH_TOOLS_SERVER_TRACE_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_TRACE_MESSAGES_H_

#include <cstddef>
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

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_TRACE_MESSAGES_H_
