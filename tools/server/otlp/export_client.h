// One export: a request of OTLP over HTTP, and what its receiver says.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_EXPORT_CLIENT_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_EXPORT_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "api/remote/http_connection.h"
#include "tools/server/otlp/settings.h"

namespace dynolith::otlp {

struct ExportResult {
  enum class Kind : uint8_t {
    kTaken,    // all of it, or a part: it must not be sent again
    kLater,    // to be sent again
    kRefused,  // it would be refused again
  };
  Kind kind = Kind::kTaken;
  std::string reason;                                      // empty: all is well
  uint64_t rejected = 0;                                   // spans or points of what was taken
  absl::Duration retry_after = -absl::InfiniteDuration();  // as the receiver asks
};

// What the answer says (OTLP/HTTP Response, opentelemetry.io/docs/specs/otlp). `now`: for a time in
// Retry-After.
ExportResult ResultOf(const client::HttpAnswer& answer, absl::Time now);

// For one thread at a time.
class ExportClient {
 public:
  // Borrows everything. `trust`: nullptr without TLS. Once `interrupted` is true, exports end soon.
  ExportClient(const Settings* settings, const client::TlsTrust* trust,
               const std::atomic<bool>* interrupted);

  // `path`: "/v1/traces".
  ExportResult Export(std::string_view path, std::string_view request);

 private:
  const Settings& settings_;
  const std::atomic<bool>* const interrupted_;
  client::HttpHeaders headers_;
  const std::unique_ptr<client::HttpConnection> connection_;
};

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_EXPORT_CLIENT_H_
