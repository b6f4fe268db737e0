// The corners of the service's uncertain figures: early or late splits, combined with eventually
// consistent reads from one replica or from several (README.md).
#ifndef DYNOLITH_TOOLS_LAB_MODEL_UNCERTAINTY_H_
#define DYNOLITH_TOOLS_LAB_MODEL_UNCERTAINTY_H_

#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Returns the experiment in each corner.
std::vector<Experiment> MakeCorners(const Experiment& experiment);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_UNCERTAINTY_H_
