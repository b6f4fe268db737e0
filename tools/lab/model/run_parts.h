// Divides a run into parts that do not influence each other, so that they can run side by side.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_RUN_PARTS_H_
#define DYNOLITH_TOOLS_LAB_MODEL_RUN_PARTS_H_

#include <cstddef>
#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Some accesses, and the tables and indexes that only they use.
struct RunPart {
  std::vector<bool> accesses;   // by Experiment::accesses: whether it is of this part
  std::vector<bool> resources;  // by ResourceDesigns
  double operations = 0;        // about how many it has
};

// At least one part, at most `most`, with about as many operations each as what depends on each
// other allows. Each access, table and index is of one part. README.md says what depends on what.
std::vector<RunPart> DivideRun(const Experiment& experiment, size_t most);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_RUN_PARTS_H_
