// Items of files, in the service's JSON, with their places.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_ITEM_READER_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_ITEM_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/json_tree.h"
#include "engine/value/item.h"
#include "tools/files/items/attribute_values.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

enum class ItemForm : uint8_t { kJsonLines, kCsv, kIon, kPipeline };

// Items in a file that is read again, item by item, when tables are there.
struct ItemFile {
  std::string file;
  ItemForm form = ItemForm::kJsonLines;
  std::string table = {};  // empty: the file does not say
  bool is_plain = true;    // whether it has only items, by its first record
};

// Items of a file that was read as a whole.
struct ItemList {
  FileLocation place;
  std::string table;  // empty: the file does not say
  std::vector<SampleItem> items;
};

// What a file of items is in a document of JSON: {"Items": […]} of a scan or a query, a
// batch-write-item file or what it left, {"Responses": …} of batch-get-item, a record or a list of
// them (item_record.h). nullopt: none of them. What is left out is warned of.
std::optional<std::vector<ItemList>> ReadItemDocument(const std::string& file, const JsonTree& tree,
                                                      Findings* findings);

// Says what the first record of a file of lines or of Ion tells of all. What is wrong with it is
// told when it is read. Errors: kInvalidArgument saying why the file cannot be read.
absl::Status LookAtFirstRecord(ItemFile* file);

struct ItemFileHandler {
  // A record begins: whether it is wanted. If not, it is not looked at.
  absl::FunctionRef<bool()> begin;
  // An item of the table's types.
  absl::FunctionRef<absl::Status(JsonTree item, const ItemWrite& write, const FileLocation& place)>
      take;
  // What is none; reading goes on.
  absl::FunctionRef<void(const FileLocation& place, std::string text)> fail;
  // So many more bytes of the file, as it lies on the disk.
  absl::FunctionRef<void(size_t bytes)> count;
  // An item of a line as exports write it: whether it has been taken. If not, and without this, it
  // goes to `take`.
  std::optional<absl::FunctionRef<absl::StatusOr<bool>(ItemView item)>> take_plain = std::nullopt;
};

// Reads line by line, or record by record. Errors: those of `take` and `take_plain`, which end the
// reading; kInvalidArgument saying why the file cannot be read.
absl::Status ReadItemFile(const ItemFile& file, const AttributeTypes& types,
                          const ItemFileHandler& handler);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_ITEM_READER_H_
