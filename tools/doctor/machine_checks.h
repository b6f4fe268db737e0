// Whether the machine has the resources for a server.
#ifndef DYNOLITH_TOOLS_DOCTOR_MACHINE_CHECKS_H_
#define DYNOLITH_TOOLS_DOCTOR_MACHINE_CHECKS_H_

#include <string>

#include "tools/doctor/finding.h"

namespace dynolith::doctor {

// Open files, the size of a file, memory and processors that this process may have.
void CheckLimits(Findings* findings);

// A data folder, existing or not: whether it can be written, its file system, its free room, and
// whether its store opens.
void CheckDataFolder(const std::string& folder, Findings* findings);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_DOCTOR_MACHINE_CHECKS_H_
