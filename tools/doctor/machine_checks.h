// Whether the machine gives a server what it needs.
#ifndef DYNOLITH_TOOLS_DOCTOR_MACHINE_CHECKS_H_
#define DYNOLITH_TOOLS_DOCTOR_MACHINE_CHECKS_H_

#include <string>

#include "tools/doctor/finding.h"

namespace dynolith::doctor {

// Open files, the size of a file, memory and processors that this process may have.
void CheckLimits(Findings* findings);

// A data folder that is there or is to be made: whether it can be written, on which file system,
// how much there is room for, and whether what is in it opens.
void CheckDataFolder(const std::string& folder, Findings* findings);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_DOCTOR_MACHINE_CHECKS_H_
