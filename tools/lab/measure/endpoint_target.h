// Measures a DynamoDB endpoint over HTTP or HTTPS: calls as signed JSON.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_ENDPOINT_TARGET_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_ENDPOINT_TARGET_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/client/service_target.h"
#include "tools/lab/measure/service_call.h"

namespace dynolith::lab {

class EndpointTarget final : public MeasuredTarget {
 public:
  // `certificates`: the authorities that TLS trusts, in PEM; empty: those of the system. Errors:
  // kInvalidArgument for an invalid URL, missing credentials or missing certificates.
  static absl::StatusOr<std::unique_ptr<EndpointTarget>> Make(const std::string& url,
                                                              const std::string& certificates);

  std::unique_ptr<MeasuredConnection> Connect() override;
  std::string name() const override { return url_; }
  size_t connections_max() const override { return 512; }

 private:
  EndpointTarget(std::string url, std::unique_ptr<client::ServiceTarget> server);

  const std::string url_;
  const std::unique_ptr<client::ServiceTarget> server_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_ENDPOINT_TARGET_H_
