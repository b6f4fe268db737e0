// What of an experiment makes sense, but may not be what its author means.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_DOUBTS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_DOUBTS_H_

#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Appends a sentence, without a period, for each that is not there yet: writes that leave an index
// alone, because they do not give its partition key; a load of a file that ends before the
// experiment; of a replay there are none of these. And units above the quotas of the account.
void AddDoubts(const Experiment& experiment, std::vector<std::string>* doubts);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_DOUBTS_H_
