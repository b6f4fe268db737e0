// Reads the items of files in the service's JSON, with their locations.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_ITEM_READER_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_ITEM_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "engine/value/item.h"
#include "tools/files/items/attribute_values.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

enum class ItemForm : uint8_t { kJsonLines, kCsv, kIon, kPipeline };

// A file of items that is read again, item by item, after tables are made.
struct ItemFile {
  std::string file;
  ItemForm form = ItemForm::kJsonLines;
  std::string table = {};  // empty: the file does not name it
  bool is_plain = true;    // whether its first record is a plain item
};

// Items of a file that was read as a whole.
struct ItemList {
  FileLocation place;
  std::string table;  // empty: the file does not name it
  std::vector<SampleItem> items;
};

// Reads a JSON document of items: {"Items": […]} of a scan or a query, a batch-write-item file or
// its unprocessed items, {"Responses": …} of batch-get-item, a record or a list of records
// (item_record.h). nullopt: another document. Warns of skipped parts.
std::optional<std::vector<ItemList>> ReadItemDocument(const std::string& file, const JsonTree& tree,
                                                      Findings* findings);

// Describes a file of lines or of Ion by its first record, whose errors are reported when it is
// read. Errors: kInvalidArgument with the reason for which the file cannot be read.
absl::Status LookAtFirstRecord(ItemFile* file);

struct ItemFileHandler {
  // Called when a record begins; returns whether to read it.
  absl::FunctionRef<bool()> begin;
  // An item of the table's types.
  absl::FunctionRef<absl::Status(JsonTree item, const ItemWrite& write, const FileLocation& place)>
      take;
  // Called for an invalid item; reading continues.
  absl::FunctionRef<void(const FileLocation& place, std::string text)> fail;
  // Called with the number of further bytes read from the file on disk.
  absl::FunctionRef<void(size_t bytes)> count;
  // Called with an item of a line in the form of exports; returns whether it was accepted. If not,
  // or if this is empty, `take` receives it.
  std::optional<absl::FunctionRef<absl::StatusOr<bool>(ItemView item)>> take_plain = std::nullopt;
};

// Reads line by line, or record by record. Errors: those of `take` and `take_plain`, which end the
// reading; kInvalidArgument saying why the file cannot be read.
absl::Status ReadItemFile(const ItemFile& file, const AttributeTypes& types,
                          const ItemFileHandler& handler);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_ITEM_READER_H_
