// The texts about OpenTelemetry's protocol.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- settings

inline std::string OtlpNotAnEndpoint(std::string_view url) {
  return Concat("--otlp: ", url, " is no address such as http://localhost:4318");
}
inline std::string OtlpNotPairs(std::string_view variable) {
  return Concat(variable, " must have the form name=value,name=value");
}
inline std::string OtlpNotACompression(std::string_view word) {
  return Concat("OTEL_EXPORTER_OTLP_COMPRESSION is ", word, ", and must be gzip or none");
}
inline std::string OtlpNotAProtocol(std::string_view word) {
  return Concat("OTEL_EXPORTER_OTLP_PROTOCOL is ", word, ", but only http/protobuf is spoken");
}
inline std::string OtlpNotATimeout(std::string_view text, int64_t milliseconds_max) {
  return Concat("OTEL_EXPORTER_OTLP_TIMEOUT is ", text,
                ", and must be a whole number of milliseconds from 1 to ", milliseconds_max);
}
inline std::string OtlpSettings(std::string_view url, std::string_view variables) {
  return Concat("OTLP: traces and metrics go to ", url,
                variables.empty() ? "" : Concat(", as these variables say: ", variables));
}

// --- exports. `signal`: "traces" or "metrics"

inline std::string OtlpAnswered(int status, std::string_view message) {
  return Concat("status ", status, message.empty() ? "" : ": ", message);
}
inline std::string OtlpFails(std::string_view signal, std::string_view url,
                             std::string_view reason) {
  return Concat("OTLP: ", signal, " cannot be sent to ", url, " and will be tried again: ", reason);
}
inline std::string OtlpWorksAgain(std::string_view signal, std::string_view url) {
  return Concat("OTLP: ", signal, " can be sent to ", url, " again");
}
inline std::string OtlpRefused(std::string_view signal, std::string_view url,
                               std::string_view reason) {
  return Concat("OTLP: ", url, " refuses ", signal, ", which are given up: ", reason);
}
inline std::string OtlpPartlyTaken(std::string_view signal, std::string_view url, uint64_t rejected,
                                   std::string_view reason) {
  return Concat("OTLP: ", url, " has taken ", signal, " but for ", rejected, ": ", reason);
}
inline std::string OtlpDropped(uint64_t spans) {
  return Concat("OTLP: ", spans,
                " spans were dropped, since more came than could be sent: fewer calls are traced "
                "with --otlp-sample");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_MESSAGES_H_
