// What one JSON object of a file says of an item.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_ITEM_RECORD_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_ITEM_RECORD_H_

#include <string_view>

#include "engine/base/json_tree.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// Borrows from the tree.
struct ItemRecord {
  const JsonTree* item;  // never null; of a deletion its key
  ItemWrite write = {};
  std::string_view table = {};  // empty: it does not say
  bool is_change = false;       // of an incremental export, in which others may be deletions
};

// An item is told by what stands around it: {"Item": {…}} of exports and of get-item's output, an
// input of put-item, a change of an incremental export (the new image, else the key of what was
// deleted), {"PutRequest": …} and {"DeleteRequest": …}; else the object is the item.
ItemRecord ToItemRecord(const JsonTree& tree);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_ITEM_RECORD_H_
