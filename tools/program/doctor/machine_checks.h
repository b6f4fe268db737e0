// Whether the machine has the resources for a server.
#ifndef DYNOLITH_TOOLS_PROGRAM_DOCTOR_MACHINE_CHECKS_H_
#define DYNOLITH_TOOLS_PROGRAM_DOCTOR_MACHINE_CHECKS_H_

#include <string>

#include "tools/program/doctor/finding.h"

namespace dynolith::doctor {

// Checks this process's limits: open files, the size of a file, memory and processors.
void CheckLimits(Findings* findings);

// The databases with names beside a data folder, which CheckDataFolder does not look at.
Finding NoteDatabases(const std::string& folder);

// Checks a data folder, existing or not: whether it is writable, its file system, its free space,
// and whether its store opens.
// `key`: StoreOptions::encryption_key.
void CheckDataFolder(const std::string& folder, const std::string& key, Findings* findings);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_PROGRAM_DOCTOR_MACHINE_CHECKS_H_
