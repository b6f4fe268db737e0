// What would help a design that does not serve: what else to open, and what no experiment can try.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_REMEDY_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_REMEDY_H_

#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Each a part of a sentence; of what denied the access with the largest part.
std::vector<std::string> WhatHelps(const RunResult& run, const AdviceRequest& request);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_REMEDY_H_
