// A replica of a global table, from what two regions see of the table.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_REPLICA_DESIGN_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_REPLICA_DESIGN_H_

#include <string>

#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// `here`: the table in the region that makes the replica; `there`: in that region. What both have
// in common the replica has from its table.
ReplicaDesign ToReplica(const TableDesign& here, TableDesign there, const std::string& region);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_REPLICA_DESIGN_H_
