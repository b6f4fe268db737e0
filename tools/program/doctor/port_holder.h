// The process that listens on a port of this machine.
#ifndef DYNOLITH_TOOLS_PROGRAM_DOCTOR_PORT_HOLDER_H_
#define DYNOLITH_TOOLS_PROGRAM_DOCTOR_PORT_HOLDER_H_

#include <cstdint>
#include <string>

namespace dynolith::doctor {

// "nginx (process 812)", by /proc; empty if there is none, or if it belongs to another user.
std::string PortHolder(uint16_t port);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_PROGRAM_DOCTOR_PORT_HOLDER_H_
