// Outputs of the operations on auto scaling -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_AUTO_SCALING_H_
#define DYNOLITH_API_JSON_WRITE_AUTO_SCALING_H_

#include "api/json/json_writer.h"
#include "dynolith/auto_scaling.h"

namespace dynolith {

void WriteOutputJson(const TableAutoScalingDescription& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_AUTO_SCALING_H_
