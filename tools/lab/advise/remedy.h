// Suggests changes for a design that does not serve: members to open, and what the lab cannot try.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_REMEDY_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_REMEDY_H_

#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Each element is a part of a sentence. They concern the access with the largest denied part.
std::vector<std::string> WhatHelps(const RunResult& run, const AdviceRequest& request);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_REMEDY_H_
