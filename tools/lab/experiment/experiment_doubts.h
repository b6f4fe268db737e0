// Warns of parts of an experiment that are valid, but may not be what its author means.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_DOUBTS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_DOUBTS_H_

#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Appends a sentence, without a period, for each doubt that `doubts` does not have yet: writes that
// do not change an index because they do not give its partition key, a load from a file that ends
// before the experiment, one of which the experiment does not have the highest rate or a whole
// period, a read of one of several shards (none of these of a replay), and units above the quotas
// of the account.
void AddDoubts(const Experiment& experiment, std::vector<std::string>* doubts);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_DOUBTS_H_
