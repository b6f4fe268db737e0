#include "tools/lab/measure/service_call.h"

#include "engine/base/errors.h"

namespace dynolith::lab {

bool IsThrottlingException(std::string_view name) {
  for (const ErrorKind kind : {ErrorKind::kThrottling, ErrorKind::kProvisionedThroughputExceeded,
                               ErrorKind::kRequestLimitExceeded}) {
    if (name == InfoOf(kind).exception_name) return true;
  }
  return false;
}

bool IsThrottlingCode(std::string_view code) {
  return code == "ThrottlingError" || code == "ProvisionedThroughputExceeded";
}

}  // namespace dynolith::lab
