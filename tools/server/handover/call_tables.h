// The tables whose items a call reads or writes.
#ifndef DYNOLITH_TOOLS_SERVER_HANDOVER_CALL_TABLES_H_
#define DYNOLITH_TOOLS_SERVER_HANDOVER_CALL_TABLES_H_

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/json_tree.h"

namespace dynolith::handover {

struct CallTable {
  std::string name;
  bool writes = false;  // whether the call may change its items
};

// "PutItem": whether the operation is about items of tables, which it names.
bool IsOfItems(std::string_view operation);
// Each table once, in the order of the body; of an ARN the name. Tables of statements that are none
// are left out, and so is everything that the operation would refuse. `body`: of a call that
// IsOfItems.
std::vector<CallTable> TablesOfCall(std::string_view operation, const JsonTree& body);

}  // namespace dynolith::handover

#endif  // DYNOLITH_TOOLS_SERVER_HANDOVER_CALL_TABLES_H_
