// The members of an experiment that advice can change, by their paths: "table.posts.billing".
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_OPEN_MEMBERS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_OPEN_MEMBERS_H_

#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

std::string OpenMemberPath(const Experiment& experiment, const OpenMember& member);

// Lists all of them in the order of the file.
std::vector<OpenMember> MembersToOpen(const Experiment& experiment);

// Returns the open members for a file without [advise]: billing, units and auto scaling of each
// table, shards of each index, which are tried if its keys are hot, and shards of the keys that
// some design shards.
AdviceRequest DefaultAdvice(const Experiment& base, const std::vector<Experiment>& designs);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_OPEN_MEMBERS_H_
