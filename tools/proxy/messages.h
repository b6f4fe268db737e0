// The texts of the proxy.
#ifndef DYNOLITH_TOOLS_PROXY_MESSAGES_H_
#define DYNOLITH_TOOLS_PROXY_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string ProxyPlace(std::string_view endpoint) {
  return Concat("calls go to ", endpoint);
}
inline std::string ProxyPlaceWithShadow(std::string_view endpoint, std::string_view shadow) {
  return Concat("calls go to ", endpoint, ", and for comparison to ", shadow);
}

// --- the log

inline std::string ShadowWriteFailed() { return "the shadow has not made a write"; }
inline std::string ShadowWriteUnclear() {
  return "a write may have been made by the target, and was not sent to the shadow";
}
inline std::string AnswersDiffer() { return "the target and the shadow answer differently"; }
inline std::string DifferencesNotWritten(std::string_view file, std::string_view reason) {
  return Concat("differences cannot be written to ", file, ": ", reason);
}

inline std::string ReadsNotCompared() {
  return "reads that waited for their comparison at the end are not compared";
}
inline std::string WriteNotRead() { return "the proxy cannot read the request"; }
inline std::string ExecutedPartNotKnown() {
  return "it cannot be told which part of the batch has been executed";
}

// --- why an endpoint has not answered

inline std::string NoAnswerCame() { return "it has closed the connection without an answer"; }
inline std::string AnswerCutOff() { return "it has closed the connection within its answer"; }
inline std::string AnswerNotHttp() { return "its answer is not HTTP/1.1"; }
inline std::string AnswerHeadTooLong() { return "the headers of its answer have more than 16 KB"; }
inline std::string AnswerTooLong() { return "its answer has more than 64 MB"; }
inline std::string AnswerFramingUnknown(std::string_view coding) {
  return Concat("its answer has the unknown Transfer-Encoding ", coding);
}
inline std::string AnswerTooEarly() {
  return "it has begun a long answer before it has read the request";
}
inline std::string NoAnswerInTime(int64_t seconds) {
  return Concat("there was no answer within ", seconds, " s");
}
inline std::string NoConnectionInTime(int64_t seconds) {
  return Concat("there was no connection within ", seconds, " s");
}
inline std::string CredentialsNotKept() {
  return "the proxy's credentials have expired while the call waited";
}
inline std::string EndpointNoMemory() { return "this process has no memory for the call"; }

// --- the admin endpoint

inline std::string ProxyNoSuchPath(std::string_view path) {
  return Concat("a proxy has no ", path,
                "; there are /_dynolith/live, /_dynolith/proxy, /_dynolith/faults, "
                "/_dynolith/capacity, /_dynolith/hot-keys, /_dynolith/heat and "
                "/_dynolith/metrics");
}
inline std::string ProxyImpossibleFault(std::string_view fault, std::string_view operation) {
  return Concat("a proxy cannot inject ", fault, " into ", operation,
                ", whose statements have answers of their own");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_PROXY_MESSAGES_H_
