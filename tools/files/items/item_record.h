// Interprets one JSON object of a file as an item, a change or a deletion.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_ITEM_RECORD_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_ITEM_RECORD_H_

#include <string_view>

#include "engine/text/json_tree.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// Borrows from the tree.
struct ItemRecord {
  const JsonTree* item;  // never nullptr; for a deletion the key
  ItemWrite write = {};
  std::string_view table = {};  // empty: the object does not name it
  bool is_change = false;       // whether it is of an incremental export, which may have deletions
};

// Recognises an item by the object around it: {"Item": {…}} of exports and of get-item's output, an
// input of put-item, a change of an incremental export (the new image, or the key of a deleted
// item), {"PutRequest": …} and {"DeleteRequest": …}. Any other object is the item itself.
ItemRecord ToItemRecord(const JsonTree& tree);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_ITEM_RECORD_H_
