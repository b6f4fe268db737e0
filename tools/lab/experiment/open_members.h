// What of an experiment advice can change, by its path in the file: "table.posts.billing".
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_OPEN_MEMBERS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_OPEN_MEMBERS_H_

#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

std::string OpenMemberPath(const Experiment& experiment, const OpenMember& member);

// Each that there is, in the order of the file.
std::vector<OpenMember> MembersToOpen(const Experiment& experiment);

// What is open where the file does not say: billing, units and auto scaling of each table, shards
// of each index, which are tried if its keys are hot, and of the keys that some design has in
// shards.
AdviceRequest DefaultAdvice(const Experiment& base, const std::vector<Experiment>& designs);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_OPEN_MEMBERS_H_
