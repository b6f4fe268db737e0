// Whether the SDKs and the AWS CLI of this user will find a server.
#ifndef DYNOLITH_TOOLS_DOCTOR_CLIENT_CHECKS_H_
#define DYNOLITH_TOOLS_DOCTOR_CLIENT_CHECKS_H_

#include "tools/doctor/aws_settings.h"
#include "tools/doctor/finding.h"
#include "tools/http/server_address.h"

namespace dynolith::doctor {

// Endpoint, credentials, region and proxy. `url` is where the server is to be, `address` the same.
void CheckClients(const Environment& environment, const std::string& url,
                  const http::ServerAddress& address, Findings* findings);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_DOCTOR_CLIENT_CHECKS_H_
