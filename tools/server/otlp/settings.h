// Where telemetry is sent, and as whose: from the option and OpenTelemetry's variables.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_SETTINGS_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_SETTINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/remote/aws_settings.h"
#include "api/remote/http_connection.h"
#include "api/remote/server_address.h"

namespace dynolith::otlp {

struct Settings {
  std::string url;  // without the paths
  http::ServerAddress address;
  std::string path;  // before "/v1/traces"
  client::HttpHeaders headers;
  std::string certificates;  // a file; empty: the system's
  bool compresses = false;
  absl::Duration timeout = absl::Seconds(10);
  std::string resource;                // the bytes of a Resource
  std::vector<std::string> variables;  // that have been followed
};

// `url`: of the option; empty: that of the variable, or a collector on this machine. Followed are
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _CERTIFICATE, _COMPRESSION, _TIMEOUT and _PROTOCOL,
// OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Errors: kInvalidArgument, which names what is
// wrong.
absl::StatusOr<Settings> FindSettings(std::string_view url, const client::Environment& environment);

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_SETTINGS_H_
