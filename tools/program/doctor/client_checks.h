// Whether the SDKs and the AWS CLI of this user can find a server.
#ifndef DYNOLITH_TOOLS_PROGRAM_DOCTOR_CLIENT_CHECKS_H_
#define DYNOLITH_TOOLS_PROGRAM_DOCTOR_CLIENT_CHECKS_H_

#include "api/remote/aws_settings.h"
#include "api/remote/server_address.h"
#include "tools/program/doctor/finding.h"

namespace dynolith::doctor {

// Checks endpoint, credentials, region and proxy. `url`: the expected address of the server;
// `address`: the same, parsed.
void CheckClients(const client::Environment& environment, const std::string& url,
                  const http::ServerAddress& address, Findings* findings);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_PROGRAM_DOCTOR_CLIENT_CHECKS_H_
