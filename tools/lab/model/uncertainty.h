// The corners of what is uncertain in the service: each split early or late, with eventually
// consistent reads served by one replica or by several (README.md).
#ifndef DYNOLITH_TOOLS_LAB_MODEL_UNCERTAINTY_H_
#define DYNOLITH_TOOLS_LAB_MODEL_UNCERTAINTY_H_

#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// The experiment in each of them.
std::vector<Experiment> MakeCorners(const Experiment& experiment);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_UNCERTAINTY_H_
